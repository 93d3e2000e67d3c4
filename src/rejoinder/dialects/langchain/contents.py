"""The blocks of a LangChain message's content: its own standard ones, those of OpenAI, and those of Anthropic."""

from __future__ import annotations

from rejoinder.dialects import blocks
from rejoinder.dialects.langchain.calls import read_call, write_call
from rejoinder.dialects.shape import Block, ReadBlock, Shape
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Media, Part, Refusal, Text, Thinking, ToolCall, ToolResult

_KINDS = {"file": "document", "text-plain": "document"}


def _read_media(shape: Shape, block: Block) -> Part:
    """A standard block, of today (`url`, `base64`, `file_id`) or of before (`source_type`), or a provider's own."""
    kind = str(block["type"])
    if is_object(block.get("file")):
        return blocks.read_file(shape, block)
    source = block.get("source")
    held: Block = source if is_object(source) else block
    form = held.get("source_type") or (held.get("type") if held is source else None)
    data, url = blocks.text_of(held, "base64") or blocks.text_of(held, "data"), blocks.text_of(held, "url")
    media_type, inline = blocks.data_url(url)
    words = blocks.text_of(held, "text") or (data if form == "text" else None)
    return Media(
        kind=_KINDS.get(kind, kind),
        media_type=media_type or blocks.text_of(held, "mime_type") or blocks.text_of(held, "media_type"),
        data=inline or (data if words is None else None),
        text=words,
        url=None if inline else url,
        file_id=blocks.text_of(held, "file_id") or (blocks.text_of(held, "id") if form == "id" else None),
        name=blocks.text_of(block, "title") or blocks.text_of(block, "filename"),
        source=block,
        cache=block.get("cache_control"),
    )


def _read_google(_shape: Shape, block: Block) -> Part:
    """`{"type": "media", "mime_type": ..., "data" or "file_uri": ...}`"""
    mime = blocks.text_of(block, "mime_type")
    kind = (mime or "").partition("/")[0]
    return Media(
        kind=kind if kind in ("image", "audio", "video") else "document",
        media_type=mime,
        data=blocks.text_of(block, "data"),
        url=blocks.text_of(block, "file_uri"),
        source=block,
    )


def _write_media(shape: Shape, part: Media) -> Block:
    """A standard block."""
    if part.source is not None:
        return blocks.keep_source(shape, part)
    kind = "file" if part.kind == "document" else part.kind
    if part.text is not None:
        kind = "text-plain"
    held = {
        "text": part.text,
        "base64": part.data,
        "url": part.url,
        "file_id": part.file_id,
        "mime_type": part.media_type or ("text/plain" if part.text is not None else None),
        "title" if kind == "text-plain" else "filename": part.name,
    }
    return {"type": kind, **{name: value for name, value in held.items() if value is not None}}


def _read_thinking(_shape: Shape, block: Block) -> Part:
    """Reasoning under any of its names, and who signed it."""
    extras = block.get("extras")
    signed = block if "signature" in block or not is_object(extras) else extras
    words = blocks.text_of(block, "thinking") or blocks.text_of(block, "reasoning")
    return Thinking(text=words or "", signature=blocks.text_of(signed, "signature"), source=block)


def _read_redacted(_shape: Shape, block: Block) -> Part:
    return Thinking(text="", redacted=True, signature=blocks.text_of(block, "data"), source=block)


def _read_standard_call(_shape: Shape, block: Block) -> Part:
    """`{"type": "tool_call", "id", "name", "args"}`, or one whose arguments are no JSON."""
    return ToolCall(id=block.get("id"), name=block.get("name"), arguments=block.get("args"), source=block)


def _read_function_call(_shape: Shape, block: Block) -> Part:
    """An item of OpenAI's Responses."""
    return ToolCall(id=block.get("call_id"), name=block.get("name"), arguments=block.get("arguments"), source=block)


def _write_call(_shape: Shape, part: ToolCall) -> Block:
    """A call among the content: as it was, its id anew."""
    source: Block = part.source if is_object(part.source) else {"type": "tool_call"}
    if part.kind == "server":
        return dict(source)
    kind = source.get("type")
    name = "call_id" if kind == "function_call" else "id"
    words = {"tool_use": "input", "function_call": "arguments"}.get(str(kind), "args")
    return {**source, name: part.id, "name": part.name, words: part.arguments}


def _read_server_call(_shape: Shape, block: Block) -> Part:
    """A tool that the provider runs by itself."""
    words = block.get("args") if "args" in block else block.get("input")
    return ToolCall(id=block.get("id"), name=block.get("name"), arguments=words, kind="server", source=block)


def _read_server_result(_shape: Shape, block: Block) -> Part:
    call_id = block.get("tool_call_id") if "tool_call_id" in block else block.get("tool_use_id")
    return ToolResult(call_id=call_id, kind=str(block["type"]), source=block)


def _write_result(shape: Shape, part: ToolResult) -> Block:
    return blocks.write_tool_result(shape, part) if part.kind == "tool" else blocks.keep_source(shape, part)


_READ: dict[str, ReadBlock] = {
    "text": blocks.read_text,
    "refusal": blocks.read_refusal,
    "image_url": blocks.read_image_url,
    "input_audio": blocks.read_input_audio,
    "media": _read_google,
    "thinking": _read_thinking,
    "reasoning": _read_thinking,
    "redacted_thinking": _read_redacted,
    "tool_use": blocks.read_tool_use,
    "tool_call": _read_standard_call,
    "invalid_tool_call": _read_standard_call,
    "function_call": _read_function_call,
    "tool_result": blocks.read_tool_result,
    **dict.fromkeys(("image", "audio", "video", "file", "document", "text-plain"), _read_media),
    **dict.fromkeys(("server_tool_call", "server_tool_use"), _read_server_call),
    **dict.fromkeys(("server_tool_result", "web_search_tool_result", "web_fetch_tool_result"), _read_server_result),
    **dict.fromkeys(("code_execution_tool_result", "mcp_tool_result"), _read_server_result),
}
SHAPE = Shape(
    name="langchain",
    layout="run",
    calls="tool_calls",
    call=(read_call, write_call),
    call_id="tool_call_id",
    bare_text=True,
    read=_READ,
    write={
        Text: blocks.write_text,
        Refusal: blocks.write_refusal,
        Media: _write_media,
        Thinking: blocks.keep_source,
        ToolCall: _write_call,
        ToolResult: _write_result,
    },
)
