"""Sessions of our own, and rows like them without our first one: `type`, `uuid`, `parentUuid`, `role`, `content`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rejoinder.dialects.detect import detect
from rejoinder.errors import DialectError
from rejoinder.transcripts import own
from rejoinder.transcripts.beside import dialect_of, with_results
from rejoinder.transcripts.fields import text
from rejoinder.transcripts.health import unpaired
from rejoinder.transcripts.lines import Found, Oddity, Record
from rejoinder.transcripts.members import first_words, objects
from rejoinder.transcripts.seal import state_of
from rejoinder.transcripts.transcript import Defect, Format, Transcript, Way, in_order, odd_defects, parted
from rejoinder.transcripts.tree import Tree

_OURS, _ROWS = "rejoinder", "rows"


def _knows_ours(sample: list[Any]) -> bool:
    return any(own.is_header(row) for row in objects(sample[:1]))


def _knows_rows(sample: list[Any]) -> bool:
    return any(
        row.get("type") == "message" and "parentUuid" in row and "uuid" in row and ("role" in row or "message" in row)
        for row in objects(sample)
    )


def _read_ours(found: Iterable[Found]) -> Transcript:
    """A session of ours; rows whose bytes were changed since are set aside."""
    return _read([_checked(each) for each in found], _OURS)


def _checked(found: Found) -> Found:
    # Where nobody has the bytes any more there is nothing to hold them to.
    if isinstance(found, Oddity) or not found.raw or state_of(found.raw) == "sound":
        return found
    says = "unreadable: a row whose bytes are not those that were written"
    return Oddity(kind=says, line=found.line, offset=found.offset, length=len(found.raw), done="set aside")


def _read_rows(found: Iterable[Found]) -> Transcript:
    return _read(found, _ROWS)


def _read(found: Iterable[Found], tool: str) -> Transcript:
    records, oddities = parted(found)
    rows = [record.value for record in records]
    tree = own.tree_of(rows)
    leaf = own.leaf_of(rows, tree)
    way = tree.way_to(leaf).rows if leaf is not None else ()
    path = with_results(rows, own.said_on(rows, way))
    at = {id(row): number for number, row in enumerate(rows)}
    messages = [own.message_of(row) for row in path]
    lines = [records[at[id(row)]].line for row in path]
    head = rows[0] if rows and own.is_header(rows[0]) else {}
    dialect = own_dialect(messages) if tool == _OURS else dialect_of(messages).name
    paused = own.paused(rows)
    unanswered = list(unpaired(messages, lines, dialect, unit="line"))
    waiting = [_waits(defect) if paused.intersection(defect.ids) else defect for defect in unanswered]
    return Transcript(
        tool=tool,
        dialect=dialect,
        messages=tuple(messages),
        lines=tuple(lines),
        session=text(head, "uuid") or next((name for row in rows if (name := text(row, "sessionId"))), ""),
        title=text(head, "title") or first_words(messages),
        folder=text(head, "cwd", "folder"),
        model=next((name for row in reversed(path) if (name := text(row, "model"))), ""),
        began=next((time for row in rows if (time := text(row, "timestamp"))), ""),
        ended=next((time for row in reversed(rows) if (time := text(row, "timestamp"))), ""),
        records=len(records),
        branches=tuple(_branches(records, tree, {at[id(row)] for row in path} | set(way))),
        defects=in_order([*odd_defects(oddities), *_links(records, tree), *waiting]),
        oddities=tuple(oddities),
    )


def _waits(defect: Defect) -> Defect:
    says = defect.says.replace("has no result", "waits for a person")
    return Defect(kind="paused", line=defect.line, says=says, ids=defect.ids)


def own_dialect(messages: list[Any]) -> str:
    """The dialect that the messages show, as for any other list of them."""
    try:
        return detect(messages).dialect
    except DialectError:
        return dialect_of(messages).name


def _links(records: list[Record], tree: Tree) -> Iterator[Defect]:
    """Parents that were never written, circles, and ids that came twice. The first row may name a parent: a slice."""
    linked = [at for at, parent in enumerate(tree.parents) if parent is not None]
    for at in linked[1 if linked and linked[0] == 0 else 0 :]:
        parent = tree.parents[at] or ""
        if tree.find(parent) is None:
            says = f"its parent {parent} was never written"
            yield Defect(kind="gap", line=records[at].line, says=says, ids=(parent,))
        elif tree.parent_of(at) is None:
            yield Defect(kind="circle", line=records[at].line, says="the row is its own parent", ids=(parent,))
    for name in tree.twins:
        at = tree.find(name)
        if at is not None:
            yield Defect(kind="twin", line=records[at].line, says=f"several rows have the id {name}", ids=(name,))


def _branches(records: list[Record], tree: Tree, chosen: set[int]) -> Iterator[Way]:
    said = [own.kind_of_row(record.value) in own.SAID for record in records]
    for leaf in tree.leaves(said, [False] * len(records)):
        own_rows = [at for at in tree.way_to(leaf).rows if at not in chosen and said[at]]
        if leaf not in chosen and own_rows:
            row = records[leaf]
            yield Way(line=row.line, messages=len(own_rows), ended=text(row.value, "timestamp"))


OURS = Format(name=_OURS, says="sessions of rejoinder's own", knows=_knows_ours, read=_read_ours)
ROWS = Format(name=_ROWS, says="rows that name their parents, with a message each", knows=_knows_rows, read=_read_rows)
