"""What calls and results are called: the tool's name and kind on each result, and the ids that they had before."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.values.conversation import Message
from rejoinder.values.parts import Part, ToolCall, ToolResult


def named_results(messages: list[Message]) -> list[Message]:
    """The messages, each result with the name and the kind of the nearest call in front of it that it answers."""
    return list(_named(messages))


def _named(messages: list[Message]) -> Iterator[Message]:
    calls: dict[str, ToolCall] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCall) and isinstance(part.name, str):
                calls[str(part.id)] = part
        yield _with_name(message, calls) if message.role == "tool" else message


def _with_name(message: Message, calls: dict[str, ToolCall]) -> Message:
    result = message.parts[0]
    call = calls.get(str(result.call_id)) if isinstance(result, ToolResult) else None
    if not isinstance(result, ToolResult) or call is None:
        return message
    named = replace(result, name=result.name or call.name, call_kind=call.kind or "function")
    return replace(message, parts=(named,))


def renamed(messages: list[Message], ids: dict[str, str]) -> list[Message]:
    """The messages with the ids that calls and results had before they were renamed."""
    return [replace(message, parts=tuple(_renamed(part, ids) for part in message.parts)) for message in messages]


def _renamed(part: Part, ids: dict[str, str]) -> Part:
    if isinstance(part, ToolCall) and part.id in ids:
        return replace(part, id=ids[part.id])
    if isinstance(part, ToolResult) and part.call_id in ids:
        return replace(part, call_id=ids[part.call_id])
    return part
