"""A list of messages that bears no tool's mark, in whichever dialect: in one list, a document, or line by line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rejoinder.dialects.detect import detect
from rejoinder.errors import DialectError
from rejoinder.transcripts.conversations import told
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.members import objects
from rejoinder.transcripts.transcript import Format, Transcript, parted

_TOOL = "messages"


def knows(sample: list[Any]) -> bool:
    """Is every record a message, with somebody who says it?"""
    rows = list(objects(sample))
    return bool(rows) and all(isinstance(row.get("role"), str) and bool(row.keys() & _HOLDERS) for row in rows)


_HOLDERS = {"content", "parts", "tool_calls"}


def read(found: Iterable[Found]) -> Transcript:
    """The messages as they are."""
    records, oddities = parted(found)
    messages = [record.value for record in records]
    try:
        dialect = detect(messages).dialect
    except DialectError:
        dialect = "openai-chat"
    lines = [record.line for record in records]
    return told(_TOOL, dialect, messages, lines, unit="line", oddities=oddities, records=len(records))


FORMAT = Format(name=_TOOL, says="messages of an API, without a tool's mark", knows=knows, read=read)
