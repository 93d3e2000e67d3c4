"""The shape of a coding agent's session rows: `tool_use` parts, and `tool-result` parts in messages of role `tool`."""

from __future__ import annotations

from rejoinder.dialects import blocks
from rejoinder.dialects.carries import Carries
from rejoinder.dialects.dialect import carried_alike, listed_dialect
from rejoinder.dialects.shape import Block, Shape, listing, read_content
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Media, Part, Text, Thinking, ToolCall, ToolResult


def _read_result(shape: Shape, block: Block) -> Part:
    """`{"type": "tool-result", "toolCallId": ..., "toolName": ..., "result": ...}`; the result is kept as it is."""
    result = block.get("result")
    inner = result.get("llmContent") if is_object(result) else result
    error = result.get("isError") if is_object(result) else None
    name = block.get("toolName")
    return ToolResult(
        call_id=block.get("toolCallId"),
        parts=read_content(shape, inner, absent=False, inner=True)[0],
        error=error if isinstance(error, bool) else None,
        name=name if isinstance(name, str) else None,
        source=block,
    )


def _read_old_result(shape: Shape, block: Block) -> Part:
    """Older files: `{"type": "tool_result", "id": ..., "name": ..., "result": ...}`, in messages of the user."""
    name = block.get("name")
    return ToolResult(
        call_id=block.get("id"),
        parts=read_content(shape, block.get("result"), absent=False, inner=True)[0],
        name=name if isinstance(name, str) else None,
        source=block,
    )


def _write_result(_shape: Shape, part: ToolResult) -> Block:
    """A `tool-result` part: the id anew, all else as it was; or a fresh one."""
    if is_object(part.source):
        return {"id" if part.source.get("type") == "tool_result" else "toolCallId": part.call_id}
    words = "".join(inner.text for inner in part.parts if isinstance(inner, Text))
    result = {"llmContent": words, "isError": bool(part.error)}
    return {"type": "tool-result", "toolCallId": part.call_id, "toolName": part.name, "result": result}


def _read_reasoning(_shape: Shape, block: Block) -> Part:
    """`{"type": "reasoning", "text": ...}`: kept for the reader, sealed by nobody."""
    return Thinking(text=blocks.text_of(block) or "", source=block)


SHAPE = Shape(
    name="neovate",
    layout="run",
    read={
        "text": blocks.read_text,
        "reasoning": _read_reasoning,
        "image": lambda _shape, block: Media(kind="image", source=block),
        "tool_use": blocks.read_tool_use,
        "tool-result": _read_result,
        "tool_result": _read_old_result,
    },
    write={
        Text: blocks.write_text,
        Thinking: blocks.keep_source,
        Media: blocks.keep_source,
        ToolCall: blocks.write_tool_use,
        ToolResult: _write_result,
    },
)
CARRIES = Carries(
    results="messages",
    error_flag=True,
    result_names=True,
    known={"message": frozenset({"role", "content"}), "text": frozenset({"type", "text"})},
)
# What only some dialects write (see `detect`).
SIGNS = frozenset(
    (
        "holds:messages content:string content:array block:text/text block:tool-result block:reasoning "
        "block:image block:tool_use result:older"
    ).split()
)
DIALECT = listed_dialect(
    listing(SHAPE),
    says="session rows with tool_use parts and tool-result parts",
    layout=SHAPE.layout,
    signs=SIGNS,
    marks=frozenset({"block:tool-result", "result:older"}),
    stored=True,
    carries=carried_alike(CARRIES),
)
