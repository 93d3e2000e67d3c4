"""The smallest change of a session file after which its tool resumes it: planned, and made so that no crash hurts.

The file is backed up first and never written in place. It is left alone where its tool has it open, or has changed it
meanwhile; and where the change would not do what it is for, it is not made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rejoinder.edge import files
from rejoinder.edge.in_use import in_use
from rejoinder.errors import SessionError
from rejoinder.transcripts import claude_code, claude_code_mend
from rejoinder.transcripts.change import Change, Line, changed, found_in, lines_of
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.rows import OURS
from rejoinder.transcripts.transcript import Defect, Transcript


class Mender(NamedTuple):
    """How the sessions of a tool are mended: which defects it can, and by which changes."""

    read: Callable[[Iterable[Found]], Transcript]
    mends: Callable[[Defect], bool]
    changes: Callable[[Sequence[Line]], list[Change]]


_MENDERS = {"claude-code": Mender(claude_code.read, claude_code_mend.mends, claude_code_mend.changes)}
# Of our own sessions nothing is rewritten: what is said anew is appended, so only the active path can be mended.
_BY_APPENDING = frozenset({"pending", "interrupted", "errored", "cut", "orphan", "early", "duplicate"})
TOOLS = (*_MENDERS, OURS.name)


class Operation(NamedTuple):
    """A change that is planned: the file as it was read, what it is to be, and what differs."""

    before: files.Kept
    after: bytes
    changes: list[Change]
    left: list[Defect]


class Done(NamedTuple):
    """What was written: the backup, and the file beside with what could not be read, if there is any."""

    backup: str
    aside: str


def can_mend(tool: str, defect: Defect) -> bool:
    """Is there a way to mend this in a session of this tool?"""
    if tool == OURS.name:
        return defect.live and defect.kind in _BY_APPENDING
    return tool in _MENDERS and _MENDERS[tool].mends(defect)


def planned(path: str, tool: str) -> Operation:
    """The changes that mend a session file; none where there is nothing to mend. Nothing is written."""
    mender = _MENDERS.get(tool)
    if mender is None:
        raise SessionError(f"{path}: sessions of {tool} cannot be mended in their file yet; only of {', '.join(TOOLS)}")
    before = files.kept(path)
    lines = list(lines_of(before.data))
    changes = mender.changes(lines)
    after = changed(before.data, changes)
    left = list(mender.read(found_in(lines_of(after) if changes else lines)).defects)
    unmended = [defect for defect in left if mender.mends(defect)]
    if unmended:
        raise SessionError(f"{path}: {unmended[0]}: this would still be so after the change; nothing was written")
    return Operation(before, after, changes, left)


def operate(operation: Operation) -> Done:
    """Make the change, if nobody has the file open and nobody changed it since it was read."""
    path = operation.before.name
    must_be_free(path)
    aside = _put_aside(path, [raw for change in operation.changes for raw in change.aside])
    try:
        return Done(files.replace(operation.before, operation.after), aside)
    except BaseException:
        if aside:
            os.unlink(aside)
        raise


def must_be_free(path: str) -> None:
    """Refuse a file that somebody has open."""
    user = in_use(path)
    if user:
        raise SessionError(f"{path}: {user} has it open; let it finish first; nothing was written")


def _put_aside(path: str, pieces: Sequence[bytes]) -> str:
    """Keep what could not be read in a file of its own, beside; never over an older one."""
    if not pieces:
        return ""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    for number in range(10_000):
        name = f"{path}.unreadable{number or ''}"
        try:
            handle = os.open(name, flags, 0o600)
        except FileExistsError:
            continue
        except OSError as error:
            raise SessionError(f"{name}: {files.reason(error)}; nothing was written") from None
        with open(handle, "wb") as file:
            file.write(b"".join(piece + b"\n" for piece in pieces))
            file.flush()
            os.fsync(file.fileno())
        return name
    raise SessionError(f"{path}: there are 10,000 files of unreadable rows beside it; nothing was written")
