"""The streams of Gemini: generateContent, as server-sent events or as a JSON array."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.streams.codec import StreamCodec
from rejoinder.dialects.streams.fields import Json
from rejoinder.dialects.streams.gemini.join import Join, camel, knows, unfinished
from rejoinder.dialects.streams.gemini.read import FINISH, Reader, usage_of
from rejoinder.dialects.streams.gemini.split import split
from rejoinder.dialects.streams.gemini.write import ENDS, Writer
from rejoinder.dialects.streams.moments import Finish, Usage
from rejoinder.values.loose import is_array, is_object


def _whole(_event: Json) -> bool:
    """An answer that was given at once is a stream of one chunk: it needs nothing else."""
    return False


def _first(body: Json) -> Json:
    candidates: Any = body.get("candidates")
    first = candidates[0] if is_array(candidates) and candidates else None
    return first if is_object(first) else {}


def _parts(body: Json) -> list[Any]:
    content = _first(body).get("content")
    parts: Any = content.get("parts") if is_object(content) else None
    return list(parts) if is_array(parts) else []


def _turn(body: Json) -> list[Any]:
    """The content of the first candidate."""
    parts = [part for part in _parts(body) if part != {"text": ""}]
    return [{"role": "model", "parts": parts}] if parts else []


def _finish(body: Json) -> Finish | None:
    said = _first(body).get("finishReason")
    feedback = body.get("promptFeedback")
    if not isinstance(said, str):
        return "filtered" if is_object(feedback) and feedback.get("blockReason") else None
    finish = FINISH.get(said, "other")
    called = any(is_object(part) and "functionCall" in part for part in _parts(body))
    return "calls" if finish == "stop" and called else finish


def _usage(body: Json) -> Usage | None:
    return usage_of(camel(body).get("usageMetadata"))


CODEC = StreamCodec(
    name="gemini",
    knows=knows,
    whole=_whole,
    join=Join,
    split=split,
    reader=Reader,
    writer=Writer,
    turn=_turn,
    finish=_finish,
    usage=_usage,
    unfinished=unfinished,
    ends=ENDS,
)
