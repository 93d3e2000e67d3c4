"""Our own session file: what its rows are, and what of them is the conversation.

A row is one JSON object a line: `{"type", "uuid", "parentUuid", "timestamp", …, "check"}`. Rows of type `message` hold
a message of any dialect, its members among those of the row, or under `message` where one has the name of a row's.
All other types pass through. Nothing is ever rewritten: a summary, a repair, a change of settings is one row more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rejoinder.transcripts.tree import Tree
from rejoinder.values.loose import is_array

Row = dict[str, Any]

FORMAT = "rejoinder-session"
VERSION = 1
# What a row has besides its message.
MEMBERS = frozenset({"type", "uuid", "parentUuid", "timestamp", "sessionId", "check", "message"})
# The types that stand in the tree: what they hang on was said before, and what hangs on them was said after.
SAID = frozenset({"message", "summary"})


def header(session: str, timestamp: str, more: Row) -> Row:
    """The first row of a file."""
    return {"type": "session", "format": FORMAT, "version": VERSION, "uuid": session, "timestamp": timestamp, **more}


def is_header(row: Row) -> bool:
    """Is this the first row of one of our files?"""
    return row.get("type") == "session" and row.get("format") == FORMAT


def kind_of_row(row: Row) -> str:
    """The type of a row; an empty one where what it says is no text."""
    return _text(row.get("type")) or ""


def with_message(message: Row) -> Row:
    """The members of a row that hold a message."""
    return {"message": message} if not MEMBERS.isdisjoint(message) else message


def message_of(row: Row) -> Any:
    """The message of a row, as it was handed in; that of a summary is its text, said by the user."""
    if row.get("type") == "summary":
        return {"role": "user", "content": row.get("summary", "")}
    held = row.get("message")
    return held if held is not None else {name: value for name, value in row.items() if name not in MEMBERS}


def tree_of(rows: Iterable[Row]) -> Tree:
    """The tree that the rows make; those of a type that is not said are in it too, for others may hang on them."""
    return Tree((_text(row.get("uuid")), _text(row.get("parentUuid"))) for row in rows)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def leaf_of(rows: list[Row], tree: Tree) -> int | None:
    """The row that the conversation goes on from: the last that was said, or the one it was rewound to since."""
    for row in range(len(rows) - 1, -1, -1):
        kind = kind_of_row(rows[row])
        if kind in SAID:
            return row
        if kind == "rewind":
            to = rows[row].get("to")
            return tree.find(to) if isinstance(to, str) else None
    return None


def goes_on_from(row: Row, before: str | None) -> str | None:
    """The id that the conversation goes on from behind a row, and `before` where this row has no part in that."""
    if row.get("type") in SAID:
        return _text(row.get("uuid"))
    return (_text(row.get("to")) or before) if row.get("type") == "rewind" else before


def said_on(rows: list[Row], way: Iterable[int]) -> list[Row]:
    """The rows of a way that are the conversation: a summary stands where the first row that it names stood."""
    kept = [rows[at] for at in way if kind_of_row(rows[at]) in SAID]
    gone: set[Any] = set()
    for row in kept:
        if row.get("type") == "summary" and is_array(covered := row.get("of")):
            gone.update(name for name in covered if isinstance(name, str))
    if not gone:
        return kept
    heads = {_first(row): row for row in kept if row.get("type") == "summary"}
    out: list[Row] = []
    for row in kept:
        name = _text(row.get("uuid"))
        if name in heads and _text(heads[name].get("uuid")) not in gone:
            out.append(heads[name])
        elif name not in gone and not (row.get("type") == "summary" and _first(row) is not None):
            out.append(row)
    return out


def _first(summary: Row) -> str | None:
    covered = summary.get("of")
    return _text(covered[0]) if is_array(covered) and covered else None


def paused(rows: Iterable[Row]) -> frozenset[str]:
    """The ids of the calls that wait for a person, as the rows tell it."""
    waiting: set[str] = set()
    for row in rows:
        if row.get("type") == "pause" and is_array(calls := row.get("calls")):
            waiting.update(name for name in calls if isinstance(name, str))
        elif row.get("type") == "go_on" and is_array(calls := row.get("calls")):
            waiting.difference_update(name for name in calls if isinstance(name, str))
    return frozenset(waiting)
