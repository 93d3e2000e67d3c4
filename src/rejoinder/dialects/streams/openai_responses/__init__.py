"""The streams of OpenAI Responses."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.streams.codec import StreamCodec
from rejoinder.dialects.streams.fields import Json
from rejoinder.dialects.streams.moments import Usage
from rejoinder.dialects.streams.openai_responses.join import Join, unfinished
from rejoinder.dialects.streams.openai_responses.read import Reader, finish_of, usage_of
from rejoinder.dialects.streams.openai_responses.split import split
from rejoinder.dialects.streams.openai_responses.write import ENDS, Writer
from rejoinder.values.loose import is_array


def _knows(event: Json) -> bool:
    kind = event.get("type")
    failed = kind == "error" and ("message" in event or "error" in event)
    return failed or (isinstance(kind, str) and kind.startswith("response."))


def _whole(event: Json) -> bool:
    return event.get("object") == "response" and is_array(event.get("output"))


def _turn(body: Json) -> list[Any]:
    """The items, as they are sent back."""
    output = body.get("output")
    return list(output) if is_array(output) else []


def _usage(body: Json) -> Usage | None:
    return usage_of(body.get("usage"))


CODEC = StreamCodec(
    name="openai-responses",
    knows=_knows,
    whole=_whole,
    join=Join,
    split=split,
    reader=Reader,
    writer=Writer,
    turn=_turn,
    finish=finish_of,
    usage=_usage,
    unfinished=unfinished,
    takes=frozenset({"refusal", "custom", "pieces"}),
    ends=ENDS,
    named=True,
)
