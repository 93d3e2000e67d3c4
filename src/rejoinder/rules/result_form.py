"""What a result is made of: its content, and the mark that says it is an error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from rejoinder.rules.tool_arguments import written
from rejoinder.values.edit import Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Text, ToolResult
from rejoinder.values.view import View

__all__ = ["content", "error_mark", "mark_taken", "mark_word"]

# What somebody who writes a boolean as text or as a number means by no.
_NO = ("", "0", "false", "no", "none", "null")


def content(view: View) -> Iterator[Finding]:
    """The content of a result is neither text nor a list.

    Bad: `"content": {"temperature": 18}`. Good: `"content": "{\\"temperature\\":18}"`; none at all is fine.
    """
    for place, result in view.results:
        kind = _told(result, "content:")
        if kind in ("", "null", "missing"):
            continue
        held = _raw(result, "content")
        words = held if isinstance(held, str) else written(held)
        fixes: tuple[Fix, ...] = ()
        if words is not None:
            said = replace(result, parts=(Text(text=words),), quirks=_but(result, "content:"))
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
