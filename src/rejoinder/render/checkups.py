"""Sessions and what is wrong with them: a table of many, the places in one, and the lines that a change touches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rejoinder.render.findings import count
from rejoinder.render.terminal import Line, cells, cut, padded, wrapped

_GAP = 2


class Row(NamedTuple):
    """A session of the table: who keeps it, its id, when it ended, how long it is, what is wrong, and its file."""

    tool: str
    session: str
    when: str
    messages: int
    kinds: Mapping[str, int]
    file: str


class Spot(NamedTuple):
    """A defect in its place; `more` are further words about it, each a line."""

    where: str
    kind: str
    says: str
    more: tuple[str, ...]
    grave: bool


class Edit(NamedTuple):
    """A change of a file, by lines: what it does, what goes and what comes."""

    where: str
    says: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]


def table_lines(rows: list[Row], width: int) -> Iterator[Line]:
    """The sessions, each with its file on a line below."""
    if not rows:
        return
    heads = ("tool", "session", "when", "messages")
    texts = [(row.tool, cut(row.session, 36), row.when, f"{row.messages:,}") for row in rows]
    columns = [max(cells(head), *(cells(text[at]) for text in texts)) + _GAP for at, head in enumerate(heads)]
    yield (("dim", "".join(padded(head, size) for head, size in zip(heads, columns, strict=True)) + "defects"),)
    for row, text in zip(rows, texts, strict=True):
        tool, session, when, messages = (padded(cell, size) for cell, size in zip(text, columns, strict=True))
        words = ", ".join(f"{number} {kind}" for kind, number in row.kinds.items())
        style = "error" if row.kinds else "good"
        words = cut(words or "none", width - sum(columns))
        yield (("plain", tool), ("bold", session), ("dim", when), ("plain", messages), (style, words))
        yield (("dim", "  " + cut(row.file, width - 2)),)


def spot_lines(spots: list[Spot], width: int) -> Iterator[Line]:
    """The defects, one after another."""
    for spot in spots:
        style = "error" if spot.grave else "warning"
        yield (("plain", "  "), ("place", spot.where), ("plain", "  "), (style, spot.kind))
        for words in wrapped(spot.says, width - 6):
            yield (("plain", "      " + words),)
        for more in spot.more:
            yield from ((("dim", "      " + words),) for words in wrapped(more, width - 6))


def edit_lines(edits: list[Edit], width: int, limit: int) -> Iterator[Line]:
    """The changes as a difference by lines. A long line is shown around where it begins."""
    for edit in edits[:limit]:
        yield (("plain", "  "), ("place", edit.where))
        for says in edit.says:
            yield from ((("dim", "      " + words),) for words in wrapped(says, width - 6))
        around = _first_difference(edit.old, edit.new)
        yield from ((("removed", "  - " + cut(old, width - 4, around)),) for old in edit.old)
        yield from ((("added", "  + " + cut(new, width - 4, around)),) for new in edit.new)
    if len(edits) > limit:
        yield (("dim", f"  … {count(len(edits) - limit, 'more change')}; --limit 0 shows all"),)


def _first_difference(old: tuple[str, ...], new: tuple[str, ...]) -> int:
    """Where a line and the one that comes in its place begin to differ, so that a cut shows just that."""
    if len(old) != 1 or len(new) != 1:
        return 0
    return next((at for at, (one, other) in enumerate(zip(old[0], new[0], strict=False)) if one != other), 0)
