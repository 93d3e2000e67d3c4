"""The forms a conversation comes in: a JSON array, a request body, JSON Lines of messages, or of conversations.

Each message remembers where its text stands, so that what a repair leaves alone is written back letter for letter.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from rejoinder.edge import json_text
from rejoinder.edge.json_text import TextError, key_at, skip, syntax_fault, value_at
from rejoinder.errors import PayloadError
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.payload import HOLDERS, holder_of

Form = Literal["array", "body", "message lines", "conversation lines"]
Extent = tuple[int, int]
# What a message without a role has besides its type, in the dialects where that is enough.
_TYPED = frozenset({"content", "data", "kwargs", "call_id", "output", "summary", "encrypted_content"})


@dataclass(frozen=True, slots=True)
class Document:
    """One conversation of a file: its payload, its extent, and those of its messages and its fields."""

    payload: Any
    extent: Extent
    messages: tuple[Extent, ...]
    room: Extent
    fields: dict[str, Extent] = field(default_factory=dict[str, Extent])


@dataclass(frozen=True)
class History:
    """What was read from a file. `faults` are the lines of conversations that could not be read."""

    name: str
    text: str
    form: Form
    documents: tuple[Document, ...]
    faults: tuple[TextError, ...] = ()

    @cached_property
    def _line_ends(self) -> list[int]:
        return [found.start() for found in re.finditer("\n", self.text)]

    @cached_property
    def is_escaped(self) -> bool:
        """Are all letters beyond ASCII written as escapes?"""
        return self.text.isascii() and "\\u" in self.text

    def line(self, offset: int) -> int:
        """The number of the line of an offset, from 1."""
        return bisect_left(self._line_ends, offset) + 1

    def column(self, offset: int) -> int:
        """The column of an offset, from 1, counted in characters."""
        return offset - self.text.rfind("\n", 0, offset)

    def line_of(self, document: Document, message: int) -> int:
        """The line where a message begins; that of the document where there is no such message."""
        known = 0 <= message < len(document.messages)
        return self.line(document.messages[message][0] if known else document.extent[0])

    def told(self, fault: TextError) -> str:
        """A fault as one line: where, what, what to do."""
        inside = f"{fault.inside}: " if fault.inside else ""
        where = f"{self.name}:{self.line(fault.offset)}:{self.column(fault.offset)}"
        return f"{where}: {inside}{fault.says}; {fault.todo}"


def read(name: str, text: str) -> History:
    """The conversations in a text. What cannot be read at all is a `PayloadError` of one line."""
    try:
        return _read(name, text)
    except TextError as fault:
        raise PayloadError(History(name, text, "array", ()).told(fault)) from None


def _read(name: str, text: str) -> History:
    start = skip(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        raise TextError(0, "empty: there is nothing in it", "give it a JSON list of messages, or a request body")
    try:
        first = _document(text, start)
    except TextError:
        if not _is_first_of_many(text):
            raise
        return _read_lines(name, text)
    rest = skip(text, first.extent[1])
    if rest == len(text):
        json_text.check_depth(text, start, [first.payload])
        return History(name, text, _form_of(text, first), (first,))
    if "\n" not in text[first.extent[1] : rest] or "\n" in text[start : first.extent[1]]:
        raise _behind(text, rest, first)
    return _read_lines(name, text)


def _form_of(text: str, only: Document) -> Form:
    if text[only.extent[0]] == "[":
        return "array"
    return "body" if only.fields else "message lines"


def _is_first_of_many(text: str) -> bool:
    """Does the second line hold a value of its own? Then these are JSON Lines, whatever is wrong with the first."""
    lines = _lines(text)
    try:
        return len(lines) > 1 and bool(_line(text, *lines[1]))
    except TextError:
        return False


def _behind(text: str, at: int, first: Document) -> TextError:
    if text[at] in "{[":
        return TextError(at, "a second value behind the first", "JSON Lines have each value on one line of its own")
    if text[at] == "\0":
        return syntax_fault(text, at, "")
    kind = "list" if is_array(first.payload) else "object"
    return TextError(at, f"something stands behind the end of the {kind}", "take it away")


def _document(text: str, at: int) -> Document:
    """The conversation that begins at an offset. A message that stands alone is a list of one."""
    mark = text[at]
    if mark == "[":
        payload, spans, end = _messages(text, at)
        return Document(payload, (at, end), spans, (at + 1, end - 1))
    if mark != "{":
        value, _ = value_at(text, at)
        raise TextError(
            at, f"this is {_kind(value)}, not a conversation", "give it a JSON list of messages, or a request body"
        )
    return _object(text, at)


def _object(text: str, at: int) -> Document:
    body: dict[str, Any] = {}
    fields: dict[str, Extent] = {}
    spans: dict[str, tuple[Extent, ...]] = {}
    end = skip(text, at + 1)
    while text[end : end + 1] != "}" or body:
        begin = end
        key, end = key_at(text, end)
        if key in body:
            raise json_text.repeated_fault(begin, key)
        if key in HOLDERS and text[end : end + 1] == "[":
            begin = end
            body[key], spans[key], end = _messages(text, end, key)
        else:
            begin = end
            body[key], end = value_at(text, end)
        fields[key] = (begin, end)
        end = skip(text, end)
        if text[end : end + 1] == "}":
            break
        end = skip(text, _comma(text, end))
    return _told_apart(at, end + 1, body, fields, spans)


def _told_apart(
    at: int, end: int, body: dict[str, Any], fields: dict[str, Extent], spans: dict[str, tuple[Extent, ...]]
) -> Document:
    """A request body, or one message."""
    holder = holder_of(body)
    if holder in spans:
        begin, stop = fields[holder]
        return Document(body, (at, end), spans[holder], (begin + 1, stop - 1), fields)
    if holder == "input" and holder in body:
        return Document(body, (at, end), (), fields[holder], fields)
    if holder in body:
        raise TextError(fields[holder][0], f"`{holder}` is {_kind(body[holder])}", "make it a list of messages")
    if "role" in body or ("type" in body and not _TYPED.isdisjoint(body)):
        return Document([body], (at, end), ((at, end),), (at, end))
    keys = ", ".join(list(body)[:6])[:120] or "none"
    todo = "give it a list of messages, a request body with `messages`, or one message on each line"
    if is_object(body.get("message")):
        todo = "if these are the rows of an agent's session, take the messages out of them: jq -c .message FILE"
    raise TextError(at, f"an object without `messages` and without `role` (its keys: {keys})", todo)


def _messages(text: str, at: int, holder: str = "messages") -> tuple[list[Any], tuple[Extent, ...], int]:
    """The messages of the list that begins at an offset, their extents, and where the list ends."""
    values: list[Any] = []
    spans: list[Extent] = []
    end = skip(text, at + 1)
    if text[end : end + 1] == "]":
        return values, (), end + 1
    try:
        while True:
            value, stop = value_at(text, end)
            if not is_object(value):
                raise _no_message(end, value)
            values.append(value)
            spans.append((end, stop))
            end = skip(text, stop)
            if text[end : end + 1] == "]":
                break
            end = skip(text, _comma(text, end))
        json_text.check_depth(text, at, values)
    except TextError as fault:
        fault.inside = fault.inside or f"{holder}[{len(values)}]"
        raise
    return values, tuple(spans), end + 1


def _comma(text: str, at: int) -> int:
    """The offset behind the comma that has to stand at an offset."""
    if text[at : at + 1] != ",":
        raise syntax_fault(text, at, "Expecting ',' delimiter")
    return at + 1


def _no_message(at: int, value: Any) -> TextError:
    if is_array(value):
        return TextError(at, "this is an array, not a message", "put each conversation on a line of its own")
    return TextError(at, f"this is {_kind(value)}, not a message", "a message is an object with a role and content")


def _kind(value: object) -> str:
    """What JSON calls a value, with its article."""
    if value is None or isinstance(value, bool | str):
        return "null" if value is None else "a string" if isinstance(value, str) else "a boolean"
    return "an object" if is_object(value) else "an array" if is_array(value) else "a number"


# --- JSON Lines ------------------------------------------------------------------------------------------------------


def _read_lines(name: str, text: str) -> History:
    """A line a message, or a line a conversation; the first line that can be read says which."""
    lines = _lines(text)
    for extent in lines[:2]:
        try:
            document = _line(text, *extent)
        except TextError:
            continue
        if _holds_many(text, document):
            return _conversation_lines(name, text, lines)
        break
    return _message_lines(name, text, lines)


def _holds_many(text: str, document: Document) -> bool:
    return bool(document.fields) or text[document.extent[0]] == "["


def _message_lines(name: str, text: str, lines: list[Extent]) -> History:
    """Lines that are one conversation together: without one of them it cannot be read."""
    values: list[Any] = []
    spans: list[Extent] = []
    for begin, stop in lines:
        try:
            document = _line(text, begin, stop)
            if _holds_many(text, document):
                raise TextError(begin, "a conversation among messages", "give it lines of one kind")
        except TextError as fault:
            fault.inside = fault.inside or f"messages[{len(values)}]"
            raise
        values += document.payload
        spans.append(document.extent)
    json_text.check_depth(text, 0, values)
    room = (spans[0][0], spans[-1][1])
    return History(name, text, "message lines", (Document(values, room, tuple(spans), room),))


def _conversation_lines(name: str, text: str, lines: list[Extent]) -> History:
    """Lines that stand for themselves: one that cannot be read takes nothing away from the others."""
    documents: list[Document] = []
    faults: list[TextError] = []
    for begin, stop in lines:
        try:
            document = _line(text, begin, stop)
            if not _holds_many(text, document):
                raise TextError(begin, "a message among conversations", "give it lines of one kind")
            json_text.check_depth(text, begin, [document.payload])
            documents.append(document)
        except TextError as fault:
            faults.append(fault)
    return History(name, text, "conversation lines", tuple(documents), tuple(faults))


def _lines(text: str) -> list[Extent]:
    """The lines that are not blank, without the white space around them. Only LF ends a line."""
    lines: list[Extent] = []
    begin = 1 if text.startswith("\ufeff") else 0
    while begin < len(text):
        stop = text.find("\n", begin)
        stop = len(text) if stop < 0 else stop
        start = skip(text, begin)
        if start < stop:
            lines.append((start, stop))
        begin = stop + 1
    return lines


def _line(text: str, begin: int, stop: int) -> Document:
    """The document that fills one line."""
    try:
        document = _document(text, begin)
    except TextError as fault:
        if fault.offset >= stop and stop < len(text):
            raise json_text.torn_fault(stop) from None
        raise
    end = document.extent[1]
    if end > stop:
        raise TextError(begin, "a value that goes on over the next line", "JSON Lines have each value on one line")
    rest = skip(text, end)
    if rest < stop:
        raise _behind(text, rest, document)
    return document
