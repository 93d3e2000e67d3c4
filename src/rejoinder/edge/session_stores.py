"""Stores that hold sessions as many rows or many files: databases, and folders with a file a message.

A database is opened so that whoever uses it does not notice: read-only, and where nobody has unwritten pages beside it,
without any lock. What stands in it as JSON is decoded here; a value that cannot be is told, and its row set aside.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from rejoinder.edge.files import reason
from rejoinder.edge.rows import opened
from rejoinder.errors import SessionError
from rejoinder.transcripts.lines import Found, Oddity, Record
from rejoinder.values.loose import is_object

Row = dict[str, Any]
_Item = TypeVar("_Item")

_WAL_MODE = 2
# How many seconds a writer that holds the file is waited for.
_PATIENCE = 2
_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")


class Table(NamedTuple):
    """One table: the column with the id of the session, the columns that hold JSON, and the order of its rows."""

    name: str
    session: str
    json: tuple[str, ...]
    order: str = "rowid"


class Store(NamedTuple):
    """One agent's database: the table of its sessions with the column that tells the last change, and those of theirs.

    `needs` are columns by which it is known; a table that a version does not have is passed over.
    """

    tool: str
    sessions: Table
    changed: str
    tables: tuple[Table, ...]
    needs: tuple[tuple[str, str], ...]


STORES: tuple[Store, ...] = (
    Store(
        tool="opencode",
        sessions=Table("session", "id", ("revert", "summary", "model")),
        changed="time_updated",
        tables=(
            Table("message", "session_id", ("data",)),
            Table("part", "session_id", ("data",)),
            Table("session_message", "session_id", ("data",)),
        ),
        needs=(("session", "id"), ("message", "data"), ("part", "message_id")),
    ),
    Store(
        tool="goose",
        sessions=Table("sessions", "id", ("model_config_json",)),
        changed="updated_at",
        tables=(Table("messages", "session_id", ("content_json", "metadata_json")),),
        needs=(("sessions", "working_dir"), ("messages", "content_json")),
    ),
)


def database_records(path: str, session: str | None) -> Iterator[Found]:
    """The rows of one session, each with the name of its table: that of the session, then those of its messages."""
    yield from _unchanged(path, lambda database: _read(path, database, session))


def database_sessions(path: str) -> tuple[str, ...]:
    """The ids of the sessions in a database, the one that was last changed first."""
    return tuple(_unchanged(path, lambda database: _ids(database, _store(path, database))))


def _read(path: str, database: sqlite3.Connection, session: str | None) -> list[Found]:
    store = _store(path, database)
    known = _ids(database, store)
    wanted = session if session is not None else next(iter(known), None)
    if wanted is None or wanted not in known:
        raise SessionError(f"{path}: there is no session {session!r} in it" if session else f"{path}: it is empty")
    found: list[Found] = []
    for table in (store.sessions, *store.tables):
        if _columns(database, table.name):
            found += _rows(database, store.tool, table, wanted)
    return found


def _store(path: str, database: sqlite3.Connection) -> Store:
    """Whose database it is, by its tables."""
    for store in STORES:
        if all(column in _columns(database, table) for table, column in store.needs):
            return store
    raise SessionError(f"{path}: this database is of no agent that is known ({', '.join(s.tool for s in STORES)})")


def _columns(database: sqlite3.Connection, table: str) -> set[str]:
    return {str(row[1]) for row in database.execute(f"PRAGMA table_info({table})")}


def _ids(database: sqlite3.Connection, store: Store) -> list[str]:
    order = store.changed if store.changed in _columns(database, store.sessions.name) else "rowid"
    query = f"SELECT {store.sessions.session} FROM {store.sessions.name} ORDER BY {order} DESC, rowid DESC"
    return [str(row[0]) for row in database.execute(query)]


def _rows(database: sqlite3.Connection, tool: str, table: Table, session: str) -> Iterator[Found]:
    query = f"SELECT rowid, * FROM {table.name} WHERE {table.session} = ? ORDER BY {table.order}"
    cursor = database.execute(query, (session,))
    names = [str(column[0]) for column in cursor.description][1:]
    for line, *values in cursor:
        row: Row = dict(zip(names, values, strict=True))
        broken = [name for name in table.json if not _opened(row, name)]
        if broken:
            kind = f"unreadable JSON in {table.name}.{broken[0]}"
            yield Oddity(kind=kind, line=line, offset=0, length=len(str(row[broken[0]])), done="set aside")
        # A row of the session is of use even so.
        if not broken or table.session == "id":
            yield Record({"table": f"{tool}.{table.name}", **row}, b"", line, 0)


def _opened(row: Row, name: str) -> bool:
    """Put a decoded value in the place of its JSON. A column that is not there, or empty, is no fault."""
    held = row.get(name)
    if held is None:
        return True
    try:
        row[name] = _value(held if isinstance(held, bytes) else str(held).encode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return False
    return True


def _value(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError):
        return json.loads(data.decode("utf-8"), parse_constant=_no_number)


def _no_number(name: str) -> Any:
    raise ValueError(name)


# --- opening a database that somebody may be using -------------------------------------------------------------------


def _unchanged(path: str, read: Callable[[sqlite3.Connection], list[_Item]]) -> list[_Item]:
    """What `read` finds. Where the file changed while it was read without a lock, it is read again with one."""
    try:
        before = _state(path)
        with _connected(path, locked=False) as database:
            found = read(database)
        if _state(path) != before:
            with _connected(path, locked=True) as database:
                found = read(database)
        return found
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # A message may quote what stands in a damaged file: more than one line of it, or no text at all.
        says, todo = " ".join(str(error).split()), "close the program that writes it, or take a copy"
        raise SessionError(f"{path}: the database cannot be read ({says}); {todo}") from None
    except OSError as error:
        raise SessionError(f"{path}: {reason(error)}; nothing was read") from None


def _state(path: str) -> tuple[Any, ...]:
    """By what a change is noticed: of the file itself, and of the pages that stand beside it."""
    states: list[Any] = []
    for name in (path, f"{path}-wal", f"{path}-journal"):
        try:
            found = os.stat(name)
            states.append((found.st_ino, found.st_size, found.st_mtime_ns))
        except FileNotFoundError:
            states.append(None)
    return tuple(states)


@contextmanager
def _connected(path: str, *, locked: bool) -> Generator[sqlite3.Connection, None, None]:
    """A connection that writes nothing, not beside the file either.

    Pages that stand in a WAL are read through it if its index is there; without one SQLite would make it, so then a
    copy is read. A file with nothing beside it is read as one that nobody changes: it takes no lock.
    """
    has_wal = _size(f"{path}-wal") > 0 or os.path.exists(f"{path}-shm")
    lacks_index = has_wal and not os.path.exists(f"{path}-shm")
    with ExitStack() as stack:
        if lacks_index or (locked and not has_wal and _is_wal(path)):
            path = _copied(path, stack.enter_context(tempfile.TemporaryDirectory(prefix="rejoinder-")))
        mode = "mode=ro" if has_wal or locked or os.path.exists(f"{path}-journal") else "mode=ro&immutable=1"
        name = f"file:{quote(os.path.abspath(path))}?{mode}"
        database = stack.enter_context(closing(sqlite3.connect(name, uri=True, timeout=_PATIENCE)))
        database.text_factory = _text
        yield database


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


def _is_wal(path: str) -> bool:
    with opened(path) as file:
        return file.read(20)[18:20] == bytes((_WAL_MODE, _WAL_MODE))


def _copied(path: str, folder: str) -> str:
    copy = os.path.join(folder, "copy.db")
    for end in ("", "-wal"):
        if os.path.exists(path + end):
            shutil.copyfile(path + end, copy + end)
    return copy


# --- folders with a file a message -----------------------------------------------------------------------------------


def is_stored_session(path: str, value: Row) -> bool:
    """Is this the file of a session whose messages are files of their own, in folders beside it?"""
    name = value.get("id")
    is_id = isinstance(name, str) and bool(_ID.fullmatch(name))
    return is_id and "messages" not in value and any(os.path.isdir(folder) for folder, _ in _folders(path, str(name)))


def _folders(path: str, session: str) -> Iterator[tuple[str, str]]:
    """Where the messages of a session are, and the parts of its messages: today, and in older versions."""
    above = os.path.dirname(os.path.dirname(os.path.abspath(path)))
    root = os.path.dirname(above)
    yield os.path.join(root, "message", session), os.path.join(root, "part")
    yield os.path.join(above, "message", session), os.path.join(above, "part", session)


def stored_records(path: str, value: Row) -> Iterator[Found]:
    """The session, and each file of its messages and their parts. A file that cannot be read is told."""
    yield Record({"table": "opencode.session", "data": value}, b"", 0, 0)
    number = 0
    for messages, parts in _folders(path, str(value["id"])):
        for table, folder in (("message", messages), *(("part", folder) for folder in _inside(messages, parts))):
            for name in _files(folder):
                number += 1
                yield _stored(os.path.join(folder, name), table, number)


def _inside(messages: str, parts: str) -> Iterator[str]:
    """The folders with the parts of messages, also of those whose own file is empty or broken."""
    for name in _files(messages):
        yield os.path.join(parts, name.removesuffix(".json"))


def _files(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise SessionError(f"{folder}: {reason(error)}; nothing was read") from None


def _stored(path: str, table: str, number: int) -> Found:
    with opened(path) as file:
        data = file.read()
    try:
        value = _value(data)
    except (ValueError, RecursionError):
        value = None
    if not is_object(value):
        kind = f"unreadable file {os.path.basename(path)}"
        return Oddity(kind=kind, line=number, offset=0, length=len(data), done="set aside")
    return Record({"table": f"opencode.{table}", "data": value}, b"", number, 0)
