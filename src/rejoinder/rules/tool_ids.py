"""What a call may be called: its id, and the name of its tool."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from hashlib import sha256

from msgspec.structs import replace

from rejoinder.rules import home
from rejoinder.values.edit import Edit, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.parts import ToolCall, ToolResult
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = ["charset", "length", "name", "present", "unique"]

# What our own ids are made from: the same history always gets the same ids.
_OURS = uuid.UUID("6f0b5d1e-2c0a-5b44-9d0e-8f6a1f3c7a10")
_NAMELESS = "unknown_tool"


def charset(view: View, *, pattern: str, digest: int = 0) -> Iterator[Finding]:
    """An id has a character that the reader does not take, or not the number of them.

    Bad: `functions.get_weather:0`. Good: `functions_get_weather_0`, on the call and on its result.

    Ids travel: one provider mints them, another must accept them. Other characters become `_`,
    unless that would make two ids equal: then the new id is derived from the whole old one. Where ids
    have so many characters and no more or fewer (`digest`), it always is.
    """
    allowed = re.compile(pattern)
    taken: set[str] = set()
    for old in view.by_id:
        if not allowed.fullmatch(old):
            plain = _digest(old, digest) if digest else re.sub(r"[^a-zA-Z0-9_-]", "_", old)
            yield _rename(view, old, plain, f"does not match {pattern}", taken, digest)


def length(view: View, *, longest: int) -> Iterator[Finding]:
    """An id is longer than the reader allows.

    Bad: an id of 51 characters where 40 are allowed. Good: one derived from it, on both sides.
    """
    taken: set[str] = set()
    for old in view.by_id:
        if len(old) > longest:
            new = "call_" + sha256(old.encode("utf-8", "surrogatepass")).hexdigest()[:32]
            yield _rename(view, old, new, f"has {len(old)} characters, {longest} are allowed", taken)


def _digest(words: str, digits: int) -> str:
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


def _rename(view: View, old: str, new: str, why: str, taken: set[str], digest: int = 0) -> Finding:
    seed = old
    while not new or new in view.used_ids or new in taken:
        seed = uuid.uuid5(_OURS, repr(seed)).hex
        new = _digest(seed, digest) if digest else f"call_{seed}"
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

    Where the only call of a turn has none, and the only result behind it answers nothing else, the call gets the
    id of that result. Else the id is derived from the place of the call, and its result gets it too.
    """
    for call in view.pairing.calls:
        if isinstance(call.part.id, str) and call.part.id:
            continue
        if call.claim is not None:
            yield Finding(at=call.place, says="this call has no id", fixes=(home.claimed(call, call.claim),))
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

    The same name always gets the same new one, and two names never become one: where `files_read` is another
    tool's, or became that of `files:read`, the new name ends with what only the whole old one gives.
    """
    allowed = re.compile(pattern)
    bad: dict[str, list[tuple[Place, ToolCall]]] = {}
    for place, call in view.calls:
        old = call.name if isinstance(call.name, str) else ""
        if len(old) > longest or not allowed.fullmatch(old):
            bad.setdefault(old, []).append((place, call))
    taken = set(view.used_names) if bad else set[str]()
    for old, calls in bad.items():
        new = _free_name(old, longest, taken, allowed)
        taken.add(new)
        edits = tuple(
            Replace(place, replace(call, name=new)) for place, call in calls if str(call.id) not in view.paused
        )
        says = f"the tool name {old[:80]!r} does not match {pattern} of at most {longest} characters"
        for place, call in calls:
            # All calls of a tool get its new name at once, or one that waits would find that name taken.
            mine = edits if edits and place == edits[0].at else ()
            fix = Fix("rename", "free", f"call the tool {new}", mine)
            yield Finding(at=place, says=says, ids=(str(call.id),), fixes=(fix,))


def _free_name(old: str, longest: int, taken: set[str], allowed: re.Pattern[str]) -> str:
    """A name near to the old one that no other tool has."""
    plain = re.sub(r"[^a-zA-Z0-9_-]", "_", old)[:longest]
    if not plain:
        return _NAMELESS
    if not allowed.fullmatch(plain):
        # Some readers want a letter in front.
        plain = f"_{plain}"[:longest]
    apart = sha256(old.encode("utf-8", "surrogatepass")).hexdigest()
    names = (plain, f"{plain[: longest - 9]}_{apart[:8]}", f"{plain[: longest - 33]}_{apart[:32]}")
    return next((each for each in names if each not in taken), names[-1])
