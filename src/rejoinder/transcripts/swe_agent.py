"""SWE-agent: one document a run, with the history that its model saw; results name their calls with `tool_call_ids`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rejoinder.transcripts import chat
from rejoinder.transcripts.conversations import several, told
from rejoinder.transcripts.fields import inner, text
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.members import array, objects
from rejoinder.transcripts.transcript import Format, Transcript
from rejoinder.values.loose import is_array, is_object

_TOOL = "swe-agent"


def knows(sample: list[Any]) -> bool:
    """Is there a history of messages, or a trajectory of steps?"""
    return any(_is_history(row) or _is_trajectory(row) for row in objects(sample))


def _is_history(row: dict[str, Any]) -> bool:
    return any(is_object(each) and isinstance(each.get("role"), str) for each in array(row, "history")[:4])


def _is_trajectory(row: dict[str, Any]) -> bool:
    steps = array(row, "trajectory")
    return bool(steps) and is_object(steps[0]) and {"action", "observation"} <= steps[0].keys()


def read(found: Iterable[Found]) -> Iterator[Transcript]:
    """The conversation of a run."""
    return several(found, _run, Transcript(tool=_TOOL, dialect=chat.DIALECT, messages=()))


def _run(row: dict[str, Any], _line: int) -> Iterator[Transcript]:
    if not _is_history(row) and not _is_trajectory(row):
        return
    numbered = [(number, each) for number, each in enumerate(array(row, "history"), 1) if is_object(each)]
    pairs = list(_history(numbered) if numbered else _steps(row))
    replay = inner(row, "replay_config")
    agent = inner(replay, "agent")
    yield told(
        _TOOL,
        chat.DIALECT,
        [message for _, message in pairs],
        [number for number, _ in pairs],
        session=text(inner(replay, "problem_statement"), "id") or text(row, "instance_id"),
        model=text(inner(agent, "model"), "name"),
        records=1,
    )


def _history(rows: list[tuple[int, dict[str, Any]]]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, raw in rows:
        names = raw.get("tool_call_ids")
        if raw.get("role") == "tool" and is_array(names) and names:
            # One observation of several calls is what each of them gave back.
            yield from ((number, chat.result(name, raw.get("content"))) for name in names)
            continue
        message = chat.plain(raw)
        if message is not None:
            yield number, message


def _steps(row: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """A trajectory without a history: what was answered and what came of it, in words."""
    for number, step in enumerate(array(row, "trajectory"), 1):
        if is_object(step):
            yield number, chat.said("assistant", text(step, "response", "thought", "action"))
            yield number, chat.said("user", text(step, "observation"))


FORMAT = Format(name=_TOOL, says="SWE-agent trajectories (.traj)", knows=knows, read=read)
