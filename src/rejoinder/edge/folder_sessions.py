"""Sessions that are folders, as records: a file an event, or several files that make one session together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from rejoinder.edge.files import read as read_file
from rejoinder.edge.files import reason
from rejoinder.errors import PayloadError, SessionError
from rejoinder.transcripts.lines import Found, Oddity, Record
from rejoinder.transcripts.members import parsed
from rejoinder.values.loose import is_array, is_object


class _Folder(NamedTuple):
    """One kind of folder: which files are the session's, and which one shows that it is such a folder."""

    holds: Callable[[str], bool]
    first: Callable[[str], bool]


def _is_event(name: str) -> bool:
    return name.startswith("event-") and name.endswith(".json")


def _is_task(name: str) -> bool:
    return name in ("api_conversation_history.json", "ui_messages.json")


def _is_history(name: str) -> bool:
    return name == "api_conversation_history.json"


def _is_part(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".")


def _is_messages(name: str) -> bool:
    return name.endswith(".messages.json")


_FOLDERS = (
    _Folder(holds=_is_event, first=_is_event),
    _Folder(holds=_is_task, first=_is_history),
    _Folder(holds=_is_part, first=_is_messages),
)


def knows(path: str) -> bool:
    """Is this a folder that is one session?"""
    return os.path.isdir(path) and _kind_of(_names(path)) is not None


def records(path: str, _session: str | None = None) -> Iterator[Found]:
    """The records of a folder, file by file. Of events `line` is the number of the file, of items that of the item."""
    names = _names(path)
    kind = _kind_of(names)
    if kind is None:
        raise SessionError(f"{path}: this folder is no session; name the file that is one")
    for number, name in enumerate((name for name in names if kind.holds(name)), 1):
        yield from _records(os.path.join(path, name), number)


def _names(path: str) -> list[str]:
    try:
        return sorted(os.listdir(path))
    except OSError as error:
        raise SessionError(f"{path}: {reason(error)}; nothing was read") from None


def _kind_of(names: list[str]) -> _Folder | None:
    return next((kind for kind in _FOLDERS if any(map(kind.first, names))), None)


def _records(path: str, number: int) -> Iterator[Found]:
    name = os.path.basename(path)
    try:
        said = read_file(path).text.removeprefix("\ufeff")
        value: Any = parsed(said)
        says = "" if said.strip() else "empty, "
    except PayloadError as error:
        value, says = None, f"{error}, "
    for at, item in enumerate(value if is_array(value) else (value,), 1):
        line = at if is_array(value) else number
        if is_object(item):
            yield Record(item, b"", line, 0)
        else:
            kind = f"{says}unreadable: {name} is no JSON object"
            yield Oddity(kind=kind, line=line, offset=0, length=0, done="set aside")
