"""What calls and results are called: the tool's name on each result, and the ids that they had before."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.values.conversation import Message
from rejoinder.values.parts import Part, ToolCall, ToolResult


def named_results(messages: list[Message]) -> list[Message]:
    """The messages, each result with the name of the nearest call in front of it that it answers."""
    return list(_named(messages))


def _named(messages: list[Message]) -> Iterator[Message]:
    names: dict[str, str] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCall) and isinstance(part.name, str):
                names[str(part.id)] = part.name
        yield _with_name(message, names) if message.role == "tool" else message


def _with_name(message: Message, names: dict[str, str]) -> Message:
    result = message.parts[0]
    if not isinstance(result, ToolResult) or result.name or str(result.call_id) not in names:
        return message
    return replace(message, parts=(replace(result, name=names[str(result.call_id)]),))


def renamed(messages: list[Message], ids: dict[str, str]) -> list[Message]:
    """The messages with the ids that calls and results had before they were renamed."""
    return [replace(message, parts=tuple(_renamed(part, ids) for part in message.parts)) for message in messages]


def _renamed(part: Part, ids: dict[str, str]) -> Part:
    if isinstance(part, ToolCall) and part.id in ids:
        return replace(part, id=ids[part.id])
    if isinstance(part, ToolResult) and part.call_id in ids:
        return replace(part, call_id=ids[part.call_id])
    return part
