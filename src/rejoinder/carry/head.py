"""System text on the way to another dialect: in front, where the target wants it; later, where it still may stand."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from rejoinder.carry.gather import SYSTEM_ROLES
from rejoinder.carry.parts import BLOCK, carried
from rejoinder.carry.way import Way
from rejoinder.values.conversation import Message
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Part, Text
from rejoinder.values.place import SYSTEM


def split_head(messages: list[Message]) -> tuple[list[Message], list[Message]]:
    """The system messages in front, and the rest."""
    count = 0
    while count < len(messages) and messages[count].role in SYSTEM_ROLES:
        count += 1
    return messages[:count], messages[count:]


def head_field(way: Way, field: Message | None, leading: list[Message], where: Iterable[str]) -> Message | None:
    """All system text in front as the one field that the target has for it."""
    said = [*([] if field is None else [(field, "/system")]), *zip(leading, where, strict=True)]
    parts = [part for message, at in said for part in _system_parts(way, message, at)]
    if not parts:
        return None
    if len(parts) == 1 and isinstance(parts[0], Text) and _was_plain(said[0][0]):
        return Message("system", (Text(text=parts[0].text),), SYSTEM, touched=True)
    return Message("system", tuple(_as_block(part) for part in parts), SYSTEM, touched=True)


def head_messages(way: Way, field: Message | None, leading: list[Message], where: Iterable[str]) -> list[Message]:
    """All system text in front as messages: that of a field first, each other one as it was."""
    found = [] if field is None else [Message("system", tuple(_system_parts(way, field, "/system")), SYSTEM)]
    for message, at in zip(leading, where, strict=True):
        parts = tuple(_system_parts(way, message, at))
        found.append(Message(_role(way, message.role), parts, message.origin))
    return [replace(message, touched=True) for message in found if message.parts]


def _system_parts(way: Way, message: Message, where: str) -> list[Part]:
    if message.role != _role(way, message.role):
        way.lose("role developer", where, f"{way.target} has one role for system text", "system")
    return list(carried(way, message, where).parts)


def _role(way: Way, role: str) -> str:
    return role if role in way.takes.system_roles else "system"


def _was_plain(message: Message) -> bool:
    """One text, that was no block of a type, and has no cache mark."""
    if len(message.parts) == 1 and message.parts[0].cache is not None:
        return False
    source = message.parts[0].source if len(message.parts) == 1 else message
    return source is None or (is_object(source) and "type" not in source)


def _as_block(part: Part) -> Part:
    return replace(part, quirks=BLOCK) if isinstance(part, Text) else part


def spoken(way: Way, messages: list[Message], places: dict[int, str]) -> list[Message]:
    """Later system messages as marked words in the user turn next to them, for a target that takes none there."""
    out: list[Message] = []
    waiting: list[Message] = []
    for message in messages:
        if message.role not in SYSTEM_ROLES:
            if waiting:
                message = _taken_up(out, waiting, message)
                waiting = []
            out.append(message)
            continue
        way.lose("system authority", places.get(message.origin, ""), f"{way.target} takes no later system text", "text")
        words = "\n".join(part.text for part in message.parts if isinstance(part, Text))
        said = Message("user", (Text(text=f"<system>{words}</system>"),), message.origin, touched=True)
        if out and out[-1].role == "user" and not waiting:
            out[-1] = _joined(out[-1], said)
        else:
            waiting.append(said)
    return [*out, *waiting]


def _taken_up(out: list[Message], waiting: list[Message], message: Message) -> Message:
    """In front of the user's next words; if somebody else speaks next, as a turn of their own."""
    if message.role != "user":
        out += waiting
        return message
    for said in reversed(waiting):
        message = replace(_joined(said, message), origin=message.origin)
    return message


def _joined(one: Message, other: Message) -> Message:
    return replace(one, parts=(*one.parts, *other.parts))
