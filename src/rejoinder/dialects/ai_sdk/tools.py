"""A tool part of a UIMessage: call, result and state in one. It is read as a call and its result, and written as one.

| state | read as |
|---|---|
| input-streaming (partial-call) | a call that was cut short: its arguments are not all there |
| input-available (call) | a call without a result |
| approval-requested | a call that waits for a person |
| approval-responded | a call without a result; a result that says so where the person said no |
| output-available (result) | a call and its result |
| output-error | a call and a result that is an error |
| output-denied | a call and a result that says the person said no |

A part in a state that is not known is kept as it is, and is no call.
"""

from __future__ import annotations

from typing import Any

from rejoinder.dialects import blocks
from rejoinder.dialects.ai_sdk.outputs import DENIED, said, text_of_all
from rejoinder.dialects.shape import Block
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Part, Text, ToolCall, ToolResult

Read = tuple[ToolCall, ToolResult | None]

_OPEN = ("input-streaming", "input-available", "approval-requested", "approval-responded", "partial-call", "call")
_ENDED = ("output-available", "output-error", "output-denied", "result")
_STATES = {
    "input-streaming": ("state:cut",),
    "partial-call": ("state:cut",),
    "approval-requested": ("state:paused",),
}
# What only an ended call has: it goes when its result goes, or is another one.
_OF_RESULT = ("output", "errorText", "result", "preliminary", "resultProviderMetadata")


def is_tool(block: Any) -> bool:
    """Is this a tool part in a state that is known?"""
    if not is_object(block) or not isinstance(kind := block.get("type"), str):
        return False
    held = block.get("toolInvocation") if kind == "tool-invocation" else block
    if not is_object(held) or not (kind.startswith("tool-") or kind == "dynamic-tool"):
        return False
    return "toolCallId" in held and held.get("state") in (*_OPEN, *_ENDED)


def read_tool(block: Block) -> Read:
    """The call, and the result that it got."""
    held = _held(block)
    kind = str(block["type"])
    name = held.get("toolName") if kind in ("dynamic-tool", "tool-invocation") else kind[5:]
    words = held.get("input") if "input" in held else held.get("args")
    call = ToolCall(
        id=held.get("toolCallId"),
        name=name,
        arguments=held.get("rawInput") if words is None else words,
        kind="server" if held.get("providerExecuted") is True else "function",
        source=block,
        quirks=_STATES.get(str(held["state"]), ()),
    )
    ended = _ended(held)
    if ended is None:
        return call, None
    return call, ToolResult(
        call_id=call.id,
        parts=ended[0],
        error=ended[1],
        name=name if isinstance(name, str) else None,
        kind="tool" if call.kind == "function" else "tool-output",
        source=block,
    )


def _held(block: Block) -> Block:
    return block["toolInvocation"] if block["type"] == "tool-invocation" else block


def _ended(held: Block) -> tuple[tuple[Part, ...], bool | None] | None:
    """What the tool said, and whether that is an error; None while it is not known."""
    state, approval = held["state"], held.get("approval")
    refused = is_object(approval) and approval.get("approved") is False
    if state == "output-denied" or (state == "approval-responded" and refused):
        reason = blocks.text_of(approval, "reason") if is_object(approval) else None
        return (Text(text=reason or DENIED),), True
    if state == "output-error":
        return (Text(text=blocks.text_of(held, "errorText") or ""),), True
    if state in ("output-available", "result"):
        return said(held.get("result") if state == "result" else held.get("output")), None
    return None


def write_tool(call: ToolCall, result: ToolResult | None) -> Block:
    """A call and its result as one part: as it was, where both are; else only what changed is written anew."""
    source = call.source if is_tool(call.source) else None
    if source is None:
        return {**_fresh(call), **_ending(result, {})}
    was, before = read_tool(source)
    if (was, before) == (call, result):
        return source
    held = dict(_held(source))
    held["toolCallId"] = call.id
    if call.arguments != was.arguments:
        held["args" if "args" in held and "input" not in held else "input"] = call.arguments
    if call.name != was.name and "toolName" in held:
        held["toolName"] = call.name
    elif call.name != was.name:
        held["type"] = f"tool-{call.name}"
    if _said(before) != _said(result):
        gone = _OF_RESULT if _granted(held) else (*_OF_RESULT, "approval")
        held = {name: value for name, value in held.items() if name not in gone} | _ending(result, held)
    return {**source, "toolInvocation": held} if source["type"] == "tool-invocation" else held


def _granted(held: Block) -> bool:
    approval = held.get("approval")
    return is_object(approval) and approval.get("approved") is True


def _said(result: ToolResult | None) -> object:
    return None if result is None else (result.parts, result.error)


def _fresh(call: ToolCall) -> Block:
    named = isinstance(call.name, str) and call.name
    head = {"type": f"tool-{call.name}"} if named else {"type": "dynamic-tool", "toolName": ""}
    return {**head, "toolCallId": call.id, "state": "input-available", "input": call.arguments}


def _ending(result: ToolResult | None, held: Block) -> Block:
    """The members that say how the call ended."""
    old = "args" in held and "input" not in held
    if result is None:
        open_still = held.get("state") in _OPEN
        return {} if open_still else {"state": "call" if old else "input-available"}
    words = text_of_all(result.parts)
    if old:
        return {"state": "result", "result": words}
    return (
        {"state": "output-error", "errorText": words}
        if result.error
        else {"state": "output-available", "output": words}
    )
