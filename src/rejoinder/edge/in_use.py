"""Does somebody have a file open? Asked of the system where it tells, else of the file's lock."""

from __future__ import annotations

import os
from contextlib import suppress

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no flock
    fcntl = None

_PROCESSES = "/proc"


def in_use(path: str) -> str:
    """Who has this file open beside ourselves, in words; nothing where nobody is seen to."""
    try:
        wanted = os.stat(path)
    except OSError:
        return ""
    if not os.path.isdir(f"{_PROCESSES}/self/fd"):
        return "a process" if _is_locked(path) else ""
    for process in os.listdir(_PROCESSES):
        if process.isdecimal() and int(process) != os.getpid() and _has_open(process, wanted):
            return f"{_name(process)} (process {process})"
    return "a process" if _is_locked(path) else ""


def _has_open(process: str, wanted: os.stat_result) -> bool:
    """Is it among the open files of a process? Those of another user are not ours to see."""
    with suppress(OSError), os.scandir(f"{_PROCESSES}/{process}/fd") as entries:
        for entry in entries:
            with suppress(OSError):
                found = entry.stat()
                if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
                    return True
    return False


def _name(process: str) -> str:
    with suppress(OSError), open(f"{_PROCESSES}/{process}/comm", encoding="utf-8", errors="replace") as file:
        return file.read().strip() or "a process"
    return "a process"


def _is_locked(path: str) -> bool:
    """Can its lock not be had? It is let go of again at once."""
    if fcntl is None:
        return False
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
