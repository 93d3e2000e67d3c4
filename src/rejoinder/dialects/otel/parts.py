"""The parts of a GenAI message, read and written: the conventions of 2026-11, and those that pydantic-ai wrote."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects import blocks
from rejoinder.dialects.shape import Block, ReadBlock, Shape, WriteBlock, read_content
from rejoinder.rules.tool_arguments import written
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.parts import Media, Part, Refusal, Text, Thinking, ToolCall, ToolResult

# The types of parts that are media, each with the member that says where the bytes are.
MEDIA = {
    "blob": "content",
    "uri": "uri",
    "file": "file_id",
    "binary": "content",
    "image-url": "url",
    "audio-url": "url",
    "video-url": "url",
    "document-url": "url",
}
_MODALITIES = ("image", "audio", "video", "document")


def _read_text(_shape: Shape, block: Block) -> Part:
    """`{"type": "text", "content": ...}`"""
    words = blocks.text_of(block, "content")
    return Text(text=words or "", source=block, quirks=() if words is not None else ("text:missing",))


def _write_text(_shape: Shape, part: Text) -> Block:
    return {"type": "text", "content": part.text}


def _read_reasoning(_shape: Shape, block: Block) -> Part:
    """`{"type": "reasoning", "content": ...}`: the words alone; traces hold no seals."""
    return Thinking(text=blocks.text_of(block, "content") or "", source=block)


def _write_reasoning(_shape: Shape, part: Thinking) -> Block:
    return {"type": "reasoning", "content": part.text}


def _read_call(_shape: Shape, block: Block) -> Part:
    """`{"type": "tool_call", "id": ..., "name": ..., "arguments": ...}`; the arguments are whatever was recorded."""
    return ToolCall(id=block.get("id"), name=block.get("name"), arguments=block.get("arguments"), source=block)


def _write_call(_shape: Shape, part: ToolCall) -> Block:
    if part.kind == "server" and is_object(part.source):
        return dict(part.source)
    return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.arguments}


def _read_result(shape: Shape, block: Block) -> Part:
    """`{"type": "tool_call_response", "id": ..., "response": ...}`; `result` in older traces."""
    name = block.get("name")
    return ToolResult(
        call_id=block.get("id"),
        parts=_said(shape, block.get(_member(block))),
        name=name if isinstance(name, str) else None,
        source=block,
    )


def _member(block: Block) -> str:
    return "result" if "result" in block and "response" not in block else "response"


def _said(shape: Shape, response: Any) -> tuple[Part, ...]:
    """What a response says: its text, its parts where it is a list of parts, else its JSON."""
    if isinstance(response, str):
        return (Text(text=response),)
    if response is None:
        return ()
    if is_array(response) and response and all(is_object(each) and each.get("type") in READ for each in response):
        return read_content(shape, response, absent=False, inner=True)[0]
    return (Text(text=written(response) or ""),)


def _write_result(shape: Shape, part: ToolResult) -> Block:
    """A response: the id anew, and what it says where that changed."""
    if part.kind != "tool":
        return dict(part.source) if is_object(part.source) else {}
    source: Block = part.source if is_object(part.source) and part.source.get("type") == "tool_call_response" else {}
    block: Block = {"type": "tool_call_response", "id": part.call_id}
    if not source or _said(shape, source.get(_member(source))) != part.parts:
        block[_member(source)] = "\n".join(_words(inner) for inner in part.parts)
    return block


def _words(part: Part) -> str:
    return part.text if isinstance(part, Text | Refusal | Thinking) else written(part.source) or ""


def _read_server_call(_shape: Shape, block: Block) -> Part:
    """A tool that the provider ran by itself."""
    return ToolCall(id=block.get("id"), name=block.get("name"), arguments=None, kind="server", source=block)


def _read_server_result(_shape: Shape, block: Block) -> Part:
    return ToolResult(call_id=block.get("id"), kind="server_tool_call_response", source=block)


def _read_media(_shape: Shape, block: Block) -> Part:
    """Bytes inline (`blob`), elsewhere (`uri`), or handed over before (`file`)."""
    kind = str(block["type"])
    mime = blocks.text_of(block, "mime_type") or blocks.text_of(block, "media_type")
    where = blocks.text_of(block, MEDIA[kind])
    return Media(
        kind=_modality(block.get("modality") or kind.removesuffix("-url"), mime),
        media_type=mime,
        data=where if MEDIA[kind] == "content" else None,
        url=where if MEDIA[kind] in ("uri", "url") else None,
        file_id=where if MEDIA[kind] == "file_id" else None,
        source=block,
        quirks=() if where is not None else ("media:missing",),
    )


def _modality(said: object, mime: str | None) -> str:
    """The kind of media as it was said, or as its media type begins."""
    found = (mime or "").partition("/")[0]
    return said if isinstance(said, str) and said in _MODALITIES else found if found in _MODALITIES else "document"


def _write_media(_shape: Shape, part: Media) -> Block:
    if is_object(part.source):
        return dict(part.source)
    head: Block = {"modality": part.kind, "mime_type": part.media_type}
    if part.text is not None:
        return {"type": "text", "content": part.text}
    if part.data is not None:
        return {"type": "blob", **head, "content": part.data}
    return {"type": "uri", **head, "uri": part.url} if part.url else {"type": "file", **head, "file_id": part.file_id}


def _write_refusal(_shape: Shape, part: Refusal) -> Block:
    return {"type": "text", "content": part.text}


READ: dict[str, ReadBlock] = {
    "text": _read_text,
    "reasoning": _read_reasoning,
    "tool_call": _read_call,
    "tool_call_response": _read_result,
    "server_tool_call": _read_server_call,
    "server_tool_call_response": _read_server_result,
    **dict.fromkeys(MEDIA, _read_media),
}
WRITE: dict[type[Part], WriteBlock] = {
    Text: _write_text,
    Thinking: _write_reasoning,
    Refusal: _write_refusal,
    Media: _write_media,
    ToolCall: _write_call,
    ToolResult: _write_result,
}
