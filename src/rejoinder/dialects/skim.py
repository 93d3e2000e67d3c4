"""Histories that are nothing but words, calls and their results: what two dialects can exchange without values.

A dialect that skims gives such a history as plain tuples, or says "not sure"; one that pours writes the tuples
as its messages, or says "not sure" of what its API might refuse. Where both are sure, what was written can be
encoded, and its ends hold, nothing is lost and nothing has to be mended: a law holds them to what the thorough way
gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from rejoinder.rules.tool_arguments import parsed

# id, name, arguments (text, or the object).
PlainCall = tuple[str, str, Any]
# The index of the message it begins with, the user's words, or None and what the assistant said, its calls, and the
# id and text of each result.
Unit = tuple[int, str | None, str | None, list[PlainCall], list[tuple[str, str]]]

NO_CALLS: list[PlainCall] = []
NO_RESULTS: list[tuple[str, str]] = []


class Skimmed(msgspec.Struct, frozen=True):
    """A plain history: the system text in front, and then who said and did what."""

    head: str | None
    units: list[Unit]


class Poured(msgspec.Struct, frozen=True):
    """A history as messages, and for each of them the index of the first it was made of."""

    messages: list[Any]
    origins: list[int]

    def encoded(self) -> bytes | None:
        """The messages as JSON; None where a text in them cannot be written as UTF-8."""
        try:
            return _write(self.messages)
        except (UnicodeEncodeError, RecursionError, TypeError):
            return None


Skim = Callable[[Any], Skimmed | None]
Pour = Callable[[Skimmed], Poured | None]

_read = msgspec.json.Decoder(dict[str, Any]).decode
_write = msgspec.json.Encoder().encode
_compact = msgspec.json.format


def arguments_object(text: str) -> dict[str, Any]:
    """Arguments as an object; what is none, or says a key twice, as the thorough way has it.

    Of a key that occurs twice, reading keeps one: then what is written again is not all that was there.
    """
    try:
        found = _read(text)
        if _says_once(text, found) or _write(found) == _compact(text, indent=-1).encode():
            return found
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        pass
    return parsed(text)


def _says_once(text: str, found: dict[str, Any]) -> bool:
    """Are there surely no more keys in the text than were read? Each key, and each text, has two quotes.

    What is nested is not looked into; nor is a text with an escaped backslash, behind which a quote is one or none.
    """
    escapes = "\\" in text
    if escapes and "\\\\" in text:
        return False
    quoted = len(found)
    for value in found.values():
        kind = value.__class__
        if kind is str:
            quoted += 1
        elif kind is not int and kind is not bool and value is not None:
            return False
    return text.count('"') - (text.count('\\"') if escapes else 0) == 2 * quoted
