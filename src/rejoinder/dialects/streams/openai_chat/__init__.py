"""The streams of OpenAI Chat Completions, and of the many servers that are almost like it."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.streams.codec import StreamCodec
from rejoinder.dialects.streams.fields import Json
from rejoinder.dialects.streams.moments import Finish, Usage
from rejoinder.dialects.streams.openai_chat.join import Join, knows, unfinished
from rejoinder.dialects.streams.openai_chat.read import FINISH, Reader, usage_of
from rejoinder.dialects.streams.openai_chat.split import split
from rejoinder.dialects.streams.openai_chat.write import ENDS, Writer
from rejoinder.values.loose import is_array, is_object


def _whole(event: Json) -> bool:
    choices = event.get("choices")
    return is_array(choices) and bool(choices) and all(is_object(one) and "message" in one for one in choices)


def _first(body: Json) -> Json:
    choices: Any = body.get("choices")
    first = choices[0] if is_array(choices) and choices else None
    return first if is_object(first) else {}


def _turn(body: Json) -> list[Any]:
    """The message of the first choice, without the null members that an answer has and a request need not."""
    held = _first(body).get("message")
    if not is_object(held):
        return []
    message = {name: value for name, value in held.items() if value not in (None, []) or name == "content"}
    heard = message.get("audio")
    if is_object(heard) and "id" in heard:
        # What was heard is sent back by its name alone.
        message["audio"] = {"id": heard["id"]}
    says = any(value for name, value in message.items() if name not in ("role", "reasoning_content", "reasoning"))
    return [{"role": "assistant", **message}] if says else []


def _finish(body: Json) -> Finish | None:
    said = _first(body).get("finish_reason")
    if not isinstance(said, str):
        return None
    finish = FINISH.get(said, "other")
    message = _first(body).get("message")
    called = is_object(message) and bool(message.get("tool_calls"))
    return "calls" if finish == "stop" and called else finish


def _usage(body: Json) -> Usage | None:
    return usage_of(body.get("usage"))


CODEC = StreamCodec(
    name="openai-chat",
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
    takes=frozenset({"refusal", "custom", "pieces"}),
    ends=ENDS,
    last=b"data: [DONE]\n\n",
)
