"""Where what was put in between may stand: never between a call and its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rejoinder.dialects.detect import detect, find_dialect
from rejoinder.errors import DialectError
from rejoinder.values.view import View


def settled(messages: list[Any], inserted: Sequence[bool], dialect: str | None = None) -> list[Any]:
    """The messages, with those that were put between a call and its result moved right behind the result.

    `inserted` says of each message whether it was put there. The order of all others, and that among the moved ones,
    stays as it is.
    """
    if not any(inserted):
        return messages
    closes = _closes(messages, dialect)
    made: list[Any] = []
    waiting: list[Any] = []
    until = -1
    for index, message in enumerate(messages):
        opens = closes.get(index)
        if inserted[index] and index < until and opens is None:
            waiting.append(message)
            continue
        made.append(message)
        until = max(until, opens or -1)
        if index >= until:
            made += waiting
            waiting.clear()
    return made + waiting


def _closes(messages: list[Any], dialect: str | None) -> dict[int, int]:
    """For each message with answered calls, and each with a result, where the last result of its calls stands."""
    reader = find_dialect(dialect or _dialect_of(messages))
    view = View(reader.decode(messages), reader.layout)
    closes: dict[int, int] = {}
    for call in view.pairing.calls:
        if call.result is not None:
            begins, ends = call.place.message, call.result.place.message
            closes[begins] = max(closes.get(begins, ends), ends)
            closes.setdefault(ends, ends)
    return closes


def _dialect_of(messages: list[Any]) -> str:
    try:
        return detect(messages).dialect
    except DialectError:
        return "openai-chat"
