"""A conversation of any dialect in one form: who speaks, each result alone, one assistant message for one answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from rejoinder.dialects.carries import Carries
from rejoinder.values.conversation import SPEAKERS, Conversation, Message, Stretch
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Part, Text, ToolCall, ToolResult

SYSTEM_ROLES = ("system", "developer")


def gathered(conversation: Conversation, carries: Carries) -> list[Message]:
    """The messages with roles system, developer, user, assistant and tool; a tool message holds one result."""
    messages = _split(_unfolded(conversation))
    return list(_answers(messages) if carries.results == "items" else messages)


def _unfolded(conversation: Conversation) -> Iterator[Message]:
    for message in conversation.messages:
        if isinstance(message, Stretch):
            yield from message.messages()
        else:
            yield message


def _split(messages: Iterable[Message]) -> Iterator[Message]:
    """Each result as a message of its own, in front of what else its message says."""
    for message in messages:
        role = SPEAKERS.get(message.role, message.role)
        if role == "assistant" or role in SYSTEM_ROLES:
            yield replace(message, role=role)
            continue
        rest: list[Part] = []
        for part in message.parts:
            if isinstance(part, ToolResult) and part.kind == "tool":
                yield Message("tool", (part,), message.origin, message.source if part.beside else None)
            else:
                rest.append(part)
        if rest or not message.parts:
            yield replace(message, role="user", parts=tuple(rest))


def _answers(messages: Iterable[Message]) -> Iterator[Message]:
    """Items that one answer came in, as one message: its thinking, its text, its calls."""
    held: Message | None = None
    for message in messages:
        if held is not None and message.role == "assistant" and not _begins_anew(held, message):
            held = replace(held, parts=(*held.parts, *message.parts), source=_members(held, message))
            continue
        if held is not None:
            yield held
        held = message if message.role == "assistant" else None
        if held is None:
            yield message
    if held is not None:
        yield held


def _members(one: Message, other: Message) -> dict[str, Any]:
    """The members of both items: of each it is asked once whether it is carried."""
    return {
        name: value for each in (one, other) if is_object(each.source) for name, value in each.source.items() if value
    }


def _begins_anew(held: Message, message: Message) -> bool:
    """Is this text another answer than the one before it? Not where calls were made that still wait."""
    says = any(isinstance(part, Text) for part in message.parts)
    return says and any(isinstance(part, Text) for part in held.parts) and not _calls(held)


def _calls(message: Message) -> bool:
    return any(isinstance(part, ToolCall) for part in message.parts)
