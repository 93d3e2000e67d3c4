"""The messages of Claude Code's rows, as the API has them: all blocks of an answer, then all results of its calls."""

from __future__ import annotations

from typing import Any

from rejoinder.transcripts.claude_code_rows import Row, alike
from rejoinder.values.loose import is_array, is_object

Message = dict[str, Any]


class _Turn:
    """An answer of the model, and the results of its calls; or one row of the user's."""

    __slots__ = ("results", "rows")

    def __init__(self, *rows: Row) -> None:
        self.rows = list(rows)
        self.results: list[Row] = []


def messages_of(rows: list[Row], path: list[int]) -> tuple[list[Message], list[int]]:
    """The messages of the rows on the path, and the line on which each begins.

    What the tool said in the place of an answer that failed is left out: it is not sent. The summary of a compaction
    is sent, though it says of itself that it is not shown.
    """
    messages: list[Message] = []
    lines: list[int] = []
    for turn in _turns([rows[at] for at in path if rows[at].kind and not rows[at].failed]):
        for part in (turn.rows, turn.results):
            if part:
                messages.append({"role": part[0].kind, "content": _content(part)})
                lines.append(part[0].line)
    return messages, lines


def _turns(rows: list[Row]) -> list[_Turn]:
    """The rows by turns: a result stands behind the answer whose call it answers, wherever it was written."""
    owners = {name: row.answer for row in rows for name in row.calls}
    turns: list[_Turn] = []
    answers: dict[str, _Turn] = {}
    for row in rows:
        owner = row.answer or (owners.get(row.results[0], "") if row.only_results else "")
        if not owner:
            turns.append(_Turn(row))
            continue
        # A result that was written in front of its call waits in the turn of its answer.
        turn = answers.setdefault(owner, _Turn())
        if row.answer and not turn.rows:
            turns.append(turn)
        (turn.rows if row.answer else turn.results).append(row)
    return turns


def _content(part: list[Row]) -> Any:
    """The content of rows that are one message: as it is of one row, and the blocks of several."""
    held = [row.value["message"].get("content", "") for row in part]
    if len(held) == 1:
        return list(held[0]) if is_array(held[0]) else held[0]
    blocks: list[Any] = []
    calls: dict[str, Any] = {}
    for content in held:
        for block in content if is_array(content) else [{"type": "text", "text": content}]:
            if is_object(block) and block.get("type") == "tool_use":
                name = str(block.get("id"))
                if name in calls and alike(calls[name], block):
                    # Rows may overlap: the same call again is one call.
                    continue
                calls[name] = block
            blocks.append(block)
    return blocks
