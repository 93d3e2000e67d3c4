"""One of our own sessions as a story: its active path, and what the other rows tell about places of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rejoinder.active_path import get_tool_result_ids, with_results
from rejoinder.dialects.detect import DIALECTS, detect, find_dialect
from rejoinder.edge.rows import backwards, records
from rejoinder.edge.sessions import Session
from rejoinder.errors import RejoinderError, SessionError
from rejoinder.journey import check
from rejoinder.mend.policy import Policy
from rejoinder.render.findings import count
from rejoinder.render.message import compact
from rejoinder.render.story import Fork, Note, Story
from rejoinder.transcripts import own
from rejoinder.transcripts.lines import Record
from rejoinder.transcripts.own import Row
from rejoinder.transcripts.tree import Tree, Way
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.parts import ToolResult

_USERS = ("user", "human")


def own_story(path: str, *, at: str | None = None, last: int = 0) -> Story:
    """The story of one of our own files, up to a row, or of its last turns alone."""
    with Session.open(path, read_only=True) as session:
        rows = _ending(path, last) if last and at is None else session.rows()
        oddities = tuple(odd.as_dict() for odd in session.oddities)
        identity = session.id
    head = _header(path)
    tree = own.tree_of(rows)
    leaf = own.leaf_of(rows, tree) if at is None else _row(path, tree, rows, at)
    way = tree.way_to(leaf) if leaf is not None else Way(())
    said = with_results(rows, own.said_on(rows, way.rows))
    is_part = bool(last) and at is None and len(said) > 0 and said[0].get("parentUuid") is not None
    messages = [own.message_of(row) for row in said]
    dialect = dialect_of(messages, head)
    paused = own.paused(rows)
    forks = tuple(_forks(rows, tree, way))
    places = {row.get("uuid"): number for number, row in enumerate(said) if isinstance(row.get("uuid"), str)}
    notes = dict(_notes(rows, tree, way, forks, places, is_part))
    return Story(
        tool=own.FORMAT,
        dialect=dialect,
        messages=tuple(messages),
        session=identity,
        title=_text(head, "title") or title_of(messages),
        folder=_text(head, "cwd"),
        model=_text(head, "model"),
        began=_text(head, "timestamp"),
        ended=_text(rows[-1], "timestamp") if rows else "",
        settings=head["settings"] if is_object(head.get("settings")) else {},
        names=tuple(_text(row, "uuid") for row in said),
        times=tuple(_text(row, "timestamp") for row in said),
        notes=notes,
        forks=tuple(fork for _, fork in forks),
        defects=tuple(_defects(messages, dialect, paused)),
        oddities=oddities,
        paused=tuple(sorted(paused)),
        is_part=is_part,
    )


def _header(path: str) -> Row:
    for found in records(path):
        if isinstance(found, Record):
            return found.value
    return {}


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _row(path: str, tree: Tree, rows: list[Row], name: str) -> int:
    """The row of an id, or of the beginning of one."""
    found = tree.find(name)
    begun = [number for number, each in enumerate(tree.ids) if each is not None and each.startswith(name)]
    begun = [number for number in begun if rows[number].get("type") in own.SAID]
    if found is None and len(begun) != 1:
        raise SessionError(
            f"{path}: {'several rows begin' if begun else 'there is no row whose id begins'} with {name!r}"
        )
    return begun[0] if found is None else found


def row_id(path: str, name: str) -> str:
    """The whole id of a row of which the beginning is given."""
    with Session.open(path, read_only=True) as session:
        rows = session.rows()
    return str(rows[_row(path, own.tree_of(rows), rows, name)]["uuid"])


def dialect_of(messages: list[Any], head: Row) -> str:
    """The dialect of the messages: the one that the first row names, else the one they show."""
    named = head.get("dialect")
    if isinstance(named, str) and named.partition(":")[0] in DIALECTS:
        return named
    try:
        return detect(messages).dialect if messages else "openai-chat"
    except RejoinderError:
        return "openai-chat"


def title_of(messages: list[Any]) -> str:
    """What a user said first: whole, for what is cut could not be searched for secrets any more."""
    for message in messages:
        content = message.get("content", message.get("parts")) if is_object(message) else None
        if is_object(message) and message.get("role") in _USERS:
            texts = [content] if isinstance(content, str) else content if is_array(content) else []
            for text in texts:
                words = text.get("text") if is_object(text) else text
                if isinstance(words, str) and words.strip():
                    return words.strip()
    return ""


def _ending(path: str, last: int) -> list[Row]:
    """The rows from the end of the file back to where the last turns begin."""
    rows: list[Row] = []
    wanted: object = None
    turns = 0
    for record in backwards(path, checked=True):
        row = record.value
        rows.append(row)
        if wanted is None:
            wanted = row.get("uuid") if row.get("type") in own.SAID else row.get("to")
        if row.get("uuid") == wanted and isinstance(wanted, str):
            wanted = row.get("parentUuid")
            turns += asks(own.message_of(row))
            if turns == last or wanted is None:
                break
    rows.reverse()
    return rows


def asks(message: Any) -> bool:
    """Does a message begin a turn: is it a user who says something, and no result?"""
    return is_object(message) and message.get("role") in _USERS and not get_tool_result_ids([message])


# --- what there is to know about places ------------------------------------------------------------------------------


def _notes(
    rows: list[Row], tree: Tree, way: Way, forks: tuple[tuple[int, Fork], ...], places: dict[Any, int], is_part: bool
) -> dict[int, tuple[Note, ...]]:
    notes: dict[int, list[Note]] = {}
    for gap in way.gaps:
        if not (is_part and gap.kind == "missing" and gap.row == way.rows[0]):
            words = "was never written" if gap.kind == "missing" else "leads in a circle"
            notes.setdefault(0, []).append(Note("gap", f"the row in front of this, {gap.parent}, {words}"))
    if is_part:
        notes.setdefault(0, []).append(Note("part", "only the end of the file was read"))
    for row in rows:
        note = _note(row)
        name = row.get("uuid") if row.get("type") == "summary" else row.get("to", row.get("parentUuid"))
        place = places.get(name) if isinstance(name, str) else None
        if note is not None and place is not None:
            notes.setdefault(place if row.get("type") == "summary" else place + 1, []).append(note)
    for above, fork in forks:
        if not fork.active:
            place = places.get(tree.ids[above]) if above >= 0 else -1
            words = f"{count(fork.messages, 'message')} went another way from here; --at {fork.leaf} shows it"
            if place is not None:
                notes.setdefault(place + 1, []).append(Note("branch", words))
    return {at: tuple(each) for at, each in notes.items()}


def _note(row: Row) -> Note | None:
    """What a row tells that is no message."""
    kind = str(row.get("type"))
    calls: Any = row.get("calls")
    names = ", ".join(map(str, calls)) if is_array(calls) else ""
    match kind:
        case "message" | "session":
            return None
        case "summary":
            of: Any = row.get("of")
            return Note("summary", f"this stands for {count(len(of) if is_array(of) else 0, 'row')}, which are kept")
        case "repair":
            steps: Any = row.get("steps")
            told = [str(step.get("says")) for step in steps if is_object(step)] if is_array(steps) else []
            more = f" (and {len(told) - 3} more)" if len(told) > 3 else ""
            return Note("repair", f"mended for {row.get('target')}: {'; '.join(told[:3])}{more}")
        case "pause":
            return Note("pause", f"waits for a person: {names}")
        case "go_on":
            return Note("pause", f"waits no more: {names}")
        case "rewind":
            return Note("rewind", "it went on from here again")
        case _:
            kept = {name: value for name, value in row.items() if name not in own.MEMBERS}
            return Note(kind, compact(kept))


def _forks(rows: list[Row], tree: Tree, way: Way) -> Iterator[tuple[int, Fork]]:
    """All ways through the session, in the order they ended, each with the row at which it leaves the active one."""
    said = [row.get("type") in own.SAID for row in rows]
    active = way.rows[-1] if way.rows else None
    path = set(way.rows)
    # Of each row that was passed: how many messages stand up to it, and where its way leaves the active one.
    known: dict[int, tuple[int, int]] = {}
    for leaf in tree.leaves(said, [False] * len(rows)):
        chain: list[int] = []
        row: int | None = leaf
        seen: set[int] = set()
        while row is not None and row not in known and row not in seen:
            seen.add(row)
            chain.append(row)
            row = tree.parent_of(row)
        messages, left = known[row] if row is not None and row in known else (0, -1)
        for each in reversed(chain):
            messages += said[each]
            left = each if each in path else left
            known[each] = (messages, left)
        last = own.message_of(rows[leaf])
        says = title_of([{**last, "role": "user"}]) if is_object(last) else ""
        yield left, Fork(_text(rows[leaf], "uuid"), messages, _text(rows[leaf], "timestamp"), leaf == active, says)


def _last_said(messages: list[Any], dialect: str) -> int:
    """The last message that is more than results: a call in it may still be answered."""
    read = find_dialect(dialect).decode(messages)
    for place in range(len(read.messages) - 1, -1, -1):
        message = read.message(place)
        if not message.parts or not all(isinstance(part, ToolResult) for part in message.parts):
            return message.origin
    return 0


def _defects(messages: list[Any], dialect: str, paused: frozenset[str]) -> Iterator[dict[str, Any]]:
    """The calls and the results that have no partner, as the pairing rules find them."""
    try:
        found = check(messages, "pairs", dialect=dialect, policy=Policy(paused=paused))
    except RejoinderError:
        return
    last = _last_said(messages, dialect) if found else 0
    for finding in found:
        kind = finding.rule.partition(".")[2]
        if kind == "unanswered":
            waits = "pending" if finding.at.message >= last else kind
            kind = waits if paused.isdisjoint(finding.ids) else "paused"
        yield {"kind": kind, "message": finding.at.message, "says": finding.says, "ids": list(finding.ids)}
