"""Several processes at one session: nothing lost, nothing interleaved, and the lock is let go of by death alone."""

import fcntl
import multiprocessing
import os
import random
import signal
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from crash.sessions_under_fire import TIMES
from rejoinder.edge import journal
from rejoinder.edge.sessions import Session
from rejoinder.errors import LockedError

ROWS = 200 if TIMES < 1_000 else 10_000
BATCH = 20
FORK = multiprocessing.get_context("fork")


def write(path: str, who: int, rows: int) -> None:
    """So many rows, some at a time, with the session let go of in between."""
    for first in range(0, rows, BATCH):
        with Session.open(path, wait=300) as session:
            for number in range(first, first + BATCH):
                session.append({"role": "user", "content": f"{who} {number} " + "x" * (number % 7 * 900)})


def said(path: str) -> tuple[list[tuple[int, int]], int]:
    """Who said which number, and how many oddities there are."""
    with Session.open(path, read_only=True) as session:
        rows = [row["content"].split(" ") for row in session.rows() if row["type"] == "message"]
        return [(int(who), int(number)) for who, number, _ in rows], len(session.oddities)


@pytest.mark.parametrize("writers", [2, 8])
def test_many_writers_lose_nothing_and_never_interleave(writers: int, tmp_path: Path):
    """Each one's rows are all there, in its order, and its batches are whole."""
    session = Session.create(folder=str(tmp_path))
    session.close()
    others = [FORK.Process(target=write, args=(session.path, who, ROWS)) for who in range(writers)]
    for other in others:
        other.start()
    for other in others:
        other.join(600)
    rows, oddities = said(session.path)
    assert oddities == 0
    assert len(rows) == writers * ROWS
    for who in range(writers):
        assert [number for writer, number in rows if writer == who] == list(range(ROWS))
    for at in range(0, len(rows), BATCH):
        assert len({who for who, _ in rows[at : at + BATCH]}) == 1, "a batch was interleaved with another"


def test_writers_that_are_killed_cost_at_most_the_row_they_were_at(tmp_path: Path):
    """The others go on behind what they left."""
    session = Session.create(folder=str(tmp_path))
    session.close()
    rng = random.Random(1)
    for turn in range(5):
        others = [FORK.Process(target=write, args=(session.path, turn * 4 + who, ROWS)) for who in range(4)]
        for other in others:
            other.start()
        time.sleep(rng.uniform(0.005, 0.05))
        others[0].kill()  # it may have ended by then
        for other in others:
            other.join(600)
    rows, _ = said(session.path)
    for who in range(20):
        numbers = [number for writer, number in rows if writer == who]
        assert numbers == list(range(len(numbers))), "a row in the middle is gone"
        assert who % 4 == 0 or len(numbers) == ROWS


def hold(path: str, held: Event) -> None:
    with Session.open(path) as session:
        session.append({"role": "user", "content": "held"})
        held.set()
        time.sleep(60)


def test_a_dead_holder_lets_go_within_a_second(tmp_path: Path):
    """Nobody has to take a stale lock away."""
    session = Session.create(folder=str(tmp_path))
    session.close()
    held = FORK.Event()
    holder = FORK.Process(target=hold, args=(session.path, held))
    holder.start()
    assert held.wait(30)
    with pytest.raises(LockedError):
        Session.open(session.path, wait=0)
    os.kill(holder.pid or 0, signal.SIGKILL)
    began = time.monotonic()
    with Session.open(session.path, wait=10) as again:
        took = time.monotonic() - began
        assert [message["content"] for message in again.messages()] == ["held"]
    assert took < 1, took
    holder.join()


def asked_elsewhere(path: str) -> str:
    """Can another process take the session now?"""
    answer = path + ".answer"
    other = FORK.Process(target=_tried, args=(path, answer))
    other.start()
    other.join(60)
    return Path(answer).read_text("utf-8")


def _tried(path: str, answer: str) -> None:
    try:
        Session.open(path, wait=0).close()
    except LockedError:
        Path(answer).write_text("locked", "utf-8")
    else:
        Path(answer).write_text("taken", "utf-8")


def test_a_reader_in_the_same_process_does_not_free_the_lock(tmp_path: Path):
    """Whatever way it opens the file, and closes it."""
    with Session.create(folder=str(tmp_path)) as session:
        with Session.open(session.path, read_only=True) as reader:
            reader.messages()
        Path(session.path).read_bytes()
        assert asked_elsewhere(session.path) == "locked"
    assert asked_elsewhere(session.path) == "taken"


def test_another_kind_of_lock_would_be_freed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The test above can fail: a lock of `lockf` is gone as soon as a reader closes the file."""

    def locked(handle: int, path: str, wait: float) -> None:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LockedError(path, wait) from None

    monkeypatch.setattr(journal, "_locked", locked)
    with Session.create(folder=str(tmp_path)) as session:
        assert asked_elsewhere(session.path) == "locked"
        Path(session.path).read_bytes()
        assert asked_elsewhere(session.path) == "taken"
