"""How a list of Gemini contents is laid out, read, written and pointed into."""

from __future__ import annotations

from functools import partial
from typing import Any

from rejoinder.dialects import listed
from rejoinder.dialects.gemini.parts import read_part, read_parts
from rejoinder.dialects.gemini.spelling import Block, is_snaky, payload_is_snaky, spelled
from rejoinder.dialects.gemini.writing import write_part
from rejoinder.dialects.listed import Listing
from rejoinder.values.conversation import Conversation, Message
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.parts import Part, Text, ToolResult
from rejoinder.values.payload import Payload
from rejoinder.values.place import SYSTEM, Place

# Who speaks, in the words of this API.
_ROLES = {"assistant": "model", "tool": "user", "system": "system"}


def read_content(raw: Any, origin: int) -> Message:
    """One content. Without a role it is the user's, as the API has it."""
    if not is_object(raw):
        return Message("", (), origin, raw, (f"message:{kind_of(raw)}",))
    role = raw.get("role")
    quirks: tuple[str, ...] = ()
    if role is None or role == "":
        role = "user"
    elif not isinstance(role, str):
        quirks, role = (f"role:{kind_of(role)}",), ""
    parts, odd = _read_held(raw)
    if any(quirk.startswith("shared:") for part in parts for quirk in part.quirks):
        odd = (*odd, "shared")
    if odd in (("content:missing",), ("content:null",)) and raw.get("content"):
        odd = (*odd, "holds:content")
    return Message(role, parts, origin, raw, (*quirks, *odd))


def _read_held(raw: Block) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """The parts of a content, and what is odd about them. One that is in no list is still a part."""
    held = raw.get("parts")
    if is_array(held):
        return tuple(read_parts(held)), () if held else ("content:missing",)
    if is_object(held):
        return read_part(held), ()
    if isinstance(held, str):
        return (Text(text=held),), ("content:string",)
    return (), (f"content:{kind_of(held)}" if "parts" in raw else "content:missing",)


def _read_system(held: Any) -> Message:
    """The system instruction: a content, or bare words."""
    if isinstance(held, str):
        return Message("system", (Text(text=held),), SYSTEM, held)
    message = read_content(held, SYSTEM)
    return Message("system", message.parts, SYSTEM, held, message.quirks)


def _write_system(snaky: bool, message: Message) -> Any:
    parts = [write_part(part, snaky) for part in message.parts]
    return {**message.source, "parts": parts} if is_object(message.source) else {"parts": parts}


def write_content(snaky: bool, message: Message) -> Any:
    """A touched content: only what changed is written anew."""
    if not is_object(message.source):
        return {
            "role": _ROLES.get(message.role, message.role),
            "parts": [write_part(part, snaky) for part in message.parts],
        }
    source: Block = message.source
    snaky = snaky or any(is_snaky(part.source) for part in message.parts)
    was = read_content(source, message.origin)
    raw = dict(source)
    if message.role != was.role:
        raw["role"] = _ROLES.get(message.role, message.role)
    if message.parts != was.parts or message.quirks != was.quirks:
        raw["parts"] = [write_part(part, snaky) for part in message.parts]
    return raw


def _point(message: Message, place: Place) -> str:
    number = place.part or 0
    part = message.parts[number]
    if "shared" in message.quirks:
        # The parts are more than those of the JSON: each that shares one knows which.
        mine = (quirk[7:] for quirk in part.quirks if quirk.startswith("shared:"))
        return f"/parts/{index}" if (index := next(mine, None)) is not None else "/parts"
    if not is_array(message.source.get("parts")):
        return "/parts"
    path = f"/parts/{number}"
    if place.inner is None or not isinstance(part, ToolResult):
        return path
    name = spelled(part.source, "functionResponse", False)
    words = sum(isinstance(each, Text) and each.source is None for each in part.parts)
    return f"{path}/{name}/response" if place.inner < words else f"{path}/{name}/parts/{place.inner - words}"


def _listing(snaky: bool) -> Listing:
    names = ("systemInstruction", "system_instruction")
    return Listing(
        name="gemini",
        holds="contents",
        read=read_content,
        write=partial(write_content, snaky),
        point=_point,
        system=names[::-1] if snaky else names,
        read_system=_read_system,
        write_system=partial(_write_system, snaky),
        system_holds="/parts",
        fields={"content": "parts"},
    )


LISTING = _listing(snaky=False)
_SNAKY = _listing(snaky=True)


def encode(conversation: Conversation) -> Payload:
    """The payload again, and what is new in it in the spelling that the payload has."""
    touched = any(isinstance(message, Message) and message.touched for message in conversation.messages)
    head = conversation.system is not None and conversation.system.touched
    snaky = (touched or head) and payload_is_snaky(conversation.source)
    return listed.encode(_SNAKY if snaky else LISTING, conversation)
