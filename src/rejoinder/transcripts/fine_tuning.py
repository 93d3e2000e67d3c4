"""Fine-tuning data as OpenAI takes it: `{"messages": [...], "tools"?, "parallel_tool_calls"?}`, one a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rejoinder.transcripts import chat
from rejoinder.transcripts.conversations import several, told
from rejoinder.transcripts.fields import items, text
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.members import array, named, objects
from rejoinder.transcripts.transcript import Defect, Format, Transcript
from rejoinder.values.loose import is_object

_TOOL = "openai-fine-tuning"


def knows(sample: list[Any]) -> bool:
    """Does a record hold a list of chat messages?"""
    return any(_is_chat(row) for row in objects(sample))


def _is_chat(row: dict[str, Any]) -> bool:
    messages = array(row, "messages")
    return bool(messages) and all(is_object(each) and isinstance(each.get("role"), str) for each in messages)


def read(found: Iterable[Found]) -> Iterator[Transcript]:
    """A conversation for each record."""
    return several(found, _conversation, Transcript(tool=_TOOL, dialect=chat.DIALECT, messages=()))


def _conversation(row: dict[str, Any], line: int) -> Iterator[Transcript]:
    messages: list[Any] = []
    lines: list[int] = []
    defects: list[Defect] = []
    for number, raw in enumerate(array(row, "messages"), 1):
        if is_object(raw) and isinstance(raw.get("role"), str):
            # `weight` says whether a turn is learned from: no part of what was said.
            messages.append({name: value for name, value in raw.items() if name != "weight"})
            lines.append(number)
        else:
            defects.append(Defect(kind="unreadable", line=number, says="an item that is no message", unit="message"))
    if items(row, "messages"):
        session = named(row, "id") or str(line)
        model = text(row, "model")
        yield told(_TOOL, chat.DIALECT, messages, lines, defects=defects, session=session, model=model, records=1)


FORMAT = Format(
    name=_TOOL,
    says="fine-tuning data of OpenAI's form, a conversation a line",
    knows=knows,
    read=read,
)
