"""OpenHands before its SDK (V0): a line a run, with a history of actions and observations in one of three forms.

2024-05: pairs of an action and its observation. 2024-10: both in one list, without ids. 2025: with ids, the call of the
model that an action came from, and the action that caused an observation. An action that a tool carries out is a call,
and what was observed of it is its result; where the file gives no id, they are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rejoinder.transcripts import chat
from rejoinder.transcripts.conversations import several, told
from rejoinder.transcripts.fields import inner, items, text
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.members import array, named, objects
from rejoinder.transcripts.transcript import Format, Transcript
from rejoinder.values.loose import is_array, is_object

_TOOL = "openhands"
# Actions that no tool carries out, or not always: a call only where something was observed of them.
_PASSIVE = frozenset(
    (
        "message finish reject null system recall think delegate summarize add_task modify_task pause resume stop "
        "change_agent_state condensation condensation_request loop_recovery initialize start"
    ).split()
)
_SILENT = frozenset("null agent_state_changed recall recall_failure success".split())
# What an action says besides what its tool is asked for.
_NOTES = frozenset(
    (
        "action thought id timestamp source message args tool_call_metadata llm_metrics is_confirmed action_risk cause "
        "confirmation_state security_risk keep_prompt kernel_init_code hidden blocking timeout"
    ).split()
)
_Numbered = tuple[int, dict[str, Any]]


class _Turn(NamedTuple):
    """The message that the calls of one answer of the model go into, for they may be carried out one by one."""

    answer: str
    message: dict[str, Any]


def knows(sample: list[Any]) -> bool:
    """Is there a history of actions and observations?"""
    return any(_is_run(row) for row in objects(sample))


def _is_run(row: dict[str, Any]) -> bool:
    history = array(row, "history")
    begins = (each for entry in history[:4] for each in (entry if is_array(entry) else (entry,)))
    if any(is_object(each) and ("action" in each or "observation" in each) and "role" not in each for each in begins):
        return True
    return not history and "git_patch" in row and "metrics" in row and is_array(row.get("history"))


def read(found: Iterable[Found]) -> Iterator[Transcript]:
    """A conversation for each run."""
    return several(found, _run, Transcript(tool=_TOOL, dialect=chat.DIALECT, messages=()))


def _run(row: dict[str, Any], line: int) -> Iterator[Transcript]:
    if not _is_run(row):
        return
    said = _History(list(_events(row)))
    issue, facts = inner(row, "issue"), inner(row, "metadata")
    yield told(
        _TOOL,
        chat.DIALECT,
        said.messages,
        said.lines,
        title=text(issue, "title"),
        session=named(row, "instance_id") or named(issue, "number") or str(line),
        model=text(inner(facts, "llm_config"), "model") or text(facts, "model_name"),
        began=said.began,
        ended=said.ended,
        records=1,
    )


def _events(row: dict[str, Any]) -> Iterator[_Numbered]:
    """The events, each with the number of its entry in the history."""
    for number, entry in enumerate(array(row, "history"), 1):
        yield from ((number, each) for each in (entry if is_array(entry) else (entry,)) if is_object(each))


class _History:
    """The messages that a history comes down to."""

    def __init__(self, events: list[_Numbered]) -> None:
        self.messages: list[dict[str, Any]] = []
        self.lines: list[int] = []
        self.began = next((time for _, event in events if (time := text(event, "timestamp"))), "")
        self.ended = next((time for _, event in reversed(events) if (time := text(event, "timestamp"))), "")
        # The calls that wait for an observation, by the id of their action where it has one; the latest last.
        self._waiting: dict[str, str] = {}
        self._turn: _Turn | None = None
        self._numbered = any(named(event, "id") for _, event in events)
        causes = {named(event, "cause") for _, event in events if _observed(event) not in ("", *_SILENT)}
        for at, (number, event) in enumerate(events):
            observed = _observed(event)
            if observed:
                self._take_observation(number, event, observed)
            elif text(event, "action"):
                follows = events[at + 1][1] if at + 1 < len(events) else {}
                self._take_action(number, event, self._is_call(event, follows, causes))

    def _is_call(self, event: dict[str, Any], follows: dict[str, Any], causes: set[str]) -> bool:
        action = text(event, "action")
        if action not in _PASSIVE:
            return True
        if self._numbered:
            return named(event, "id") in causes and action != "message"
        return _observed(follows) == action

    def _add(self, number: int, message: dict[str, Any]) -> None:
        self.messages.append(message)
        self.lines.append(number)

    def _take_action(self, number: int, event: dict[str, Any], is_call: bool) -> None:
        args = inner(event, "args") or event
        made = inner(event, "tool_call_metadata")
        words = text(args, "thought")
        if not is_call:
            self._turn = None
            self._say(number, event, args)
            return
        name = text(made, "tool_call_id") or f"call_{len(self.messages) + 1}"
        self._waiting[named(event, "id") or name] = name
        call = _call_of(made, name) or chat.call(event["action"], _asked(args), name)
        answer = named(inner(made, "model_response"), "id")
        if answer and self._turn is not None and self._turn.answer == answer:
            self._turn.message["tool_calls"].append(call)
            return
        message = chat.assistant(words, [call])
        self._turn = _Turn(answer, message)
        self._add(number, message)

    def _say(self, number: int, event: dict[str, Any], args: dict[str, Any]) -> None:
        """What is only said: by whom, the event tells, or its place and whether it waits for an answer."""
        action = event["action"]
        if action in ("message", "system"):
            words = text(args, "content")
            source = text(event, "source")
            agents = source == "agent" if source else bool(args.get("wait_for_response")) and bool(self.messages)
            role = "system" if action == "system" else "assistant" if agents else "user"
        elif action in ("finish", "think", "reject", "delegate"):
            outputs = text(inner(args, "outputs"), "content", "reason")
            words = text(args, "thought", "final_thought") or outputs or text(event, "message")
            role = "assistant"
        else:
            return
        if words:
            self._add(number, chat.said(role, words))

    def _take_observation(self, number: int, event: dict[str, Any], observed: str) -> None:
        cause = named(event, "cause")
        name = text(inner(event, "tool_call_metadata"), "tool_call_id")
        if cause in self._waiting:
            name = self._waiting.pop(cause)
        elif observed in _SILENT:
            return
        elif not self._numbered and self._waiting:
            name = self._waiting.popitem()[1]
        words = text(event, "content") or text(event, "message")
        self._add(number, chat.result(name, words) if name else chat.said("user", words))


def _observed(event: dict[str, Any]) -> str:
    return text(event, "observation")


def _asked(args: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in args.items() if name not in _NOTES and value is not None}


def _call_of(made: dict[str, Any], name: str) -> dict[str, Any] | None:
    """The call as the model wrote it."""
    for choice in items(inner(made, "model_response"), "choices"):
        for call in chat.calls_of(inner(choice, "message")):
            function = inner(call, "function")
            if call.get("id") == name and isinstance(function.get("name"), str):
                return chat.call(function["name"], function.get("arguments"), name)
    return None


FORMAT = Format(name=_TOOL, says="OpenHands runs (V0), a line each", knows=knows, read=read)
