"""Moments as the chunks of a Gemini stream."""

from __future__ import annotations

from collections.abc import Iterator

from rejoinder.dialects.streams.fields import Json, present, whole_object
from rejoinder.dialects.streams.growing import joined
from rejoinder.dialects.streams.moments import (
    Began,
    Broke,
    Closed,
    Counted,
    Ended,
    Finish,
    Grew,
    Moment,
    Opened,
    Usage,
)
from rejoinder.dialects.streams.spelling import Spelling

_FINISH: dict[Finish, str] = {
    "stop": "STOP",
    "calls": "STOP",
    "length": "MAX_TOKENS",
    "filtered": "SAFETY",
    "refused": "SAFETY",
    "malformed": "MALFORMED_FUNCTION_CALL",
    "failed": "OTHER",
    "other": "OTHER",
    "paused": "OTHER",
}
ENDS: frozenset[str] = frozenset(_FINISH) - {"refused", "failed", "paused"}


def usage_as(usage: Usage) -> Json:
    """A usage as Gemini counts it."""
    thought = usage.reasoning or 0
    counted = {
        "promptTokenCount": usage.input,
        "candidatesTokenCount": None if usage.output is None else max(usage.output - thought, 0),
        "thoughtsTokenCount": usage.reasoning,
        "cachedContentTokenCount": usage.cache_read,
        "totalTokenCount": (usage.input or 0) + (usage.output or 0),
    }
    return present(counted)


class Writer:
    """Writes text as it comes, and a call when it is whole: its arguments are an object here."""

    def __init__(self) -> None:
        self._head: Json = {}
        self._spelling: Spelling | None = None
        self._pieces: list[str] = []
        self._usage: Usage | None = None
        self._ended: Ended | None = None

    def take(self, moment: Moment) -> Iterator[Json]:
        """The chunks that say so."""
        match moment:
            case Began():
                self._head = present({"modelVersion": moment.model, "responseId": moment.id})
            case Opened():
                self._spelling, self._pieces = Spelling(moment), []
            case Grew() if self._spelling is not None:
                text = self._spelling.piece(moment.text)
                if self._spelling.part.kind == "call":
                    self._pieces.append(text)
                else:
                    yield self._chunk({"text": text})
            case Closed():
                yield from self._call()
            case Counted():
                self._usage = moment.usage
            case Ended():
                self._ended = moment
            case Broke():
                yield {"error": {"code": 500, "message": moment.message, "status": moment.kind}}
            case _:
                pass

    def close(self) -> Iterator[Json]:
        """Why it ended, and the tokens."""
        if self._ended is None:
            return
        reason = _FINISH.get(self._ended.finish, "STOP")
        content = {"role": "model", "parts": [{"text": ""}]}
        usage = {} if self._usage is None else {"usageMetadata": usage_as(self._usage)}
        yield {"candidates": [{"content": content, "finishReason": reason, "index": 0}], **usage, **self._head}

    def _call(self) -> Iterator[Json]:
        if self._spelling is None or self._spelling.part.kind != "call":
            return
        part = self._spelling.part
        args = whole_object(joined([*self._pieces, self._spelling.rest()]))
        if args is not None:
            yield self._chunk({"functionCall": {**present({"id": part.id}), "name": part.name, "args": args}})

    def _chunk(self, part: Json) -> Json:
        return {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}], **self._head}
