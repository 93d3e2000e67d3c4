"""Files: read whole or refused in one line, and written so that a crash leaves the old one or the new one."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from contextlib import suppress
from typing import NamedTuple

from rejoinder.errors import PayloadError

STDIN = "-"
# How files begin that are no UTF-8 text, and what their owner can do about it.
_KINDS = (
    (b"\x1f\x8b", "gzip", "unpack it first: gunzip -c FILE | rejoinder … -"),
    (b"\x28\xb5\x2f\xfd", "zstd", "unpack it first: zstd -dc FILE | rejoinder … -"),
    (b"BZh", "bzip2", "unpack it first: bunzip2 -c FILE | rejoinder … -"),
    (b"\xfd7zXZ", "xz", "unpack it first: xz -dc FILE | rejoinder … -"),
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"SQLite format 3", "an SQLite database", "export the messages as JSON first"),
    (b"\xff\xfe\0\0", "UTF-32", "convert it first: iconv -f UTF-32 -t UTF-8 FILE | rejoinder … -"),
    (b"\xff\xfe", "UTF-16", "convert it first: iconv -f UTF-16 -t UTF-8 FILE | rejoinder … -"),
    (b"\xfe\xff", "UTF-16", "convert it first: iconv -f UTF-16 -t UTF-8 FILE | rejoinder … -"),
)
_REASONS = {
    errno.ENOENT: "there is no such file",
    errno.EACCES: "no permission",
    errno.EPERM: "no permission",
    errno.ELOOP: "its links lead in a circle",
    errno.ENAMETOOLONG: "its name is too long",
    errno.ENOTDIR: "a part of its path is no directory",
    errno.ENOSPC: "there is no space left",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EFBIG: "it grew over the limit for files",
    errno.EISDIR: "it is a directory",
}


class Source(NamedTuple):
    """What was read: the name to call it by, its text, and the state of the file, by which a change is noticed."""

    name: str
    text: str
    state: tuple[int, int, int] | None = None


def read(path: str) -> Source:
    """The text of a file, or of standard input for `-`. What cannot be read is a `PayloadError` of one line."""
    try:
        if path == STDIN:
            return Source("stdin", text_of("stdin", sys.stdin.buffer.read()))
        data, state = _read_file(path)
    except OSError as error:
        raise PayloadError(f"{path}: {reason(error)}; nothing was read") from None
    except ValueError as error:
        raise error if isinstance(error, PayloadError) else PayloadError(f"{path!r}: no name of a file") from None
    except MemoryError:
        raise PayloadError(f"{path}: it does not fit into memory; split it into smaller files") from None
    return Source(path, text_of(path, data), state)


def exists(path: str) -> bool:
    """Is there something of this name?"""
    return os.path.lexists(path)


def _read_file(path: str) -> tuple[bytes, tuple[int, int, int]]:
    # Without O_NONBLOCK, opening a FIFO that nobody writes to would wait for ever.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        found = os.fstat(handle)
        if stat.S_ISDIR(found.st_mode):
            raise PayloadError(f"{path}: this is a directory; name the files in it, as in {path.rstrip('/')}/*.json")
        if not stat.S_ISREG(found.st_mode):
            raise PayloadError(
                f"{path}: this is a pipe or a device, not a file; to read from a pipe give `-` and redirect it"
            )
        with open(handle, "rb", closefd=False) as file:
            return file.read(), _state(found)
    finally:
        os.close(handle)


def kind_of_bytes(name: str, data: bytes) -> str | None:
    """What else than UTF-8 text a file surely is, by its first bytes, and what to do; None where nothing tells."""
    for start, kind, todo in _KINDS:
        if data.startswith(start):
            return f"{name}: this is {kind}, not JSON text; {todo.replace('FILE', name)}"
    if data[:2] in (b"{\0", b"[\0", b"\0{", b"\0["):
        return f"{name}: this is UTF-16 without a mark, not UTF-8; convert it first with iconv"
    return None


def text_of(name: str, data: bytes) -> str:
    """Bytes as text, if they are UTF-8. A byte order mark stays in it, so that it can be written again."""
    refused = kind_of_bytes(name, data)
    if refused is not None:
        raise PayloadError(refused)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        where = f"{name}:{line}:{column}"
        todo = "find out what wrote it, and write that text again as UTF-8"
        raise PayloadError(f"{where}: byte 0x{data[error.start]:02x} is not UTF-8; {todo}") from None


def _state(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_ino, found.st_size, found.st_mtime_ns


def reason(error: OSError) -> str:
    """Why the system said no, in words."""
    known = _REASONS.get(error.errno or 0)
    return known or (error.strerror or type(error).__name__)


# --- writing ---------------------------------------------------------------------------------------------------------


def write(path: str, text: str) -> None:
    """Put a text in the place of a file, or of nothing. Until it is there whole, what was there stays.

    A link is followed: the file that it leads to is replaced. A new file is for its owner alone; one that was
    there keeps its mode. Devices and pipes are written to, not replaced.
    """
    _write(path, text.encode("utf-8"), None)


def write_over(source: Source, text: str) -> str:
    """Put a text in the place of a file that was read, if nobody has changed it since, and name its backup."""
    return _write(source.name, text.encode("utf-8"), Kept(source.name, source.text.encode("utf-8"), source.state))


class Kept(NamedTuple):
    """A file as it was read: its name, its bytes, and its state, by which a change is noticed."""

    name: str
    data: bytes
    state: tuple[int, int, int] | None


def kept(path: str) -> Kept:
    """The bytes of a file, and its state."""
    try:
        data, state = _read_file(path)
    except OSError as error:
        raise PayloadError(f"{path}: {reason(error)}; nothing was read") from None
    return Kept(path, data, state)


def replace(old: Kept, new: bytes) -> str:
    """Put other bytes in the place of a file, if nobody has changed it since it was read, and name its backup."""
    return _write(old.name, new, old)


def _write(path: str, data: bytes, source: Kept | None) -> str:
    try:
        real = os.path.realpath(path)
        mode = os.stat(real).st_mode if os.path.exists(real) else None
        if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            with open(path, "wb") as file:
                file.write(data)
            return ""
        return _replace(real, data, mode, source)
    except OSError as error:
        raise PayloadError(f"{path}: {reason(error)}; nothing was written") from None


def _replace(path: str, data: bytes, mode: int | None, source: Kept | None) -> str:
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "")
    if mode is not None and not os.access(path, os.W_OK):
        # A rename would get past the protection that its owner gave the file.
        raise PermissionError(errno.EACCES, "")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise PayloadError(f"{path}: there is no folder {folder}; make it first; nothing was written")
    handle, temporary = tempfile.mkstemp(prefix=".rejoinder-", dir=folder)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            _as_it_was(file.fileno(), path, mode)
            os.fsync(file.fileno())
        backup = _back_up(path, source) if source is not None else ""
        if source is not None:
            _must_be_as_read(path, source)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync(folder)
    return backup


def _as_it_was(handle: int, path: str, mode: int | None) -> None:
    """Give a new file the mode and the owner of the one that it replaces, as far as we may."""
    if not hasattr(os, "fchmod"):
        return
    if mode is None:
        os.fchmod(handle, 0o600)
        return
    before, ours = os.stat(path), os.fstat(handle)
    if (before.st_uid, before.st_gid) != (ours.st_uid, ours.st_gid):
        with suppress(OSError):
            os.fchown(handle, before.st_uid, before.st_gid)
    os.fchmod(handle, stat.S_IMODE(mode))


def _sync(folder: str) -> None:
    """Make a rename last through a power cut, where the system knows how."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _must_be_as_read(path: str, source: Kept) -> None:
    if _state(os.stat(path)) != source.state:
        todo = "nothing was written; run it again when its writer rests"
        raise PayloadError(f"{source.name}: the file changed while it was repaired; {todo}")


def _back_up(path: str, source: Kept) -> str:
    """Copy a file to the first of FILE.bak, FILE.bak1, … that does not exist, and say which it was."""
    _must_be_as_read(path, source)
    mode = stat.S_IMODE(os.stat(path).st_mode)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for number in range(10_000):
        name = f"{path}.bak{number or ''}"
        try:
            handle = os.open(name, flags, 0o600)
        except FileExistsError:
            continue
        with open(handle, "wb") as file:
            file.write(source.data)
            file.flush()
            _as_it_was(file.fileno(), path, mode)
            os.fsync(file.fileno())
        return name if os.path.islink(source.name) else f"{source.name}.bak{number or ''}"
    raise PayloadError(f"{path}: there are 10,000 backups of it; take some away; nothing was written")
