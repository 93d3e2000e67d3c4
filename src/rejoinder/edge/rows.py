"""Session files as records: streamed from the front, or from the end backwards, in memory for the longest line only."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from io import BufferedReader, FileIO
from typing import TypeVar

from rejoinder.edge.files import kind_of_bytes, reason
from rejoinder.errors import SessionError
from rejoinder.transcripts.lines import Found, Mode, Oddity, Record, read_line
from rejoinder.transcripts.seal import state_of

_Item = TypeVar("_Item")
_BLOCK = 1 << 20
_BATCH = 1 << 17
_LIST = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*[\[{\]]")


def records(path: str, *, mode: Mode = "tail", checked: bool = False) -> Iterator[Found]:
    """The records of a file, and what is odd about its lines. `checked`: each row has to bear its check value."""
    with opened(path) as file:
        _must_be_rows(path, file.peek(64)[:64])
        yield from records_in(path, _told(path, file), mode=mode, checked=checked)


def records_in(path: str, lines: Iterable[bytes], *, mode: Mode = "tail", checked: bool = False) -> Iterator[Found]:
    """The records of lines, wherever they come from. Each but the last has its line feed."""
    offset = 0
    for line, raw in enumerate(lines, 1):
        last = not raw.endswith(b"\n")
        for found in read_line(raw if last else raw[:-1], line, offset, mode=mode, last=last):
            found = _held_to_check(found) if checked and isinstance(found, Record) else found
            if mode == "strict" and isinstance(found, Oddity) and found.loses:
                raise SessionError(f"{path}: {found}; read it with mode='tail' or 'salvage' to have the rest")
            yield found
        offset += len(raw)


def batches(path: str) -> Iterator[list[bytes]]:
    """The lines of a file, so many at a time that they fit into the processor's cache."""
    with opened(path) as file:
        yield from _told(path, iter(lambda: file.readlines(_BATCH), []))


def _told(path: str, lines: Iterable[_Item]) -> Iterator[_Item]:
    """The lines; a disk that fails while they are read is told in one line."""
    try:
        yield from lines
    except OSError as error:
        raise SessionError(f"{path}: {reason(error)}, while it was read") from None


def _must_be_rows(path: str, begins: bytes) -> None:
    refused = kind_of_bytes(path, begins)
    # Only what goes on like a list of objects: a row whose first byte was hit is not a reason to refuse a file.
    if _LIST.match(begins):
        refused = f"{path}: this is one JSON list; a session file has a row a line"
    if refused is not None:
        raise SessionError(refused)


def _held_to_check(record: Record) -> Found:
    """The record, if its bytes are those that were written; what was changed since is set aside."""
    state = state_of(record.raw)
    if state == "sound":
        return record
    says = "a row whose bytes were changed" if state == "broken" else "a row without a check value"
    return Oddity(kind=says, line=record.line, offset=record.offset, length=len(record.raw), done="set aside")


def opened(path: str) -> BufferedReader[FileIO]:
    """A file for reading. A pipe or a device is refused, not waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise SessionError(f"{path}: this is no file of rows")
        return BufferedReader(FileIO(handle, "rb"), _BLOCK)
    except OSError as error:
        raise SessionError(f"{path}: {reason(error)}; nothing was read") from None
    except ValueError:
        raise SessionError(f"{path!r}: no name of a file") from None


def backwards(path: str, *, checked: bool = False) -> Iterator[Record]:
    """The records of a file from its end, the last one first, without reading what stands in front of them.

    Lines that cannot be read are passed over: who wants to know of them reads from the front. Nobody knows the number
    of a line that is reached from the end: it is 0.
    """
    with opened(path) as file:
        last = True
        for offset, raw in _told(path, _lines_backwards(file)):
            found = [each for each in read_line(raw, 0, offset, last=last) if isinstance(each, Record)]
            last = False
            for record in reversed(found):
                if not checked or state_of(record.raw) == "sound":
                    yield record


def _lines_backwards(file: BufferedReader[FileIO]) -> Iterator[tuple[int, bytes]]:
    """Each line with its offset, the last one first; the pieces of a line are joined once."""
    end = file.seek(0, os.SEEK_END)
    pieces: list[bytes] = []
    while end > 0:
        start = max(0, end - _BLOCK)
        file.seek(start)
        block = file.read(end - start)
        stop = len(block)
        while (at := block.rfind(b"\n", 0, stop)) >= 0:
            line = b"".join((block[at + 1 : stop], *reversed(pieces)))
            pieces.clear()
            if line:
                yield start + at + 1, line
            stop = at
        pieces.append(block[:stop])
        end = start
    if any(pieces):
        yield 0, b"".join(reversed(pieces))
