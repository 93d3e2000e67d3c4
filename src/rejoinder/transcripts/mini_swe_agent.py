"""mini-swe-agent: the messages as its model saw them, in a document, or (older) a bare list.

A run ends with a message of role `exit`: where the last turn made the call that hands the work in, that message holds
what the command put out, and is its result.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rejoinder.transcripts import chat
from rejoinder.transcripts.conversations import told
from rejoinder.transcripts.fields import inner, items, text, words
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.members import array, objects
from rejoinder.transcripts.transcript import Format, Transcript, parted
from rejoinder.values.loose import is_object

_TOOL = "mini-swe-agent"
_HANDS_IN = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_WORDS = (*_HANDS_IN, "mswea_bash_command", "<returncode>")
_Numbered = tuple[int, dict[str, Any]]


def knows(sample: list[Any]) -> bool:
    """Is it a document that says so, or a list of messages with the words that its commands are told by?"""
    rows = list(objects(sample))
    if any(_is_document(row) for row in rows):
        return True
    texts = [words(row.get("content")) for row in rows if isinstance(row.get("role"), str)]
    return len(texts) == len(rows) and any(word in text for text in texts for word in _WORDS)


def _is_document(row: dict[str, Any]) -> bool:
    made = text(row, "trajectory_format").startswith("mini-swe-agent")
    info = inner(row, "info")
    return made or (bool(array(row, "messages")) and bool(info.keys() & {"mini_version", "exit_status"}))


def read(found: Iterable[Found]) -> Transcript:
    """The conversation of a run."""
    records, oddities = parted(found)
    document = next((record.value for record in records if _is_document(record.value)), None)
    if document is None:
        rows, document = [(record.line, record.value) for record in records], {}
    else:
        rows = [(number, raw) for number, raw in enumerate(array(document, "messages"), 1) if is_object(raw)]
    info = inner(document, "info")
    messages: list[dict[str, Any]] = []
    lines: list[int] = []
    why: dict[int, str] = {}
    for number, raw in rows:
        made = _ended(raw, messages, info, why) if raw.get("role") == "exit" else _messages(raw)
        messages += made
        lines += [number] * len(made)
    config = inner(info, "config")
    return told(
        _TOOL,
        chat.DIALECT,
        messages,
        lines,
        why=why,
        oddities=oddities,
        session=text(document, "instance_id"),
        model=text(inner(config, "model"), "model_name"),
        records=len(records),
    )


def _messages(raw: dict[str, Any]) -> list[dict[str, Any]]:
    """A message; of those that speak the Responses API an answer is a list of items, and a result one of them."""
    if raw.get("type") == "function_call_output":
        return [chat.result(raw.get("call_id"), raw.get("output"))]
    if "role" not in raw and items(raw, "output"):
        given = items(raw, "output")
        answer = "\n".join(words(item.get("content")) for item in given if item.get("type") == "message")
        calls = [item for item in given if item.get("type") == "function_call"]
        made = [chat.call(item.get("name"), item.get("arguments"), item.get("call_id")) for item in calls]
        return [chat.assistant(answer, made)]
    message = chat.plain(raw)
    return [] if message is None else [message]


def _ended(
    raw: dict[str, Any], messages: list[dict[str, Any]], info: dict[str, Any], why: dict[int, str]
) -> list[dict[str, Any]]:
    """What the end of a run says of the calls of the last turn."""
    at = next((at for at in range(len(messages) - 1, -1, -1) if messages[at]["role"] == "assistant"), None)
    answered = {str(message.get("tool_call_id")) for message in messages[at:] if message["role"] == "tool"}
    calls = chat.calls_of(messages[at]) if at is not None else []
    waiting = [call for call in calls if str(call.get("id")) not in answered]
    if at is None or not waiting:
        return []
    status = text(inner(raw, "extra"), "exit_status") or text(info, "exit_status")
    if status.lower() != "submitted":
        why[at] = "errored"
        return []
    why[at] = "interrupted"
    hands_in = (call for call in waiting if any(word in str(call.get("function")) for word in _HANDS_IN))
    chosen = next(hands_in, waiting[-1])
    return [chat.result(chosen.get("id"), raw.get("content"))]


FORMAT = Format(name=_TOOL, says="mini-swe-agent trajectories (.traj.json)", knows=knows, read=read)
