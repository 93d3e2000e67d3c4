"""A message of Converse, and its system text: lists of blocks; and both in terms that all dialects share."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rejoinder.dialects.bedrock.blocks import read_content, write_blocks
from rejoinder.rules.tool_arguments import written
from rejoinder.values.conversation import Conversation, Message, Stretch
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.parts import ALONE, Opaque, Part, Text, ToolResult, is_mark
from rejoinder.values.place import SYSTEM, TOOLS, Place

_MEMBERS = frozenset({"role", "content"})


def read_message(raw: Any, origin: int) -> Message:
    """One message of the list."""
    if not is_object(raw):
        return Message("", (), origin, raw, (f"message:{kind_of(raw)}",))
    role = raw.get("role")
    quirks: tuple[str, ...] = ()
    if not isinstance(role, str):
        quirks = ("role:missing" if "role" not in raw else f"role:{kind_of(role)}",)
        role = ""
    parts, odd = read_content(raw.get("content"), absent="content" not in raw)
    quirks += odd
    if not raw.keys() <= _MEMBERS:
        quirks += tuple(f"member:{key}" for key in raw if key not in _MEMBERS)
    return Message(role, parts, origin, raw, quirks)


def write_message(message: Message) -> Any:
    """A touched message as JSON: only the fields that changed are written anew."""
    if not is_object(message.source):
        return {"role": message.role, "content": write_blocks(message.parts)}
    was = read_message(message.source, message.origin)
    gone = {quirk[7:] for quirk in was.quirks if quirk.startswith("member:") and quirk not in message.quirks}
    raw = {name: held for name, held in message.source.items() if name not in gone}
    if message.role != was.role:
        raw["role"] = message.role
    if message.parts != was.parts or _odd_content(was) != _odd_content(message):
        raw["content"] = write_blocks(message.parts)
    return raw


def _odd_content(message: Message) -> tuple[str, ...]:
    return tuple(quirk for quirk in message.quirks if quirk.startswith("content:"))


def read_system(content: Any) -> Message:
    """The text in front of the conversation."""
    parts, quirks = read_content(content, absent=False)
    return Message("system", parts, SYSTEM, content, quirks)


def write_system(message: Message) -> Any:
    """The text in front of the conversation, as blocks."""
    return write_blocks(message.parts)


def read_tool(raw: Any) -> Part:
    """An item of the list of tools: a tool, or a cache mark behind some."""
    mark = raw.get("cachePoint") if is_object(raw) else None
    if is_object(mark):
        return Opaque(kind="cachePoint", source=raw, cache=mark, quirks=ALONE)
    return Opaque(kind="tool", source=raw)


def point(message: Message, place: Place) -> str:
    """The JSON pointer of a part, from its message on."""
    if not is_array(message.source.get("content")):
        return "/content"
    path = f"/content/{place.part}"
    return path if place.inner is None else f"{path}/toolResult/content/{place.inner}"


# --- in terms that all dialects share ---------------------------------------------------------------------------------


def plain(conversation: Conversation) -> Conversation:
    """Cache marks on the parts in front of them, and JSON in results as its text."""
    system = conversation.system and _plain(conversation.system)
    messages = tuple(message if isinstance(message, Stretch) else _plain(message) for message in conversation.messages)
    return replace(conversation, system=system, messages=messages)


def _plain(message: Message) -> Message:
    parts: list[Part] = []
    for part in message.parts:
        if is_mark(part) and parts and message.origin != TOOLS:
            parts[-1] = replace(parts[-1], cache=part.cache)
        else:
            parts.append(_in_words(part))
    same = len(parts) == len(message.parts) and all(a is b for a, b in zip(parts, message.parts, strict=True))
    return message if same else replace(message, parts=tuple(parts))


def _in_words(part: Part) -> Part:
    """A result whose JSON is text."""
    if not isinstance(part, ToolResult) or not any(_is_json(each) for each in part.parts):
        return part
    inner = (_said(each) if _is_json(each) else each for each in part.parts)
    return replace(part, parts=tuple(inner))


def _is_json(part: Part) -> bool:
    return isinstance(part, Opaque) and part.kind == "json" and not part.quirks


def _said(part: Part) -> Part:
    words = written(part.source["json"])
    return part if words is None else Text(text=words)
