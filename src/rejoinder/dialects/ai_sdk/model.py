"""One ModelMessage, read and written: calls are parts of the assistant's message, results parts of a tool message."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rejoinder.dialects import shape
from rejoinder.dialects.ai_sdk.parts import MODEL
from rejoinder.dialects.shape import Block
from rejoinder.values.conversation import Message
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Opaque, Part, Text, ToolCall, ToolResult
from rejoinder.values.place import Place


def read(raw: Any, origin: int) -> Message:
    """One message. In the assistant's own stand the results of tools that the provider ran, and who has to approve."""
    message = shape.read_message(MODEL, raw, origin)
    if message.role != "assistant" or not any(isinstance(p, ToolResult) or _asks(p) for p in message.parts):
        return message
    asked = [part.source.get("toolCallId") for part in message.parts if _asks(part)]
    own = [part.id for part in message.parts if isinstance(part, ToolCall) and part.kind != "server"]
    return replace(message, parts=tuple(_told(part, asked, own) for part in message.parts))


def _asks(part: Part) -> bool:
    return isinstance(part, Opaque) and part.kind == "tool-approval-request" and is_object(part.source)


def _told(part: Part, asked: list[Any], own: list[Any]) -> Part:
    if isinstance(part, ToolResult) and part.call_id not in own:
        return replace(part, kind="tool-output")
    if isinstance(part, ToolCall) and part.kind != "server" and part.id in asked:
        return replace(part, quirks=("state:paused",))
    return part


def write(message: Message) -> Any:
    """A touched message; the system text of a new one is a string, as the SDK asks."""
    made: Block = shape.write_message(MODEL, message)
    if message.role == "system" and not is_object(message.source):
        return {**made, "content": "\n".join(part.text for part in message.parts if isinstance(part, Text))}
    return made


def point(message: Message, place: Place) -> str:
    """Where a part is; inside a result, where its output is."""
    path = shape.part_pointer(MODEL, message, replace(place, inner=None))
    part = message.parts[place.part or 0]
    if place.inner is None or not isinstance(part, ToolResult) or not is_object(part.source):
        return path
    output = part.source.get("output")
    if "output" not in part.source:
        return f"{path}/result"
    listed = is_object(output) and output.get("type") == "content"
    return f"{path}/output/value/{place.inner}" if listed else f"{path}/output"
