"""JSON text as values, read so that nothing is guessed and nothing is lost.

Python's own reader takes what no provider does (NaN), keeps the last of two equal keys without a word, and
rounds what does not fit a float. Here each of these is a `TextError` with its offset, or kept as it was spelled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from rejoinder.values.loose import is_array, is_object

# Values nested deeper are no conversation that anybody wrote, and half of all JSON writers refuse them.
LEVELS = 200

_WHITE = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:]|[-0-9][-+.0-9eE]*|NaN|Infinity', re.DOTALL)


class TextError(Exception):
    """What is wrong with a text, at which offset, and what to do. `inside` names the message, where it is known."""

    def __init__(self, offset: int, says: str, todo: str, inside: str = "") -> None:
        super().__init__(says)
        self.offset = offset
        self.says = says
        self.todo = todo
        self.inside = inside


class Exact(float):
    """A number that Python would spell otherwise: `1e400`, `-0`, `1.10`. It remembers its text."""

    text: str

    def __new__(cls, text: str) -> Exact:
        made = super().__new__(cls, text)
        made.text = text
        return made

    def __repr__(self) -> str:
        return self.text


class _OddError(ValueError):
    """Something that JSON's grammar or good sense forbids, found while decoding; it does not know where."""


class _RepeatedError(_OddError):
    pass


class _TooLongError(_OddError):
    pass


class _NoNumberError(_OddError):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RepeatedError
    return found


def _integer(text: str) -> int | Exact:
    if text == "-0":
        return Exact(text)
    try:
        return int(text)
    except ValueError:
        raise _TooLongError(len(text)) from None


def _float(text: str) -> float:
    value = float(text)
    return value if float.__repr__(value) == text else Exact(text)


def _no_number(text: str) -> None:
    raise _NoNumberError(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_int=_integer, parse_float=_float, parse_constant=_no_number)


def skip(text: str, at: int) -> int:
    """The offset of what comes after white space."""
    found = _WHITE.match(text, at)
    return found.end() if found else at


def value_at(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins at an offset, and where it ends."""
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise syntax_fault(text, error.pos, error.msg) from None
    except RecursionError:
        raise _deep_fault(text, at) from None
    except _OddError as odd:
        raise _odd_fault(text, at, odd) from None


def key_at(text: str, at: int) -> tuple[str, int]:
    """The key of an object that begins at an offset, and where its value begins."""
    if text[at : at + 1] != '"':
        raise syntax_fault(text, at, "Expecting property name")
    key, end = value_at(text, at)
    end = skip(text, end)
    if text[end : end + 1] != ":":
        raise syntax_fault(text, end, "Expecting ':' delimiter")
    return key, skip(text, end + 1)


def deeper_than(values: list[Any], levels: int) -> bool:
    """Is anything in the values nested deeper than that many levels?"""
    level = [value for value in values if is_object(value) or is_array(value)]
    while level and levels:
        levels -= 1
        level = [inner for outer in level for inner in _inner(outer) if is_object(inner) or is_array(inner)]
    return bool(level)


def _inner(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if is_object(value) else value


def check_depth(text: str, at: int, values: list[Any]) -> None:
    """Raise a `TextError` where the values, which were read from an offset on, are nested too deep."""
    if deeper_than(values, LEVELS):
        raise _deep_fault(text, at)


# --- what is wrong, and where ----------------------------------------------------------------------------------------


def _deep_fault(text: str, at: int) -> TextError:
    depth, offset = 0, at
    for found in _TOKEN.finditer(text, at):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(found[0], 0)
        offset = found.start()
        if depth > LEVELS:
            break
    return TextError(offset, f"values nested deeper than {LEVELS} levels", "keep such data as a string of JSON text")


def _odd_fault(text: str, at: int, odd: _OddError) -> TextError:
    if isinstance(odd, _RepeatedError):
        return repeated_fault(*_repeated(text, at))
    for found in _TOKEN.finditer(text, at):
        token = found[0]
        if isinstance(odd, _NoNumberError) and token.lstrip("-") in ("NaN", "Infinity", ""):
            return TextError(found.start(), f"{odd} is no JSON number", "write null or a string in its place")
        if isinstance(odd, _TooLongError) and len(token) == odd.args[0] and token[0] in "-123456789":
            return _long_fault(found.start(), odd.args[0])
    return TextError(at, "a number that cannot be read", "write it as a string")


def _long_fault(at: int, digits: int) -> TextError:
    return TextError(at, f"an integer of {digits:,} digits, more than readers take", "write it as a string")


def repeated_fault(at: int, key: str) -> TextError:
    """The fault of a key that stands in one object twice."""
    says = f"the key {json.dumps(key[:80])} occurs twice in one object, and which value is meant cannot be known"
    return TextError(at, says, "take one of the two away")


def _repeated(text: str, at: int) -> tuple[int, str]:
    """Where a key stands for the second time in its object, and the key."""
    seen: list[set[str]] = []
    last: re.Match[str] | None = None
    for found in _TOKEN.finditer(text, at):
        token = found[0]
        if token in ("{", "["):
            seen.append(set())
        elif token in ("}", "]"):
            del seen[-1:]
        elif token == ":" and last and seen:
            key, _ = value_at(text, last.start())
            if key in seen[-1]:
                return last.start(), key
            seen[-1].add(key)
        last = found if token[0] == '"' else None
    return at, ""


def syntax_fault(text: str, at: int, message: str) -> TextError:
    """Python's complaint about a text, in words that say what to do."""
    here = text[at : at + 1]
    if message.startswith("Unterminated string") or skip(text, at) >= len(text):
        return torn_fault(at)
    if message.startswith("Invalid control character"):
        if here == "\n" and skip(text, at) >= len(text):
            return torn_fault(at)
        what = {"\n": "a raw line end", "\t": "a raw tab", "\r": "a raw line end"}.get(here, "a raw control character")
        return TextError(at, f"{what} inside a string", "write it as an escape, as json.dumps does")
    says, todo = _MARKS.get(here, ("", ""))
    if not says:
        wanted = message[0].lower() + message[1:] if message else "a value"
        says, todo = f"not JSON: {wanted}, found {json.dumps(here)}", "mend it by hand, or write it with json.dumps"
    return TextError(at, says, todo)


def torn_fault(at: int) -> TextError:
    """The fault of a text that ends too early."""
    return TextError(
        at, "torn JSON: it ends in the middle of a value", "let its writer finish, or take the torn end away"
    )


_MARKS = {
    "\0": ("NUL bytes, as a crash leaves them in a file", "take them away, or restore the file"),
    "'": ("single quotes: this is Python's repr, not JSON", "write it with json.dumps"),
    "/": ("a comment, which JSON has not", "take it away"),
    "]": ("a `]` where a value was wanted", "take the comma in front of it away, or add what is missing"),
    "}": ("a `}` where a key or a value was wanted", "take the comma in front of it away, or add what is missing"),
}
