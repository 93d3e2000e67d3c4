"""The active path of a stored session: the rows from the last message back to the root, cleaned up.

Rows are a tree: each names its parent. What was rewound hangs beside the path and is not part
of the conversation. But where parallel tools write their results one by one, each result has
the call's row for a parent, and a plain walk from leaf to root sees only one of them: results
that hang beside the path on a call of the path belong to it.
"""

from __future__ import annotations

import logging
from typing import Any

import msgspec

from rejoinder.journey import repair
from rejoinder.mend.policy import Policy
from rejoinder.transcripts import own
from rejoinder.transcripts.beside import dialect_of, result_ids, view_of, with_results
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
    mended = repair(path, "pairs", dialect=dialect_of(path).name, policy=Policy(unanswered="drop", orphan="drop"))
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


def get_tool_use_ids(messages: list[Any]) -> set[str]:
    """The ids of all calls in assistant messages."""
    view = view_of(messages)
    return {call.id for place, call in view.calls if _role(view, place.message) == "assistant" and _named(call.id)}


def get_tool_result_ids(messages: list[Any]) -> set[str]:
    """The ids of all calls that some result in a tool message names."""
    return result_ids(messages)


def _named(name: object) -> bool:
    return isinstance(name, str)


def _role(view: View, index: int) -> str:
    message = view.conversation.at(index)
    return message.role if isinstance(message, Message) else ""


def find_incomplete_tool_uses(messages: list[Any]) -> list[IncompleteToolUse]:
    """The calls without a result, wherever they stand: by position first, and by id second."""
    return [
        IncompleteToolUse(call.place.message, str(call.part.id), str(call.part.name), call.part.source)
        for call in view_of(messages).pairing.calls
        if call.result is None
    ]
