"""Moments as the chunks of an OpenAI Chat stream."""

from __future__ import annotations

from collections.abc import Iterator

from rejoinder.dialects.streams.fields import Json, present
from rejoinder.dialects.streams.moments import Began, Broke, Closed, Counted, Ended, Finish, Grew, Moment, Opened, Usage
from rejoinder.dialects.streams.spelling import Spelling

_FINISH: dict[Finish, str] = {
    "stop": "stop",
    "length": "length",
    "calls": "tool_calls",
    "filtered": "content_filter",
    "refused": "content_filter",
}
ENDS: frozenset[str] = frozenset(_FINISH) - {"refused"}


def usage_as(usage: Usage) -> Json:
    """A usage as OpenAI Chat counts it."""
    given, made = usage.input or 0, usage.output or 0
    counted: Json = {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
    read = present({"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_written})
    if read:
        counted["prompt_tokens_details"] = read
    if usage.reasoning is not None:
        counted["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    return counted


class Writer:
    """Writes one delta for each moment."""

    def __init__(self) -> None:
        self._head: Json = {"id": "", "object": "chat.completion.chunk", "created": 0, "model": ""}
        self._calls = -1
        self._spelling: Spelling | None = None
        self._usage: Usage | None = None
        self._ended: Ended | None = None

    def take(self, moment: Moment) -> Iterator[Json]:
        """The chunks that say so."""
        match moment:
            case Began():
                self._head |= {"id": moment.id, "created": moment.created or 0, "model": moment.model}
                yield self._chunk({"role": "assistant", "content": None})
            case Opened():
                self._spelling = Spelling(moment, takes_custom=True)
                if moment.kind == "call":
                    self._calls += 1
                    yield self._chunk({"tool_calls": [self._call(moment)]})
            case Grew():
                yield from self._piece(self._spelling.piece(moment.text) if self._spelling else moment.text)
            case Closed():
                yield from self._piece(self._spelling.rest() if self._spelling else "")
            case Counted():
                self._usage = moment.usage
            case Ended():
                self._ended = moment
            case Broke():
                yield {"error": {"message": moment.message, "type": moment.kind, "code": None, "param": None}}
            case _:
                pass

    def close(self) -> Iterator[Json]:
        """Why it ended, and the tokens."""
        if self._ended is None:
            return
        yield self._chunk({}, _FINISH.get(self._ended.finish, "stop"))
        if self._usage is not None:
            yield {**self._head, "choices": [], "usage": usage_as(self._usage)}

    def _piece(self, text: str) -> Iterator[Json]:
        part = self._spelling.part if self._spelling else None
        if not text or part is None:
            return
        if part.kind == "call":
            body = {"custom": {"input": text}} if part.custom else {"function": {"arguments": text}}
            yield self._chunk({"tool_calls": [{"index": self._calls, **body}]})
        else:
            yield self._chunk({"refusal" if part.kind == "refusal" else "content": text})

    def _call(self, part: Opened) -> Json:
        kind, words = ("custom", "input") if part.custom else ("function", "arguments")
        return {"index": self._calls, "id": part.id, "type": kind, kind: {"name": part.name, words: ""}}

    def _chunk(self, delta: Json, finish: str | None = None) -> Json:
        return {**self._head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}
