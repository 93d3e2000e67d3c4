"""What a message has to be, rule by rule, each a function that says all it finds. Add your own to the list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rejoinder.values.loose import is_array, is_object, kind_of

MessageRule = Callable[[dict[str, Any]], Iterator[str]]
"""From a message to what is wrong with it, each beginning with the place: `tool_calls[0].id: is missing`."""

ROLES = ("system", "user", "assistant", "tool")
CALLS = ("tool_calls", "toolCalls")
CALL_IDS = ("tool_call_id", "toolCallId")


def role(message: dict[str, Any]) -> Iterator[str]:
    """The role is there and one of the four."""
    said = message.get("role")
    if "role" not in message:
        yield f"role: is missing; it is one of {', '.join(ROLES)}"
    elif not isinstance(said, str) or said not in ROLES:
        yield f"role: {_shown(said)} is none of {', '.join(ROLES)}"


def content(message: dict[str, Any]) -> Iterator[str]:
    """The content is there, a text or a list of parts; next to tool calls it may be null or left out."""
    said = message.get("content")
    if said is None and message.get("role") == "assistant" and calls_of(message)[1]:
        return
    if "content" not in message:
        yield "content: is missing"
    elif not isinstance(said, str) and not is_array(said):
        yield f"content: is of the type {kind_of(said)}, and has to be a text or a list"


def tool_calls(message: dict[str, Any]) -> Iterator[str]:
    """The calls of an assistant are a list, each with an id, the type function, a name and arguments."""
    name, calls = calls_of(message)
    if message.get("role") != "assistant" or calls is None:
        return
    if not is_array(calls):
        yield f"{name}: is of the type {kind_of(calls)}, and has to be a list"
        return
    for index, call in enumerate(calls):
        for found in _call(call):
            yield f"{name}[{index}]{found}"


def _call(call: Any) -> Iterator[str]:
    if not is_object(call):
        yield f": is of the type {kind_of(call)}, and has to be an object"
        return
    if not call.get("id"):
        yield ".id: is missing"
    if call.get("type") != "function":
        yield f".type: is {_shown(call['type'])}, and has to be 'function'" if "type" in call else ".type: is missing"
    function = call.get("function")
    if not is_object(function):
        yield ".function: is missing" if function is None else f".function: is of the type {kind_of(function)}"
        return
    if not function.get("name"):
        yield ".function.name: is missing"
    if function.get("arguments") is None:
        yield ".function.arguments: is missing"


def tool_call_id(message: dict[str, Any]) -> Iterator[str]:
    """A tool's message names the call that it answers."""
    if message.get("role") != "tool":
        return
    name = next((each for each in CALL_IDS if each in message), None)
    if name is None:
        yield f"{CALL_IDS[0]}: is missing"
    elif not isinstance(message[name], str):
        yield f"{name}: is of the type {kind_of(message[name])}, and has to be a text"


def calls_of(message: dict[str, Any]) -> tuple[str, Any]:
    """The calls of a message, under whichever of the two names."""
    return next(((name, message[name]) for name in CALLS if message.get(name) is not None), (CALLS[0], None))


def _shown(value: Any) -> str:
    return repr(value)[:40] if isinstance(value, str | int | float | None) else f"the {kind_of(value)} here"


MESSAGE_RULES: tuple[MessageRule, ...] = (role, content, tool_calls, tool_call_id)
