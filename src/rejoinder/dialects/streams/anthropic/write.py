"""Moments as the events of an Anthropic stream."""

from __future__ import annotations

from collections.abc import Iterator

from rejoinder.dialects.streams.fields import Json, present
from rejoinder.dialects.streams.moments import Began, Broke, Closed, Counted, Ended, Finish, Grew, Moment, Opened, Usage
from rejoinder.dialects.streams.spelling import Spelling

_STOP: dict[Finish, str] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "calls": "tool_use",
    "sequence": "stop_sequence",
    "filtered": "refusal",
    "refused": "refusal",
    "paused": "pause_turn",
}
_DELTAS = {"call": ("input_json_delta", "partial_json"), "text": ("text_delta", "text")}
ENDS: frozenset[str] = frozenset(_STOP) - {"filtered", "sequence"}


def usage_as(usage: Usage) -> Json:
    """A usage as Anthropic counts it."""
    cached = (usage.cache_read or 0) + (usage.cache_written or 0)
    counted = {
        "input_tokens": None if usage.input is None else max(usage.input - cached, 0),
        "output_tokens": usage.output or 0,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_written,
    }
    return present(counted)


class Writer:
    """Writes one block after another. The reason and the tokens come last, whenever they were known."""

    def __init__(self) -> None:
        self._index = -1
        self._usage = Usage()
        self._ended: Ended | None = None
        self._spelling: Spelling | None = None

    def take(self, moment: Moment) -> Iterator[Json]:
        """The events that say so."""
        match moment:
            case Began():
                yield {"type": "message_start", "message": _message(moment)}
            case Opened():
                self._index += 1
                self._spelling = Spelling(moment)
                yield {"type": "content_block_start", "index": self._index, "content_block": _block(moment)}
            case Grew():
                yield from self._delta(self._spelling.piece(moment.text) if self._spelling else moment.text)
            case Closed():
                yield from self._delta(self._spelling.rest() if self._spelling else "")
                yield {"type": "content_block_stop", "index": self._index}
            case Counted():
                self._usage = moment.usage
            case Ended():
                self._ended = moment
            case Broke():
                yield {"type": "error", "error": {"type": moment.kind, "message": moment.message}}
            case _:
                pass

    def close(self) -> Iterator[Json]:
        """Why it ended, and the tokens."""
        if self._ended is None:
            return
        reason = _STOP.get(self._ended.finish, "end_turn")
        delta = {"stop_reason": reason, "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": usage_as(self._usage)}
        yield {"type": "message_stop"}

    def _delta(self, text: str) -> Iterator[Json]:
        if text and self._spelling is not None:
            kind, member = _DELTAS["call" if self._spelling.part.kind == "call" else "text"]
            delta = {"type": kind, member: text}
            yield {"type": "content_block_delta", "index": self._index, "delta": delta}


def _message(moment: Began) -> Json:
    return {
        "id": moment.id,
        "type": "message",
        "role": "assistant",
        "model": moment.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def _block(part: Opened) -> Json:
    if part.kind == "call":
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": {}}
    return {"type": "text", "text": ""}
