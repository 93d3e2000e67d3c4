"""LangChain: messages as `dumpd` or `messages_to_dict` wrote them, in a list, a document or line by line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rejoinder.transcripts import chat
from rejoinder.transcripts.fields import inner, items, text
from rejoinder.transcripts.health import unpaired
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.members import array, first_words, named, objects
from rejoinder.transcripts.transcript import Format, Transcript, in_order, odd_defects, parted
from rejoinder.values.loose import is_array, is_object

_TOOL = "langchain"
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}


def knows(sample: list[Any]) -> bool:
    """Are these messages in one of the two envelopes?"""
    return any(_is_message(each) for row in objects(sample) for each in (row, *items(row, "messages")[:4]))


def _is_message(row: dict[str, Any]) -> bool:
    if row.get("lc") == 1 and row.get("type") == "constructor":
        return "messages" in array(row, "id") or str(array(row, "id")[-1:]).endswith("Message']")
    return text(row, "type") in _ROLES and "content" in inner(row, "data")


def read(found: Iterable[Found]) -> Transcript:
    """The conversation, its messages as they were written."""
    records, oddities = parted(found)
    document = next((record.value for record in records if is_array(record.value.get("messages"))), None)
    if document is not None:
        rows = [(number, raw) for number, raw in enumerate(array(document, "messages"), 1) if is_object(raw)]
    else:
        rows = [(record.line, record.value) for record in records]
    rows = [(number, raw) for number, raw in rows if _is_message(raw)]
    lines = [number for number, _ in rows]
    held = [_in_common(raw) for _, raw in rows]
    made = [inner(_members(raw), "response_metadata") for _, raw in reversed(rows)]
    return Transcript(
        tool=_TOOL,
        dialect="langchain",
        messages=tuple(raw for _, raw in rows),
        lines=tuple(lines),
        title=first_words(held),
        model=next((name for each in made if (name := text(each, "model_name", "model"))), ""),
        records=len(records),
        defects=in_order([*odd_defects(oddities), *unpaired(held, lines, chat.DIALECT)]),
        oddities=tuple(oddities),
    )


def _members(raw: dict[str, Any]) -> dict[str, Any]:
    return inner(raw, "kwargs") or inner(raw, "data")


def _kind(raw: dict[str, Any]) -> str:
    """What type of message it is: itself, or its class, says so."""
    kind = text(_members(raw), "type") if "kwargs" in raw else text(raw, "type")
    path = array(raw, "id")
    named_class = str(path[-1]) if path else ""
    return kind or named_class.removesuffix("Chunk").removesuffix("Message").lower()


def _in_common(raw: dict[str, Any]) -> dict[str, Any]:
    """The message in common terms, to see which result answers which call. Content only repeats the calls."""
    held = _members(raw)
    kind = _kind(raw).removesuffix("MessageChunk").lower()
    role = _ROLES.get(kind, "user")
    if role == "tool":
        return chat.result(held.get("tool_call_id"), "")
    broken = [each for each in items(held, "invalid_tool_calls") if named(each, "id")]
    calls = [chat.call(each.get("name"), each.get("args"), each.get("id")) for each in items(held, "tool_calls")]
    calls += [chat.call(each.get("name"), each.get("args"), each.get("id")) for each in broken]
    if role == "assistant":
        return chat.assistant("", calls)
    return chat.said(role, held.get("content"))


FORMAT = Format(name=_TOOL, says="LangChain messages as they are dumped", knows=knows, read=read)
