"""The door to session files of all agents: what a file is, by its first bytes, and the records that it holds.

Whatever is not plain lines is turned into records here, so that the readers stay pure: one JSON document (its record,
or the objects of its list), a packed file, a database. A new kind of file is a line in the table of doors.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from rejoinder.edge import folder_sessions, text_sessions, zip_sessions
from rejoinder.edge.files import reason
from rejoinder.edge.rows import opened, records, records_in
from rejoinder.edge.session_stores import database_records, database_sessions, is_stored_session, stored_records
from rejoinder.errors import SessionError
from rejoinder.transcripts import formats
from rejoinder.transcripts.lines import Found, Oddity, Record
from rejoinder.transcripts.transcript import Transcript
from rejoinder.values.loose import is_array, is_object, kind_of

_BOM = b"\xef\xbb\xbf"
_SNIFFED = 1 << 16
_PACKED = 1 << 12


class Door(NamedTuple):
    """One kind of file: how it is known by its first bytes, how its records are had, and which sessions are in it."""

    name: str
    knows: Callable[[bytes], bool]
    records: Callable[[str, str | None], Iterable[Found]]
    sessions: Callable[[str], tuple[str, ...]] | None = None


def open_session(path: str, session: str | None = None, *, tool: str | None = None) -> Transcript:
    """The session in a file, in whichever agent's format it is.

    A database holds many: `session` names one; without it the one that was last changed is read.
    """
    try:
        return formats.read(session_records(path, session), tool)
    except SessionError as error:
        if str(error).startswith(path):
            raise
        raise SessionError(f"{path}: {error}") from None


def open_sessions(path: str, *, tool: str | None = None) -> Iterator[Transcript]:
    """All sessions in a file: those of a database, or the conversations of a data set, one after the other."""
    for name in sessions_in(path) or (None,):
        yield from formats.read_all(session_records(path, name), tool)


def session_records(path: str, session: str | None = None) -> Iterable[Found]:
    """The records of a file of any kind, and what is odd about it. Where it has no lines, `line` counts what it has."""
    if os.path.isdir(path):
        return folder_sessions.records(path)
    return _door(path).records(path, session)


def sessions_in(path: str) -> tuple[str, ...]:
    """The ids of the sessions in a store, the one that was last changed first; none for a file that is one session."""
    door = None if os.path.isdir(path) else _door(path)
    return door.sessions(path) if door and door.sessions else ()


def _door(path: str) -> Door:
    with opened(path) as file:
        begins = _first(path, file.read, _SNIFFED)
    return next(door for door in _DOORS if door.knows(begins))


def _first(path: str, read: Callable[[int], bytes], size: int) -> bytes:
    try:
        return read(size)
    except OSError as error:
        raise SessionError(f"{path}: {reason(error)}, while it was read") from None


def _line_records(path: str, _session: str | None) -> Iterator[Found]:
    return records(path)


# --- one JSON document -----------------------------------------------------------------------------------------------


def _is_document(begins: bytes) -> bool:
    """Is it one list, or one object, be it on one line or on many?"""
    begins = begins.removeprefix(_BOM).strip()
    if begins.startswith(b"["):
        return True
    line, end, _ = begins.partition(b"\n")
    line = line.strip()
    if not line.startswith(b"{") or not end:
        return line.startswith(b"{") and _is_whole(line)
    # A row of a list of rows ends in its own brace; the first line of a document that was set in lines cannot.
    return line[-1:] in b"{[," or (line[-1:] not in b"}" and not _is_whole(line))


def _is_whole(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return True


def _document_records(path: str, _session: str | None) -> Iterator[Found]:
    """An object as one record, a list as one for each of its items: their `line` is their number."""
    with opened(path) as file:
        data = _first(path, file.read, -1)
    try:
        value = _decoded(data.removeprefix(_BOM))
    except ValueError as error:
        if _is_rows(data):
            # The first row is damaged, and looked like the beginning of a document.
            yield from records(path)
            return
        todo = "it may have been cut off while it was written; take a copy of it that is whole"
        raise SessionError(f"{path}: this JSON document cannot be read ({_told(error)}); {todo}") from None
    if is_object(value) and is_stored_session(path, value):
        yield from stored_records(path, value)
    elif is_object(value):
        yield Record(value, b"", 1, 0)
    elif is_array(value):
        for number, item in enumerate(value, 1):
            if is_object(item):
                yield Record(item, b"", number, 0)
            else:
                yield Oddity(kind=f"{kind_of(item)}, no record", line=number, offset=0, length=0, done="set aside")


def _decoded(data: bytes) -> Any:
    """A JSON value. What only Python reads (a lone surrogate, NaN) is read, too; but no depth without end."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError):
        text = data.decode("utf-8")
    except RecursionError:
        raise ValueError("nested too deep") from None
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _told(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
    if isinstance(error, UnicodeDecodeError):
        return f"byte 0x{error.object[error.start]:02x} at {error.start} is not UTF-8"
    return str(error)


def _is_rows(data: bytes) -> bool:
    """Is there a row further down? Within a document that is set in lines nothing stands so far to the left."""
    return b'\n{"' in data


# --- packed files ----------------------------------------------------------------------------------------------------


def _zstd_records(path: str, _session: str | None) -> Iterator[Found]:
    """The records of packed lines. What breaks off in the middle is read as far as it goes."""
    faults: list[str] = []
    yield from records_in(path, _lines(_unpacked(path, faults)))
    for fault in faults:
        yield Oddity(kind=fault, line=0, offset=0, length=0, done="what stands behind is lost")


def _unpacked(path: str, faults: list[str]) -> Iterator[bytes]:
    """What the frames of a file hold, piece by piece; a frame may hold a thousand times what it takes."""
    unpacker = _unpacker(path)
    frame: Any = None
    with opened(path) as file:
        while data := _first(path, file.read, _PACKED):
            while data:
                frame = frame or unpacker()
                try:
                    yield frame.decompress(data)
                except Exception as error:
                    # Each library has an error of its own, and neither is imported unless it is needed.
                    if "zstd" not in type(error).__name__.lower():
                        raise
                    faults.append(f"unreadable: the packed data is broken ({error})")
                    return
                data = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
    if frame is not None:
        faults.append("torn: the packed data ends in the middle")


def _unpacker(path: str) -> Callable[[], Any]:
    """What unpacks a frame: the standard library's, where it has one, else that of the package."""
    with suppress(ImportError):
        from compression import zstd  # pyright: ignore

        return zstd.ZstdDecompressor  # pyright: ignore
    try:
        import zstandard  # pyright: ignore
    except ImportError:
        todo = "pip install 'rejoinder[zstd]', or unpack it first: zstd -d FILE"
        raise SessionError(f"{path}: this file is packed with zstd, which this Python cannot read; {todo}") from None
    return lambda: zstandard.ZstdDecompressor().decompressobj()  # pyright: ignore


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of blocks; the pieces of one are joined once."""
    pieces: list[bytes] = []
    for block in blocks:
        first, *rest = block.split(b"\n")
        pieces.append(first)
        for each in rest:
            yield b"".join((*pieces, b"\n"))
            pieces = [each]
    if any(pieces):
        yield b"".join(pieces)


def _begins(mark: bytes) -> Callable[[bytes], bool]:
    return lambda begins: begins.startswith(mark)


# The first that knows the bytes opens the file. Plain lines are what is left: they say themselves what they are not.
_DOORS: tuple[Door, ...] = (
    Door("sqlite", _begins(b"SQLite format 3\0"), database_records, database_sessions),
    Door("zstd", _begins(b"\x28\xb5\x2f\xfd"), _zstd_records),
    Door("zip", zip_sessions.knows, zip_sessions.records),
    Door("text", text_sessions.knows, text_sessions.records),
    Door("document", _is_document, _document_records),
    Door("lines", _begins(b""), _line_records),
)
