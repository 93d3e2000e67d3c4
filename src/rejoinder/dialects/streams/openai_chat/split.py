"""A chat completion as the chunks of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rejoinder.dialects.streams.codec import Joined
from rejoinder.dialects.streams.fields import Json
from rejoinder.values.loose import is_array, is_object


def split(answer: Joined) -> Iterator[Json]:
    """The chunks of a completion; of one that is cut, those that came."""
    body = answer.body
    head = {name: value for name, value in body.items() if name not in ("choices", "usage", "object")}
    head = {"object": "chat.completion.chunk", **head}
    listed: Any = body.get("choices")
    choices: list[Json] = [choice for choice in listed if is_object(choice)] if is_array(listed) else []
    for place, choice in enumerate(choices):
        index: Any = choice.get("index", place)
        for delta in _deltas(choice):
            yield {**head, "choices": [{"index": index, "delta": delta, "finish_reason": None}]}
    for place, choice in enumerate(choices):
        late = {name: value for name, value in choice.items() if name not in ("message", "index")}
        if answer.ended or choice.get("finish_reason") is not None or late.get("logprobs") is not None:
            yield {**head, "choices": [{"index": choice.get("index", place), "delta": {}, **late}]}
    if "usage" in body or not choices:
        yield {**head, "choices": [], **({"usage": body["usage"]} if "usage" in body else {})}
    if answer.error is not None:
        yield {"error": answer.error}


def _deltas(choice: Json) -> Iterator[Json]:
    """A message: who speaks and all that is no text, the text, and each call as a head and its arguments."""
    held: Any = choice.get("message")
    message: Json = held if is_object(held) else {}
    content, calls = message.get("content"), message.get("tool_calls")
    first = {name: value for name, value in message.items() if name != "tool_calls"}
    yield {**first, "content": "" if isinstance(content, str) else content}
    if isinstance(content, str) and content:
        yield {"content": content}
    for index, call in enumerate(calls if is_array(calls) else ()):
        if is_object(call):
            yield from _call(index, call)


def _call(index: int, call: Json) -> Iterator[Json]:
    kind, words = ("custom", "input") if call.get("type") == "custom" else ("function", "arguments")
    held: Any = call.get(kind)
    body: Json = held if is_object(held) else {}
    yield {"tool_calls": [{"index": index, **call, "type": kind, kind: {**body, words: ""}}]}
    if body.get(words):
        yield {"tool_calls": [{"index": index, kind: {words: body[words]}}]}
