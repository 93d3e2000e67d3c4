"""How the arguments of a call are written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from rejoinder.values.edit import Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import ToolCall
from rejoinder.values.view import View

__all__ = ["json_text", "mapping", "text"]

# Where arguments that are no JSON object go, so that nothing of them is lost or guessed.
RAW = "_raw_arguments"


def text(view: View, *, mappings: bool = False) -> Iterator[Finding]:
    """The arguments are not a string, and this reader wants one (or takes an object too: `mappings`).

    Bad: `"arguments": {"x": 1}`. Good: `"arguments": "{\\"x\\":1}"`.
    """
    for place, call in view.calls:
        if call.beside and not isinstance(call.arguments, str) and not (mappings and is_object(call.arguments)):
            words = written(call.arguments)
            edits = () if words is None else (Replace(place, replace(call, arguments=words)),)
            fixes = (Fix("text", "free", "write them as JSON text", edits),) if edits else ()
            yield Finding(at=place, says="the arguments are no string", ids=(str(call.id),), fixes=fixes)


def json_text(view: View) -> Iterator[Finding]:
    """The arguments are text that is no JSON object, and this reader parses them.

    Bad: `"arguments": "{\\"x\\": "`. Good: that text under `_raw_arguments`, as the text of an object. None is fine.

    Half of them is never completed into something that could run: they are kept whole, and can be restored.
    """
    for place, call in view.calls:
        if call.kind != "custom" and isinstance(call.arguments, str) and call.arguments and _is_broken(call.arguments):
            whole = json.dumps({RAW: call.arguments}, ensure_ascii=False, separators=(",", ":"))
            new = replace(call, arguments=whole)
            fix = Fix("text", "free", "keep them whole, as the text of an object", (Replace(place, new),))
            yield Finding(at=place, says="the arguments are no JSON object", ids=(str(call.id),), fixes=(fix,))


def _is_broken(arguments: str) -> bool:
    """Is it no text of a JSON object? What says a key twice is one for who parses it."""
    try:
        return not is_object(json.loads(arguments))
    except (ValueError, RecursionError):
        return True


def written(arguments: object) -> str | None:
    """Arguments as JSON text; none at all are an empty object, and `_raw_arguments` alone is what it holds.

    None where they are nested too deep to be written at all.
    """
    if arguments is None:
        return "{}"
    if is_object(arguments) and list(arguments) == [RAW] and isinstance(arguments[RAW], str):
        return arguments[RAW]
    try:
        return msgspec.json.encode(arguments).decode()
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
        pass
    try:
        return json.dumps(arguments, ensure_ascii=True, separators=(",", ":"), default=str)
    except RecursionError:
        return None


def mapping(view: View) -> Iterator[Finding]:
    """The arguments are not an object, and this reader wants one.

    Bad: `"input": "{\\"city\\":\\"Paris\\"}"`. Good: `"input": {"city": "Paris"}`.

    Text that is no JSON object, or says one key twice, is never completed or guessed at: it is
    kept whole under `_raw_arguments`, and can be restored.
    """
    for place, call in view.parts(ToolCall):
        if not is_object(call.arguments):
            new = replace(call, arguments=parsed(call.arguments))
            fix = Fix("mapping", "free", "write them as an object", (Replace(place, new),))
            yield Finding(at=place, says="the arguments are no object", ids=(str(call.id),), fixes=(fix,))


def parsed(arguments: object) -> dict[str, Any]:
    """Arguments as an object; what is none stays whole under `_raw_arguments`."""
    if arguments is None or arguments == "":
        return {}
    if not isinstance(arguments, str):
        return arguments if is_object(arguments) else {RAW: written(arguments)}  # pyright: ignore
    try:
        found = json.loads(arguments, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return {RAW: arguments}
    return found if is_object(found) else {RAW: arguments}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; which of two values with one key was meant is not ours to say."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found
