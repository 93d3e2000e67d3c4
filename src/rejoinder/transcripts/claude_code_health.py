"""What is wrong with a session of Claude Code, and what only looks so."""

from __future__ import annotations

from collections.abc import Iterator

from rejoinder.transcripts.claude_code_rows import Row, cut_of
from rejoinder.transcripts.transcript import Defect
from rejoinder.transcripts.tree import Tree


def defects_of(rows: list[Row], tree: Tree, leaf: int | None, path: list[int]) -> Iterator[Defect]:
    """All defects of the rows, in no order."""
    live = set(path)
    yield from _gaps(rows, tree, live)
    yield from _circles(rows, tree, leaf)
    yield from _twins(rows, live)
    yield from _open(rows, live)
    yield from _misplaced(rows, live)
    yield from _doubled(rows, path)


def _gaps(rows: list[Row], tree: Tree, live: set[int]) -> Iterator[Defect]:
    """Parents that were never written; but what a slice of a file has left behind is no damage."""
    cut = cut_of(rows, tree)
    for at, row in enumerate(rows):
        if row.name is None or row.parent is None or tree.find(row.parent) is not None or at < cut:
            continue
        if cut and row.kind == "user" and not row.results:
            # What is asked in a slice may go on from where the slice does not reach.
            continue
        says = f"its parent {row.parent} was never written"
        yield Defect(kind="gap", line=row.line, says=says, ids=(row.parent,), live=at in live)


def _circles(rows: list[Row], tree: Tree, leaf: int | None) -> Iterator[Defect]:
    for gap in tree.way_to(leaf).gaps if leaf is not None else ():
        if gap.kind == "circle":
            says = f"its parents lead back to it, by {gap.parent}"
            yield Defect(kind="circle", line=rows[gap.row].line, says=says, ids=(gap.parent,))


def _twins(rows: list[Row], live: set[int]) -> Iterator[Defect]:
    """Rows of one id that say different things. The same row written again is common, and harms nobody."""
    seen: set[str] = set()
    for at, row in enumerate(rows):
        if row.name is not None and row.name in seen and row.copy_of is None:
            says = f"another row has its id {row.name}, and says something else"
            yield Defect(kind="twin", line=row.line, says=says, ids=(row.name,), live=at in live)
        if row.name is not None:
            seen.add(row.name)


def _open(rows: list[Row], live: set[int]) -> Iterator[Defect]:
    """Calls that nothing in the file answers; each once, however often it was written."""
    answered = {name for row in rows for name in row.results}
    places: dict[str, int] = {}
    for at, row in enumerate(rows):
        for name in row.calls:
            if name not in answered and (name not in places or (at in live and places[name] not in live)):
                places[name] = at
    why = _whys(rows) if places else []
    for name, at in places.items():
        says = f"call {name} has no result"
        yield Defect(kind=why[at], line=rows[at].line, says=says, ids=(name,), live=at in live)


def _whys(rows: list[Row]) -> list[str]:
    """For each row, why a call in it can have no result: by what comes next that is not of its own answer."""
    whys = ["pending"] * len(rows)
    # For the main conversation and the sub-agents': the next event, and the next of another answer than that.
    coming: dict[bool, list[tuple[str, str]]] = {False: [], True: []}
    for at in range(len(rows) - 1, -1, -1):
        row = rows[at]
        nearest = coming[row.side]
        whys[at] = next((what for what, answer in nearest if not answer or answer != row.answer), "pending")
        event = _event(row)
        if event:
            other = [each for each in nearest[:1] if not each[1] or each[1] != row.answer] or nearest[1:]
            coming[row.side] = [(event, row.answer), *other]
    return whys


def _event(row: Row) -> str:
    """What a row does to the calls in front of it that have no result."""
    if row.compacts:
        return "cut"
    if row.failed:
        return "errored"
    goes_on = row.kind == "assistant" or (row.kind == "user" and not row.results and not row.meta)
    return "interrupted" if goes_on else ""


def _misplaced(rows: list[Row], live: set[int]) -> Iterator[Defect]:
    """Results whose call is nowhere, or comes later; each once."""
    first: dict[str, int] = {}
    for at, row in enumerate(rows):
        for name in row.calls:
            first.setdefault(name, at)
    places: dict[str, int] = {}
    for at, row in enumerate(rows):
        for name in row.results:
            if first.get(name, len(rows)) > at and (name not in places or (at in live and places[name] not in live)):
                places[name] = at
    for name, at in places.items():
        early = name in first
        says = f"the result stands in front of its call {name}" if early else f"no call has the id {name}"
        kind = "early" if early else "orphan"
        yield Defect(kind=kind, line=rows[at].line, says=says, ids=(name,), live=at in live)


def _doubled(rows: list[Row], path: list[int]) -> Iterator[Defect]:
    """Two results of one call, or two answers with a call of one id, on the same way."""
    owners: dict[str, str] = {}
    answered: set[str] = set()
    for row in (rows[at] for at in path):
        for name in row.calls:
            if owners.setdefault(name, row.answer) != row.answer:
                yield Defect(kind="duplicate", line=row.line, says=f"the id {name} is used for two calls", ids=(name,))
        for name in row.results:
            if name in answered:
                yield Defect(kind="duplicate", line=row.line, says=f"call {name} has two results", ids=(name,))
            answered.add(name)
