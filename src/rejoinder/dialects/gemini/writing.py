"""How one part of a Gemini content is written: what changed anew, and all else as it was."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from rejoinder.dialects.gemini.parts import read_part
from rejoinder.dialects.gemini.spelling import Block, is_snaky, member, spelled
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Media, Part, Text, Thinking, ToolCall, ToolResult


def write_part(part: Part, snaky: bool) -> Any:
    """A part as JSON. An unchanged one is the object that it was read from."""
    source: Block = part.source if is_object(part.source) else {}
    if part.source is not None and (not source or read_part(source) == (part,)):
        return part.source
    writer = _WRITERS.get(type(part))
    if writer is None:
        return part.source
    snaky = is_snaky(source) or (snaky and not source)
    block = {**source, **writer(source, part, snaky)}
    return _sealed(block, part, snaky)


def _sealed(block: Block, part: Part, snaky: bool) -> Block:
    """The part with its seal, or without the one that it had."""
    seal = part.signature if isinstance(part, Thinking) else part.seal
    name = spelled(block, "thoughtSignature", snaky)
    if seal is not None:
        return {**block, name: seal}
    return {key: value for key, value in block.items() if key != name or not isinstance(value, str)}


def _write_text(_source: Block, part: Text, _snaky: bool) -> Block:
    return {"text": part.text}


def _write_thinking(_source: Block, part: Thinking, _snaky: bool) -> Block:
    return {"text": part.text, "thought": True}


def _write_call(source: Block, part: ToolCall, snaky: bool) -> Block:
    name = spelled(source, "functionCall", snaky)
    call = {**_held(source, name), "name": part.name, "args": part.arguments, "id": part.id}
    return {name: _given(call, "id")}


def _write_response(source: Block, part: ToolResult, snaky: bool) -> Block:
    name = spelled(source, "functionResponse", snaky)
    was = _held(source, name)
    held = {**was, "name": part.name or "", "id": part.call_id, "response": was.get("response")}
    before = read_part(source)[0] if was else None
    texts, shown = _divided(part)
    same = isinstance(before, ToolResult) and (_divided(before)[0], before.error) == (texts, part.error)
    if not same or not (is_object(held["response"]) or "content:missing" in part.quirks):
        held["response"] = _response(texts, part.error)
    if not isinstance(before, ToolResult) or _divided(before)[1] != shown:
        held["parts"] = [write_part(each, snaky) for each in shown] or None
    return {name: _given(held, "id", "parts", "response")}


def _response(texts: list[str], error: bool | None) -> Block:
    """The words under the key that the provider documents for them."""
    return {"error" if error else "output": "\n".join(texts)}


def _divided(result: ToolResult) -> tuple[list[str], list[Part]]:
    """The words of a result, and what else it shows."""
    words = [part.text for part in result.parts if isinstance(part, Text) and not is_object(part.source)]
    return words, [part for part in result.parts if not isinstance(part, Text) or is_object(part.source)]


def _write_media(source: Block, part: Media, snaky: bool) -> Block:
    if part.text is not None or part.data is not None:
        name, data = spelled(source, "inlineData", snaky), part.data
        if part.text is not None:
            data = base64.b64encode(part.text.encode("utf-8", "surrogatepass")).decode()
        held = {**_held(source, name), "data": data}
        mime = part.media_type or ("text/plain" if part.text is not None else None)
    else:
        name = spelled(source, "fileData", snaky)
        inner = _held(source, name)
        held = {**inner, spelled(inner, "fileUri", snaky): part.url or part.file_id}
        mime = part.media_type
    if mime and member(held, "mimeType") != mime:
        held = {spelled(held, "mimeType", snaky): mime, **held, spelled(held, "mimeType", snaky): mime}
    return {name: held}


def _held(source: Block, name: str) -> Block:
    held = source.get(name)
    return held if is_object(held) else {}


def _given(held: Block, *names: str) -> Block:
    """The members, without those of these that say nothing."""
    return {name: value for name, value in held.items() if value is not None or name not in names}


_WRITERS: dict[type[Part], Callable[[Block, Any, bool], Block]] = {
    Text: _write_text,
    Thinking: _write_thinking,
    ToolCall: _write_call,
    ToolResult: _write_response,
    Media: _write_media,
}
