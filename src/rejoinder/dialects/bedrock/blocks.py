"""The blocks of Converse: each is an object with one member, whose name says what it is."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from rejoinder.dialects.bedrock.formats import FORMATS, format_of, media_type_of
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.parts import ALONE, Media, Opaque, Part, Refusal, Text, Thinking, ToolCall, ToolResult, is_mark

Block = dict[str, Any]

# --- reading ---------------------------------------------------------------------------------------------------------


def read_block(block: Any, *, inner: bool = False) -> Part:
    """One block of a message, of the system text, or (`inner`) of a result."""
    if not is_object(block):
        return Opaque(kind="", source=block, quirks=(f"block:{kind_of(block)}",))
    readers = _INSIDE if inner else _READ
    kinds = [name for name in block if name in readers and block[name] is not None]
    if len(kinds) > 1:
        return Opaque(kind=kinds[0], source=block, quirks=("kinds:several",))
    if not kinds:
        named = str(block.get("type") or next(iter(block), ""))
        return Opaque(kind=named, source=block, quirks=("type:unknown" if block else "type:missing",))
    part = readers[kinds[0]](block, block[kinds[0]])
    return part if len(block) == 1 else _with_others(part, [name for name in block if name != kinds[0]])


def _with_others(part: Part, names: list[str]) -> Part:
    """The part, with a note of each member that stands beside the one that says what it is."""
    return replace(part, quirks=(*part.quirks, *(f"member:{name}" for name in names)))


def _text_at(held: Any, *path: str) -> str | None:
    """The text at the end of a path; None where there is none."""
    for name in path:
        held = held.get(name) if is_object(held) else None
    return held if isinstance(held, str) else None


def _odd(kind: str, block: Block) -> Part:
    """A block whose one member does not hold what it should."""
    held = block[kind]
    return Opaque(kind=kind, source=block, quirks=("type:missing" if is_object(held) else f"block:{kind_of(held)}",))


def _read_text(block: Block, held: Any) -> Part:
    quirks = () if isinstance(held, str) else (f"text:{kind_of(held)}",)
    return Text(text=held if isinstance(held, str) else "", source=block, quirks=quirks)


def _read_tool_use(block: Block, held: Any) -> Part:
    if not is_object(held):
        return _odd("toolUse", block)
    return ToolCall(
        id=held.get("toolUseId"),
        name=held.get("name"),
        arguments=held.get("input"),
        kind="server" if held.get("type") == "server_tool_use" else "function",
        source=block,
    )


def _read_tool_result(block: Block, held: Any) -> Part:
    if not is_object(held):
        return _odd("toolResult", block)
    kind = held.get("type")
    if isinstance(kind, str):
        # The result of a tool that the provider runs: it is handed back as it came.
        return ToolResult(call_id=held.get("toolUseId"), kind=kind, source=block)
    content, status = held.get("content"), held.get("status")
    parts, quirks = read_content(content, absent="content" not in held, inner=True)
    if status not in (None, "success", "error"):
        quirks += (f"error:{kind_of(status)}",)
    error = {"success": False, "error": True}.get(status) if isinstance(status, str) else None
    return ToolResult(call_id=held.get("toolUseId"), parts=parts, error=error, source=block, quirks=quirks)


def read_content(content: Any, *, absent: bool, inner: bool = False) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """The content of a message or (`inner`) of a result, and what is odd about it."""
    if is_array(content):
        return tuple(read_block(block, inner=inner) for block in content), ()
    if isinstance(content, str):
        # The most common slip: what is meant is plain, and has to be written as a block.
        return (Text(text=content),), ("content:string",)
    return (), ("content:missing" if absent else f"content:{kind_of(content)}",)


def _media_reader(kind: str) -> Callable[[Block, Any], Part]:
    return lambda block, held: read_media(kind, block, held)


def read_media(kind: str, block: Block, held: Any) -> Part:
    """An image, a document, a video or a sound: its bytes as they are or as base64, or where it was put before."""
    if not is_object(held):
        return _odd(kind, block)
    source = held.get("source")
    source = source if is_object(source) else {}
    data, text = source.get("bytes"), source.get("text")
    if isinstance(data, bytes | bytearray):
        data = base64.b64encode(data).decode()
    if is_array(source.get("content")):
        text = "\n".join(_text_at(each, "text") or "" for each in source["content"])
    return Media(
        kind=kind,
        media_type=media_type_of(kind, held.get("format")),
        data=data if isinstance(data, str) else None,
        text=text if isinstance(text, str) else None,
        file_id=_text_at(source, "s3Location", "uri"),
        name=_text_at(held, "name"),
        source=block,
        quirks=_without(held),
    )


def _without(held: Block) -> tuple[str, ...]:
    """What is odd about the member that holds media: `media:missing` where it has no source."""
    source = held.get("source")
    if source is not None and not is_object(source):
        return (f"media:{kind_of(source)}",)
    names = ("bytes", "s3Location", "text", "content")
    return () if source and any(source.get(name) for name in names) else ("media:missing",)


def _read_reasoning(block: Block, held: Any) -> Part:
    if not is_object(held):
        return _odd("reasoningContent", block)
    if held.get("redactedContent") is not None:
        return Thinking(text="", redacted=True, signature=_opened(held["redactedContent"]), source=block)
    text = _text_at(held, "reasoningText", "text")
    if text is None:
        return _odd("reasoningContent", block)
    return Thinking(text=text, signature=_text_at(held, "reasoningText", "signature"), source=block)


def _opened(data: Any) -> str | None:
    """Redacted thinking as the model's own provider spells it: here its letters are bytes, or base64 of them."""
    if not isinstance(data, str | bytes | bytearray):
        return None
    try:
        return (base64.b64decode(data, validate=True) if isinstance(data, str) else bytes(data)).decode("ascii")
    except (binascii.Error, ValueError):
        return data if isinstance(data, str) else base64.b64encode(data).decode()


def _read_mark(block: Block, held: Any) -> Part:
    if not is_object(held):
        return _odd("cachePoint", block)
    return Opaque(kind="cachePoint", source=block, cache=held, quirks=ALONE)


def _read_guarded(block: Block, held: Any) -> Part:
    """Words or an image that a guardrail is to look at: they are said all the same."""
    if is_object(held) and is_object(held.get("image")):
        return read_media("image", block, held["image"])
    text = _text_at(held, "text", "text")
    return _odd("guardContent", block) if text is None else Text(text=text, source=block)


def _read_cited(block: Block, held: Any) -> Part:
    """Words with their sources; without words it is kept whole."""
    content = held.get("content") if is_object(held) else None
    texts = [_text_at(each, "text") for each in content] if is_array(content) else []
    words = "".join(text for text in texts if text)
    return Text(text=words, citations=True, source=block) if words else _read_whole("citationsContent")(block, held)


def _read_whole(kind: str) -> Callable[[Block, Any], Part]:
    """What only Bedrock understands, or what has no words of its own."""
    return lambda block, held: Opaque(kind=kind, source=block) if held is not None else _odd(kind, block)


_READ: dict[str, Callable[[Block, Any], Part]] = {
    "text": _read_text,
    "toolUse": _read_tool_use,
    "toolResult": _read_tool_result,
    "reasoningContent": _read_reasoning,
    "cachePoint": _read_mark,
    "guardContent": _read_guarded,
    "citationsContent": _read_cited,
    **{kind: _media_reader(kind) for kind in FORMATS},
    **{kind: _read_whole(kind) for kind in ("searchResult", "toolAddition", "toolRemoval")},
}
_INSIDE: dict[str, Callable[[Block, Any], Part]] = {
    "text": _read_text,
    **{kind: _media_reader(kind) for kind in ("image", "document", "video")},
    **{kind: _read_whole(kind) for kind in ("json", "searchResult")},
}

# --- writing ---------------------------------------------------------------------------------------------------------


def write_blocks(parts: tuple[Part, ...]) -> list[Any]:
    """The blocks of a message; a cache mark on a part stands behind it, as a block of its own."""
    blocks: list[Any] = []
    for part in parts:
        blocks.append(write_block(part))
        if part.cache is not None and not is_mark(part):
            blocks.append({"cachePoint": part.cache})
    return blocks


def write_block(part: Part, *, inner: bool = False) -> Any:
    """One block. What the part does not know of its source is kept; an unchanged one is the source itself."""
    was = read_block(part.source, inner=inner) if is_object(part.source) else None
    if was == part:
        return part.source
    writer = _WRITE.get(type(part))
    if writer is None:
        return _write_whole(part, was)
    if was is None or type(was) is not type(part) or not is_object(part.source):
        return writer(part, None)
    gone = {quirk[7:] for quirk in was.quirks if quirk.startswith("member:") and quirk not in part.quirks}
    return {**{name: held for name, held in part.source.items() if name not in gone}, **writer(part, was)}


def _write_whole(part: Part, was: Part | None) -> Any:
    """What is kept whole; of a cache mark, how long it holds may have changed."""
    changed = is_mark(part) and was is not None and was.cache != part.cache
    return {"cachePoint": part.cache} if changed else part.source


def _write_text(part: Text | Refusal, was: Text | None) -> Block:
    source: Block = was.source if was is not None else {}
    if "guardContent" in source:
        guarded = source["guardContent"]
        return {"guardContent": {**guarded, "text": {**guarded["text"], "text": part.text}}}
    if "citationsContent" in source:
        return {"citationsContent": {**source["citationsContent"], "content": [{"text": part.text}]}}
    return {"text": part.text}


def _write_tool_use(part: ToolCall, was: ToolCall | None) -> Block:
    held: Block = was.source["toolUse"] if was is not None else {}
    return {"toolUse": {**held, "toolUseId": part.id, "name": part.name, "input": part.arguments}}


def _write_tool_result(part: ToolResult, was: ToolResult | None) -> Block:
    held: Block = {**was.source["toolResult"]} if was is not None else {}
    held["toolUseId"] = part.call_id
    if was is None or was.parts != part.parts or _content_quirks(was) != _content_quirks(part):
        # An empty text says no more than no block at all, and nobody refuses that.
        said = (each for each in part.parts if not isinstance(each, Text) or each.text or each.source is not None)
        held["content"] = [write_block(each, inner=True) for each in said]
    if was is None or was.error != part.error or was.quirks != part.quirks:
        held.pop("status", None)
        if part.error is not None:
            held["status"] = "error" if part.error else "success"
    return {"toolResult": held}


def _content_quirks(part: ToolResult) -> tuple[str, ...]:
    return tuple(quirk for quirk in part.quirks if quirk.startswith("content:"))


def _write_media(part: Media, was: Media | None) -> Block:
    if was is not None:
        return _write_changed_media(part, was)
    held: Block = {} if part.name is None or part.kind != "document" else {"name": part.name}
    form = "txt" if part.text is not None and part.data is None else format_of(part.kind, part.media_type)
    if form is not None:
        held["format"] = form
    if part.data is not None:
        held["source"] = {"bytes": part.data}
    elif part.text is not None:
        held["source"] = {"text": part.text}
    elif part.file_id is not None:
        held["source"] = {"s3Location": {"uri": part.file_id}}
    return {part.kind: held}


def _write_changed_media(part: Media, was: Media) -> Block:
    """Only its name and its format are ever written anew."""
    source: Block = was.source
    held = source["guardContent"]["image"] if "guardContent" in source else source[part.kind]
    if part.name != was.name:
        held = {**held, "name": part.name}
    if part.media_type != was.media_type:
        held = {**held, "format": format_of(part.kind, part.media_type)}
    if "guardContent" in source:
        return {"guardContent": {**source["guardContent"], "image": held}}
    return {part.kind: held}


def _write_thinking(part: Thinking, was: Thinking | None) -> Block:
    """Thinking as it was sealed; what was read is never written anew, for a changed one would be refused."""
    if was is not None:
        return {"reasoningContent": was.source["reasoningContent"]}
    if part.redacted:
        data = base64.b64encode((part.signature or "").encode("utf-8", "surrogatepass")).decode()
        return {"reasoningContent": {"redactedContent": data}}
    sealed = {} if part.signature is None else {"signature": part.signature}
    return {"reasoningContent": {"reasoningText": {"text": part.text, **sealed}}}


_WRITE: dict[type[Part], Callable[[Any, Any], Block]] = {
    Text: _write_text,
    Refusal: _write_text,
    ToolCall: _write_tool_use,
    ToolResult: _write_tool_result,
    Media: _write_media,
    Thinking: _write_thinking,
}
