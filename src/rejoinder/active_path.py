"""The active path of a stored session: the rows from the last message back to the root, cleaned up.

Rows are a tree: each names its parent. What was rewound hangs beside the path and is not part
of the conversation. But where parallel tools write their results one by one, each result has
the call's row for a parent, and a plain walk from leaf to root sees only one of them: results
that hang beside the path on a call of the path belong to it.
"""

from __future__ import annotations

import logging
from itertools import pairwise
from typing import Any

import msgspec

from rejoinder.dialects.detect import detect, find_dialect
from rejoinder.dialects.dialect import Dialect
from rejoinder.dialects.neovate import DIALECT as NEOVATE
from rejoinder.errors import DialectError
from rejoinder.journey import repair
from rejoinder.mend.policy import Policy
from rejoinder.transcripts import own
from rejoinder.values.conversation import Message
from rejoinder.values.loose import is_object
from rejoinder.values.view import View

Row = dict[str, Any]
_log = logging.getLogger("rejoinder.session")


class IncompleteToolUse(msgspec.Struct, frozen=True):
    """A call without a result: the index of its message, and the part as it was written."""

    index: int
    id: str
    name: str
    tool_use: Any


def filter_messages(rows: list[Row]) -> list[Row]:
    """The message rows of the active path, in the order of the file, without incomplete exchanges.

    Rows that are no messages may stand between a message and its parent; they are passed over.
    The rows themselves are not changed.
    """
    path = _active_path(rows)
    if not path:
        return []
    mended = repair(path, "pairs", dialect=_dialect_of(path).name, policy=Policy(unanswered="drop", orphan="drop"))
    missing = [call_id for step in mended.steps if step.rule == "tool_pairing.unanswered" for call_id in step.ids]
    if missing:
        _log.debug("[filterMessages] Found %d unmatched tool_use(s): %s", len(missing), ", ".join(missing))
    for step in mended.steps:
        for removed in step.removed:
            name = removed.get("uuid", "") if is_object(removed) else ""
            if step.rule == "tool_pairing.unanswered" and name and removed.get("role") == "assistant":
                _log.debug("[filterMessages] Filtering out assistant message %s with unmatched tool_use", name)
            elif name:
                _log.debug("[filterMessages] Filtering out message %s: %s", name, step.says)
    clean: Any = mended.payload
    return clean


def _active_path(rows: list[Row]) -> list[Row]:
    """From the last message to the root, with the results that hang beside it."""
    rows = [row for row in rows if is_object(row)]
    last = next((at for at in range(len(rows) - 1, -1, -1) if rows[at].get("type") == "message"), None)
    if last is None:
        return []
    way = own.tree_of(rows).way_to(last)
    for gap in way.gaps:
        if gap.kind == "circle":
            _log.debug("[filterMessages] The parents go round in a circle at %s; the path begins there", gap.parent)
        else:
            _log.debug("[filterMessages] The parent %s was never written; the path begins behind it", gap.parent)
    return with_results(rows, [rows[at] for at in way.rows if rows[at].get("type") == "message"])


def with_results(rows: list[Row], path: list[Row]) -> list[Row]:
    """The path, and the results that hang beside it on a call of the path, in the order of the rows.

    Where that is not the order of the path (a parent was written behind its child), each stands behind its parent.
    """
    wanted = {use.id for use in find_incomplete_tool_uses([own.message_of(row) for row in path])}
    if not wanted:
        return path
    on_path = {id(row) for row in path}
    names = {str(row.get("uuid")) for row in path}
    beside: list[Row] = []
    for row in rows:
        hangs = row.get("type") == "message" and id(row) not in on_path and str(row.get("parentUuid")) in names
        if hangs and not wanted.isdisjoint(get_tool_result_ids([own.message_of(row)])):
            beside.append(row)
            names.add(str(row.get("uuid")))
    return _merged(rows, path, beside) if beside else path


def _merged(rows: list[Row], path: list[Row], beside: list[Row]) -> list[Row]:
    at = {id(row): number for number, row in enumerate(rows)}
    if all(at[id(one)] < at[id(other)] for one, other in pairwise(path)):
        return sorted([*path, *beside], key=lambda row: at[id(row)])
    under: dict[str, list[Row]] = {}
    for row in beside:
        under.setdefault(str(row.get("parentUuid")), []).append(row)
    return [each for row in path for each in (row, *under.get(str(row.get("uuid")), ()))]


def _dialect_of(messages: list[Any]) -> Dialect:
    """The dialect of the messages; where nothing but `tool_use` blocks tell, the one that session rows are in."""
    try:
        found = detect(messages)
    except DialectError:
        return NEOVATE
    return NEOVATE if NEOVATE.name in found.candidates else find_dialect(found.dialect)


def _view(messages: list[Any]) -> View:
    dialect = _dialect_of(messages)
    return View(dialect.decode(messages), dialect.layout)


def get_tool_use_ids(messages: list[Any]) -> set[str]:
    """The ids of all calls in assistant messages."""
    view = _view(messages)
    return {call.id for place, call in view.calls if _role(view, place.message) == "assistant" and _named(call.id)}


def get_tool_result_ids(messages: list[Any]) -> set[str]:
    """The ids of all calls that some result in a tool message names."""
    view = _view(messages)
    return {part.call_id for _, part in view.results if _named(part.call_id)}


def _named(name: object) -> bool:
    return isinstance(name, str)


def _role(view: View, index: int) -> str:
    message = view.conversation.at(index)
    return message.role if isinstance(message, Message) else ""


def find_incomplete_tool_uses(messages: list[Any]) -> list[IncompleteToolUse]:
    """The calls without a result, wherever they stand: by position first, and by id second."""
    return [
        IncompleteToolUse(call.place.message, str(call.part.id), str(call.part.name), call.part.source)
        for call in _view(messages).pairing.calls
        if call.result is None
    ]
