"""Documents: what they are called, and the words beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.values.edit import Insert, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.parts import Media, Text, is_blank
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = ["name", "unique_name", "words_beside"]

PLACEHOLDER = "."
_NAMELESS = "document"


def name(view: View, *, pattern: str, longest: int) -> Iterator[Finding]:
    """A document has no name, or one with characters that the reader does not take.

    Bad: `report_v1.pdf`. Good: `report v1 pdf`; and `report v1 pdf 2` where another one is called that.
    """
    allowed = re.compile(pattern)
    bad = [
        (place, part)
        for place, part in _documents(view)
        if not part.name or len(part.name) > longest or not allowed.fullmatch(part.name)
    ]
    taken = _taken(view) if bad else {}
    for place, part in bad:
        new = _free(_plain(part.name or ""), longest, taken)
        cost = "drops" if part.name else "free"
        fix = Fix("rename", cost, f"call it {new}", (Replace(place, replace(part, name=new)),))
        says = f"the name {part.name[:80]!r} does not match {pattern}" if part.name else "this document has no name"
        yield Finding(at=place, says=says, fixes=(fix,))


def unique_name(view: View) -> Iterator[Finding]:
    """Two documents of a request have the same name; capitals make no difference.

    Bad: `report`, and in a later message `Report`. Good: `report`, `Report 2`.
    """
    seen: set[str] = set()
    taken = _taken(view)
    for place, part in _documents(view):
        if not part.name:
            continue
        if part.name.casefold() in seen:
            new = _free(part.name, len(part.name) + 9, taken)
            fix = Fix("rename", "free", f"call it {new}", (Replace(place, replace(part, name=new)),))
            yield Finding(at=place, says=f"another document is called {part.name[:80]!r}", fixes=(fix,))
        seen.add(part.name.casefold())


def words_beside(view: View) -> Iterator[Finding]:
    """A message holds a document, and nobody says a word in it.

    Bad: a document alone. Good: a document, and a text.
    """
    for index, message in view.messages:
        if not any(isinstance(part, Media) and part.kind == "document" for part in message.parts):
            continue
        if not any(isinstance(part, Text) and not is_blank(part) for part in message.parts):
            end = Place(index, len(message.parts))
            edits = (Insert(end, Text(text=PLACEHOLDER)),)
            fix = Fix("placeholder", "invents", f'put "{PLACEHOLDER}" behind it', edits)
            yield Finding(at=Place(index), says="a document, and no text beside it", fixes=(fix,))


def _documents(view: View) -> list[tuple[Place, Media]]:
    return [(place, part) for place, part in view.parts(Media) if part.kind == "document"]


def _taken(view: View) -> dict[str, int]:
    """The names that are there, each with the last number that was tried behind it."""
    return {(part.name or "").casefold(): 1 for _, part in _documents(view)}


def _plain(old: str) -> str:
    """The name with a space for whatever is no letter, digit, hyphen or bracket."""
    return " ".join(re.sub(r"[^a-zA-Z0-9()\[\]-]", " ", old).split()) or _NAMELESS


def _free(wanted: str, longest: int, taken: dict[str, int]) -> str:
    """The name that is wanted, or the first with a number behind it that no other document has."""
    wanted = new = wanted[:longest].rstrip()
    number = taken.get(wanted.casefold(), 1)
    while new.casefold() in taken:
        number += 1
        new = f"{wanted[: longest - len(str(number)) - 1].rstrip()} {number}"
    taken[wanted.casefold()] = number
    taken.setdefault(new.casefold(), 1)
    return new
