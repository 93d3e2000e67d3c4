"""The streams of Anthropic Messages."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.streams.anthropic.join import Join, unfinished
from rejoinder.dialects.streams.anthropic.read import FINISH, Reader, usage_of
from rejoinder.dialects.streams.anthropic.split import split
from rejoinder.dialects.streams.anthropic.write import ENDS, Writer
from rejoinder.dialects.streams.codec import StreamCodec
from rejoinder.dialects.streams.fields import Json
from rejoinder.dialects.streams.moments import Finish, Usage
from rejoinder.values.loose import is_array, is_object

_EVENTS = frozenset(
    "message_start content_block_start content_block_delta content_block_stop message_delta message_stop ping".split()
)


def _knows(event: Json) -> bool:
    kind = event.get("type")
    if not isinstance(kind, str):
        return False
    return kind in _EVENTS or (kind == "error" and is_object(event.get("error")))


def _whole(event: Json) -> bool:
    return event.get("type") == "message" and is_array(event.get("content"))


def _turn(body: Json) -> list[Any]:
    """The message. Thinking that its provider did not seal before the stream broke off cannot be sent back."""
    content = [block for block in body.get("content") or () if not _unsealed(block)]
    return [{"role": "assistant", "content": content}] if content else []


def _unsealed(block: Any) -> bool:
    return is_object(block) and block.get("type") == "thinking" and not block.get("signature")


def _finish(body: Json) -> Finish | None:
    said = body.get("stop_reason")
    return FINISH.get(said, "other") if isinstance(said, str) else None


def _usage(body: Json) -> Usage | None:
    return usage_of(body.get("usage"))


CODEC = StreamCodec(
    name="anthropic",
    knows=_knows,
    whole=_whole,
    join=Join,
    split=split,
    reader=Reader,
    writer=Writer,
    turn=_turn,
    finish=_finish,
    usage=_usage,
    unfinished=unfinished,
    takes=frozenset({"pieces"}),
    ends=ENDS,
    named=True,
)
