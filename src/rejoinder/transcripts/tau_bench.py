"""tau-bench and tau2-bench: a file of many conversations between an agent, tools and a user that is played.

In tau2 the row of a tool names its call with `id`, and the played user has tools too. The conversation is what the
agent's model sees: what the user does with tools of its own stands beside it, and is looked through by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from rejoinder.transcripts import chat
from rejoinder.transcripts.conversations import several, told
from rejoinder.transcripts.fields import inner, items, text
from rejoinder.transcripts.health import unpaired
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.members import array, named, objects
from rejoinder.transcripts.transcript import Format, Transcript, in_order
from rejoinder.values.loose import is_array, is_object

_ONE, _TWO = "tau-bench", "tau2-bench"
_Numbered = tuple[int, dict[str, Any]]


def _knows_one(sample: list[Any]) -> bool:
    return any(is_array(row.get("traj")) and "task_id" in row for row in objects(sample))


def _knows_two(sample: list[Any]) -> bool:
    return any(
        is_array(row.get("simulations")) or (is_array(row.get("messages")) and "termination_reason" in row)
        for row in objects(sample)
    )


def _read_one(found: Iterable[Found]) -> Iterator[Transcript]:
    return several(found, _trial, Transcript(tool=_ONE, dialect=chat.DIALECT, messages=()))


def _read_two(found: Iterable[Found]) -> Iterator[Transcript]:
    return several(found, _simulations, Transcript(tool=_TWO, dialect=chat.DIALECT, messages=()))


def _trial(row: dict[str, Any], line: int) -> Iterator[Transcript]:
    """One conversation of tau-bench."""
    if not is_array(row.get("traj")):
        return
    messages: list[Any] = []
    lines: list[int] = []
    for number, raw in enumerate(array(row, "traj"), 1):
        message = chat.plain(raw) if is_object(raw) else None
        if message is not None:
            messages.append(message)
            lines.append(number)
    yield told(_ONE, chat.DIALECT, messages, lines, session=_session(row, line), records=1)


def _session(row: dict[str, Any], line: int) -> str:
    names = [f"{name} {said}" for name in ("task_id", "trial") if (said := named(row, name))]
    return named(row, "id") or " ".join(names).replace("task_id", "task") or str(line)


def _simulations(row: dict[str, Any], line: int) -> Iterator[Transcript]:
    """The conversations of a file of results, or the one of a simulation by itself."""
    if not is_array(row.get("simulations")):
        if is_array(row.get("messages")):
            yield _simulation(row, line, {})
        return
    for number, each in enumerate(items(row, "simulations"), 1):
        if is_array(each.get("messages")):
            yield _simulation(each, number, inner(row, "info"))


def _simulation(row: dict[str, Any], line: int, info: dict[str, Any]) -> Transcript:
    said = list(_rows(row))
    agents = [(number, _agents(raw)) for number, raw in said if not _is_users(raw)]
    users = [(number, _users(raw)) for number, raw in said if _is_users(raw) or raw.get("role") == "user"]
    held = told(
        _TWO,
        chat.DIALECT,
        [message for _, message in agents],
        [number for number, _ in agents],
        session=_session(row, line),
        model=text(inner(info, "agent_info"), "llm"),
        began=text(row, "start_time", "timestamp"),
        ended=text(row, "end_time"),
        records=1,
    )
    beside = unpaired(
        [message for _, message in users], [number for number, _ in users], chat.DIALECT, unit="message", live=False
    )
    return replace(held, defects=in_order([*held.defects, *beside]))


def _rows(row: dict[str, Any]) -> Iterator[_Numbered]:
    """The messages with their numbers, those that were written as one message of several results taken apart."""
    for number, raw in enumerate(array(row, "messages"), 1):
        if is_object(raw) and isinstance(raw.get("role"), str):
            inner = items(raw, "tool_messages")
            yield from ((number, {"role": "tool", **each}) for each in inner) if inner else iter([(number, raw)])


def _is_users(raw: dict[str, Any]) -> bool:
    """Is this a call of the played user, or the result of one?"""
    if raw.get("role") == "tool":
        return raw.get("requestor") == "user"
    return raw.get("role") == "user" and bool(items(raw, "tool_calls"))


def _agents(raw: dict[str, Any]) -> dict[str, Any]:
    if raw.get("role") == "tool":
        return chat.result(raw.get("id", raw.get("tool_call_id")), raw.get("content"))
    if raw.get("role") == "assistant":
        return chat.assistant(raw.get("content"), _calls(raw))
    return chat.said(str(raw.get("role")), raw.get("content"))


def _users(raw: dict[str, Any]) -> dict[str, Any]:
    """The same of the user, as if it were the model."""
    return chat.assistant(raw.get("content"), _calls(raw)) if raw.get("role") == "user" else _agents(raw)


def _calls(raw: dict[str, Any]) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []
    for each in items(raw, "tool_calls"):
        held = inner(each, "function") or each
        calls.append(chat.call(held.get("name"), held.get("arguments"), each.get("id")))
    return calls


FORMATS = (
    Format(name=_ONE, says="tau-bench trajectories, many to a file", knows=_knows_one, read=_read_one),
    Format(name=_TWO, says="tau2-bench simulations, many to a file or one", knows=_knows_two, read=_read_two),
)
