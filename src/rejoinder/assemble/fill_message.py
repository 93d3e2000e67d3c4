"""One message, filled: its content is text, and the arguments of its calls are JSON. Roles, ids and names stay.

A value that is put into a text is text there. Only in arguments a slot may stand for a whole value, which is then put
there with its type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rejoinder.assemble.message_rules import CALLS
from rejoinder.template.fill import Filling, Scope
from rejoinder.template.json_slots import json_slots
from rejoinder.template.nodes import Nodes, Slot, Text
from rejoinder.template.place import error_at, limit_at
from rejoinder.values.loose import is_array, is_object

ARGUMENTS = ("arguments", "input", "args")
# What is not filled wherever it stands: it says what a thing is, not what it holds.
FIXED = frozenset({"role", "type", "id", "tool_call_id", "toolCallId", "tool_use_id"})


class Texts(NamedTuple):
    """How the texts of a message are filled: read, with which values, and what is done when one fails."""

    read: Callable[[str], Nodes]
    filling: Filling
    scope: Scope
    kept: Callable[[Any, Callable[[], Any]], Any]

    def text(self, text: str) -> str:
        """A text, filled."""
        filled: str = self.kept(text, lambda: self._filled(text, self.read(text)))
        return filled

    def deep(self, value: Any, depth: int = 0) -> Any:
        """All texts in a value, filled; in a part that is a call, its arguments as JSON."""
        if isinstance(value, str):
            return self.text(value)
        self._bounded(depth)
        if is_array(value):
            return [self.deep(item, depth + 1) for item in value]
        if not is_object(value):
            return value
        call = next((name for name in ARGUMENTS if _is_call(value) and name in value), None)
        return {
            name: inner if name in FIXED else self.arguments(inner) if name == call else self.deep(inner, depth + 1)
            for name, inner in value.items()
        }

    def arguments(self, value: Any) -> Any:
        """The arguments of a call: JSON text that is JSON still, or an object with typed values in it."""
        return self.kept(value, lambda: self._json(value) if isinstance(value, str) else self._typed(value, 0))

    def _json(self, text: str) -> str:
        nodes = self.read(text)
        if all(isinstance(node, Text) for node in nodes):
            return self._filled(text, nodes)
        filled = self._filled(text, json_slots(text, nodes))
        try:
            json.loads(filled)
        except (ValueError, RecursionError) as error:
            raise error_at(text, 0, f"filled, these arguments are no JSON: {error}") from None
        return filled

    def _typed(self, value: Any, depth: int) -> Any:
        self._bounded(depth)
        if isinstance(value, str):
            nodes = self.read(value)
            if len(nodes) == 1 and isinstance(nodes[0], Slot):
                return self.filling.apart(value).typed(nodes[0], self.scope)
            return self._filled(value, nodes)
        if is_array(value):
            return [self._typed(item, depth + 1) for item in value]
        return {name: self._typed(inner, depth + 1) for name, inner in value.items()} if is_object(value) else value

    def _filled(self, text: str, nodes: Nodes) -> str:
        inner = self.filling.apart(text)
        inner.run(nodes, self.scope)
        self.filling.take_back(inner)
        return "".join(inner.out)

    def _bounded(self, depth: int) -> None:
        if depth > self.filling.how.limits.depth:
            raise limit_at("", 0, "depth", f"a message is nested deeper than {self.filling.how.limits.depth}")


def fill_message(message: Mapping[str, Any], texts: Texts) -> dict[str, Any]:
    """A copy of a message, its content and the arguments of its calls filled."""
    made = dict(message)
    for name in ("content", "parts"):
        if name in made:
            made[name] = texts.kept(made[name], lambda held=made[name]: texts.deep(held))
    for name in CALLS:
        if is_array(made.get(name)):
            made[name] = [_call(call, texts) for call in made[name]]
    if is_object(made.get("function_call")):
        made["function_call"] = _call(made["function_call"], texts)
    if _is_call(made) and "content" not in made:
        made.update({name: texts.arguments(made[name]) for name in ARGUMENTS if name in made})
    return made


def _call(call: Any, texts: Texts) -> Any:
    """A call, with its arguments filled, where any of the ways to write one has them."""
    if not is_object(call):
        return call
    made = {name: texts.arguments(inner) if name in ARGUMENTS else inner for name, inner in call.items()}
    if is_object(made.get("function")):
        made["function"] = _call(made["function"], texts)
    return made


def _is_call(part: Mapping[str, Any]) -> bool:
    """Is it a part that calls a tool: one with a name, and arguments under one of their names?"""
    named = any(isinstance(part.get(name), str) for name in ("name", "toolName", "tool_name"))
    return named and any(name in part for name in ARGUMENTS)
