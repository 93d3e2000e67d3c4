"""What calls and results are called: ids where there are none, the tool's name, and the ids that they had before."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.values.conversation import Conversation, Message
from rejoinder.values.edit import Edit, Replace, apply
from rejoinder.values.exchange import Call
from rejoinder.values.parts import Part, ToolCall, ToolResult
from rejoinder.values.view import Layout, View


def identified(conversation: Conversation, layout: Layout) -> Conversation:
    """The conversation with an id on each call and on its result, where its dialect lets them do without."""
    view = View(conversation, layout)
    edits: list[Edit] = []
    taken = set(view.used_ids)
    for index, calls in view.pairing.by_message.items():
        for number, call in enumerate(calls):
            if call.part.key is not None:
                edits += _identified(call, f"call_{index}_{number}", taken)
    return apply(conversation, edits) if edits else conversation


def _identified(call: Call, derived: str, taken: set[str]) -> Iterator[Edit]:
    """The id of the call, or else of its result, or else one derived from its place, on both sides."""
    result = call.result
    name = call.part.id if call.part.id is not None or result is None else result.part.call_id
    if name is None:
        while derived in taken:
            derived += "_"
        name = derived
        taken.add(name)
    if call.part.id != name:
        yield Replace(call.place, replace(call.part, id=name))
    if result is not None and result.part.call_id != name:
        yield Replace(result.place, replace(result.part, call_id=name))


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
