"""A Gemini answer as the chunks of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rejoinder.dialects.streams.codec import Joined
from rejoinder.dialects.streams.fields import Json
from rejoinder.dialects.streams.gemini.join import is_plain
from rejoinder.values.loose import is_array, is_object


def split(answer: Joined) -> Iterator[Json]:
    """The chunks of an answer; of one that is cut, those that came."""
    body = answer.body
    listed: Any = body.get("candidates")
    candidates: list[Json] = [one for one in listed if is_object(one)] if is_array(listed) else []
    head = {name: value for name, value in body.items() if name in ("modelVersion", "responseId", "createTime")}
    for place, candidate in enumerate(candidates):
        about = {"index": candidate["index"]} if "index" in candidate else {}
        held: Any = candidate.get("content")
        content: Json = held if is_object(held) else {}
        for parts in _chunks(content.get("parts")):
            said = {"content": {**content, "parts": parts}, **about, **({} if about or not place else {"index": place})}
            yield {"candidates": [said], **head}
    if answer.error is not None:
        yield {"error": answer.error}
    elif answer.ended or not candidates:
        yield {**({"candidates": [_last(one) for one in candidates]} if candidates else {}), **_around(body)}


def _chunks(parts: Any) -> Iterator[list[Any]]:
    """Parts, chunk by chunk; two texts that are to stay apart come in one."""
    chunk: list[Any] = []
    for part in parts if is_array(parts) else ():
        if chunk and not (_joins(chunk[-1]) and _joins(part)):
            yield chunk
            chunk = []
        chunk.append(_came(part))
    if chunk:
        yield chunk


def _joins(part: Any) -> bool:
    return is_object(part) and is_plain(part)


def _came(part: Any) -> Any:
    """A call whose arguments did not come whole goes on, and nothing follows."""
    call = part.get("functionCall") if is_object(part) else None
    if not is_object(call) or not isinstance(call.get("args"), str):
        return part
    return {**part, "functionCall": {"name": call.get("name"), "willContinue": True}}


def _last(candidate: Json) -> Json:
    content = candidate.get("content")
    bare = {"content": content} if is_object(content) and not content.get("parts") else {}
    return {**bare, **{name: value for name, value in candidate.items() if name != "content"}}


def _around(body: Json) -> Json:
    return {name: value for name, value in body.items() if name != "candidates"}
