"""Sessions held against a list: whatever is done to one, and wherever it is cut, it says what the list says.

A machine draws what is done: append, rewind, compact, pause, fork, resume, a look by a second reader, a cut of the last
rows as a crash leaves them, a line of dirt, opening again. The model is a list of the rows and where their lines end.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from crash.sessions_under_fire import TIMES
from rejoinder.edge import sessions
from rejoinder.edge.journal import Journal
from rejoinder.edge.sessions import Session
from rejoinder.errors import LockedError, SessionError
from rejoinder.transcripts import own, seal

TEXTS = st.sampled_from(["a", 'She said "{"', "wörds\n", "x" * 5_000, "\ud83d", ""])
RUNS = 400 if TIMES < 1_000 else TIMES // 2
STEPS = 30 if TIMES < 1_000 else 50


class Kept(NamedTuple):
    """A row as the model has it: its id, its parent, what it is, and where its line ends."""

    name: str
    parent: str | None
    kind: str
    what: Any
    end: int


class Model:
    """The rows of a session, in their order."""

    def __init__(self) -> None:
        self.rows: list[Kept] = []

    def leaf(self) -> str | None:
        for row in reversed(self.rows):
            if row.kind in ("message", "summary"):
                return row.name
            if row.kind == "rewind":
                return row.what
        return None

    def path(self) -> list[Kept]:
        by_name = {row.name: row for row in self.rows}
        way: list[Kept] = []
        at = self.leaf()
        while at is not None and at in by_name:
            way.append(by_name[at])
            at = by_name[at].parent
        return way[::-1]

    def messages(self) -> list[Any]:
        way = self.path()
        summaries = [row for row in way if row.kind == "summary"]
        gone = {name for row in summaries for name in row.what[1]}
        standing = {row.what[1][0]: row for row in summaries if row.name not in gone}
        out: list[Any] = []
        for row in way:
            if row.name in standing:
                out.append({"role": "user", "content": standing[row.name].what[0]})
            elif row.kind == "message" and row.name not in gone:
                out.append(row.what)
        return out

    def paused(self) -> set[str]:
        return {row.what for row in self.rows if row.kind == "pause"}


class SessionMachine(RuleBasedStateMachine):
    """One session, and the list."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.session = Session.create("machine", folder=self.folder)
        self.model = Model()
        self.head = self.size()
        self.dirt = 0

    def teardown(self) -> None:
        self.session.close()
        shutil.rmtree(self.folder)

    def size(self) -> int:
        return os.stat(self.session.path).st_size

    def keep(self, name: str, kind: str, what: Any) -> None:
        parent = self.model.leaf()
        self.model.rows.append(Kept(name, parent, kind, what, self.size()))

    def last_name(self) -> str:
        """The id of the row that was just written."""
        return self.session.rows()[-1]["uuid"]

    # --- what is done ---

    @rule(text=TEXTS, odd=st.booleans())
    def append(self, text: str, odd: bool) -> None:
        message: dict[str, Any] = {"role": "user", "content": text}
        if odd:
            message["uuid"] = "mine"
        self.keep(self.session.append(message), "message", message)

    @precondition(lambda self: self.model.path())
    @rule(back=st.integers(0, 5))
    def rewind(self, back: int) -> None:
        said = [row.name for row in self.model.path() if row.kind == "message"]
        if said:
            to = said[-1 - min(back, len(said) - 1)]
            self.session.rewind(to)
            self.keep(self.last_name(), "rewind", to)

    @precondition(lambda self: len(self.model.path()) > 1)
    @rule(count=st.integers(1, 4))
    def compact(self, count: int) -> None:
        names = [row.name for row in self.model.path()][:count]
        name = self.session.compact("short", names)
        self.keep(name, "summary", ("short", names))

    @rule(number=st.integers(0, 3))
    def pause(self, number: int) -> None:
        self.session.pause(f"call_{number}")
        self.keep(self.last_name(), "pause", f"call_{number}")

    @rule()
    def label(self) -> None:
        self.keep(self.session.append_row({"type": "label", "label": "here"}), "label", None)

    @rule()
    def fork(self) -> None:
        with self.session.fork() as fork:
            assert fork.messages() == self.session.messages()
            assert fork.paused == self.session.paused
            fork.append({"role": "user", "content": "elsewhere"})

    @precondition(lambda self: self.model.messages())
    @rule()
    def resume(self) -> None:
        self.session.close()
        before = Path(self.session.path).read_bytes()
        resumed = Session.resume(self.session.path, "openai-chat")
        self.session = resumed.session
        data = Path(self.session.path).read_bytes()
        assert data.startswith(before)
        if len(data) > len(before):
            assert self.session.rows()[-1]["type"] == "repair"
            self.keep(self.last_name(), "repair", None)

    @rule()
    def reopen(self) -> None:
        self.session.close()
        self.session = Session.open(self.session.path)

    @rule(share=st.floats(0, 1), rows=st.integers(0, 3))
    def crash(self, share: float, rows: int) -> None:
        """The end is gone, from some byte of the last rows on; whatever ended before is there."""
        self.session.close()
        ends = [self.head, *(row.end for row in self.model.rows)]
        start, size = ends[max(0, len(ends) - 1 - rows)], ends[-1]
        cut = start + int(share * (size - start))
        os.truncate(self.session.path, cut)
        # A row that lacks nothing but its line feed is whole.
        self.model.rows = [row for row in self.model.rows if row.end - 1 <= cut]
        self.session = Session.open(self.session.path)

    @precondition(lambda self: self.dirt < 3)
    @rule(
        dirt=st.sampled_from([b"\0\0\0\n", b"not json\n", b'{"type":"message","uuid":"forged","role":"user"}\n', b"\n"])
    )
    def spoil(self, dirt: bytes) -> None:
        """A line that nobody of ours wrote is passed over."""
        self.dirt += 1
        self.session.close()
        with open(self.session.path, "rb") as file:
            whole = file.read()[-1:] == b"\n"
        with open(self.session.path, "ab") as file:
            file.write(dirt if whole else b"\n" + dirt)
        self.session = Session.open(self.session.path)

    @rule()
    def second(self) -> None:
        """A second writer is told to wait; a second reader sees what is there, and leaves the lock where it is."""
        with pytest.raises(LockedError):
            Session.open(self.session.path, wait=0)
        with Session.open(self.session.path, read_only=True) as reader:
            assert reader.messages() == self.model.messages()
            with pytest.raises(SessionError):
                reader.append({"role": "user", "content": "no"})
        with pytest.raises(LockedError):
            Session.open(self.session.path, wait=0)

    # --- what holds ---

    @invariant()
    def says_what_the_list_says(self) -> None:
        rows = self.session.rows()
        assert [row["uuid"] for row in rows[1:]] == [row.name for row in self.model.rows]
        assert self.session.leaf == self.model.leaf()
        messages = self.model.messages()
        assert self.session.messages() == messages
        assert self.session.tail(1_000) == messages
        assert self.session.paused == self.model.paused()


def run(runs: int, steps: int, phases: tuple[Phase, ...] = tuple(Phase)) -> None:
    run_state_machine_as_test(
        SessionMachine,
        settings=settings(
            max_examples=runs,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
            print_blob=False,
            phases=phases,
            report_multiple_bugs=False,
        ),
    )


def test_a_session_is_its_list():
    """Through everything that can be done to it."""
    run(RUNS, STEPS)


# --- planted faults ---------------------------------------------------------------------------------------------------


def _no_guard(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Journal, "_ends_torn", lambda _self: False)


def _no_rewind(patch: pytest.MonkeyPatch) -> None:
    def last_said(rows: list[Any], _tree: Any) -> int | None:
        return next((at for at in range(len(rows) - 1, -1, -1) if rows[at].get("type") in own.SAID), None)

    patch.setattr(own, "leaf_of", last_said)


def _no_check(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("rejoinder.edge.rows.state_of", lambda _raw: "sound")


def _stale_rows(patch: pytest.MonkeyPatch) -> None:
    """A session that has read its rows does not see what it appends."""
    loaded = Session._loaded

    def stale(self: Session) -> Any:
        self._fresh.clear()
        return loaded(self)

    patch.setattr(Session, "_loaded", stale)


def _wrong_seal(patch: pytest.MonkeyPatch) -> None:
    """Some rows are written with the check value of another."""

    def spoiled(row: bytearray) -> None:
        seal.seal(row)
        if len(row) % 5 == 0:
            row[-4:-3] = b"0" if row[-4:-3] != b"0" else b"1"

    patch.setattr(sessions, "seal", spoiled)


def _no_lock(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("rejoinder.edge.journal._locked", lambda *_said: None)


PLANTED: list[Callable[[pytest.MonkeyPatch], None]] = [
    _no_guard,
    _no_rewind,
    _no_check,
    _stale_rows,
    _wrong_seal,
    _no_lock,
]


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.__name__.strip("_"))
def test_planted_faults_are_found(planted: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch):
    """The machine can fail: each of these is found in fewer runs than it is given."""
    planted(monkeypatch)
    with pytest.raises((AssertionError, SessionError, KeyError, ExceptionGroup, pytest.fail.Exception)):
        run(300, STEPS, (Phase.generate,))
