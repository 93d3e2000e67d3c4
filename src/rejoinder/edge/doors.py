"""How a session that is not JSON in one file becomes records: a table for who opens sessions, asked before all else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

from rejoinder.edge import folder_sessions, text_sessions, zip_sessions
from rejoinder.edge.files import reason
from rejoinder.edge.rows import opened
from rejoinder.errors import SessionError
from rejoinder.transcripts.lines import Found

_SNIFFED = 1 << 16


class Door(NamedTuple):
    """One kind of file: how it is known by its first bytes, and how its records are had."""

    name: str
    knows: Callable[[bytes], bool]
    records: Callable[[str, str | None], Iterable[Found]]


DOORS: tuple[Door, ...] = (
    Door("zip", zip_sessions.knows, zip_sessions.records),
    Door("text", text_sessions.knows, text_sessions.records),
)


def records_of(path: str) -> Iterable[Found] | None:
    """The records of a folder, an archive or a text; None for a file of JSON, in lines or in one document."""
    if os.path.isdir(path):
        return folder_sessions.records(path)
    with opened(path) as file:
        try:
            begins = file.read(_SNIFFED)
        except OSError as error:
            raise SessionError(f"{path}: {reason(error)}, while it was read") from None
    door = next((door for door in DOORS if door.knows(begins)), None)
    return None if door is None else door.records(path, None)
