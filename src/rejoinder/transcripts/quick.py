"""A session looked at in one quick pass, that keeps ids alone: what it counts, and whether all is surely well.

The pass is sure or it is not: where it is not (a parent that did not come before, an id twice, a call that is open at
the end, a line that does not read), the thorough way tells what is the matter. It never calls a broken session sound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import filterfalse

import msgspec

# Whole lines, some at a time: what is done to many at once is done in C.
Batches = Iterable[list[bytes]]


class Counts(msgspec.Struct, frozen=True):
    """What a pass saw: rows, rows that somebody said, calls and their results."""

    rows: int = 0
    said: int = 0
    calls: int = 0
    results: int = 0


class UnsureError(Exception):
    """The quick pass cannot tell: why, for who wonders what it costs."""


class Links:
    """Ids of rows, each once, and parents that came before: then there is no gap, no circle and no twin."""

    __slots__ = ("_count", "_last", "_seen")

    def __init__(self) -> None:
        # Hashes take a third of the room of the ids; two of a million are alike once in ten million files.
        self._seen: set[int] = set()
        self._count = 0
        self._last = ""

    def take(self, names: list[str], parents: list[str]) -> None:
        """Some rows more, in their order; what has no id or no parent gives an empty text."""
        above = [self._last, *names]
        self._last = names[-1]
        # Nearly all rows hang on the one above: only the others are looked up.
        others = [(at, up) for at, (up, one) in enumerate(zip(parents, above)) if up != one and up]  # noqa: B905
        if others:
            here = dict(zip(names, range(len(names)), strict=True))
            for at, up in others:
                if here.get(up, at) >= at and hash(up) not in self._seen:
                    raise UnsureError("a parent that did not come before")
        named = names if all(names) else [name for name in names if name]
        self._count += len(named)
        self._seen.update(map(hash, named))
        if len(self._seen) != self._count:
            raise UnsureError("two rows with one id")


class Calls:
    """The calls in hand: each has to be answered once, behind it."""

    __slots__ = ("_made", "_open", "calls", "results")

    def __init__(self) -> None:
        self._made: set[int] = set()
        self._open: set[str] = set()
        self.calls = 0
        self.results = 0

    def call(self, name: str) -> None:
        """A call is made."""
        self.calls += 1
        self._open.add(name)
        self._made.add(hash(name))

    def result(self, name: str) -> None:
        """A result comes."""
        self.results += 1
        if name not in self._open:
            raise UnsureError("a result without a call in front of it, or the second of one")
        self._open.remove(name)

    @property
    def in_hand(self) -> bool:
        """Is one open?"""
        return bool(self._open)

    def end(self) -> None:
        """No call may be left, and none may have been made twice."""
        if self._open:
            raise UnsureError("a call without a result")
        if len(self._made) != self.calls:
            raise UnsureError("two calls with one id")


def must_be_utf8(lines: list[bytes]) -> None:
    """The quick decoder passes over texts that nobody asks for, and does not look whether they are UTF-8."""
    try:
        for line in filterfalse(bytes.isascii, lines):
            line.decode()
    except UnicodeDecodeError:
        raise UnsureError("a line that is not UTF-8") from None


def surely(scan: Callable[[Batches], Counts], batches: Batches) -> Counts | None:
    """What a scan counted, if all is surely well."""
    try:
        return scan(batches)
    except UnsureError:
        return None
