"""How a session that is not JSON in one file becomes records: the table that who opens sessions asks first."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rejoinder.edge import folder_sessions, text_sessions, zip_sessions
from rejoinder.transcripts.lines import Found


class Door(NamedTuple):
    """One way in: `fits` asks for the path and the first bytes, of which a folder has none."""

    name: str
    fits: Callable[[str, bytes], bool]
    records: Callable[[str], Iterator[Found]]


def _is_folder(path: str, _begins: bytes) -> bool:
    return folder_sessions.is_session(path)


def _is_zip(_path: str, begins: bytes) -> bool:
    return begins.startswith(zip_sessions.BEGINS)


def _is_text(_path: str, begins: bytes) -> bool:
    return text_sessions.is_history(begins)


DOORS: tuple[Door, ...] = (
    Door("folder", _is_folder, folder_sessions.records),
    Door("zip", _is_zip, zip_sessions.records),
    Door("text", _is_text, text_sessions.records),
)


def door_for(path: str) -> Door | None:
    """The door that a path takes; None for a file of JSON, in lines or in one document."""
    begins = b"" if os.path.isdir(path) else text_sessions.begins_of(path)
    return next((door for door in DOORS if door.fits(path, begins)), None)
