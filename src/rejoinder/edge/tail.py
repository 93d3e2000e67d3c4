"""The last turns of a session of ours, read from its end, up to where the first of them begins."""

from __future__ import annotations

from typing import Any

from rejoinder.active_path import with_results
from rejoinder.edge.rows import backwards
from rejoinder.transcripts import own
from rejoinder.transcripts.own import Row
from rejoinder.values.loose import is_array, is_object

# Members that make a block the result of a call, where no type does.
_RESULTS = frozenset({"toolResult", "functionResponse", "function_response"})


def last_turns(path: str, turns: int) -> list[Any]:
    """The messages of the last turns of the active path; a turn begins with what a user says.

    What a summary stands for is no turn; the summary itself is shown where the first row that it names is reached.
    """
    rows, leaf = _rows_from_the_end(path, turns)
    if leaf is None:
        return []
    tree = own.tree_of(rows)
    last = tree.find(leaf)
    way = tree.way_to(last).rows if last is not None else ()
    return [own.message_of(row) for row in with_results(rows, own.said_on(rows, way))]


def _rows_from_the_end(path: str, turns: int) -> tuple[list[Row], str | None]:
    """All rows behind the beginning of so many turns, and the row that the conversation goes on from."""
    rows: list[Row] = []
    gone: set[Any] = set()
    leaf = wanted = None
    for record in backwards(path, checked=True):
        if turns <= 0:
            break
        row = record.value
        rows.append(row)
        if leaf is None:
            leaf = wanted = own.goes_on_from(row, None)
        if wanted is None or row.get("uuid") != wanted:
            continue
        if row.get("type") == "summary" and is_array(covered := row.get("of")):
            gone.update(name for name in covered if isinstance(name, str))
        parent = row.get("parentUuid")
        turns -= wanted not in gone and _begins_a_turn(row)
        wanted = parent if isinstance(parent, str) else None
        if wanted is None:
            break
    rows.reverse()
    return rows, leaf


def _begins_a_turn(row: Row) -> bool:
    """Does a user say something here, and not only a tool?"""
    if row.get("type") == "summary":
        return False
    message = own.message_of(row)
    if not is_object(message) or message.get("role") != "user":
        return False
    content = message.get("content", message.get("parts"))
    return not any(_is_result(block) for block in (content if is_array(content) else ()))


def _is_result(block: Any) -> bool:
    return is_object(block) and (block.get("type") == "tool_result" or not _RESULTS.isdisjoint(block))
