"""How the blocks that several dialects share are read and written."""

from __future__ import annotations

import re
from typing import Any

from rejoinder.dialects.shape import Block, Shape, read_content
from rejoinder.values.loose import is_object, kind_of
from rejoinder.values.parts import Media, Part, Refusal, Text, ToolCall, ToolResult

# What a media type calls a format of sound, where it has another name here.
_FORMATS = {"mpeg": "mp3", "x-wav": "wav", "wave": "wav", "vnd.wave": "wav"}
_DATA_URL = re.compile(r"data:([^;,]*)[^,]*,")


def text_of(block: Block, key: str = "text") -> str | None:
    """A block's text; None where it is no string."""
    text = block.get(key)
    return text if isinstance(text, str) else None


def read_text(_shape: Shape, block: Block) -> Part:
    """`{"type": "text", "text": ...}`"""
    text = text_of(block)
    return Text(
        text=text or "",
        source=block,
        cache=block.get("cache_control"),
        citations=block.get("citations") is not None,
        quirks=() if text is not None else (f"text:{kind_of(block['text'])}" if "text" in block else "text:missing",),
    )


def write_text(_shape: Shape, part: Text) -> Block:
    """A text block."""
    return {"type": "text", "text": part.text}


def read_refusal(_shape: Shape, block: Block) -> Part:
    """`{"type": "refusal", "refusal": ...}`"""
    return Refusal(text=text_of(block, "refusal") or "", source=block)


def write_refusal(_shape: Shape, part: Refusal) -> Block:
    """A refusal block."""
    return {"type": "refusal", "refusal": part.text}


def read_tool_use(_shape: Shape, block: Block) -> Part:
    """`{"type": "tool_use", "id": ..., "name": ..., "input": {...}}`"""
    return ToolCall(
        id=block.get("id"),
        name=block.get("name"),
        arguments=block.get("input"),
        source=block,
        cache=block.get("cache_control"),
    )


def write_tool_use(_shape: Shape, part: ToolCall) -> Block:
    """A call as a block."""
    return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.arguments}


def read_tool_result(shape: Shape, block: Block) -> Part:
    """`{"type": "tool_result", "tool_use_id": ..., "content": ...}`; the type may be missing in old histories."""
    parts, quirks = read_content(shape, block.get("content"), absent="content" not in block, inner=True)
    error = block.get("is_error")
    if error is not None and not isinstance(error, bool):
        quirks += (f"error:{kind_of(error)}",)
    return ToolResult(
        call_id=block.get("tool_use_id"),
        parts=parts,
        error=error if isinstance(error, bool) else None,
        source=block,
        cache=block.get("cache_control"),
        quirks=quirks,
    )


def write_inner(shape: Shape, part: ToolResult) -> str | list[Any] | None:
    """The content of a result: as it was written, unless its parts changed."""
    from rejoinder.dialects.shape import write_block

    source: Block = part.source if is_object(part.source) else {}
    old = source.get("content")
    if source and read_content(shape, old, absent="content" not in source, inner=True)[0] == part.parts:
        return old
    if len(part.parts) == 1 and isinstance(part.parts[0], Text) and part.parts[0].source is None:
        return part.parts[0].text
    return [write_block(shape, inner) for inner in part.parts]


def write_tool_result(shape: Shape, part: ToolResult) -> Block:
    """A result as a block."""
    content = write_inner(shape, part)
    block: Block = {"type": "tool_result", "tool_use_id": part.call_id}
    if content is not None:
        block["content"] = content
    if part.error is not None:
        block["is_error"] = part.error
    return block


def held(block: Block, member: str, *names: str) -> tuple[str, ...]:
    """What is odd about the member that holds media: `media:missing` where it has none of these names."""
    inner = block.get(member)
    if not is_object(inner):
        return (f"media:{kind_of(inner)}" if inner is not None else "media:missing",)
    return () if any(inner.get(name) is not None for name in names) else ("media:missing",)


def data_url(url: object) -> tuple[str | None, str | None]:
    """The media type and the base64 of a data URL; None and None of anything else."""
    inline = _DATA_URL.match(url) if isinstance(url, str) else None
    return (inline.group(1), inline.string[inline.end() :]) if inline else (None, None)


def read_image_url(_shape: Shape, block: Block) -> Part:
    """`{"type": "image_url", "image_url": {"url": ...}}`: elsewhere, or inline as a data URL."""
    inner = block.get("image_url")
    url = inner.get("url") if is_object(inner) else inner
    media_type, data = data_url(url)
    elsewhere = url if data is None and isinstance(url, str) else None
    return Media(
        kind="image",
        media_type=media_type,
        data=data,
        url=elsewhere,
        detail=text_of(inner, "detail") if is_object(inner) else None,
        source=block,
        quirks=held(block, "image_url", "url"),
    )


def read_input_audio(_shape: Shape, block: Block) -> Part:
    """`{"type": "input_audio", "input_audio": {"data": ..., "format": ...}}`"""
    inner = block.get("input_audio")
    inner = inner if is_object(inner) else {}
    media_type, data = f"audio/{inner.get('format')}", text_of(inner, "data")
    quirks = held(block, "input_audio", "data")
    return Media(kind="audio", media_type=media_type, data=data, source=block, quirks=quirks)


def read_file(_shape: Shape, block: Block) -> Part:
    """`{"type": "file", "file": {...}}`: inline as a data URL, or handed over before."""
    inner = block.get("file")
    inner = inner if is_object(inner) else {}
    media_type, data = data_url(inner.get("file_data"))
    return Media(
        kind="document",
        media_type=media_type,
        data=data,
        file_id=text_of(inner, "file_id"),
        name=text_of(inner, "filename"),
        source=block,
        quirks=held(block, "file", "file_data", "file_id"),
    )


def write_media(shape: Shape, part: Media) -> Block:
    """An image, a sound or a file; what was read is written as it was."""
    if part.source is not None:
        return keep_source(shape, part)
    inline = None if part.data is None else f"data:{part.media_type};base64,{part.data}"
    if part.kind == "image":
        detail = {} if part.detail is None else {"detail": part.detail}
        return {"type": "image_url", "image_url": {"url": inline or part.url, **detail}}
    if part.kind == "audio":
        form = (part.media_type or "").partition("/")[2]
        return {"type": "input_audio", "input_audio": {"data": part.data, "format": _FORMATS.get(form, form)}}
    file = {"filename": part.name, "file_data": inline, "file_id": part.file_id}
    return {"type": "file", "file": {name: value for name, value in file.items() if value is not None}}


def keep_source(_shape: Shape, part: Part) -> Block:
    """A block that is written as it was read: its parts are never edited, only moved or dropped."""
    return dict(part.source) if is_object(part.source) else {}
