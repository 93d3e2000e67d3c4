"""The tools that a request declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rejoinder.values.conversation import Message
from rejoinder.values.edit import Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Opaque, ToolCall, ToolResult
from rejoinder.values.payload import member_at
from rejoinder.values.place import TOOLS, Place
from rejoinder.values.view import View

__all__ = ["required"]

_NAMELESS = "unknown_tool"


def required(view: View, *, member: str, stub: dict[str, Any]) -> Iterator[Finding]:
    """The history has calls or results, and the body declares no tool.

    Bad: calls and results, and a request "without tools". Good: the tools that were called, declared by their names.

    A list of messages says nothing about the request that it will be part of. `member` is where a body declares
    tools, and `stub` a declaration with `{name}` in it.
    """
    held = member_at(view.conversation.settings, member)
    tools = view.conversation.tools
    if not is_object(view.conversation.source) or held or (tools is not None and tools.parts):
        return
    places = [place for kind in (ToolCall, ToolResult) for place, _ in view.parts(kind) if place.message >= 0]
    if places:
        called = (part.name for _, part in view.parts(ToolCall))
        names = dict.fromkeys(name for name in called if isinstance(name, str) and name)
        parts = tuple(Opaque(kind="tool", source=_filled(stub, name)) for name in names or (_NAMELESS,))
        edits = (Replace(Place(TOOLS), Message("tools", parts, TOOLS)),)
        # Which tools were called is known once nobody renames or drops a call any more.
        fix = Fix("declare", "invents", "declare the tools that were called", edits, tuple(places))
        yield Finding(at=Place(min(places).message), says="tools were called, and none is declared", fixes=(fix,))


def _filled(stub: Any, name: str) -> Any:
    """The declaration with the name in it."""
    if is_object(stub):
        return {key: _filled(value, name) for key, value in stub.items()}
    return name if stub == "{name}" else stub
