"""The events of an Anthropic stream as moments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rejoinder.dialects.streams.anthropic.join import GROWS
from rejoinder.dialects.streams.fields import Json, count, encoded, inner, number, present, words
from rejoinder.dialects.streams.moments import (
    Began,
    Closed,
    Counted,
    Ended,
    Finish,
    Grew,
    Moment,
    Opened,
    Usage,
    broke,
    lost,
)
from rejoinder.values.loose import is_array, is_object

FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "calls",
    "stop_sequence": "sequence",
    "refusal": "refused",
    "pause_turn": "paused",
}


def usage_of(raw: object) -> Usage | None:
    """A usage as all count it: here what came from a cache, or went to one, is not part of the input."""
    if not is_object(raw):
        return None
    new, read, written = (
        count(raw, name) for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    return Usage(
        input=None if new is None else new + (read or 0) + (written or 0),
        output=count(raw, "output_tokens"),
        cache_read=read,
        cache_written=written,
        reasoning=count(raw.get("output_tokens_details"), "thinking_tokens"),
    )


class Reader:
    """Reads events. A block that only Anthropic understands is a loss."""

    def __init__(self) -> None:
        self._usage: Json = {}
        self._opened: set[int] = set()
        self._begun: set[int] = set()
        self._last = 0

    def take(self, event: Json) -> Iterator[Moment]:
        """What happens in one event."""
        match event.get("type"):
            case "message_start":
                message = inner(event, "message")
                self._usage = inner(message, "usage")
                yield Began(words(message, "id"), words(message, "model"))
            case "content_block_start":
                self._last = number(event, "index", len(self._begun)) or 0
                self._begun.add(self._last)
                yield from self._start(self._last, inner(event, "content_block"))
            case "content_block_delta":
                yield from self._delta(number(event, "index", self._last) or 0, inner(event, "delta"))
            case "content_block_stop":
                yield Closed(number(event, "index", self._last) or 0)
            case "message_delta":
                yield from self._end(event)
            case "error":
                yield broke(event.get("error", event))
            case _:
                pass

    def close(self) -> Iterator[Moment]:
        """Nothing is left to say."""
        yield from ()

    def _start(self, index: int, block: Json) -> Iterator[Moment]:
        match block.get("type"):
            case "text":
                self._opened.add(index)
                yield Opened(index, "text")
                yield from _grown(index, words(block, "text"))
                cited = block.get("citations")
                if is_array(cited) and cited:
                    yield lost("citations", "only Anthropic's sources can be cited so")
            case "thinking":
                self._opened.add(index)
                yield Opened(index, "thinking")
                yield from _grown(index, words(block, "thinking"))
            case "tool_use":
                self._opened.add(index)
                yield Opened(index, "call", id=words(block, "id"), name=words(block, "name"))
                given: Any = block.get("input")
                yield from _grown(index, encoded(given).decode() if is_object(given) and given else None)
            case kind:
                yield lost(str(kind), "only Anthropic understands it")

    def _delta(self, index: int, delta: Json) -> Iterator[Moment]:
        kind = words(delta, "type") or ""
        if index not in self._opened:
            if kind not in GROWS or index in self._begun:
                return
            self._begun.add(index)
            self._opened.add(index)
            yield Opened(index, "text" if kind == "text_delta" else "thinking")
        if kind in GROWS:
            yield from _grown(index, words(delta, GROWS[kind][0]))
        elif kind == "input_json_delta":
            yield from _grown(index, words(delta, "partial_json"))
        elif kind == "citations_delta":
            yield lost("citations", "only Anthropic's sources can be cited so")

    def _end(self, event: Json) -> Iterator[Moment]:
        self._usage = self._usage | present(inner(event, "usage"))
        usage = usage_of(self._usage)
        if usage is not None:
            yield Counted(usage)
        delta = inner(event, "delta")
        said = words(delta, "stop_reason")
        if said is not None:
            if delta.get("stop_sequence") is not None:
                yield lost("stop_sequence", "no other API says which stop sequence it met")
            yield Ended(FINISH.get(said, "other"), said)


def _grown(index: int, text: str | None) -> Iterator[Moment]:
    if text:
        yield Grew(index, text)
