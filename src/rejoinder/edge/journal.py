"""A file that rows are appended to, and that keeps each acknowledged row through any crash.

What a kill leaves is a torn tail; what loses rows is the next append behind it. So a line feed is written first where
the file does not end in one, each row is one write, and a short write is cut back. One process holds the file at a
time: `flock`, for a lock of `fcntl` is lost as soon as a reader in the same process closes the file.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
from contextlib import suppress
from typing import Literal

from rejoinder.edge.files import reason
from rejoinder.errors import LockedError, SessionError

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no flock
    fcntl = None

# flush: a row survives the death of the process. sync: and a power cut. group: as sync, and rows that are appended
# at the same time share one.
Durability = Literal["flush", "sync", "group"]
DURABILITIES: tuple[Durability, ...] = ("flush", "sync", "group")

_APPEND = os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_PAUSE = 0.02
_sync_data = getattr(os, "fdatasync", os.fsync)


def must_be_level(durability: str) -> None:
    """Refuse a level that is none, before anything is written."""
    if durability not in DURABILITIES:
        raise SessionError(f"durability={durability!r}: the levels are {', '.join(DURABILITIES)}")


class Journal:
    """An open file of rows. Its methods may be called from any thread."""

    def __init__(self, path: str, *, create: bool = False, durability: Durability = "flush", wait: float = 10.0):
        must_be_level(durability)
        self.path = path
        self.durability: Durability = durability
        self.lock = threading.Lock()
        self._syncing = threading.Lock()
        self._poison: str | None = None
        self._size = self._synced = 0
        self._torn = False
        self._handle = _opened(path, create)
        try:
            _locked(self._handle, path, wait)
            self._size = self._synced = os.fstat(self._handle).st_size
            self._torn = self._ends_torn()
            if create:
                _sync_folder(path)
        except OSError as error:
            self.close()
            raise SessionError(f"{path}: {reason(error)}; nothing was changed") from None
        except BaseException:
            self.close()
            raise

    def write(self, line: bytes | bytearray) -> int:
        """One line as one write; where it ends. It survives the death of this process. The caller holds `lock`."""
        if self._torn or self._poison is not None or self._handle < 0:
            self._usable()
            line = b"\n" + line
        length = len(line)
        try:
            done = os.write(self._handle, line)
            if done != length:
                self._write_rest(line, done)
        except OSError as error:
            self._cut_back()
            raise SessionError(f"{self.path}: {reason(error)}; the row was not written, what was there stays") from None
        except BaseException:
            # Interrupted behind the write: what is cut back later must not be cut by what is believed now.
            self._look_again()
            raise
        self._torn = False
        self._size += length
        return self._size

    def make_safe(self, end: int, durability: Durability | None = None) -> None:
        """Wait until all up to an end is safe at a level, the journal's own if none is named."""
        level = durability or self.durability
        if level == "sync":
            self.sync()
        elif level == "group":
            self._sync_together(end)

    def sync(self) -> None:
        """All that was appended, made safe from a power cut."""
        with self.lock:
            self._sync(self._usable(), self._size)

    def close(self) -> None:
        """Let go of the file and of its lock. To close twice is no fault."""
        with self._syncing, self.lock:
            handle, self._handle = self._handle, -1
            if handle >= 0:
                os.close(handle)

    def _usable(self) -> int:
        if self._handle < 0:
            raise SessionError(f"{self.path}: it is closed; open it again to append to it")
        if self._poison is not None:
            raise SessionError(f"{self.path}: {self._poison}; open it again, and look at what is in it")
        return self._handle

    def _ends_torn(self) -> bool:
        """Does the file end in the middle of a line?"""
        return self._size > 0 and os.pread(self._handle, 1, self._size - 1) != b"\n"

    def _write_rest(self, line: bytes | bytearray, done: int) -> None:
        """What a short write left over; the line is there whole, or it fails."""
        while done < len(line):
            written = os.write(self._handle, line[done:])
            if not written:
                raise OSError(errno.EIO, "nothing was written")
            done += written

    def _cut_back(self) -> None:
        """Take away what a failed write left. Where that fails too, the next append begins a line of its own."""
        try:
            os.ftruncate(self._handle, self._size)
        except OSError:
            self._look_again()

    def _look_again(self) -> None:
        with suppress(OSError):
            self._size = os.fstat(self._handle).st_size
            self._torn = self._ends_torn()

    def _sync(self, handle: int, end: int) -> None:
        try:
            _sync_data(handle)
        except OSError as error:
            # What could not be synced may be gone from the cache too: a second try would lie.
            self._poison = f"a sync failed ({reason(error)}), so nobody knows what of its end is on the disk"
            raise SessionError(f"{self.path}: {self._poison}; the row is not acknowledged") from None
        self._synced = max(self._synced, end)

    def _sync_together(self, end: int) -> None:
        """Wait for a sync that covers a row: that of another thread, or the one that this thread makes for all."""
        with self._syncing:
            if self._synced >= end:
                return
            handle, upto = self._usable(), self._size
            self._sync(handle, upto)


def _opened(path: str, create: bool) -> int:
    """The file, for its owner alone; never a link, a pipe or a device."""
    folder = os.path.dirname(path) or "."
    try:
        if create:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            handle = os.open(path, _APPEND | os.O_CREAT | os.O_EXCL, 0o600)
            os.fchmod(handle, 0o600)
            return handle
        handle = os.open(path, _APPEND | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno == errno.ELOOP and os.path.islink(path):
            raise SessionError(f"{path}: this is a link, not a session file; give the file itself") from None
        raise SessionError(f"{path}: {reason(error)}") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise SessionError(f"{path}: this is no file that rows can be appended to")
    return handle


def _locked(handle: int, path: str, wait: float) -> None:
    """Take the lock; wait for another process that holds it, but not for ever."""
    if fcntl is None:
        return
    until = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                raise SessionError(
                    f"{path}: it cannot be locked ({reason(error)}); is it on a network drive?"
                ) from None
        if time.monotonic() >= until:
            raise LockedError(path, wait)
        time.sleep(_PAUSE)


def _sync_folder(path: str) -> None:
    """Make the name of a new file last through a power cut."""
    with suppress(OSError):
        handle = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
