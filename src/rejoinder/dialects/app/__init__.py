"""The shape of an application's own store: camelCase `toolCalls` and `toolCallId`, and `segments` for its screen.

Its older variant keeps calls as `tool_use` blocks inside `content` and results as blocks with a
`tool_use_id` in messages of role `tool`; both are read, and a history may hold both.
"""

from __future__ import annotations

from rejoinder.dialects import blocks
from rejoinder.dialects.carries import Carries
from rejoinder.dialects.dialect import carried_alike, listed_dialect
from rejoinder.dialects.shape import Block, Shape, listing
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Media, Opaque, Part, Refusal, Text, ToolCall, ToolResult


def _read_typeless(shape: Shape, block: Block) -> Part:
    """A block without a type is a result when it names a call."""
    if "tool_use_id" in block:
        return blocks.read_tool_result(shape, block)
    return Opaque(kind="", source=block)


def _write_result(shape: Shape, part: ToolResult) -> Block:
    """A result block; one that was read without a type is written without one."""
    block = blocks.write_tool_result(shape, part)
    if is_object(part.source) and "type" not in part.source:
        del block["type"]
    return block


SHAPE = Shape(
    name="app",
    layout="run",
    calls="toolCalls",
    call_id="toolCallId",
    lone_block=True,
    fresh={"segments": ()},
    read={
        "text": blocks.read_text,
        "image_url": blocks.read_image_url,
        "tool_use": blocks.read_tool_use,
        "tool_result": blocks.read_tool_result,
        "": _read_typeless,
    },
    write={
        Text: blocks.write_text,
        Refusal: blocks.write_refusal,
        Media: blocks.write_media,
        ToolCall: blocks.write_tool_use,
        ToolResult: _write_result,
    },
)
CARRIES = Carries(
    results="messages",
    beside=True,
    media=frozenset({"image"}),
    by_url=frozenset({"image"}),
    custom_calls=True,
    arguments="text",
    known={
        "message": frozenset({"role", "content", "toolCalls", "toolCallId", "segments"}),
        "text": frozenset({"type", "text"}),
    },
)
# What only some dialects write (see `detect`).
SIGNS = frozenset(
    (
        "holds:messages key:toolCalls key:toolCallId key:segments content:string content:array content:object "
        "block:text/text block:image_url block:tool_use result:tool result:lone tool:function"
    ).split()
)
DIALECT = listed_dialect(
    listing(SHAPE),
    says="an application's own messages: toolCalls and toolCallId, or tool_use blocks in content",
    layout=SHAPE.layout,
    signs=SIGNS,
    marks=frozenset(sign for sign in SIGNS if sign.startswith("key:")),
    stored=True,
    carries=carried_alike(CARRIES),
)
