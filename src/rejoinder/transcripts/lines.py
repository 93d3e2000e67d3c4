"""One line of a session file as records: read as it is, else mended or set aside, and what was odd about it told.

Bytes in, strict UTF-8, one object a record. Nothing good is thrown away for a bad neighbour: records that were glued
to one line are taken apart, and one that follows a torn piece is found by the only mark that cannot deceive: it begins
where `{"` opens a text that parses to the end of the line (inside a string `{"` would be escaped, and what begins
inside another record has closers left over).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from rejoinder.values.loose import is_object, kind_of

# tail: a torn end is expected, everything else is mended where that is sure. strict: whatever is odd is an error.
# salvage: also looks for whole records behind a torn piece.
Mode = Literal["tail", "strict", "salvage"]
MODES: tuple[Mode, ...] = ("tail", "strict", "salvage")


class Oddity(msgspec.Struct, frozen=True, kw_only=True):
    """Something odd about a line: what, where, how long it is, and what was done about it."""

    kind: str
    line: int
    offset: int
    length: int
    done: str
    # Whether a record may have been lost with it.
    loses: bool = True

    def __str__(self) -> str:
        return f"line {self.line}, byte {self.offset}, {self.length} bytes: {self.kind}; {self.done}"

    def as_dict(self) -> dict[str, Any]:
        """The oddity as plain data, for JSON."""
        return msgspec.structs.asdict(self)


class Record(msgspec.Struct, frozen=True):
    """One record, with the bytes it was read from and where they stand."""

    value: dict[str, Any]
    raw: bytes
    line: int
    offset: int


Found = Record | Oddity

_BOM = b"\xef\xbb\xbf"
_DECODE = msgspec.json.Decoder().decode
# How a record may begin, and its first key. It is looked at and not consumed: what a tear left open may swallow it.
_START = re.compile(r'\{(?=\s*("[^"\\]{0,128}"))')
_WHITE = re.compile(r"[ \t\r\n]*")
# An escape that JSON knows, or one that it does not: only the latter is a group.
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|(.))', re.DOTALL)
_NULS = re.compile(rb"\x00+")
# How often a line is read again, in times its length and in tries, before what is left of it is given up.
_TIMES, _TRIES = 16, 2_000


class _NoNumberError(ValueError):
    pass


def _no_number(_name: str) -> Any:
    raise _NoNumberError


_READER = json.JSONDecoder(parse_constant=_no_number)


def read_line(raw: bytes, line: int, offset: int, *, mode: Mode = "tail", last: bool = False) -> Iterator[Found]:
    """The records of a line without its line feed, in order, and what is odd about it.

    `last` says that no line feed followed: then what cannot be read is the torn end of a record.
    """
    try:
        value = _DECODE(raw)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        yield from _odd_line(raw, line, offset, mode, last)
        return
    if is_object(value):
        yield Record(value, raw, line, offset)
    else:
        yield Oddity(kind=f"{kind_of(value)}, no record", line=line, offset=offset, length=len(raw), done="set aside")


def _odd_line(raw: bytes, line: int, offset: int, mode: Mode, last: bool) -> Iterator[Found]:
    """A line that is not plainly one record."""
    if not raw.strip(b" \t\r\0"):
        if raw.strip(b" \t\r"):
            yield Oddity(kind="NUL bytes", line=line, offset=offset, length=len(raw), done="passed over")
        elif line > 1 or raw:
            yield Oddity(kind="empty line", line=line, offset=offset, length=len(raw), done="passed over", loses=False)
        return
    if raw.startswith(_BOM):
        yield Oddity(kind="byte order mark", line=line, offset=offset, length=3, done="passed over", loses=False)
        yield from read_line(raw[3:], line, offset + 3, mode=mode, last=last)
        return
    if b"\0" in raw:
        yield from _around_nuls(raw, line, offset, mode, last)
        return
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        says = f"byte 0x{raw[error.start]:02x} at {offset + error.start} is not UTF-8"
        yield Oddity(kind=says, line=line, offset=offset, length=len(raw), done="set aside")
        return
    yield from _pieces(_Piece(text, raw, line, offset), mode, last)


def _around_nuls(raw: bytes, line: int, offset: int, mode: Mode, last: bool) -> Iterator[Found]:
    """A hole that a power cut left: what stands on both sides of it is read by itself."""
    start = 0
    for hole in (*_NULS.finditer(raw), None):
        stop = hole.start() if hole else len(raw)
        if stop > start:
            yield from read_line(raw[start:stop], line, offset + start, mode=mode, last=last and hole is None)
        if hole:
            length = hole.end() - hole.start()
            yield Oddity(kind="NUL bytes", line=line, offset=offset + stop, length=length, done="passed over")
            start = hole.end()


class _Piece:
    """The text of a line, and where each of its characters stands in the file."""

    __slots__ = ("_ascii", "line", "offset", "raw", "text")

    def __init__(self, text: str, raw: bytes, line: int, offset: int) -> None:
        self.text = text
        self.raw = raw
        self.line = line
        self.offset = offset
        self._ascii = len(text) == len(raw)

    def byte(self, index: int) -> int:
        """How many bytes stand in front of a character."""
        return index if self._ascii else len(self.text[:index].encode())

    def record(self, value: dict[str, Any], start: int, stop: int) -> Record:
        """A record between two characters."""
        first, end = self.byte(start), self.byte(stop)
        return Record(value, self.raw[first:end], self.line, self.offset + first)

    def odd(self, kind: str, start: int, stop: int, done: str, *, loses: bool = True) -> Oddity:
        """An oddity between two characters."""
        first, end = self.byte(start), self.byte(stop)
        return Oddity(kind=kind, line=self.line, offset=self.offset + first, length=end - first, done=done, loses=loses)


def _pieces(piece: _Piece, mode: Mode, last: bool) -> Iterator[Found]:
    """The records of a line that stand one behind the other, and what lies about between them."""
    text, at, found = piece.text, 0, 0
    while (at := _after_white(text, at)) < len(text):
        value, stop = _value(text, at)
        if is_object(value):
            if found == 1:
                yield piece.odd("records glued to one line", 0, len(text), "taken apart", loses=False)
            found += 1
            if _is_surrogate(value):
                yield piece.odd("lone surrogate", at, stop, "kept as it is", loses=False)
            yield piece.record(value, at, stop)
            at = stop
            continue
        yield from _rest(piece, at, mode, last, found > 0)
        return


def _rest(piece: _Piece, at: int, mode: Mode, last: bool, glued: bool) -> Iterator[Found]:
    """What cannot be read from here on: mended, if only its escapes are broken; else searched, and set aside."""
    text = piece.text
    mended = _escapes_mended(text, at)
    if mended is not None:
        yield piece.odd("broken escape", at, len(text), "its backslash taken away", loses=False)
        yield piece.record(mended, at, len(text))
        return
    start, value = _record_behind(text, at) if mode == "salvage" or not last else (len(text), None)
    kind = "torn record" if last or value is not None else "unreadable"
    yield piece.odd(kind, at, start, "set aside")
    if value is not None:
        if not glued:
            yield piece.odd("records glued to one line", 0, len(text), "taken apart", loses=False)
        yield piece.record(value, start, len(text.rstrip()))


def _after_white(text: str, at: int) -> int:
    found = _WHITE.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins here, and where it ends; None where there is none."""
    try:
        return _READER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at


def _is_surrogate(value: dict[str, Any]) -> bool:
    try:
        msgspec.json.encode(value)
    except (UnicodeEncodeError, msgspec.MsgspecError):
        return True
    except (TypeError, ValueError, RecursionError, OverflowError):
        return False
    return False


def _escapes_mended(text: str, at: int) -> dict[str, Any] | None:
    r"""The record without the backslashes of escapes that JSON does not have (`\x`); None if that is not all."""
    if text.find("\\", at) < 0:
        return None
    changed = _ESCAPE.sub(lambda found: found.group(0) if found.group(1) is None else found.group(1), text[at:])
    if len(changed) == len(text) - at:
        return None
    value, stop = _value(changed, 0)
    return value if is_object(value) and not changed[stop:].strip() else None


def _record_behind(text: str, at: int) -> tuple[int, dict[str, Any] | None]:
    """Where a record begins that goes to the end of the line, and its value; the end and None where there is none."""
    left = _TIMES * len(text)
    torn = _START.match(text, at)
    for tries, found in enumerate(_START.finditer(text, at + 1)):
        # Where the torn piece lacks just its closers, what it held last reads to the end as well: behind a colon or a
        # comma only what begins as the torn record itself does is a record.
        if torn and text[found.start() - 1] in ":,[ " and found.group(1) != torn.group(1):
            continue
        value, stop = _value(text, found.start())
        # A reader that fails counts the lines in front of where it stopped: that is what a try costs.
        left -= stop - found.start() + found.start() // 64 + 16
        if is_object(value) and not text[stop:].strip():
            return found.start(), value
        if left < 0 or tries > _TRIES:
            break
    return len(text), None
