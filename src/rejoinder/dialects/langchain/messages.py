"""One LangChain message, read and written: its content, its calls beside it, and the copies that are told of a call.

A dumped message may say a call up to four times: in `tool_calls` or `invalid_tool_calls`, as a block of its content (as
Anthropic writes it), raw in `additional_kwargs` (as OpenAI does), and in the chunks it was streamed in. The first is
the call. The others go with it, and are renamed with it: else LangChain makes a call of them again when it loads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from rejoinder.dialects import shape
from rejoinder.dialects.langchain.calls import all_calls, split_calls, without_stale
from rejoinder.dialects.langchain.contents import SHAPE
from rejoinder.dialects.langchain.envelope import fresh, members, path_to, wrapped
from rejoinder.dialects.shape import Block
from rejoinder.values.conversation import Conversation, Message, Stretch
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.parts import Opaque, Part, ToolCall, ToolResult
from rejoinder.values.place import Place


def read(raw: Any, origin: int) -> Message:
    """One message, in whatever form it was dumped."""
    if not is_object(raw):
        return shape.read_message(SHAPE, raw, origin)
    return replace(_read(members(raw), origin), source=raw)


def _read(held: Block, origin: int) -> Message:
    message = shape.read_message(SHAPE, all_calls(held), origin)
    parts = message.parts
    if message.role == "assistant":
        ids = {part.id for part in parts if isinstance(part, ToolCall) and part.beside and isinstance(part.id, str)}
        parts = tuple(_copy(part) if _is_told_again(part, ids) else part for part in parts)
    elif parts and isinstance(parts[0], ToolResult) and parts[0].beside:
        name = held.get("name")
        error = True if held.get("status") == "error" else None
        parts = (replace(parts[0], error=error, name=name if isinstance(name, str) else None),)
    elif message.role == "remove":
        parts = (Opaque(kind="remove", source=held, beside=True),)
    return replace(message, parts=parts)


def _is_told_again(part: Part, ids: set[str]) -> bool:
    """Is this block of the content a call that stands beside it?"""
    return isinstance(part, ToolCall) and not part.beside and isinstance(part.id, str) and part.id in ids


def _copy(part: Part) -> Part:
    return Opaque(kind=str(part.source["type"]), source=part.source, quirks=("copy",))


def write(message: Message, form: str) -> Any:
    """A touched message in the form it was dumped in; a new one in the form that is asked for."""
    raw = message.source
    if not is_object(raw):
        made = shape.write_message(SHAPE, replace(message, source=None))
        return fresh({**split_calls(made, made), **_ended(message)}, form)
    held = members(raw)
    made = shape.write_message(SHAPE, replace(message, source=all_calls(held)))
    was = _read(held, message.origin)
    if _calls(was) == _calls(message):
        made = {**made, "tool_calls": held.get("tool_calls")}
        made = made if "tool_calls" in held else {name: made[name] for name in made if name != "tool_calls"}
    else:
        made = without_stale(split_calls(made, held), was, message)
    if _ended(message).get("status", "success") != held.get("status", "success"):
        made = {**made, **_ended(message)}
    return wrapped(raw, made)


def _calls(message: Message) -> list[Part]:
    return [part for part in message.parts if isinstance(part, ToolCall)]


def _ended(message: Message) -> Block:
    """What a tool message says besides its result: the name of its tool, and how it ended."""
    part = message.parts[0] if message.parts else None
    if not isinstance(part, ToolResult) or not part.beside:
        return {}
    return {**({"name": part.name} if part.name else {}), "status": "error" if part.error else "success"}


def point(message: Message, place: Place) -> str:
    """Where a part is in the message, as it was dumped."""
    held = members(message.source)
    path = shape.part_pointer(SHAPE, replace(message, source=all_calls(held)), place)
    head, _, number = path.rpartition("/")
    calls = held.get("tool_calls")
    count = len(calls) if is_array(calls) else 0
    if head == "/tool_calls" and int(number) >= count:
        invalid = held.get("invalid_tool_calls")
        path = f"/invalid_tool_calls/{int(number) - count}" if invalid else f"/additional_kwargs{path}"
    return path_to(message.source) + path


def plain(conversation: Conversation) -> Conversation:
    """The conversation in common terms: bare members, no copies of calls, and calls of the oldest form as calls."""
    return replace(conversation, messages=tuple(_plain(conversation)))


def _plain(conversation: Conversation) -> Iterator[Message | Stretch]:
    called: str | None = None
    for index, message in enumerate(conversation.messages):
        if isinstance(message, Stretch) or not is_object(message.source):
            yield message
            continue
        held = members(message.source)
        parts = tuple(part for part in message.parts if part.quirks != ("copy",))
        old = _old_call(held)
        if message.role == "function":
            name = held.get("name")
            name = name if isinstance(name, str) else None
            parts = (ToolResult(call_id=called, parts=parts, name=name, beside=True),)
            message = replace(message, role="tool")
        elif message.role == "assistant" and old is not None and not _calls(message):
            called = f"call_fn_{index}"
            parts = (*parts, ToolCall(id=called, name=old.get("name"), arguments=old.get("arguments"), beside=True))
        yield replace(message, parts=parts, source=_told(held))


def _old_call(held: Block) -> Block | None:
    """The call of the form that OpenAI had before `tool_calls`."""
    more = held.get("additional_kwargs")
    call = more.get("function_call") if is_object(more) else None
    return call if is_object(call) else None


def _told(held: Block) -> Block:
    """The members, without what `additional_kwargs` says again."""
    more = held.get("additional_kwargs")
    if not is_object(more):
        return held
    rest = {name: value for name, value in more.items() if name not in ("tool_calls", "function_call")}
    return {**held, "additional_kwargs": rest}
