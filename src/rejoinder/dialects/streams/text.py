"""Bytes in any pieces as the texts of events: server-sent events, a JSON array that grows, or a JSON value a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rejoinder.errors import StreamError

# More than any provider sends in one event, pictures and all; what is larger is no event but an attack or an accident.
LIMIT = 32 * 2**20

# The name of an event ("" where it has none) and its data.
Block = tuple[str, bytes]

_BOM = b"\xef\xbb\xbf"
_BRACKETS = re.compile(rb'["{}\[\]]')
_IN_STRING = re.compile(rb'["\\]')
_BETWEEN = re.compile(rb"[ \t\r\n,\[\]\x1e]*")


class Nesting:
    """How deep a growing JSON text is in its brackets; each byte is looked at once."""

    __slots__ = ("_escaped", "_in_string", "depth")

    def __init__(self) -> None:
        self.depth = 0
        self._in_string = False
        self._escaped = False

    def end(self, chunk: bytes, start: int = 0) -> int:
        """Where the outermost bracket closes, right behind it; -1 where it does not close in this chunk."""
        at = start
        if self._escaped and at < len(chunk):
            self._escaped = False
            at += 1
        while found := (_IN_STRING if self._in_string else _BRACKETS).search(chunk, at):
            at = found.end()
            sign = found.group()
            if sign == b"\\":
                self._escaped = at == len(chunk)
                at += 1
            elif sign == b'"':
                self._in_string = not self._in_string
            elif sign in b"{[":
                self.depth += 1
            else:
                self.depth -= 1
                if self.depth <= 0:
                    self.depth = 0
                    return at
        return -1


class Blocks:
    """The texts of events, whichever way the stream is written: its first sign tells."""

    __slots__ = ("_head", "_limit", "_reader")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._head: bytes | None = b""
        self._reader: Lines | Values = Lines(limit)

    def feed(self, chunk: bytes) -> Iterator[Block]:
        """The events that this chunk completes."""
        if self._head is None:
            yield from self._reader.feed(chunk)
            return
        head = self._head + chunk
        if len(head) < len(_BOM) and _BOM.startswith(head):
            self._head = head
            return
        head = head.removeprefix(_BOM)
        sign = head.lstrip()[:1]
        if not sign:
            # Empty lines in front of everything say nothing in any of the three ways.
            self._head = b""
            return
        self._head = None
        if sign in b"{[":
            self._reader = Values(self._limit)
        yield from self._reader.feed(head)


class Lines:
    """Server-sent events by the rules of WHATWG; an event that its stream does not end with an empty line is none."""

    __slots__ = ("_data", "_limit", "_line", "_name", "_pieces", "_return", "_size")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []  # of a line that is not whole yet
        self._data: list[bytes] = []
        self._name = ""
        self._line = self._size = 0  # how large the two are
        self._return = False  # the last byte was a CR: an LF behind it belongs to it

    def feed(self, chunk: bytes) -> Iterator[Block]:
        """The events that this chunk completes."""
        if not chunk:
            return
        lines = chunk.splitlines(keepends=True)
        if self._return and lines[0] == b"\n":
            del lines[0]
        self._return = chunk.endswith(b"\r")
        for line in lines:
            self._line += len(line)
            if self._line + self._size > self._limit:
                raise StreamError(f"an event is larger than {self._limit} bytes; nothing behind it was read")
            self._pieces.append(line.rstrip(b"\r\n"))
            if line[-1:] in b"\r\n":
                whole = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
                self._pieces, self._line = [], 0
                if whole:
                    self._field(whole)
                elif block := self._block():
                    yield block

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size += len(value)
        elif name == b"event":
            self._name = value.decode("utf-8", "replace")

    def _block(self) -> Block | None:
        name, data = self._name, self._data
        self._name, self._data, self._size = "", [], 0
        return (name, b"\n".join(data)) if data else None


class Values:
    """JSON objects one after another: elements of an array that grows, or one a line."""

    __slots__ = ("_limit", "_nesting", "_pieces", "_size")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []  # of an object that is not whole yet
        self._size = 0
        self._nesting = Nesting()

    def feed(self, chunk: bytes) -> Iterator[Block]:
        """The objects that this chunk completes."""
        at = 0
        while at < len(chunk):
            if not self._pieces:
                between = _BETWEEN.match(chunk, at)
                at = between.end() if between else at
                if at == len(chunk):
                    break
                if chunk[at : at + 1] != b"{":
                    raise StreamError("between two JSON objects of the stream there is something that is no JSON")
            end = self._nesting.end(chunk, at)
            piece = chunk[at : end if end >= 0 else len(chunk)]
            self._pieces.append(piece)
            self._size += len(piece)
            if self._size > self._limit:
                raise StreamError(f"an event is larger than {self._limit} bytes; nothing behind it was read")
            if end < 0:
                break
            yield "", b"".join(self._pieces)
            self._pieces, self._size, at = [], 0, end
