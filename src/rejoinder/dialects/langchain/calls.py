"""The calls of a LangChain message: beside the content, with arguments as an object, or as text that is no JSON."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.shape import Block
from rejoinder.rules.tool_arguments import RAW
from rejoinder.values.conversation import Message
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.parts import Opaque, Part, ToolCall

INVALID = "invalid_tool_call"


def read_call(raw: Any) -> Part:
    """`{"name", "args", "id", "type": "tool_call"}`; a call of the raw answer of OpenAI, where that is all there is."""
    if not is_object(raw):
        return Opaque(kind="tool_call", source=raw, beside=True, quirks=(f"call:{kind_of(raw)}",))
    body = raw.get("function")
    if is_object(body):
        name, arguments = body.get("name"), body.get("arguments")
    else:
        name, arguments = raw.get("name"), raw.get("args")
    quirks = ("call:invalid",) if raw.get("type") == INVALID else ()
    return ToolCall(id=raw.get("id"), name=name, arguments=arguments, source=raw, beside=True, quirks=quirks)


def write_call(call: ToolCall) -> Block:
    """A call as it was, its id anew; a new one is invalid where its arguments are text that is no JSON object."""
    source = call.source
    if is_object(source):
        if read_call(source) == call:
            return source
        if is_object(body := source.get("function")):
            return {**source, "id": call.id, "function": {**body, "name": call.name, "arguments": call.arguments}}
        return {**source, "name": call.name, "args": call.arguments, "id": call.id}
    raw = call.arguments.get(RAW) if is_object(call.arguments) and list(call.arguments) == [RAW] else None
    if isinstance(raw, str):
        return {"type": INVALID, "id": call.id, "name": call.name, "args": raw, "error": None}
    return {"name": call.name, "args": call.arguments, "id": call.id, "type": "tool_call"}


def all_calls(held: Block) -> Block:
    """The members with all calls in one list: the invalid ones too, and those that only the raw answer has."""
    calls, invalid = held.get("tool_calls"), held.get("invalid_tool_calls")
    if not calls and not invalid:
        raw = _raw_calls(held)
        return {**held, "tool_calls": raw} if raw else held
    if is_array(invalid) and invalid and (calls is None or is_array(calls)):
        return {**held, "tool_calls": [*(calls or ()), *invalid]}
    return held


def _raw_calls(held: Block) -> list[Any]:
    more = held.get("additional_kwargs")
    calls = more.get("tool_calls") if is_object(more) else None
    return calls if is_array(calls) else []


def split_calls(made: Block, held: Block) -> Block:
    """The calls in their two lists again, where the message had them."""
    calls: list[Any] = made.get("tool_calls") or []
    listed: dict[str, Any] = {"tool_calls": [], "invalid_tool_calls": []}
    for call in calls:
        listed["invalid_tool_calls" if is_object(call) and call.get("type") == INVALID else "tool_calls"].append(call)
    if not held.get("tool_calls") and not held.get("invalid_tool_calls") and _raw_calls(held):
        # They stand in the raw answer alone, and are kept there.
        listed = {name: held[name] for name in listed if name in held}
    gone = [name for name in ("tool_calls", "invalid_tool_calls") if not listed.get(name) and name not in held]
    return {name: value for name, value in {**made, **listed}.items() if name not in gone}


def without_stale(made: Block, before: Message, after: Message) -> Block:
    """The members without what still told of calls that are gone, and with their new ids."""
    ids = {old: new for call in _calls(after) if (old := _id_of(call.source)) is not None and (new := call.id)}
    was = {name for call in _calls(before) if (name := _id_of(call.source)) is not None}
    more = made.get("additional_kwargs")
    told: Block = dict(made)
    for name in ("content", "tool_call_chunks"):
        if is_array(made.get(name)):
            told[name] = _kept(made[name], was, ids)
    if is_object(more) and is_array(more.get("tool_calls")):
        kept = _kept(more["tool_calls"], was, ids)
        rest = {name: value for name, value in more.items() if name != "tool_calls"}
        told["additional_kwargs"] = {**more, "tool_calls": kept} if kept else rest
    return told


def _calls(message: Message) -> list[ToolCall]:
    return [part for part in message.parts if isinstance(part, ToolCall) and part.beside]


def _kept(items: Any, was: set[str], ids: dict[str, Any]) -> list[Any]:
    kept: list[Any] = []
    for item in items:
        name = _id_of(item)
        if name is None or name not in was or ids.get(name) == name:
            kept.append(item)
        elif name in ids:
            kept.append({**item, "call_id" if item.get("type") == "function_call" else "id": ids[name]})
    return kept


def _id_of(item: Any) -> str | None:
    """The id of a call, wherever it is told."""
    if not is_object(item):
        return None
    name = item.get("call_id") if item.get("type") == "function_call" else item.get("id")
    return name if isinstance(name, str) and item.get("type") != "text" else None
