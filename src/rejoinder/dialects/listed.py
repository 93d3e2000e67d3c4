"""A payload as a list of messages with something around it: what all dialects have in common.

A dialect gives a `Listing`: how one message is read and written, and which members of a body hold
the messages, the system text and the tools. Reading everything, leaving stretches folded, writing
only what was touched, and pointing are done here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from rejoinder.dialects.fold import Span
from rejoinder.errors import PayloadError
from rejoinder.values.conversation import Conversation, Message, Stretch
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.parts import Opaque, Part
from rejoinder.values.payload import Payload, member_at
from rejoinder.values.place import SYSTEM, TOOLS, Place


def _read_tool(tool: Any) -> Part:
    return Opaque(kind="tool", source=tool, cache=tool.get("cache_control") if is_object(tool) else None)


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """How a payload of one dialect is laid out.

    `system` and `tools` are names of members of the body, the first one for what is written anew; `system_holds` is the
    way from the system text to its parts, and tools may stand in a member of a member (`toolConfig/tools`).
    `fields` names the member of a message that a `Place.field` means, where it has another name.
    `stray` reads a body whose messages are no list, if this dialect has a meaning for that.
    """

    name: str
    read: Callable[[Any, int], Message]
    write: Callable[[Message], Any]
    point: Callable[[Message, Place], str]
    holds: str = "messages"
    system: tuple[str, ...] = ()
    system_holds: str = ""
    read_system: Callable[[Any], Message] | None = None
    write_system: Callable[[Message], Any] | None = None
    tools: str = "tools"
    read_tool: Callable[[Any], Part] = _read_tool
    fields: Mapping[str, str] = {}
    stray: Callable[[dict[str, Any]], tuple[tuple[Message, ...], tuple[str, ...]]] | None = None


_READ_NOWHERE = ((), ())


def decode(listing: Listing, payload: Payload, spans: list[Span] | None = None) -> Conversation:
    """The payload as a value; `payload` itself is kept and never changed. Where spans are given, only they are read."""
    body: dict[str, Any] = payload if is_object(payload) else {}
    raw: Any = payload.get(listing.holds) if is_object(payload) else payload
    messages, quirks = _READ_NOWHERE
    if is_array(raw):
        messages = _messages(listing, raw, spans if spans is not None else [(0, len(raw))])
    elif listing.stray is not None:
        messages, quirks = listing.stray(body)
    else:
        found = kind_of(raw) if listing.holds in body else "missing"
        raise PayloadError(f"the body wants a list `{listing.holds}`; it is {found}")
    return Conversation(listing.name, messages, _system(listing, body), _tools(listing, body), payload, {}, quirks)


def _messages(listing: Listing, raw: list[Any], spans: list[Span]) -> tuple[Message | Stretch, ...]:
    messages: list[Message | Stretch] = []
    kept_to = 0
    for start, stop in spans:
        if start > kept_to:
            messages.append(Stretch(kept_to, raw[kept_to:start], listing.read))
        messages += map(listing.read, raw[start:stop], range(start, stop))
        kept_to = stop
    return tuple(messages)


def _system(listing: Listing, body: dict[str, Any]) -> Message | None:
    name = next((name for name in listing.system if name in body), None)
    return None if name is None or listing.read_system is None else listing.read_system(body[name])


def _tools(listing: Listing, body: dict[str, Any]) -> Message | None:
    tools = member_at(body, listing.tools)
    return Message("tools", tuple(map(listing.read_tool, tools)), TOOLS, tools) if is_array(tools) else None


def _changed_tools(listing: Listing, conversation: Conversation) -> dict[str, Any]:
    if conversation.tools is None or not conversation.tools.touched:
        return {}
    name, _, inner = listing.tools.partition("/")
    tools: list[Any] = [part.source for part in conversation.tools.parts]
    if not inner:
        return {name: tools}
    held = conversation.settings.get(name)
    return {name: {**(held if is_object(held) else {}), inner: tools}}


def encode(listing: Listing, conversation: Conversation) -> Payload:
    """The payload again. What was not touched comes back as the very objects that were handed in."""
    payload = conversation.source
    raw: list[Any] = []
    for message in conversation.messages:
        if isinstance(message, Stretch):
            raw += message.source
        else:
            raw.append(written(listing, message))
    if not is_object(payload):
        return payload if is_array(payload) and same(raw, payload) else raw
    changed: dict[str, Any] = dict(conversation.changed)
    if not same(raw, payload.get(listing.holds)) and not _as_it_was(conversation):
        changed[listing.holds] = raw
    changed |= _changed_tools(listing, conversation)
    changed |= _changed_system(listing, conversation)
    body = {**payload, **changed} if changed else payload
    gone = [name for name in listing.system if name in payload and conversation.system is None]
    return {name: value for name, value in body.items() if name not in gone} if gone else body


def written(listing: Listing, message: Message) -> Any:
    """One message as JSON: the object it was read from, unless it was touched."""
    # A null in the list is a message that somebody wrote, not one that we made.
    was_read = message.source is not None or "message:null" in message.quirks
    return message.source if not message.touched and was_read else listing.write(message)


def _as_it_was(conversation: Conversation) -> bool:
    """Was a body without a list of messages left alone?"""
    return bool(conversation.quirks) and not any(
        isinstance(message, Message) and (message.touched or message.origin < 0) for message in conversation.messages
    )


def _changed_system(listing: Listing, conversation: Conversation) -> dict[str, Any]:
    if conversation.system is None or not conversation.system.touched or listing.write_system is None:
        return {}
    name = next((name for name in listing.system if name in conversation.settings), listing.system[0])
    return {name: listing.write_system(conversation.system)}


def same(left: list[Any], right: object) -> bool:
    """Are these lists of the very same objects?"""
    return is_array(right) and len(left) == len(right) and all(a is b for a, b in zip(left, right, strict=True))


def pointer(listing: Listing, conversation: Conversation, place: Place) -> str:
    """A JSON pointer into the payload as the caller handed it in; "" when it is not there."""
    body = is_object(conversation.source)
    if place.message >= len(conversation.messages):
        return f"/{listing.holds}" if body else ""
    message = conversation.at(place.message)
    if not isinstance(message, Message) or (message.origin == -1 and place.message >= 0):
        return ""
    if place.message < 0:
        return _head_pointer(listing, conversation, message, place)
    path = f"/{listing.holds}/{message.origin}" if body else f"/{message.origin}"
    if conversation.quirks:
        path = f"/{listing.holds}"
        if isinstance(conversation.settings.get(listing.holds), str):
            return path
    if place.field is not None:
        return f"{path}/{listing.fields.get(place.field, place.field)}"
    if place.part is None or message.touched or not is_object(message.source):
        return path
    return path + listing.point(message, place)


def _head_pointer(listing: Listing, conversation: Conversation, message: Message, place: Place) -> str:
    names = (name for name in listing.system if name in conversation.settings)
    path = f"/{next(names, 'system')}" if place.message == SYSTEM else f"/{listing.tools}"
    if place.part is None or isinstance(message.source, str):
        return path
    return f"{path}{listing.system_holds if place.message == SYSTEM else ''}/{place.part}"
