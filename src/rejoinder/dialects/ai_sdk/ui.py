"""One UIMessage, read and written. Of the versions before 5 too, where calls stand in `toolInvocations`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from operator import is_
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from rejoinder.dialects import shape
from rejoinder.dialects.ai_sdk.parts import UI
from rejoinder.dialects.ai_sdk.tools import is_tool, read_tool, write_tool
from rejoinder.dialects.shape import Block
from rejoinder.values.conversation import Message
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.parts import Part, ToolCall, ToolResult
from rejoinder.values.place import Place


def is_ui(raw: Any) -> bool:
    """Is this message a UIMessage?"""
    return is_object(raw) and (is_array(raw.get("parts")) or is_array(raw.get("toolInvocations")))


def read(raw: Block, origin: int) -> Message:
    """One message; each tool part of it is a call, and the result behind it."""
    role = raw.get("role")
    quirks = () if isinstance(role, str) else ("role:missing" if "role" not in raw else f"role:{kind_of(role)}",)
    parts = chain.from_iterable(_read_block(role, block) for block in _blocks(raw))
    return Message(role if isinstance(role, str) else "", tuple(parts), origin, raw, quirks)


def _read_block(role: object, block: Any) -> tuple[Part, ...]:
    if role != "assistant" or not is_tool(block):
        return (shape.read_block(UI, block),)
    call, result = read_tool(block)
    return (call,) if result is None else (call, result)


def _blocks(raw: Block) -> list[Any]:
    """The parts; of a message without any, its invocations, with its text where it was said."""
    if is_array(raw.get("parts")):
        return raw["parts"]
    calls: list[Block] = [{"type": "tool-invocation", "toolInvocation": each} for each in raw["toolInvocations"]]
    content = raw.get("content")
    text = [{"type": "text", "text": content}] if isinstance(content, str) and content else []
    # The text of an answer that still waits for its tools came with the calls; else it came behind the results.
    done = all(is_object(each) and each.get("state") == "result" for each in raw["toolInvocations"])
    return [*calls, *text] if done else [*text, *calls]


def write(message: Message) -> Block:
    """A touched message: the parts that changed anew, and what says them again beside them."""
    raw: Block = message.source if is_object(message.source) else {}
    before: list[Any] = _blocks(raw) if is_ui(raw) else []
    made = [shape.write_block(UI, each) if isinstance(each, Part) else write_tool(*each) for each in _joined(message)]
    made = _same(before, made)
    if not raw:
        return {"id": _id(message, made), "role": message.role, "parts": made}
    if message.role != raw.get("role") and "role:missing" not in message.quirks and message.role:
        raw = {**raw, "role": message.role}
    if not is_array(raw.get("parts")):
        return {**raw, **_old_members(raw, made)} if is_ui(raw) else {**raw, "parts": made}
    return {**raw, "parts": made, **(_old_members(raw, made) if made is not before else {})}


def _joined(message: Message) -> Iterator[Part | tuple[ToolCall, ToolResult | None]]:
    """The parts, each call with its result."""
    found: list[Part | list[Any]] = []
    waiting: dict[str, list[list[Any]]] = {}
    for part in message.parts:
        if isinstance(part, ToolCall):
            pair: list[Any] = [part, None]
            waiting.setdefault(_key(part.id), []).append(pair)
            found.append(pair)
        elif isinstance(part, ToolResult) and waiting.get(_key(part.call_id)):
            waiting[_key(part.call_id)].pop(0)[1] = part
        else:
            found.append(part)
    for each in found:
        yield each if isinstance(each, Part) else (each[0], each[1])


def _key(name: Any) -> str:
    return f"={name}" if isinstance(name, str | int | float | None) else f"#{id(name)}"


def _same(before: list[Any], made: list[Any]) -> list[Any]:
    """The list as it was, where it holds the same parts; a part that only looks different is the one it was."""
    if len(before) != len(made):
        return made
    kept = [old if old == new else new for old, new in zip(before, made, strict=True)]
    return before if all(old is new for old, new in zip(before, kept, strict=True)) else kept


def _old_members(raw: Block, made: list[Any]) -> Block:
    """What versions before 5 say again beside the parts, or in their place: the calls, and the text."""
    members: Block = {}
    if is_array(raw.get("toolInvocations")):
        held = (part for part in made if is_object(part) and part.get("type") == "tool-invocation")
        members["toolInvocations"] = [part["toolInvocation"] for part in held]
    texts = [part["text"] for part in made if is_object(part) and part.get("type") == "text"]
    if isinstance(raw.get("content"), str):
        members["content"] = "".join(text for text in texts if isinstance(text, str))
    return members


def _id(message: Message, made: list[Any]) -> str:
    """The id of a new message: the same for the same message, always."""
    words = json.dumps([message.origin, message.role, made], sort_keys=True, default=repr)
    return str(uuid5(NAMESPACE_OID, words.encode("utf-8", "surrogatepass").decode("utf-8", "replace")))


def point(message: Message, place: Place) -> str:
    """Where a part is: a call and the result behind it were read from one part, and are one of theirs."""
    number = place.part or 0
    sources = [part.source for part in message.parts[: number + 1]]
    index = number - sum(map(is_, sources[1:], sources))
    blocks = _blocks(message.source)
    return _path(message.source, index, blocks[index], message.parts[number]) if index < len(blocks) else ""


def _path(raw: Block, index: int, block: Any, part: Part) -> str:
    if is_array(raw.get("parts")):
        path = f"/parts/{index}"
    elif block.get("type") == "text":
        return "/content"
    else:
        text = index and _blocks(raw)[0].get("type") == "text"
        path = f"/toolInvocations/{index - 1 if text else index}"
    if not isinstance(part, ToolResult):
        return path
    held = block.get("toolInvocation") if block.get("type") == "tool-invocation" else block
    inside = f"{path}/toolInvocation" if held is not block and path.startswith("/parts") else path
    return next((f"{inside}/{name}" for name in ("output", "result", "errorText") if name in held), path)
