"""Vercel's AI SDK: UIMessages as they are stored. A call and its result are one part, its state tells its health."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rejoinder.transcripts.fields import inner, items, text, time_of
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.members import array, first_words, named, objects
from rejoinder.transcripts.transcript import Defect, Format, Transcript, in_order, odd_defects, parted
from rejoinder.values.loose import is_array, is_object

_TOOL = "ai-sdk"
_ROLES = frozenset({"user", "assistant", "system", "data"})
# What a part in this state is, if nothing comes behind it; those that have a result are not among them.
_OPEN = {
    "input-streaming": "interrupted",
    "partial-call": "interrupted",
    "input-available": "pending",
    "call": "pending",
    "approval-requested": "paused",
    "approval-responded": "pending",
}


def knows(sample: list[Any]) -> bool:
    """Are there messages with parts that have a type, or with the invocations of older versions?"""
    return any(_is_message(each) for row in objects(sample) for each in (row, *items(row, "messages")[:4]))


def _is_message(row: dict[str, Any]) -> bool:
    if text(row, "role") not in _ROLES:
        return False
    return is_array(row.get("toolInvocations")) or any("type" in part for part in items(row, "parts"))


def read(found: Iterable[Found]) -> Transcript:
    """The conversation of a chat, whether it lies in a document, in a list, or line by line."""
    records, oddities = parted(found)
    chats = [record.value for record in records if is_array(record.value.get("messages"))]
    chat = chats[0] if chats else {}
    if chats:
        rows = [(number, raw) for number, raw in enumerate(array(chat, "messages"), 1) if is_object(raw)]
    else:
        rows = [(record.line, record.value) for record in records]
    rows = [(number, raw) for number, raw in rows if isinstance(raw.get("role"), str)]
    messages = [raw for _, raw in rows]
    return Transcript(
        tool=_TOOL,
        dialect="ai-sdk",
        messages=tuple(messages),
        lines=tuple(number for number, _ in rows),
        session=named(chat, "id", "chatId"),
        title=text(chat, "title") or first_words(messages),
        model=next((name for raw in reversed(messages) if (name := text(inner(raw, "metadata"), "model"))), ""),
        began=_time(messages[:1]),
        ended=_time(messages[-1:]),
        records=len(records),
        defects=in_order([*odd_defects(oddities), *_defects(rows)]),
        oddities=tuple(oddities),
    )


def _time(messages: list[dict[str, Any]]) -> str:
    for raw in messages:
        held = inner(raw, "metadata")
        return time_of(raw.get("createdAt") or held.get("createdAt") or held.get("timestamp"))
    return ""


def _parts(raw: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The tool parts of a message."""
    held = items(raw, "parts")
    for part in held if is_array(raw.get("parts")) else items(raw, "toolInvocations"):
        said = inner(part, "toolInvocation") if part.get("type") == "tool-invocation" else part
        if "toolCallId" in said and "state" in said:
            yield said


def _defects(rows: list[tuple[int, dict[str, Any]]]) -> Iterator[Defect]:
    seen: set[str] = set()
    told: set[str] = set()
    for at, (number, raw) in enumerate(rows):
        for part in _parts(raw):
            name, state = named(part, "toolCallId"), str(part["state"])
            if name in seen and name not in told:
                told.add(name)
                yield _defect("duplicate", number, f"the id {name} is used for several calls", name)
            seen.add(name)
            if state in _OPEN and not (part.get("providerExecuted") and "output" in part):
                yield _defect(_kind(part, state, at == len(rows) - 1), number, f"call {name} has no result", name)


def _kind(part: dict[str, Any], state: str, last: bool) -> str:
    """Why a call is open; who went on did not wait for it."""
    if inner(part, "approval").get("approved") is False:
        return "denied"
    return _OPEN[state] if last else "interrupted"


def _defect(kind: str, number: int, says: str, name: str) -> Defect:
    return Defect(kind=kind, line=number, says=says, ids=(name,) if name else (), unit="message")


FORMAT = Format(name=_TOOL, says="chats of the AI SDK, as UIMessages", knows=knows, read=read)
