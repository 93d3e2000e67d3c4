"""What a call may be called: its id, and the name of its tool."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from hashlib import sha256

from msgspec.structs import replace

from rejoinder.values.edit import Edit, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.parts import ToolCall, ToolResult
from rejoinder.values.view import View

__all__ = ["charset", "length", "name", "present", "unique"]

# What our own ids are made from: the same history always gets the same ids.
_OURS = uuid.UUID("6f0b5d1e-2c0a-5b44-9d0e-8f6a1f3c7a10")
_NAMELESS = "unknown_tool"


def charset(view: View, *, pattern: str) -> Iterator[Finding]:
    """An id has a character that the reader does not take.

    Bad: `functions.get_weather:0`. Good: `functions_get_weather_0`, on the call and on its result.

    Ids travel: one provider mints them, another must accept them. Other characters become `_`,
    unless that would make two ids equal: then the new id is derived from the whole old one.
    """
    allowed = re.compile(pattern)
    taken: set[str] = set()
    for old in view.by_id:
        if not allowed.fullmatch(old):
            yield _rename(view, old, re.sub(r"[^a-zA-Z0-9_-]", "_", old), f"does not match {pattern}", taken)


def length(view: View, *, longest: int) -> Iterator[Finding]:
    """An id is longer than the reader allows.

    Bad: an id of 51 characters where 40 are allowed. Good: one derived from it, on both sides.
    """
    taken: set[str] = set()
    for old in view.by_id:
        if len(old) > longest:
            new = "call_" + sha256(old.encode("utf-8", "surrogatepass")).hexdigest()[:32]
            yield _rename(view, old, new, f"has {len(old)} characters, {longest} are allowed", taken)


def _rename(view: View, old: str, new: str, why: str, taken: set[str]) -> Finding:
    if not new or new in view.used_ids or new in taken:
        new = "call_" + uuid.uuid5(_OURS, repr(old)).hex
    taken.add(new)
    places = view.by_id[old]
    edits = tuple(Replace(place, _named(part, new)) for place, part in places)
    fixes = (Fix("rename", "free", f"call it {new} on both sides", edits),) if old not in view.paused else ()
    return Finding(at=places[0][0], says=f"the id {old!r} {why}", ids=(old,), fixes=fixes)


def _named(part: ToolCall | ToolResult, new: str) -> ToolCall | ToolResult:
    return replace(part, id=new) if isinstance(part, ToolCall) else replace(part, call_id=new)


def unique(view: View, *, scope: str) -> Iterator[Finding]:
    """An id is used for more than one call, in one turn or (for the strictest readers) in the whole request.

    Bad: two calls `call_0` with other arguments. Good: the later one has another id, and so has its result.

    A call with the id of another, with other arguments, is another call. What answers which is
    settled by position before anything is renamed.
    """
    seen: dict[object, int] = {}
    for call in view.pairing.calls:
        key = call.part.id if scope == "request" else (view.turn_of[call.place.message], call.part.id)
        if not isinstance(call.part.id, str) or call.place in view.pairing.copies:
            continue
        seen[key] = seen.get(key, 0) + 1
        if seen[key] > 1:
            new = "call_" + uuid.uuid5(_OURS, repr((call.part.id, seen[key]))).hex
            edits: list[Edit] = [Replace(call.place, replace(call.part, id=new))]
            if call.result:
                edits.append(Replace(call.result.place, replace(call.result.part, call_id=new)))
            fix = Fix("rename", "free", f"call it {new} on both sides", tuple(edits))
            says = f"the id {call.part.id!r} was used for an earlier call"
            yield Finding(at=call.place, says=says, ids=(call.part.id,), fixes=(fix,))


def present(view: View) -> Iterator[Finding]:
    """A call has no id.

    Bad: `{"type": "function", "function": {...}}`. Good: with an id, and a result that names it.

    The id is derived from the place of the call, and its result gets it too.
    """
    for call in view.pairing.calls:
        if isinstance(call.part.id, str) and call.part.id:
            continue
        place = (view.message(call.place).origin, call.place.part, call.part.name)
        new = "call_" + uuid.uuid5(_OURS, repr(place)).hex
        edits: list[Edit] = [Replace(call.place, replace(call.part, id=new))]
        if call.result:
            edits.append(Replace(call.result.place, replace(call.result.part, call_id=new)))
        fix = Fix("fill", "invents", f"give it the id {new}", tuple(edits))
        yield Finding(at=call.place, says="this call has no id", fixes=(fix,))


def name(view: View, *, pattern: str, longest: int) -> Iterator[Finding]:
    """The name of a tool is one that the reader does not take.

    Bad: `files.read`. Good: `files_read`; the step keeps the old name. An empty name becomes `unknown_tool`.
    """
    allowed = re.compile(pattern)
    known = {call.name for _, call in view.calls if isinstance(call.name, str)}
    for place, call in view.calls:
        old = call.name if isinstance(call.name, str) else ""
        if allowed.fullmatch(old) and len(old) <= longest:
            continue
        new = re.sub(r"[^a-zA-Z0-9_-]", "_", old)[:longest] or _NAMELESS
        if new in known and old:
            new = f"{new[: longest - 9]}_{sha256(old.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
        fix = Fix("rename", "free", f"call the tool {new}", (Replace(place, replace(call, name=new)),))
        says = f"the tool name {old[:80]!r} does not match {pattern} of at most {longest} characters"
        yield Finding(at=place, says=says, ids=(str(call.id),), fixes=(fix,))
