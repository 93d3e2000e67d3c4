"""Sessions: conversations kept in a file that rows are appended to, and that is never rewritten."""

from __future__ import annotations

import json
import os
import re
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Self

import msgspec

from rejoinder.active_path import filter_messages, with_results
from rejoinder.edge.aio import Aio
from rejoinder.edge.homes import sessions_folder
from rejoinder.edge.journal import Durability, Journal, must_be_level
from rejoinder.edge.resume import Resumed, resumed
from rejoinder.edge.rows import backwards, records
from rejoinder.edge.tail import last_turns
from rejoinder.errors import SessionError
from rejoinder.mend.policy import Policy
from rejoinder.transcripts import own
from rejoinder.transcripts.lines import Mode, Oddity, Record, read_line
from rejoinder.transcripts.own import Row
from rejoinder.transcripts.seal import seal
from rejoinder.transcripts.tree import Way

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_SUFFIX = ".jsonl"


class Branch(msgspec.Struct, frozen=True):
    """One way through a session: its last row, its messages, when it ended, and whether it is the active one."""

    leaf: str
    messages: int
    ended: str
    active: bool


class Session:
    """A conversation in a file. It may be used from any thread; `aio` gives the same methods to be awaited."""

    def __init__(self, path: str, journal: Journal | None, session: str, leaf: str | None) -> None:
        self.path = path
        self.id = session
        self.leaf = leaf
        self.oddities: list[Oddity] = []
        self._journal = journal
        # One lock for all of it: to make a row and to write it is one step.
        self._lock = threading.Lock() if journal is None else journal.lock
        self._rows: list[Row] | None = None
        self._fresh: list[bytes] = []
        self._names = _Names()
        self._line = bytearray()

    # --- opening ---

    @classmethod
    def create(
        cls,
        session: str | None = None,
        *,
        folder: str | None = None,
        durability: Durability = "flush",
        **more: Any,
    ) -> Session:
        """A new session; `more` goes into its first row. Without an id it gets one of its own."""
        name = session or str(uuid.uuid4())
        path = _path_of(name, folder)
        journal = Journal(path, create=True, durability=durability)
        made = cls(path, journal, name, None)
        made.append_row(own.header(name, made._names.next()[1], more))
        return made

    @classmethod
    def open(
        cls,
        session: str,
        *,
        folder: str | None = None,
        durability: Durability = "flush",
        wait: float = 10.0,
        read_only: bool = False,
    ) -> Session:
        """A session that is there, by its id or the path of its file; another process that holds it is waited for."""
        path = _path_of(session, folder)
        journal = None if read_only else Journal(path, durability=durability, wait=wait)
        try:
            return cls(path, journal, _id_of(path), _leaf(path))
        except BaseException:
            if journal is not None:
                journal.close()
            raise

    @classmethod
    def resume(
        cls,
        session: str,
        target: str | None = None,
        *,
        folder: str | None = None,
        model: str | None = None,
        policy: Policy | str | None = None,
        durability: Durability = "flush",
        wait: float = 10.0,
    ) -> Resumed:
        """The conversation of a session as its target accepts it, and what that took.

        The stored rows stay as they were: the repair is appended as a row. Calls that wait for a person stay open.
        """
        opened = cls.open(session, folder=folder, durability=durability, wait=wait)
        try:
            return resumed(opened, target, model, policy)
        except BaseException:
            opened.close()
            raise

    # --- writing ---

    def append(self, message: Row, *, parent: str | None = None, durability: Durability | None = None) -> str:
        """One message more, of any dialect, behind the last one or behind `parent`; the id of its row.

        When this returns, the row is safe at the level of the session, or at the one that is named here.
        """
        if durability is not None:
            must_be_level(durability)
        with self._lock:
            journal = self._journal or self._writable()
            name, now = self._names.next()
            above = self.leaf if parent is None else parent
            row = {"type": "message", "uuid": name, "parentUuid": above, "timestamp": now}
            row.update(own.with_message(message))
            _encode_row(row, line := self._line)
            end = journal.write(line)
            self.leaf = name
            if self._rows is not None:
                self._fresh.append(bytes(line))
        if durability is not None or journal.durability != "flush":
            journal.make_safe(end, durability)
        return name

    def extend(self, messages: Iterable[Row], *, durability: Durability | None = None) -> list[str]:
        """Several messages, one behind the other."""
        return [self.append(message, durability=durability) for message in messages]

    def append_row(self, row: Row, *, parent: str | None = None, durability: Durability | None = None) -> str:
        """A row of any type. What it says of its id, its parent and its time is kept; else they are given here."""
        if durability is not None:
            must_be_level(durability)
        with self._lock:
            journal = self._writable()
            name, now = self._names.next()
            whole: Row = {
                "type": row.get("type", "message"),
                "uuid": row.get("uuid") or name,
                "parentUuid": row.get("parentUuid", self.leaf if parent is None else parent),
                "timestamp": row.get("timestamp") or now,
            }
            whole.update((member, value) for member, value in row.items() if member not in whole and member != "check")
            _encode_row(whole, self._line)
            end = journal.write(self._line)
            self.leaf = own.goes_on_from(whole, self.leaf)
            if self._rows is not None:
                self._fresh.append(bytes(self._line))
        journal.make_safe(end, durability)
        return whole["uuid"]

    def rewind(self, to: str) -> None:
        """Go on from an earlier row. What was said behind it stays in the file, as a branch."""
        if self._tree().find(to) is None:
            raise SessionError(f"{self.path}: there is no row {to!r} to go back to")
        self.append_row({"type": "rewind", "to": to, "parentUuid": None})

    def compact(self, summary: str, of: Iterable[str]) -> str:
        """A text that stands for the rows of these ids from now on. They stay in the file."""
        return self.append_row({"type": "summary", "summary": summary, "of": list(of)})

    def pause(self, *calls: str) -> None:
        """Say that these calls wait for a person: no repair closes them, until `go_on` says that they wait no more."""
        self.append_row({"type": "pause", "calls": list(calls)})

    def go_on(self, *calls: str) -> None:
        """Say that these calls wait no more."""
        self.append_row({"type": "go_on", "calls": list(calls)})

    def fork(self, at: str | None = None, *, session: str | None = None, folder: str | None = None) -> Session:
        """A new session with the rows up to one, else to the last, under their ids; this one stays as it is."""
        rows = self.rows()
        way = [rows[number] for number in self._way(rows, at).rows]
        # The rows that a summary stands for come too: it says where it stands by their names.
        path = with_results(rows, [row for row in way if row.get("type") in own.SAID])
        if at is not None and (not way or way[-1].get("uuid") != at):
            raise SessionError(f"{self.path}: there is no row {at!r} to fork at")
        came = {"session": self.id, "uuid": way[-1]["uuid"] if way else None}
        there = folder or os.path.dirname(self.path)
        made = Session.create(session, folder=there, forkedFrom=came)
        above: str | None = None
        for row in path:
            kept = {name: value for name, value in row.items() if name != "check"}
            above = made.append_row({**kept, "parentUuid": above})
        if waiting := own.paused(rows):
            made.pause(*sorted(waiting))
        return made

    def sync(self) -> None:
        """Make all that was appended safe from a power cut, as at the end of a turn."""
        self._writable().sync()

    def close(self) -> None:
        """Let go of the file. What was appended is in it."""
        if self._journal is not None:
            self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_raised: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.aio.close()

    @property
    def aio(self) -> Any:
        """The same methods as coroutines: each runs in a thread, so that a sync of the disk does not hold a loop up."""
        return Aio(self)

    # --- reading ---

    def rows(self) -> list[Row]:
        """All rows, in the order they were written. What could not be read is told in `oddities`."""
        with self._lock:
            return list(self._loaded())

    def active_path(self, leaf: str | None = None) -> list[Row]:
        """The rows of the conversation: from the root to the last, or to a row that is named.

        Results that hang beside the way on a call of it belong to it; so a summary stands for the rows that it names.
        """
        rows = self.rows()
        way = self._way(rows, leaf)
        return with_results(rows, own.said_on(rows, way.rows))

    def messages(self, leaf: str | None = None) -> list[Any]:
        """The messages of the active path, as they were handed in."""
        return [own.message_of(row) for row in self.active_path(leaf)]

    def tail(self, turns: int) -> list[Any]:
        """The messages of the last turns, read from the end of the file: however long it is, that takes no longer."""
        return last_turns(self.path, turns)

    def branches(self) -> list[Branch]:
        """All ways through the session, the active one too, in the order in which they ended."""
        rows = self.rows()
        tree = own.tree_of(rows)
        said = [own.kind_of_row(row) in own.SAID for row in rows]
        active = own.leaf_of(rows, tree)
        found: list[Branch] = []
        for leaf in tree.leaves(said, [False] * len(rows)):
            row = rows[leaf]
            count = sum(said[at] for at in tree.way_to(leaf).rows)
            found.append(Branch(str(row.get("uuid")), count, str(row.get("timestamp", "")), leaf == active))
        return found

    @property
    def paused(self) -> frozenset[str]:
        """The ids of the calls that wait for a person."""
        return own.paused(self.rows())

    def _way(self, rows: list[Row], leaf: str | None) -> Way:
        tree = own.tree_of(rows)
        last = tree.find(leaf) if leaf is not None else own.leaf_of(rows, tree)
        if leaf is not None and last is None:
            raise SessionError(f"{self.path}: there is no row {leaf!r}")
        return Way(()) if last is None else tree.way_to(last)

    def _tree(self) -> Any:
        return own.tree_of(self.rows())

    def _loaded(self) -> list[Row]:
        if self._rows is None:
            self._rows = []
            self.oddities.clear()
            for found in records(self.path, checked=True):
                if isinstance(found, Record):
                    self._rows.append(found.value)
                else:
                    self.oddities.append(found)
        elif self._fresh:
            # As they would be read again: what the caller did to its messages since is no part of them.
            found = (each for line in self._fresh for each in read_line(line, 0, 0))
            self._rows += [each.value for each in found if isinstance(each, Record)]
        self._fresh.clear()
        return self._rows

    def _writable(self) -> Journal:
        if self._journal is None:
            raise SessionError(f"{self.path}: it was opened to be read only")
        return self._journal


class _Names:
    """Ids of rows and times of day, quickly made. Ids go up within a process, and are of no other."""

    __slots__ = ("_begins", "_count", "_now", "_words")

    def __init__(self) -> None:
        self._begins = str(uuid.uuid4())[:24]
        # Decimal digits are hexadecimal ones too, and are made in a third of the time.
        self._count = 100_000_000_000
        self._now = -1
        self._words = ""

    def next(self) -> tuple[str, str]:
        """An id that was not given before, and the time."""
        now = time.time_ns() // 1_000_000
        if now != self._now:
            self._now = now
            second, rest = divmod(now, 1_000)
            self._words = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(second))}.{rest:03d}Z"
        self._count = count = self._count + 1
        return f"{self._begins}{count}", self._words


_encode_into = msgspec.json.Encoder().encode_into


def _encode_row(row: Row, line: bytearray) -> None:
    """A row as its line, with its check value, in a buffer that is used again and again."""
    try:
        _encode_into(row, line)
    except UnicodeEncodeError:
        # A lone surrogate can only be written as the escape that it came in.
        line[:] = json.dumps(row, ensure_ascii=True, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise SessionError(f"this row cannot be written as JSON: {error}; give plain dicts, lists and texts") from None
    seal(line)


def _path_of(session: str, folder: str | None) -> str:
    """The file of a session. An id is a name, never a path; what has a separator or the suffix in it is a path."""
    if folder is None and (session.endswith(_SUFFIX) or os.sep in session) and "\0" not in session:
        return session
    if not _ID.fullmatch(session):
        raise SessionError(f"{session!r} is no id of a session: letters, digits, - and _, at most 128 of them")
    return os.path.join(folder or sessions_folder(), session + _SUFFIX)


def _id_of(path: str) -> str:
    for found in records(path, checked=True):
        if isinstance(found, Record) and own.is_header(found.value):
            version = found.value.get("version")
            if isinstance(version, int) and version > own.VERSION:
                raise SessionError(f"{path}: it is of format version {version}; this rejoinder reads {own.VERSION}")
            return str(found.value.get("uuid"))
        if isinstance(found, Record):
            break
    return os.path.basename(path).removesuffix(_SUFFIX)


def _leaf(path: str) -> str | None:
    """The id of the row to go on from, found from the end of the file."""
    for record in backwards(path, checked=True):
        kind = own.kind_of_row(record.value)
        name = record.value.get("uuid" if kind in own.SAID else "to") if kind in own.SAID or kind == "rewind" else None
        if isinstance(name, str):
            return name
    return None


def load_session_messages(path: str, *, mode: Mode = "tail") -> list[Row]:
    """The message rows of a session file on its active path, without incomplete exchanges."""
    return filter_messages([found.value for found in records(path, mode=mode) if isinstance(found, Record)])


def session_files(folder: str | None = None) -> Iterator[str]:
    """The files of all sessions in a folder, by name."""
    there = folder or sessions_folder()
    try:
        names = sorted(os.listdir(there))
    except FileNotFoundError:
        return
    for name in names:
        if name.endswith(_SUFFIX) and _ID.fullmatch(name.removesuffix(_SUFFIX)):
            yield os.path.join(there, name)
