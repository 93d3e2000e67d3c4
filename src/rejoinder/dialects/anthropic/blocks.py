"""The blocks of Anthropic Messages: how each is read and written, and which members it may have."""

from __future__ import annotations

import base64
from collections.abc import Callable

import msgspec

from rejoinder.dialects import blocks
from rejoinder.dialects.shape import Block, ReadBlock, Shape, WriteBlock
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Media, Opaque, Part, Text, Thinking, ToolCall, ToolResult

_COMMON = {"type", "cache_control"}
_RESULT = _COMMON | {"tool_use_id", "content"}
_CALL = _COMMON | {"id", "name", "input"}

# What the SDK's types allow in each block, the beta ones included (anthropic 2.10.0, read 2026-11-18).
MEMBERS: dict[str, set[str]] = {
    "text": _COMMON | {"text", "citations"},
    "image": _COMMON | {"source", "transformations"},
    "document": _COMMON | {"source", "citations", "context", "title"},
    "search_result": _COMMON | {"source", "citations", "content", "title"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "tool_use": _CALL | {"caller", "toolset_name"},
    "tool_result": _RESULT | {"is_error", "toolset_name"},
    "server_tool_use": _CALL | {"caller"},
    "mcp_tool_use": _CALL | {"server_name"},
    "mcp_tool_result": _RESULT | {"is_error"},
    "web_search_tool_result": _RESULT | {"caller"},
    "web_fetch_tool_result": _RESULT | {"caller"},
    "advisor_tool_result": _RESULT,
    "code_execution_tool_result": _RESULT,
    "bash_code_execution_tool_result": _RESULT,
    "text_editor_code_execution_tool_result": _RESULT,
    "tool_search_tool_result": _RESULT,
    "container_upload": _COMMON | {"file_id"},
    "compaction": _COMMON | {"content", "encrypted_content", "signature", "tool_changes"},
    "tool_addition": _COMMON | {"tool"},
    "tool_removal": _COMMON | {"tool"},
    "tool_reference": _COMMON | {"tool_name"},
    "browser_state": _COMMON | {"content", "url", "title", "tabs", "source", "state", "snapshot"},
    "mcp_tool_listing": {"type", "mcp_server_name", "tools"},
    "fallback": {"type", "from", "to", "trigger"},
}
# Which of them a result may hold.
INSIDE = frozenset({"text", "image", "document", "search_result", "tool_reference", "browser_state"})
# Which of them are only kept and handed back: nobody but Anthropic understands them.
_OPAQUE = (
    *("search_result", "container_upload", "compaction", "tool_addition", "tool_removal"),
    *("tool_reference", "browser_state", "mcp_tool_listing", "fallback"),
)
# An unknown member of these is not looked for: they are new, and their list is not complete.
_UNCHECKED = {"browser_state", "compaction", "mcp_tool_listing", "fallback"}


def _read_thinking(_shape: Shape, block: Block) -> Part:
    signature = block.get("signature")
    return Thinking(
        text=blocks.text_of(block, "thinking") or "",
        signature=signature if isinstance(signature, str) else None,
        cache=block.get("cache_control"),
        source=block,
    )


def _read_redacted(_shape: Shape, block: Block) -> Part:
    data = blocks.text_of(block, "data")
    return Thinking(text="", redacted=True, signature=data, cache=block.get("cache_control"), source=block)


def _write_thinking(shape: Shape, part: Thinking) -> Block:
    """Thinking as it was sealed; what was read is never written anew, for a changed one would be refused."""
    if part.source is not None:
        return blocks.keep_source(shape, part)
    if part.redacted:
        return {"type": "redacted_thinking", "data": part.signature}
    return {"type": "thinking", "thinking": part.text, "signature": part.signature}


def _read_server_call(shape: Shape, block: Block) -> Part:
    call = blocks.read_tool_use(shape, block)
    return msgspec.structs.replace(call, kind="server")


def _read_server_result(_shape: Shape, block: Block) -> Part:
    return ToolResult(
        call_id=block.get("tool_use_id"),
        kind=str(block.get("type")),
        source=block,
        cache=block.get("cache_control"),
    )


def _read_media(_shape: Shape, block: Block) -> Part:
    source = _source_of(block)
    plain = source.get("type") == "text"
    return Media(
        kind=str(block["type"]),
        media_type=blocks.text_of(source, "media_type"),
        data=None if plain else blocks.text_of(source, "data"),
        text=blocks.text_of(source, "data") if plain else None,
        url=blocks.text_of(source, "url"),
        file_id=blocks.text_of(source, "file_id"),
        name=blocks.text_of(block, "title"),
        source=block,
        cache=block.get("cache_control"),
        quirks=blocks.held(block, "source", "data", "url", "file_id", "content"),
    )


def _source_of(block: Block) -> Block:
    """The source of an image or a document. A bare address, or a data URL, is read as what it means."""
    source = block.get("source")
    media_type, data = blocks.data_url(source)
    if data is not None:
        return {"type": "base64", "media_type": media_type, "data": data}
    if isinstance(source, str) and "://" in source:
        return {"type": "url", "url": source}
    return source if is_object(source) else {}


def _write_media(shape: Shape, part: Media) -> Block:
    """An image or a document; what was read is written as it was."""
    if part.source is not None:
        return blocks.keep_source(shape, part)
    words = part.text if part.text is not None else _words(part)
    if words is not None:
        source = {"type": "text", "media_type": "text/plain", "data": words}
    elif part.data is not None:
        source = {"type": "base64", "media_type": part.media_type, "data": part.data}
    elif part.file_id is not None:
        source = {"type": "file", "file_id": part.file_id}
    else:
        source = {"type": "url", "url": part.url}
    title = {} if part.name is None or part.kind == "image" else {"title": part.name}
    return {"type": part.kind, **title, "source": source}


def _words(part: Media) -> str | None:
    """What the bytes of a text document say: inline bytes are taken of a PDF only."""
    if part.kind != "document" or part.data is None or not (part.media_type or "").startswith("text/"):
        return None
    try:
        return base64.b64decode(part.data).decode()
    except ValueError:
        return None


def _read_opaque(_shape: Shape, block: Block) -> Part:
    return Opaque(kind=str(block.get("type")), source=block, cache=block.get("cache_control"))


def _write_call(shape: Shape, part: ToolCall) -> Block:
    block = blocks.write_tool_use(shape, part)
    if part.kind == "server" and is_object(part.source):
        block["type"] = part.source["type"]
    return block


def _write_result(shape: Shape, part: ToolResult) -> Block:
    return blocks.write_tool_result(shape, part) if part.kind == "tool" else blocks.keep_source(shape, part)


def _checked(kind: str, reader: ReadBlock) -> ReadBlock:
    """The reader, and a note of each member that the block may not have."""
    allowed = MEMBERS[kind]

    def read(shape: Shape, block: Block) -> Part:
        part = reader(shape, block)
        if block.keys() <= allowed:
            return part
        odd = tuple(f"member:{key}" for key in block if key not in allowed)
        return msgspec.structs.replace(part, quirks=part.quirks + odd)

    return reader if kind in _UNCHECKED else read


def _table() -> dict[str, ReadBlock]:
    readers: dict[str, Callable[[Shape, Block], Part]] = {
        "text": blocks.read_text,
        "image": _read_media,
        "document": _read_media,
        "thinking": _read_thinking,
        "redacted_thinking": _read_redacted,
        "tool_use": blocks.read_tool_use,
        "tool_result": blocks.read_tool_result,
        "server_tool_use": _read_server_call,
        "mcp_tool_use": _read_server_call,
    }
    readers |= dict.fromkeys((kind for kind in MEMBERS if kind.endswith("_tool_result")), _read_server_result)
    readers |= dict.fromkeys(_OPAQUE, _read_opaque)
    return {kind: _checked(kind, reader) for kind, reader in readers.items()}


READ = _table()
WRITE: dict[type[Part], WriteBlock] = {
    Text: blocks.write_text,
    Media: _write_media,
    Thinking: _write_thinking,
    ToolCall: _write_call,
    ToolResult: _write_result,
}
