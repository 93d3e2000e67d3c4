"""A change of a session file, line by line: what is not named in one stays byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from rejoinder.transcripts.lines import Found, Record, read_line


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The bytes of a file from `start` to `stop` give way to `new`; `says` is what that does.

    `aside` are the bytes that nobody can read: they are kept in a file beside.
    """

    line: int
    start: int
    stop: int
    old: bytes
    new: bytes
    says: tuple[str, ...]
    aside: tuple[bytes, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The change as plain data, for JSON."""
        return {
            "line": self.line,
            "offset": self.start,
            "says": list(self.says),
            "old": self.old.decode("utf-8", "backslashreplace"),
            "new": self.new.decode("utf-8", "backslashreplace"),
        }


class Line(msgspec.Struct, frozen=True):
    """A line of a file with its line end, where it stands, and what was found on it."""

    number: int
    start: int
    raw: bytes
    found: tuple[Found, ...]

    @property
    def stop(self) -> int:
        """Where the next line begins."""
        return self.start + len(self.raw)

    @property
    def records(self) -> list[Record]:
        """The records on it."""
        return [each for each in self.found if isinstance(each, Record)]


def lines_of(data: bytes) -> Iterator[Line]:
    """The lines of a file, read as `salvage` reads: what can be had of a bad line is."""
    start, number = 0, 1
    while start < len(data):
        end = data.find(b"\n", start)
        stop = len(data) if end < 0 else end
        last = end < 0
        found = tuple(read_line(data[start:stop], number, start, mode="salvage", last=last))
        whole = data[start : stop if last else stop + 1]
        yield Line(number, start, whole, found)
        start, number = start + len(whole), number + 1


def found_in(lines: Iterable[Line]) -> Iterator[Found]:
    """What the lines hold, as a reader of sessions takes it."""
    for line in lines:
        yield from line.found


def changed(data: bytes, changes: Sequence[Change]) -> bytes:
    """The file with all changes made. They stand in order, and do not overlap."""
    pieces: list[bytes] = []
    at = 0
    for change in changes:
        pieces += (data[at : change.start], change.new)
        at = change.stop
    return b"".join((*pieces, data[at:]))
