"""An evaluation log that is a zip archive, as records: its head, then one for each sample.

Members are deflated or, in newer logs, packed with zstd, for which Python before 3.14 needs the package `zstandard`.
A member that cannot be read is told, and the others are read; an archive that lost its end is told in one line.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from rejoinder.edge.files import reason
from rejoinder.edge.rows import opened
from rejoinder.errors import SessionError
from rejoinder.transcripts.lines import Found, Oddity, Record
from rejoinder.transcripts.members import parsed
from rejoinder.values.loose import is_object

_BEGINS = (b"PK\x03\x04", b"PK\x05\x06")
_HEADS = ("header.json", "_journal/start.json")
_SAMPLE = re.compile(r"samples/.+\.json")
_ZSTD = 93
# A member that unpacks to more than this is no conversation: it is there to fill the memory.
_LARGEST = 1 << 31
_NO_ZSTD = "packed with zstd, which this Python cannot unpack: install rejoinder[zstd]"


def knows(begins: bytes) -> bool:
    """Do these first bytes belong to a zip archive?"""
    return begins.startswith(_BEGINS)


def records(path: str, _session: str | None = None) -> Iterator[Found]:
    """The records of an archive: `line` is the number of the member, `offset` where it begins."""
    with opened(path) as file:
        try:
            with ZipFile(file) as archive:
                yield from _records(archive, file)
        except (BadZipFile, ValueError, NotImplementedError, struct.error) as error:
            raise SessionError(
                f"{path}: this archive cannot be read ({error}); its writer may not have ended"
            ) from None
        except OSError as error:
            raise SessionError(f"{path}: {reason(error)}, while it was read") from None


def _records(archive: ZipFile, file: BinaryIO) -> Iterator[Found]:
    # Of a name that was written again the last one counts.
    members = {info.filename: info for info in archive.infolist()}
    head = next((name for name in _HEADS if name in members), None)
    if head != _HEADS[0]:
        says = "no header.json: the run was interrupted"
        yield Oddity(kind=says, line=1, offset=0, length=0, done="read without it", loses=False)
    samples = sorted(name for name in members if _SAMPLE.fullmatch(name))
    for number, name in enumerate([head, *samples] if head else samples, 1):
        yield _record(archive, file, members[name], number)


def _record(archive: ZipFile, file: BinaryIO, info: ZipInfo, number: int) -> Found:
    says = ""
    value: Any = None
    try:
        raw = _unpacked(archive, file, info)
        value = parsed(raw.decode("utf-8"))
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, struct.error, OSError) as error:
        says = str(error)
    except (ValueError, MemoryError):
        says = "it is no JSON text"
    if is_object(value):
        return Record(value, b"", number, info.header_offset)
    kind = f"unreadable member {info.filename}: {says or 'it is no JSON object'}"
    return Oddity(kind=kind, line=number, offset=info.header_offset, length=info.compress_size, done="set aside")


def _unpacked(archive: ZipFile, file: BinaryIO, info: ZipInfo) -> bytes:
    if info.file_size > _LARGEST:
        raise BadZipFile(f"it unpacks to {info.file_size:,} bytes")
    if info.compress_type != _ZSTD:
        return archive.read(info)
    data = _unpacked_zstd(_packed(file, info), info.file_size)
    if zlib.crc32(data) != info.CRC:
        raise BadZipFile("its bytes are not those that were packed")
    return data


def _packed(file: BinaryIO, info: ZipInfo) -> bytes:
    """The bytes of a member as they are packed: behind a header of its own, of 30 bytes, its name and its extras."""
    file.seek(info.header_offset)
    header = file.read(30)
    name, extra = struct.unpack("<HH", header[26:30])
    file.seek(name + extra, io.SEEK_CUR)
    return file.read(info.compress_size)


def _unpacked_zstd(data: bytes, size: int) -> bytes:
    """What a member says, and no more of it than it claims to say."""
    library, stream = _zstd()
    try:
        return stream(data, size + 1)
    except library.ZstdError as error:
        raise BadZipFile(str(error)) from None


def _zstd() -> tuple[Any, Callable[[bytes, int], bytes]]:
    """The library that unpacks zstd here: Python's own, or the package."""
    for name, unpack in (("compression.zstd", _by_python), ("zstandard", _by_package)):
        try:
            library = import_module(name)
        except ImportError:
            continue
        return library, partial(unpack, library)
    raise NotImplementedError(_NO_ZSTD)


def _by_python(library: Any, data: bytes, size: int) -> bytes:
    return library.ZstdDecompressor().decompress(data, size)


def _by_package(library: Any, data: bytes, size: int) -> bytes:
    return library.ZstdDecompressor().stream_reader(data).read(size)
