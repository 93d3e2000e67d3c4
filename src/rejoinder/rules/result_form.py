"""What a result is made of: its content, and the mark that says it is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from rejoinder.rules.tool_arguments import written
from rejoinder.values.edit import Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Text, ToolResult
from rejoinder.values.view import View

__all__ = ["content", "error_mark", "mark_taken", "mark_word", "named", "names_tool", "tool_name"]

# What somebody who writes a boolean as text or as a number means by no.
_NO = ("", "0", "false", "no", "none", "null")


def content(view: View, *, member: str = "content", required: bool = False) -> Iterator[Finding]:
    """The content of a result is neither text nor a list, or whatever else this reader takes.

    Bad: `"content": {"temperature": 18}`. Good: `"content": "{\\"temperature\\":18}"`; none at all is fine, unless it
    is `required`: then it is the empty text.
    """
    for place, result in view.results:
        kind = _told(result, "content:")
        none = kind in ("null", "missing")
        if not kind or (none and not required):
            continue
        # Where it could be read for what it means, its words are there already.
        words = "" if none or result.parts else written(_raw(result, member))
        fixes: tuple[Fix, ...] = ()
        if words is not None:
            said = replace(result, parts=result.parts or (Text(text=words),), quirks=_but(result, "content:"))
            fixes = (Fix("text", "free", "write it as text", (Replace(place, said),)),)
        yield Finding(at=place, says=f"the content of this result is {kind}", ids=(str(result.call_id),), fixes=fixes)


def error_mark(view: View) -> Iterator[Finding]:
    """The mark that says whether a result is an error is no boolean.

    Bad: `"is_error": "true"`. Good: `"is_error": true`.
    """
    for place, result in view.results:
        kind = _told(result, "error:")
        if kind:
            error = str(_raw(result, "is_error")).strip().lower() not in _NO
            said = replace(result, error=error, quirks=_but(result, "error:"))
            fix = Fix("mapping", "free", f"say {'that it is' if error else 'that it is not'}", (Replace(place, said),))
            says = f"whether this result is an error is {kind}"
            yield Finding(at=place, says=says, ids=(str(result.call_id),), fixes=(fix,))


def mark_word(view: View) -> Iterator[Finding]:
    """The word for how a tool fared is not one that the reader knows.

    Bad: `"status": "done"`. Good: no word; whether it went well is not ours to say.
    """
    for place, result in view.results:
        if _told(result, "error:"):
            said = replace(result, error=None, quirks=_but(result, "error:"))
            fix = Fix("strip", "drops", "take it away", (Replace(place, said),))
            says = f"how this tool fared is told as {_raw(result, 'status')!r:.40}"
            yield Finding(at=place, says=says, ids=(str(result.call_id),), fixes=(fix,))


def mark_taken(view: View) -> Iterator[Finding]:
    """The model takes no mark for how a tool fared.

    Bad: `"status": "error"` for a model without such a mark. Good: the words of the result alone.
    """
    for place, result in view.results:
        if result.error is not None:
            fix = Fix(
                "strip",
                "drops" if result.error else "free",
                "take the mark away",
                (Replace(place, replace(result, error=None)),),
            )
            says = "this model takes no mark on a result"
            yield Finding(at=place, says=says, ids=(str(result.call_id),), fixes=(fix,))


def named(view: View, *, missing: bool) -> Iterator[Finding]:
    """A result does not say the name of its tool (`missing`), or says another than its call.

    Bad: `{"name": "", "response": {...}}` for a call of `f`. Good: `"name": "f"`.
    """
    for call in view.pairing.calls:
        result, name = call.result, call.part.name
        if result is None or not isinstance(name, str) or result.part.name == name or bool(result.part.name) == missing:
            continue
        said = replace(result.part, name=name, key=call.part.key)
        fix = Fix("rename", "free", f"say that it is of {name}", (Replace(result.place, said),), (call.place,))
        says = (
            "does not say its tool" if missing else f"says that it is of {result.part.name!r}, its call is of {name!r}"
        )
        ids = (result.part.call_id,) if isinstance(result.part.call_id, str) else ()
        yield Finding(at=result.place, says=f"this result {says}", ids=ids, fixes=(fix,))


def names_tool(view: View) -> Iterator[Finding]:
    """A result does not say the name of its tool.

    Bad: `{"role": "tool", "tool_call_id": "call_1", ...}`. Good: with `"name": "get_weather"`, as its call says.
    """
    names = {call.result.place: call.part.name for call in view.pairing.calls if call.result}
    for place, result in view.results:
        if result.name and "as:named" in result.quirks:
            continue
        name = names.get(place)
        fixes: tuple[Fix, ...] = ()
        if isinstance(name, str) and name:
            said = replace(result, name=name, quirks=(*result.quirks, "as:named"))
            fixes = (Fix("fill", "free", f"say that it is of {name}", (Replace(place, said),)),)
        says = "this result does not say the name of its tool"
        yield Finding(at=place, says=says, ids=(str(result.call_id),), fixes=fixes)


def tool_name(view: View, *, pattern: str, longest: int) -> Iterator[Finding]:
    """The name of the tool that a result says is one that the reader does not take.

    Bad: `"role": "tool", "name": "files.read"`. Good: the name that its call has by then; without a call, none.
    """
    allowed = re.compile(pattern)
    calls = {each.place: each.call.part.name for each in view.pairing.results if each.call is not None}
    for place, result in view.results:
        if result.name is None or (len(result.name) <= longest and allowed.fullmatch(result.name)):
            continue
        name = calls.get(place)
        named = name if isinstance(name, str) and len(name) <= longest and allowed.fullmatch(name) else None
        fix = Fix("rename", "free", f"call the tool {named}", (Replace(place, replace(result, name=named)),))
        if named is None:
            fix = Fix("strip", "free", "leave the name out", (Replace(place, replace(result, name=None)),))
        # A name of its call that is no good either gets a new one first.
        fixes = () if name is not None and named is None and place in calls else (fix,)
        says = f"the tool name {result.name[:80]!r} does not match {pattern} of at most {longest} characters"
        yield Finding(at=place, says=says, ids=(str(result.call_id),), fixes=fixes)


def _told(result: ToolResult, quirk: str) -> str:
    """What a quirk of the result says; "" where it has none of that kind."""
    return next((each.removeprefix(quirk) for each in result.quirks if each.startswith(quirk)), "")


def _but(result: ToolResult, quirk: str) -> tuple[str, ...]:
    return tuple(each for each in result.quirks if not each.startswith(quirk))


def _raw(result: ToolResult, member: str) -> Any:
    """A member of the result as it was written; where its block is known by its one member, it is in there."""
    held = result.source
    if is_object(held) and member not in held and len(held) == 1:
        held = next(iter(held.values()))
    return held.get(member) if is_object(held) else None
