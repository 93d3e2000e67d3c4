"""One item of `tool_calls`: a function with arguments as text, or a custom tool with words as they are."""

from __future__ import annotations

from typing import Any

from rejoinder.values.loose import is_object, kind_of
from rejoinder.values.parts import Opaque, Part, ToolCall


def read_call(raw: Any) -> Part:
    """One item of `tool_calls`."""
    if not is_object(raw):
        return Opaque(kind="tool_call", source=raw, beside=True, quirks=(f"call:{kind_of(raw)}",))
    kind = raw.get("type")
    if "type" not in raw:
        kind = "custom" if "custom" in raw and "function" not in raw else "function"
    body = raw.get("custom") if kind == "custom" else raw.get("function")
    words = "input" if kind == "custom" else "arguments"
    quirks = () if is_object(body) else ("call:bodiless",)
    if not is_object(body):
        body = {}
    if "type" not in raw:
        quirks += ("call:typeless",)
    return ToolCall(
        id=raw.get("id"),
        name=body.get("name"),
        arguments=body.get(words),
        kind=kind if isinstance(kind, str) else None,
        source=raw,
        beside=True,
        quirks=quirks,
    )


def write_call(call: ToolCall) -> dict[str, Any]:
    """One item of `tool_calls`."""
    if is_object(call.source) and read_call(call.source) == call:
        return call.source
    source: dict[str, Any] = call.source if is_object(call.source) else {}
    kind = "custom" if call.kind == "custom" else "function"
    words = "input" if kind == "custom" else "arguments"
    body = source.get(kind)
    body = {**(body if is_object(body) else {}), "name": call.name, words: call.arguments}
    return {**source, "id": call.id, "type": kind, kind: body}
