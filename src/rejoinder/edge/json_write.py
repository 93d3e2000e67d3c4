"""JSON written in the manner of the text around it, and a history written back with only its repairs in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from json.encoder import encode_basestring, encode_basestring_ascii  # pyright: ignore[reportUnknownVariableType]
from typing import Any

from rejoinder.edge.documents import Document, Extent, History
from rejoinder.edge.json_text import Exact
from rejoinder.render.terminal import UNSEEN
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.payload import holder_of, messages_of

_HALVES = re.compile("[\ud800-\udfff]")
_INDENT = re.compile(r"\n([ \t]*)")
# Structure is looked for in a bounded stretch: a style shows at once.
_SAMPLE = 4000


@dataclass(frozen=True, slots=True)
class Style:
    """How a JSON text is laid out. Without an indent, everything stands on one line."""

    indent: str = ""
    comma: str = ", "
    colon: str = ": "
    ascii: bool = False


LINE = Style()
PAGE = Style(indent="  ")


def written(value: Any, style: Style = LINE, margin: str = "") -> str:
    """A value as JSON text. `margin` is the indentation of the line on which it begins."""
    if isinstance(value, str):
        return _string(value, style)
    if is_object(value):
        inner = margin + style.indent
        pairs = [f"{_string(key, style)}{style.colon}{written(item, style, inner)}" for key, item in value.items()]
        return _between("{}", pairs, style, margin)
    if is_array(value) or isinstance(value, tuple | frozenset):
        items: list[Any] = list(value)  # pyright: ignore[reportUnknownArgumentType]
        return _between("[]", [written(item, style, margin + style.indent) for item in items], style, margin)
    return _plain(value)


def _plain(value: object) -> str:
    words = {None: "null", True: "true", False: "false"}
    if value is None or isinstance(value, bool):
        return words[value]
    if isinstance(value, Exact):
        return value.text
    if isinstance(value, int):
        return int.__repr__(value)
    return float.__repr__(value) if isinstance(value, float) else encode_basestring(str(value))


def _string(text: str, style: Style) -> str:
    quoted: str = encode_basestring_ascii(text) if style.ascii else encode_basestring(text)
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", quoted)


def _between(marks: str, items: list[str], style: Style, margin: str) -> str:
    if not items:
        return marks
    if not style.indent:
        return marks[0] + style.comma.join(items) + marks[1]
    line = "\n" + margin + style.indent
    return marks[0] + line + ("," + line).join(items) + "\n" + margin + marks[1]


def harmless(text: str) -> str:
    """JSON text for a terminal: what it would obey or hide is escaped, so the values stay what they are.

    White space between values stays too: inside a string JSON has no raw line end.
    """
    return UNSEEN.sub(lambda found: found[0] if found[0] in "\n\t\r" else _escape(found[0]), text)


def _escape(character: str) -> str:
    """A character as JSON's escape; beyond U+FFFF that is a pair."""
    if character < "\U00010000":
        return f"\\u{ord(character):04x}"
    code = ord(character) - 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


# --- writing back ----------------------------------------------------------------------------------------------------


def written_back(history: History, payloads: list[Any]) -> str:
    """The text of a history, with new payloads for its documents. What is the same object keeps its very letters."""
    pieces: list[str] = []
    done = 0
    for document, payload in zip(history.documents, payloads, strict=True):
        begin, stop = document.extent
        pieces += [history.text[done:begin], _document(history, document, payload)]
        done = stop
    return "".join((*pieces, history.text[done:]))


def _document(history: History, document: Document, payload: Any) -> str:
    text = history.text
    begin, stop = document.extent
    if payload is document.payload:
        return text[begin:stop]
    style = _style_of(history, document)
    if is_array(payload):
        changes = [(document.room, _list(text, document, payload, style))]
    elif document.payload.keys() <= payload.keys():
        changes = _fields(text, document, payload, style)
    else:
        return written(payload, style, _margin(text, begin))
    pieces: list[str] = []
    for (start, end), new in sorted(changes):
        pieces += [text[begin:start], new]
        begin = end
    return "".join((*pieces, text[begin:stop]))


def _fields(text: str, document: Document, body: dict[str, Any], style: Style) -> list[tuple[Extent, str]]:
    """The fields of a body that are not as they were, and the new ones behind the last."""
    changes: list[tuple[Extent, str]] = []
    last = max(document.fields.values(), key=lambda extent: extent[1])[1]
    inner = _margin(text, document.messages[0][0]) if document.messages else ""
    margin = _margin(text, document.extent[0]) + style.indent
    for key, value in body.items():
        if key not in document.fields:
            gap = f",\n{margin}" if style.indent else style.comma
            changes.append(((last, last), f"{gap}{_string(key, style)}{style.colon}{written(value, style, margin)}"))
        elif value is not document.payload[key]:
            if key == holder_of(body) and document.messages:
                changes.append((document.room, _list(text, document, value, style, inner)))
            else:
                changes.append((document.fields[key], written(value, style, margin)))
    return changes


def _list(text: str, document: Document, messages: list[Any], style: Style, margin: str | None = None) -> str:
    """The messages with what stands between them; those that are the very objects of the document keep their text."""
    spans = list(document.messages)
    if not spans or not messages:
        return style.comma.join(written(message, style) for message in messages)
    margin = _margin(text, spans[0][0]) if margin is None else margin
    old = messages_of(document.payload)
    where = {id(message): index for index, message in enumerate(old)}
    usual = _gap(text, document)
    pieces = [text[document.room[0] : spans[0][0]]]
    previous = -1
    for number, message in enumerate(messages):
        index = where.get(id(message), -2)
        if number:
            neighbours = index == previous + 1 and index > 0
            pieces.append(text[spans[index - 1][1] : spans[index][0]] if neighbours else usual)
        kept = spans[index] if index >= 0 else None
        pieces.append(text[kept[0] : kept[1]] if kept is not None else written(message, style, margin))
        previous = index
    return "".join((*pieces, text[spans[-1][1] : document.room[1]]))


def _gap(text: str, document: Document) -> str:
    """What stands between two messages."""
    spans = document.messages
    if len(spans) > 1:
        return text[spans[0][1] : spans[1][0]]
    if document.room == document.extent:
        return "\n"
    return "," + (text[document.room[0] : min(spans)[0]] or " ")


def _margin(text: str, at: int) -> str:
    """The indentation of the line on which an offset is."""
    begin = text.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(text, begin, at)
    return found[0] if found else ""


def _style_of(history: History, document: Document) -> Style:
    """The manner in which the messages of a document are written; without any, that of the document."""
    text = history.text
    begin, stop = document.messages[0] if document.messages else document.extent
    sample = text[begin : min(stop, begin + _SAMPLE)]
    line = _INDENT.search(sample)
    indent = ""
    if line:
        indent = line[1].removeprefix(_margin(text, begin)) or "  "
    colon = ": " if '": ' in sample or '":' not in sample else ":"
    comma = ", " if re.search(r'["\d}\]], ', sample) or not re.search(r'["\d}\]],["{\[\d]', sample) else ","
    return Style(indent, comma, colon, history.is_escaped)
