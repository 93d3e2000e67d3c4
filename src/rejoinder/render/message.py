"""A message in view: who speaks, and one line for each of its parts."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from rejoinder.dialects.detect import find_dialect
from rejoinder.values.conversation import Message
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Media, Opaque, Part, Refusal, Text, Thinking, ToolCall, ToolResult
from rejoinder.values.place import SYSTEM


class Portrait(NamedTuple):
    """A message as it is shown: its role, and for each part what it is and what it says."""

    role: str
    parts: tuple[tuple[str, str], ...]


def portrait(dialect: str, raw: Any) -> Portrait:
    """A message as it is shown, read as its dialect reads it."""
    return _of(find_dialect(dialect).decode([raw]).message(0))


def head(dialect: str, payload: Any, index: int) -> Portrait | None:
    """The system text (-1) or the tool declarations (-2) of a body."""
    if not is_object(payload):
        return None
    decoded = find_dialect(dialect).decode({**payload, "messages": []})
    message = decoded.system if index == SYSTEM else decoded.tools
    return _of(message) if message else None


def _of(message: Message) -> Portrait:
    parts = [_part(part) for part in message.parts]
    if not parts:
        odd = next((quirk.partition(":")[2] for quirk in message.quirks if quirk.startswith("content:")), "empty")
        parts = [("content", f"({odd})")]
    return Portrait(message.role or "(no role)", tuple(parts))


def _part(part: Part) -> tuple[str, str]:
    match part:
        case Text():
            return "text", part.text if part.text.strip() else json.dumps(part.text)
        case Thinking():
            words = "(redacted)" if part.redacted else part.text
            return "thinking", f"{words} (signed)" if part.signature else words
        case ToolCall():
            return "tool call", f"{_word(part.id)} {_word(part.name)} {_words(part.arguments)}"
        case ToolResult():
            mark = "(error) " if part.error else ""
            return "result", f"{_word(part.call_id)} {mark}{' '.join(_inner(inner) for inner in part.parts)}"
        case Media():
            return part.kind, _media(part)
        case Refusal():
            return "refusal", part.text
        case Opaque():
            return part.kind or "block", _words(part.source)
        case _:
            return "part", _words(part.source)


def _inner(part: Part) -> str:
    return part.text if isinstance(part, Text) else f"[{_part(part)[0]}]"


def _media(part: Media) -> str:
    # The fields are as they were read: where strings belong, anything may stand.
    if part.url is not None:
        return _words(part.url)
    size = "(elsewhere)" if part.data is None else f"{len(_words(part.data)):,} letters inline"
    return f"{_words(part.media_type)} {size}" if part.media_type else size


def _word(value: Any) -> str:
    """An id or a name; what is none is shown as JSON."""
    return value if isinstance(value, str) and value else _words(value) if value != "" else '""'


def _words(value: Any) -> str:
    """A value as it would be written; a text as it is."""
    return value if isinstance(value, str) else compact(value)


def compact(value: Any) -> str:
    """A value as JSON on one line, for a reader's eyes."""
    return json.dumps(value, ensure_ascii=False, default=str)
