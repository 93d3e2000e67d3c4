"""Files that were cut, and files with a flipped bit: at most the row that was hit is lost, and it is always noticed."""

import random
from pathlib import Path
from typing import Any

import pytest

from crash.sessions_under_fire import TIMES
from rejoinder.edge import rows
from rejoinder.edge.sessions import Session
from rejoinder.transcripts.lines import Oddity

WORDS = 'He said "wörds {\\"role\\": 1}" \n'


@pytest.fixture
def session(tmp_path: Path) -> Session:
    made = Session.create("cut", folder=str(tmp_path))
    for number in range(8):
        made.append({"role": "user", "content": f"{number} {WORDS}"})
    made.close()
    return made


def said(path: str) -> tuple[list[Any], list[Oddity]]:
    with Session.open(path, read_only=True) as session:
        return [row.get("content") for row in session.rows() if row.get("type") == "message"], list(session.oddities)


def test_a_session_cut_at_any_byte_has_all_rows_before_and_goes_on(session: Session):
    """And the next row is appended behind what is left, not into it."""
    data = Path(session.path).read_bytes()
    ends = [at for at, byte in enumerate(data) if byte == 0x0A]
    for cut in range(ends[0] + 1, len(data)):
        Path(session.path).write_bytes(data[:cut])
        whole = sum(end <= cut for end in ends) - 1
        assert said(session.path)[0] == [f"{number} {WORDS}" for number in range(whole)]
        with Session.open(session.path) as again:
            again.append({"role": "user", "content": "next"})
        texts, oddities = said(session.path)
        assert texts == [*(f"{number} {WORDS}" for number in range(whole)), "next"]
        assert bool(oddities) == (data[cut - 1] != 0x0A and cut not in ends)


def flipped(session: Session, times: int) -> tuple[int, int]:
    """The most rows that one flip cost, and how many flips nobody noticed."""
    data = Path(session.path).read_bytes()
    everything, _ = said(session.path)
    rng = random.Random(3)
    most = unnoticed = 0
    for _ in range(times):
        at, bit = rng.randrange(len(data)), 1 << rng.randrange(8)
        Path(session.path).write_bytes(data[:at] + bytes((data[at] ^ bit,)) + data[at + 1 :])
        texts, oddities = said(session.path)
        assert all(text in everything for text in texts)
        most = max(most, len(everything) - len(texts))
        unnoticed += not oddities
    return most, unnoticed


def test_a_flipped_bit_costs_one_row_at_most_and_is_noticed(session: Session):
    """Every one of them."""
    assert flipped(session, max(TIMES * 5, 1_000)) == (1, 0)


def test_without_check_values_most_flips_go_unnoticed(session: Session, monkeypatch: pytest.MonkeyPatch):
    """The test above can fail: what is still JSON looks as good as any other row."""
    monkeypatch.setattr(rows, "_held_to_check", lambda record: record)
    data = Path(session.path).read_bytes()
    unnoticed = 0
    rng = random.Random(3)
    for _ in range(300):
        at, bit = rng.randrange(len(data)), 1 << rng.randrange(8)
        Path(session.path).write_bytes(data[:at] + bytes((data[at] ^ bit,)) + data[at + 1 :])
        unnoticed += not said(session.path)[1]
    assert unnoticed > 100
