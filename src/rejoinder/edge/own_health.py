"""What is wrong with a session of our own: its calls and results on the active path, and its lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rejoinder.dialects.detect import detect, find_dialect
from rejoinder.edge.rows import records
from rejoinder.edge.sessions import Session
from rejoinder.errors import DialectError
from rejoinder.transcripts import own
from rejoinder.transcripts.lines import Record
from rejoinder.transcripts.transcript import Defect, Transcript, in_order, odd_defects
from rejoinder.values.view import View

TOOL = "rejoinder"


def is_own(path: str) -> bool:
    """Does a file begin as ours do?"""
    first = next((each for each in records(path) if isinstance(each, Record)), None)
    return first is not None and own.is_header(first.value)


def read_own(path: str) -> Transcript:
    """One of our sessions, as what a session of any tool comes down to."""
    with Session.open(path, read_only=True) as session:
        rows = session.active_path()
        messages = [own.message_of(row) for row in rows]
        places = {str(each.value.get("uuid")): each.line for each in records(path) if isinstance(each, Record)}
        lines = [places.get(str(row.get("uuid")), 0) for row in rows]
        dialect = dialect_of(messages)
        waits = session.paused
        defects = [*odd_defects(session.oddities), *_unpaired(messages, lines, dialect, waits)]
        whole = session.rows()
        return Transcript(
            tool=TOOL,
            dialect=dialect,
            messages=tuple(messages),
            lines=tuple(lines),
            session=session.id,
            title=str(whole[0].get("title", "")) if whole else "",
            began=str(whole[0].get("timestamp", "")) if whole else "",
            ended=str(whole[-1].get("timestamp", "")) if whole else "",
            records=len(whole),
            defects=in_order(defects),
            oddities=tuple(session.oddities),
        )


def dialect_of(messages: list[Any]) -> str:
    """The dialect of the messages."""
    try:
        return detect(messages).dialect if messages else "openai-chat"
    except DialectError:
        return "openai-chat"


def _unpaired(messages: list[Any], lines: list[int], dialect: str, waits: frozenset[str]) -> Iterator[Defect]:
    known = find_dialect(dialect)
    view = View(known.decode(messages), known.layout)
    last = len(messages) - 1
    for call in view.pairing.calls:
        name, at = str(call.part.id or ""), call.place.message
        if call.result is None:
            pending = all(each.place.message <= at for each in view.pairing.calls) and _ends_with(view, at, last)
            kind = "paused" if name in waits else "pending" if pending else "interrupted"
            says = f"call {name} waits for a person" if kind == "paused" else f"call {name} has no result"
            yield Defect(kind=kind, line=lines[at], says=says, ids=(name,))
        elif call.result.place < call.place:
            says = f"the result stands in front of its call {name}"
            yield Defect(kind="early", line=lines[call.result.place.message], says=says, ids=(name,))
        for extra in call.extras:
            says = f"call {name} has two results"
            yield Defect(kind="duplicate", line=lines[extra.place.message], says=says, ids=(name,))
    for result in view.pairing.orphans:
        name = str(result.part.call_id or "")
        yield Defect(kind="orphan", line=lines[result.place.message], says=f"no call has the id {name}", ids=(name,))


def _ends_with(view: View, at: int, last: int) -> bool:
    """Does nothing follow a message but results?"""
    brought = {result.place.message for result in view.pairing.results}
    return all(message in brought for message in range(at + 1, last + 1))
