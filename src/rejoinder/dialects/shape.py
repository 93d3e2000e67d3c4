"""How a list of chat messages is read and written, whatever its keys are called.

A dialect of this family is a `Shape`: which keys hold the calls and the ids, and a table
from block type to the function that reads it. Nothing here judges: what is odd about the
JSON becomes a quirk of the value, and rules decide who minds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from rejoinder.dialects.call_items import read_call, write_call
from rejoinder.dialects.listed import Listing
from rejoinder.values.conversation import SPEAKERS, Message
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.parts import Opaque, Part, Refusal, Text, Thinking, ToolCall, ToolResult
from rejoinder.values.place import SYSTEM, Place
from rejoinder.values.view import Layout

Block = dict[str, Any]
ReadBlock = Callable[["Shape", Block], Part]
WriteBlock = Callable[["Shape", Any], Block]
# How one item of the calls beside the content is read, and written.
CallCodec = tuple[Callable[[Any], Part], Callable[[ToolCall], Block]]


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """One wire shape of the chat family, as a table of facts."""

    name: str
    layout: Layout
    read: Mapping[str, ReadBlock]
    write: Mapping[type[Part], WriteBlock]
    # The member that holds what is said; whether it is always a list; whether a text in it may be a bare string.
    content: str = "content"
    listed: bool = False
    bare_text: bool = False
    calls: str | None = None
    call: CallCodec | None = None
    call_id: str | None = None
    refusal: str | None = None
    beside: tuple[str, ...] = ()
    system: bool = False
    result_role: str = "tool"
    members: frozenset[str] | None = None
    # The same where it depends on who speaks; what is not named here is not asked.
    members_of: Mapping[str, frozenset[str]] = {}
    # Members that are true or absent (`prefix`), and the one with the thinking.
    flags: tuple[str, ...] = ()
    thinking: str | None = None
    # The member in which a result says the name of its tool, and whether all that are written do.
    result_name: str | None = None
    names_results: bool = False
    null_content: bool = False
    lone_block: bool = False
    # The types of blocks that may stand inside a result; where none are named, all but calls and results.
    inside: frozenset[str] = frozenset()
    fresh: Mapping[str, tuple[Any, ...]] = {}
    # Members of an assistant message that hold its thinking, where it is only told that they are there.
    asides: tuple[str, ...] = ()


# --- reading ---------------------------------------------------------------------------------------------------------


def _head(shape: Shape, content: object) -> Message:
    parts, quirks = read_content(shape, content, absent=False)
    return Message("system", parts, SYSTEM, content, quirks)


def read_message(shape: Shape, raw: Any, origin: int) -> Message:
    """One message of the list."""
    if not is_object(raw):
        return Message("", (), origin, raw, (f"message:{kind_of(raw)}",))
    role = raw.get("role")
    quirks: tuple[str, ...] = ()
    if not isinstance(role, str):
        quirks = ("role:missing" if "role" not in raw else f"role:{kind_of(role)}",)
        role = ""
    parts, odd = read_content(shape, raw.get(shape.content), absent=shape.content not in raw)
    quirks += odd
    if SPEAKERS.get(role, role) == "assistant":
        beside, odd = _read_beside(shape, raw)
        parts = (*_read_thinking(shape, raw), *parts, *beside)
        quirks += odd
        quirks += tuple(f"flag:{name}" for name in shape.flags if raw.get(name) is True)
    elif role == shape.result_role and shape.call_id and not any(isinstance(p, ToolResult) for p in parts):
        name = raw.get(shape.result_name) if shape.result_name else None
        parts = (ToolResult(call_id=raw.get(shape.call_id), parts=parts, source=raw, beside=True, **_named(name)),)
    if ("content:missing" in quirks or "content:null" in quirks) and shape.content != "parts" and raw.get("parts"):
        quirks += ("holds:parts",)
    members = shape.members_of.get(role, shape.members)
    if members is not None and not raw.keys() <= members:
        quirks += tuple(f"member:{key}" for key in raw if key not in members)
    if None in raw.values():
        quirks += tuple(f"null:{key}" for key, value in raw.items() if value is None and key != "content")
    return Message(role, parts, origin, raw, quirks)


def _named(name: object) -> dict[str, Any]:
    """The fields of a result that says the name of its tool; only one that says so, or has to, is written with it."""
    return {"name": name, "quirks": ("as:named",) if name else ()} if isinstance(name, str) else {}


def _says_name(shape: Shape, result: ToolResult) -> bool:
    """Is the name of the tool written with the result?"""
    return shape.names_results or "as:named" in result.quirks


def read_content(
    shape: Shape, content: object, *, absent: bool, inner: bool = False
) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """The content of a message, or (`inner`) of a tool result, and what is odd about it."""
    if isinstance(content, str):
        return (Text(text=content),), ()
    if is_array(content):
        return tuple(read_block(shape, block, inner=inner) for block in content), ()
    if shape.lone_block and is_object(content):
        return (read_block(shape, content),), ()
    return (), ("content:missing" if absent else f"content:{kind_of(content)}",)


def read_block(shape: Shape, block: Any, *, inner: bool = False) -> Part:
    """One block of a content list. Inside a result there are no calls and no other results."""
    if shape.bare_text and isinstance(block, str):
        return Text(text=block, source=block)
    if not is_object(block):
        return Opaque(kind="", source=block, quirks=(f"block:{kind_of(block)}",))
    kind = block.get("type")
    reader = shape.read.get(kind) if isinstance(kind, str) else None
    if reader is None:
        reader = shape.read.get("") if kind is None else None
    if reader is not None and not (inner and _stays_out(shape, kind)):
        return reader(shape, block)
    return Opaque(kind=str(kind or ""), source=block, quirks=("type:missing" if kind is None else "type:unknown",))


def _stays_out(shape: Shape, kind: object) -> bool:
    """Is it a type that cannot stand inside a result?"""
    return kind not in shape.inside if shape.inside else kind is None or "tool" in str(kind)


def _read_beside(shape: Shape, raw: Block) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """What an assistant message carries in fields of their own: the refusal, audio, the calls."""
    parts: list[Part] = []
    if shape.refusal and isinstance(raw.get(shape.refusal), str):
        parts.append(Refusal(text=raw[shape.refusal], beside=True))
    parts += [Opaque(kind=key, source=raw[key], beside=True) for key in shape.beside if raw.get(key) is not None]
    quirks = tuple(f"aside:{name}" for name in shape.asides if isinstance(raw.get(name), str) and raw[name].strip())
    calls = raw.get(shape.calls) if shape.calls else None
    if calls is None:
        return tuple(parts), quirks
    quirks += () if calls else ("calls:empty",)
    if not is_array(calls):
        quirks += (f"calls:{kind_of(calls)}",)
        # One call that is not in a list is still a call.
        calls = [calls] if is_object(calls) else []
    reader = shape.call[0] if shape.call else read_call
    parts += [reader(call) for call in calls]
    return tuple(parts), quirks


def _read_thinking(shape: Shape, raw: Block) -> tuple[Part, ...]:
    """What the assistant thought in front of its words, where that stands in a field of its own."""
    words = raw.get(shape.thinking) if shape.thinking else None
    return (Thinking(text=words, beside=True),) if isinstance(words, str) else ()


# --- writing ---------------------------------------------------------------------------------------------------------


def _write_system(shape: Shape, message: Message) -> Any:
    return _content(shape, message.parts, plain=True)


def write_message(shape: Shape, message: Message) -> Any:
    """A touched message as JSON: only the fields that changed are written anew."""
    if not is_object(message.source):
        return _write_fresh(shape, message)
    raw: Block = dict(message.source)
    was = read_message(shape, message.source, message.origin)
    if message.role != was.role:
        raw["role"] = message.role
    for quirk in was.quirks:
        kind, _, name = quirk.partition(":")
        if kind in ("member", "null", "aside") and quirk not in message.quirks:
            raw.pop(name, None)
    _write_flags(shape, raw, message, was)
    whole = message.parts[0] if message.parts else None
    if isinstance(whole, ToolResult) and whole.beside and shape.call_id:
        return _write_result(shape, raw, whole, was, message.quirks)
    _write_content(shape, raw, message, was)
    _write_beside(shape, raw, message, was)
    return raw


def _write_fresh(shape: Shape, message: Message) -> Block:
    """A message that we made."""
    whole = message.parts[0] if message.parts else None
    if isinstance(whole, ToolResult) and shape.call_id and whole.beside:
        raw: Block = {"role": message.role, shape.call_id: whole.call_id}
        if shape.result_name and whole.name is not None and _says_name(shape, whole):
            raw[shape.result_name] = whole.name
        return {**raw, shape.content: _content(shape, whole.parts, plain=True), **_fresh(shape)}
    raw = {"role": message.role, **_fresh(shape)}
    empty = Message(message.role, (), quirks=("content:missing",))
    _write_content(shape, raw, message, empty)
    _write_beside(shape, raw, message, empty)
    _write_flags(shape, raw, message, empty)
    return raw


def _fresh(shape: Shape) -> Block:
    """The fields that a new message of this shape has besides."""
    return {name: list(value) for name, value in shape.fresh.items()}


def _write_result(shape: Shape, raw: Block, result: ToolResult, was: Message, quirks: tuple[str, ...]) -> Block:
    """A tool message whose id stands in the message itself."""
    old = was.parts[0] if was.parts else None
    if not isinstance(old, ToolResult) or old.call_id != result.call_id:
        raw[shape.call_id or ""] = result.call_id
    if shape.result_name and isinstance(old, ToolResult) and old.name != result.name and _says_name(shape, result):
        _put(raw, shape.result_name, result.name)
    changed = not isinstance(old, ToolResult) or old.parts != result.parts
    if changed or _field(was.quirks, "content") != _field(quirks, "content"):
        plain = not is_array(raw.get(shape.content)) or "as:string" in result.quirks
        raw[shape.content] = _content(shape, result.parts, plain=plain)
    return raw


def _write_content(shape: Shape, raw: Block, message: Message, was: Message) -> None:
    new = tuple(part for part in message.parts if not part.beside)
    old = tuple(part for part in was.parts if not part.beside)
    if new == old and _field(was.quirks, "content") == _field(message.quirks, "content"):
        return
    if not new and shape.null_content and any(isinstance(part, ToolCall) for part in message.parts):
        raw[shape.content] = None
    else:
        plain = not is_array(raw.get(shape.content)) or "as:string" in message.quirks
        raw[shape.content] = _content(shape, new, plain=plain)


def _content(shape: Shape, parts: tuple[Part, ...], *, plain: bool) -> str | list[Any]:
    """Text alone stays a string where it was one; all else is a list of blocks."""
    plain = plain and not shape.listed
    if plain and not parts:
        return ""
    whole = parts[0] if len(parts) == 1 else None
    if not isinstance(whole, Text):
        return [write_block(shape, part) for part in parts]
    alone = whole.source is None and "as:block" not in whole.quirks and not whole.cache
    if "as:string" in whole.quirks or (plain and alone):
        return whole.text
    return [write_block(shape, part) for part in parts]


def _write_beside(shape: Shape, raw: Block, message: Message, was: Message) -> None:
    """The thinking and the calls, where they stand in fields of their own."""
    thought, before = _thought(message), _thought(was)
    if shape.thinking and thought != before:
        _put(raw, shape.thinking, thought)
    if shape.calls is None:
        return
    new = tuple(part for part in message.parts if part.beside and _is_call(part))
    old = tuple(part for part in was.parts if part.beside and _is_call(part))
    if new == old and _field(was.quirks, "calls") == _field(message.quirks, "calls"):
        return
    if new:
        writer = shape.call[1] if shape.call else write_call
        raw[shape.calls] = [writer(part) if isinstance(part, ToolCall) else part.source for part in new]
    else:
        raw.pop(shape.calls, None)


def _thought(message: Message) -> str | None:
    """The thinking beside the words, as the one text that there is room for; None where nothing was thought."""
    texts = [part.text for part in message.parts if isinstance(part, Thinking) and part.beside]
    return "\n".join(texts) if texts else None


def _write_flags(shape: Shape, raw: Block, message: Message, was: Message) -> None:
    for name in shape.flags:
        flag = f"flag:{name}"
        if (flag in message.quirks) != (flag in was.quirks):
            _put(raw, name, True if flag in message.quirks else None)


def _put(raw: Block, name: str, value: Any) -> None:
    """The member with this value; without one, no such member."""
    if value is None:
        raw.pop(name, None)
    else:
        raw[name] = value


def write_block(shape: Shape, part: Part) -> Any:
    """One block. What the part does not know of its source is kept; an unchanged one is the source itself."""
    if shape.bare_text and isinstance(part, Text) and isinstance(part.source, str):
        return part.text
    writer = shape.write.get(type(part))
    if writer is None:
        return part.source
    if not is_object(part.source):
        block = writer(shape, part)
        return block if part.cache is None else {**block, "cache_control": part.cache}
    source: Block = part.source
    was = read_block(shape, source)
    if was == part:
        return source
    raw = {**source, **writer(shape, part)}
    for quirk in was.quirks:
        if quirk.startswith("member:") and quirk not in part.quirks:
            del raw[quirk[7:]]
    if was.cache is not None and part.cache is None:
        raw.pop("cache_control", None)
    elif was.cache != part.cache:
        raw["cache_control"] = part.cache
    return raw


def _field(quirks: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(quirk for quirk in quirks if quirk.startswith(name + ":"))


# --- pointing --------------------------------------------------------------------------------------------------------


def part_pointer(shape: Shape, message: Message, place: Place) -> str:
    number = place.part or 0
    part = message.parts[number]
    if isinstance(part, ToolResult) and part.beside:
        listed = is_array(message.source.get(shape.content))
        return "" if place.inner is None else f"/{shape.content}/{place.inner}" if listed else f"/{shape.content}"
    if part.beside:
        if isinstance(part, ToolCall) or part.quirks:
            first = next(i for i, other in enumerate(message.parts) if other.beside and _is_call(other))
            return f"/{shape.calls}/{number - first}"
        if isinstance(part, Thinking):
            return f"/{shape.thinking}" if shape.thinking in message.source else ""
        return f"/{shape.refusal}" if isinstance(part, Refusal) else f"/{getattr(part, 'kind', '')}"
    if not is_array(message.source.get(shape.content)):
        return f"/{shape.content}"
    # What was thought stands in front of the content, in a field of its own.
    path = f"/{shape.content}/{number - message.parts[0].beside}"
    if place.inner is not None and isinstance(part, ToolResult) and is_object(part.source):
        path += "/content" + (f"/{place.inner}" if is_array(part.source.get("content")) else "")
    return path


def _is_call(part: Part) -> bool:
    return isinstance(part, ToolCall) or (isinstance(part, Opaque) and part.kind == "tool_call")


def listing(shape: Shape) -> Listing:
    """How payloads of this shape are laid out."""
    return Listing(
        name=shape.name,
        read=partial(read_message, shape),
        write=partial(write_message, shape),
        point=partial(part_pointer, shape),
        system=("system",) if shape.system else (),
        read_system=partial(_head, shape),
        write_system=partial(_write_system, shape),
        fields={"calls": shape.calls or ""},
    )
