"""System calls that fail, each once: a typed error, a session that can be read, nothing lost that was acknowledged."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crash.sessions_under_fire import TIMES, numbers_in
from rejoinder.edge.sessions import Session

SCRIPT = Path(__file__).with_name("appending.py")
STRACE = shutil.which("strace")
WHENS = (1, 5) if TIMES < 1_000 else range(1, 11)
CALLS = [(call, error, when) for call in ("write", "fdatasync") for error in ("ENOSPC", "EIO") for when in WHENS]

OPENING = [("openat", "EMFILE"), ("openat", "EROFS"), ("flock", "ENOLCK"), ("pread64", "EIO")]


def works() -> str:
    """Why strace cannot be used here; nothing where it can."""
    if STRACE is None:
        return "NOT CHECKED: strace is not installed"
    tried = subprocess.run([STRACE, "-o", os.devnull, "true"], capture_output=True, check=False)
    return "" if tried.returncode == 0 else "NOT CHECKED: strace may not trace here"


NO_STRACE = works()
needs_strace = pytest.mark.skipif(bool(NO_STRACE), reason=NO_STRACE)


def appended(path: str, durability: str, *inject: str) -> list[str]:
    """What the script told, with faults put into the calls on this one file."""
    trace = [str(STRACE), "-qq", "-o", os.devnull, "-P", path, *inject] if inject else []
    command = [*trace, sys.executable, str(SCRIPT), path, durability]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout.splitlines()


def acknowledged(told: list[str]) -> list[int]:
    return [int(line.split()[1]) for line in told if line.startswith("acknowledged")]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    made = Session.create("faulty", folder=str(tmp_path))
    made.append({"role": "user", "content": "100 before"})
    made.close()
    return made


@needs_strace
@pytest.mark.parametrize(("call", "error", "when"), CALLS)
def test_a_call_that_fails_once_loses_nothing_that_was_acknowledged(call: str, error: str, when: int, session: Session):
    """A failed write is told and the next row is written; after a failed sync nothing is acknowledged any more."""
    told = appended(session.path, "sync", "-e", f"inject={call}:error={error}:when={when}")
    acks = acknowledged(told)
    failed = [line for line in told if line.startswith("failed")]
    there = numbers_in(session.path)
    assert set(acks) <= set(there)
    assert there[0] == 100
    if call == "write":
        assert (len(acks), len(failed)) == (9, 1)
        assert sorted(there[1:]) == acks, "a row that was refused is not there either"
    else:
        assert acks == list(range(when - 1)), "a handle whose sync failed acknowledges nothing more"
        assert len(failed) == 10 - len(acks)
    assert acknowledged(appended(session.path, "flush")) == list(range(10)), "opened again, it can be appended to"


@needs_strace
@pytest.mark.parametrize(("call", "error"), OPENING)
def test_a_session_that_cannot_be_opened_says_so(call: str, error: str, session: Session):
    """In one line, and what was in it stays."""
    told = appended(session.path, "flush", "-e", f"inject={call}:error={error}:when=1")
    assert len(told) == 1 or acknowledged(told) == list(range(10))
    assert told[0].startswith(("refused", "acknowledged"))
    assert numbers_in(session.path)[0] == 100


@needs_strace
def test_a_call_that_is_interrupted_is_made_again(session: Session):
    """EINTR is no error."""
    told = appended(session.path, "sync", "-e", "inject=write:error=EINTR:when=1+2")
    assert acknowledged(told) == list(range(10))


def test_a_full_disk_is_told_and_what_fits_stays(session: Session):
    """With a limit on the size of files in place of a small disk: short writes are cut back."""
    size = os.stat(session.path).st_size
    for room in range(0, 900, 111):

        def limited(room: int = room) -> None:
            import signal

            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, size + room))

        command = [sys.executable, str(SCRIPT), session.path, "flush"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limited)
        told = done.stdout.splitlines()
        assert any(line.startswith("failed") for line in told), done.stderr
        data = Path(session.path).read_bytes()
        assert data.endswith(b"\n"), "a short write was not cut back"
        assert numbers_in(session.path) == [100, *acknowledged(told)]
        os.truncate(session.path, size)
