"""The items of a Responses input: each message, call, result and piece of reasoning by itself, read and written."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects import blocks
from rejoinder.dialects.openai_responses.content import read_content, read_screenshot, write_content
from rejoinder.dialects.openai_responses.kinds import (
    CALL_KINDS,
    CALL_TYPES,
    CALLS,
    KINDS,
    PHASES,
    RESULTS,
    ROLES,
    Kind,
)
from rejoinder.dialects.shape import Block
from rejoinder.values.conversation import Message
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.parts import Media, Opaque, Part, Text, Thinking, ToolCall, ToolResult
from rejoinder.values.place import SYSTEM, Place

# --- reading ---------------------------------------------------------------------------------------------------------


def read_item(raw: Any, origin: int) -> Message:
    """One item of the input."""
    if not is_object(raw):
        return Message("", (), origin, raw, (f"message:{kind_of(raw)}",))
    name = type_of(raw)
    kind = KINDS.get(name)
    if kind is None:
        unknown = Opaque(kind=name, source=raw, beside=True, quirks=("type:unknown",))
        return Message("assistant", (unknown,), origin, raw)
    seal, odd = _seal(raw, name, kind)
    odd += tuple(f"member:{key}" for key in raw if key not in kind.members)
    odd += _values(raw, kind)
    if name == "message":
        return _read_message(raw, origin, odd, seal)
    part = _read_part(raw, name, kind)
    role = "tool" if isinstance(part, ToolResult) else kind.role
    return Message(role, (part,), origin, raw, odd, seal=seal)


def type_of(raw: Block) -> str:
    """The type of an item. Without one it is a message, or, where it has nothing but an id, a reference."""
    name = raw.get("type")
    if isinstance(name, str):
        return name
    if name is not None:
        return f"{kind_of(name)}"
    return "item_reference" if "id" in raw and not raw.keys() - {"id", "type"} else "message"


def _seal(raw: Block, name: str, kind: Kind) -> tuple[str | None, tuple[str, ...]]:
    """The id that the API gave the item, and a quirk where it cannot have given it."""
    held = raw.get("id")
    if held is None or (name == "local_shell_call_output" and "call_id" not in raw):
        return None, ()
    if not isinstance(held, str) or not held.startswith(kind.prefix):
        return held if isinstance(held, str) else None, (f"prefix:{kind.prefix}",)
    return held or None, ()


def _values(raw: Block, kind: Kind) -> tuple[str, ...]:
    """A quirk for each member whose value is none that it may have."""
    odd: tuple[str, ...] = ()
    status = raw.get("status")
    if status is not None and kind.statuses and not (isinstance(status, str) and status in kind.statuses):
        odd += (f"value:status:{status}",)
    phase = raw.get("phase") if "phase" in kind.members else None
    if phase is not None and raw.get("role") != "assistant":
        odd += ("member:phase",)
    elif phase is not None and not (isinstance(phase, str) and phase in PHASES):
        odd += (f"value:phase:{phase}",)
    return odd


def _read_message(raw: Block, origin: int, odd: tuple[str, ...], seal: str | None) -> Message:
    role = raw.get("role")
    if not isinstance(role, str):
        odd = ("role:missing" if "role" not in raw else f"role:{kind_of(role)}", *odd)
        role = ""
    if role not in ROLES:
        # Whose words it is has to be told first; what else it has is perhaps another API's way to say so.
        odd = tuple(quirk for quirk in odd if not quirk.startswith("member:"))
    parts, told = read_content(raw.get("content"), role, absent="content" not in raw)
    return Message(role, parts, origin, raw, (*odd, *told), seal=seal)


def _read_part(raw: Block, name: str, kind: Kind) -> Part:
    """What an item that is no message stands for."""
    searches = raw.get("execution") == "client" and name in ("tool_search_call", "tool_search_output")
    if name in CALLS or (searches and name == "tool_search_call"):
        return _read_call(raw, name, kind)
    if name in RESULTS or searches:
        return _read_result(raw, name, kind)
    return _read_reasoning(raw) if name == "reasoning" else Opaque(kind=name, source=raw, beside=True)


def _read_call(raw: Block, name: str, kind: Kind) -> ToolCall:
    """A call that the client answers. One of a tool that only this API has is named after its type."""
    known = name in CALL_KINDS
    return ToolCall(
        id=raw.get("call_id"),
        name=raw.get("name") if known else name.removesuffix("_call"),
        arguments=raw.get(kind.says),
        kind=CALL_KINDS.get(name, name),
        source=raw,
        beside=known,
    )


def _read_result(raw: Block, name: str, kind: Kind) -> ToolResult:
    held = raw.get(kind.says) if kind.says else None
    if not kind.says:
        parts, quirks = (), ()
    elif is_object(held) and held.get("type") == "computer_screenshot":
        parts, quirks = (read_screenshot(held),), ()
    elif name == "shell_call_output" and is_array(held):
        # What came out of each command, in a form of its own.
        parts, quirks = tuple(Opaque(kind="shell_output", source=each) for each in held), ()
    else:
        parts, quirks = read_content(held, "tool", absent=kind.says not in raw)
    if name == "apply_patch_call_output":
        # The one result that may say nothing.
        quirks = tuple(quirk for quirk in quirks if quirk not in ("content:missing", "content:null"))
    called = name.removesuffix("_output")
    return ToolResult(
        call_id=raw.get(_named(raw)),
        parts=parts,
        call_kind=CALL_KINDS.get(called, called),
        source=raw,
        quirks=quirks,
        beside=called in CALL_KINDS,
    )


def _named(raw: Block) -> str:
    """The member of a result that names its call."""
    return "id" if raw.get("type") == "local_shell_call_output" and "call_id" not in raw else "call_id"


def _read_reasoning(raw: Block) -> Thinking:
    """Reasoning, sealed by what is encrypted; where that is missing its id is all that leads to it."""
    words = [
        text
        for member in ("summary", "content")
        for block in (raw[member] if is_array(raw.get(member)) else ())
        if is_object(block) and (text := blocks.text_of(block))
    ]
    sealed = blocks.text_of(raw, "encrypted_content") or None
    return Thinking(
        text="\n\n".join(words),
        signature=sealed or blocks.text_of(raw, "id"),
        source=raw,
        quirks=() if sealed else ("seal:elsewhere",),
    )


def read_instructions(held: object) -> Message:
    """The system text beside the input: a string, or a list of parts."""
    parts, quirks = read_content(held, "system", absent=False)
    return Message("system", parts, SYSTEM, held, () if held is None else quirks)


def read_elsewhere(body: Block) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """A body whose input is no list: one string is what the user says, one object can only be meant as an item."""
    if "input" not in body:
        return (), ("input:missing",)
    held = body["input"]
    said = {"role": "user", "content": held} if isinstance(held, str) and held else held
    messages = (read_item(said, 0),) if is_object(said) else ()
    return messages, (f"input:{kind_of(held)}",)


# --- writing ---------------------------------------------------------------------------------------------------------


def write_instructions(message: Message) -> str:
    """The system text as the one string that the API takes."""
    return "\n\n".join(part.text for part in message.parts if isinstance(part, Text))


def write_item(message: Message) -> Any:
    """A touched item as JSON: only the fields that changed are written anew."""
    source = message.source
    whole = message.parts[0] if len(message.parts) == 1 else None
    if not is_object(source):
        return _write_fresh(message, whole)
    was = read_item(source, message.origin)
    old = was.parts[0] if len(was.parts) == 1 else None
    if type_of(source) != "message" and type(whole) is not type(old):
        return _write_fresh(message, whole)
    raw: Block = dict(whole.source) if isinstance(whole, Opaque) and is_object(whole.source) else dict(source)
    if type_of(source) == "message":
        raw = dict(source)
        _write_message(raw, message, was)
    elif isinstance(whole, ToolCall) and isinstance(old, ToolCall):
        _write_call(raw, whole, old)
    elif isinstance(whole, ToolResult) and isinstance(old, ToolResult):
        _write_result(raw, whole, old)
    return _without_odd(raw, message, was)


def _without_odd(raw: Block, message: Message, was: Message) -> Block:
    """The item without the members that were judged odd, and without its id where it lost that."""
    for quirk in was.quirks:
        if quirk not in message.quirks and quirk.startswith(("member:", "value:")):
            raw.pop(quirk.split(":")[1], None)
    unnamed = was.seal is not None or any(quirk.startswith("prefix:") for quirk in was.quirks)
    still = message.seal is not None or any(quirk.startswith("prefix:") for quirk in message.quirks)
    if unnamed and not still:
        raw.pop("id", None)
    return raw


def _write_message(raw: Block, message: Message, was: Message) -> None:
    if message.role != was.role:
        raw["role"] = message.role
    if message.parts != was.parts or _content(was.quirks) != _content(message.quirks):
        raw["content"] = write_content(message.parts, message.role, plain=not is_array(raw.get("content")))


def _write_call(raw: Block, call: ToolCall, was: ToolCall) -> None:
    for member, new, old in (
        ("call_id", call.id, was.id),
        ("name", call.name, was.name),
        (KINDS[raw["type"]].says, call.arguments, was.arguments),
    ):
        if new != old:
            raw[member] = new


def _write_result(raw: Block, result: ToolResult, was: ToolResult) -> None:
    if result.call_id != was.call_id:
        raw[_named(raw)] = result.call_id
    says = KINDS[raw["type"]].says
    if says and (result.parts != was.parts or _content(was.quirks) != _content(result.quirks)):
        raw[says] = _output(result, plain=not is_array(raw.get(says)))


def _output(result: ToolResult, *, plain: bool) -> Any:
    whole = result.parts[0] if len(result.parts) == 1 else None
    if result.call_kind == "computer_call" and isinstance(whole, Media):
        return whole.source
    return write_content(result.parts, "tool", plain=plain)


def _write_fresh(message: Message, whole: Part | None) -> Any:
    """An item that we made. No id is ever made up for it."""
    if isinstance(whole, ToolCall):
        name = CALL_TYPES.get(whole.kind or "", "function_call")
        return {"type": name, "call_id": whole.id, "name": whole.name, KINDS[name].says: whole.arguments}
    if isinstance(whole, ToolResult):
        name = CALL_TYPES.get(whole.call_kind, "function_call") + "_output"
        return {"type": name, "call_id": whole.call_id, "output": _output(whole, plain=True)}
    if isinstance(whole, Thinking) or (isinstance(whole, Opaque) and whole.beside):
        return whole.source
    return {"role": message.role, "content": write_content(message.parts, message.role, plain=True)}


def _content(quirks: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(quirk for quirk in quirks if quirk.startswith("content:"))


def point(message: Message, place: Place) -> str:
    """Where a part of an item stands in it."""
    name = type_of(message.source)
    if name == "message":
        return f"/content/{place.part}" if is_array(message.source.get("content")) else "/content"
    if place.inner is None:
        return ""
    says = KINDS[name].says if name in KINDS else ""
    return f"/{says}/{place.inner}" if is_array(message.source.get(says)) else f"/{says}"
