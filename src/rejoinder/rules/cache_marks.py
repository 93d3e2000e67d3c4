"""Marks that tell a provider where to cache the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from rejoinder.values.edit import Drop, Edit, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Opaque, Part, Text, Thinking, is_mark
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = ["most", "on_empty_text", "on_thinking", "ttl_order"]


def most(view: View, *, limit: int) -> Iterator[Finding]:
    """More marks than the reader takes, over tools, system text and messages.

    Bad: five. Good: four; the last of the tools and system text stays, and the last of the messages.
    """
    if len(view.marks) <= limit:
        return
    heads = [item for item in view.marks if item[0].message < 0]
    rest = [item for item in view.marks if item[0].message >= 0]
    keep = heads[-1:] if rest else heads[-limit:]
    keep += rest[-(limit - len(keep)) :]
    kept = {place for place, _ in keep}
    surplus = [(place, part) for place, part in view.marks if place not in kept]
    fix = Fix("strip", "free", "take the earlier marks off", _unmarked(surplus))
    says = f"{len(view.marks)} cache marks, {limit} are allowed"
    yield Finding(at=surplus[0][0], says=says, fixes=(fix,))


def _unmarked(marks: list[tuple[Place, Part]]) -> tuple[Edit, ...]:
    """The edits that take marks off."""
    return tuple(Drop(place) if is_mark(part) else Replace(place, _marked(part, None)) for place, part in marks)


def _marked(part: Part, mark: dict[str, Any] | None) -> Part:
    """The part with another mark, or without one. What is kept whole has it in its source as well."""
    if is_mark(part):
        return replace(part, cache=mark)
    quirks = tuple(quirk for quirk in part.quirks if quirk != "member:cache_control" or mark is not None)
    source = part.source
    if isinstance(part, Opaque) and is_object(source):
        source = {**source, "cache_control": mark}
        if mark is None:
            del source["cache_control"]
    return replace(part, cache=mark, quirks=quirks, source=source)


def on_empty_text(view: View) -> Iterator[Finding]:
    """A mark on a text that is empty.

    Bad: `{"type": "text", "text": "", "cache_control": ...}`. Good: the mark on the part in front of it.
    """
    for place, part in view.marks:
        if isinstance(part, Text) and not part.text:
            fix = Fix("strip", "free", "take the mark off", _unmarked([(place, part)]))
            yield Finding(at=place, says="a cache mark on an empty text", fixes=(fix,))


def ttl_order(view: View) -> Iterator[Finding]:
    """A mark for an hour comes after a mark for five minutes.

    Bad: 5m, 1h. Good: 1h, 5m; a later mark of an hour is lowered, on a tool or inside a result too.
    """
    short = False
    for place, part in view.marks:
        ttl = part.cache.get("ttl") if is_object(part.cache) else None
        if ttl == "1h" and short:
            lower = _marked(part, {**part.cache, "ttl": "5m"})
            fix = Fix("lower", "free", "lower it to five minutes", (Replace(place, lower),))
            yield Finding(at=place, says="a cache mark for an hour behind one for five minutes", fixes=(fix,))
        short = short or ttl != "1h"


def on_thinking(view: View) -> Iterator[Finding]:
    """A mark on thinking.

    Bad: `{"type": "thinking", ..., "cache_control": ...}`. Good: no mark there.
    """
    for place, part in view.parts(Thinking):
        if part.cache is not None:
            fix = Fix("strip", "free", "take the mark off", (Replace(place, _marked(part, None)),))
            yield Finding(at=place, says="a cache mark on thinking", fixes=(fix,))
