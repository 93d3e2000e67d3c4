"""The last turns of a session, from its end: what the whole reading would show last, without the whole reading."""

import random
from pathlib import Path
from typing import Any

import pytest

from rejoinder.edge import rows
from rejoinder.edge.sessions import Session
from rejoinder.edge.tail import last_turns


def call(*names: str) -> dict[str, Any]:
    function = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": name, **function} for name in names]}


def result(name: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": "done"}


def user(text: object) -> dict[str, Any]:
    return {"role": "user", "content": str(text)}


def assistant(text: object) -> dict[str, Any]:
    return {"role": "assistant", "content": str(text)}


def last_of(messages: list[Any], turns: int) -> list[Any]:
    """The same, asked of the messages of the whole path."""
    starts = [at for at, message in enumerate(messages) if message["role"] == "user"]
    return messages[starts[-turns] if len(starts) >= turns else 0 :]


def test_the_last_turns_are_the_last_of_all(tmp_path: Path):
    """With parallel results that hang beside the way, and what was rewound left out."""
    rng = random.Random(1)
    with Session.create(folder=str(tmp_path)) as session:
        said: list[str] = []
        for turn in range(60):
            said.append(session.append(user(turn)))
            if rng.random() < 0.5:
                names = [f"{turn}-{at}" for at in range(rng.randrange(1, 4))]
                asked = session.append(call(*names))
                for name in names:
                    last = session.append(result(name), parent=asked)
                session.append(assistant("seen"), parent=last)
            if rng.random() < 0.2:
                session.rewind(rng.choice(said[-3:]))
        whole = session.messages()
        for turns in (1, 2, 5, 20, 1_000):
            assert session.tail(turns) == last_of(whole, turns)
        assert session.tail(0) == []


def test_behind_a_rewind_nothing_of_the_left_branch_is_shown(tmp_path: Path):
    """Not even when nothing was said since."""
    with Session.create(folder=str(tmp_path)) as session:
        first = session.append(user("first"))
        session.extend([assistant("no"), user("left"), assistant("left")])
        session.rewind(first)
        assert session.tail(5) == [user("first")]
        session.append(assistant("yes"))
        assert session.tail(5) == [user("first"), assistant("yes")]


def test_a_summary_stands_where_its_first_row_stood(tmp_path: Path):
    """Its rows are no turns; who asks for more turns than it left gets it."""
    with Session.create(folder=str(tmp_path)) as session:
        session.append(user("kept"))
        names = session.extend([user(0), assistant(0), user(1), assistant(1)])
        session.compact("all of it", names)
        session.extend([user(2), assistant(2)])
        assert session.tail(1) == [user(2), assistant(2)]
        assert session.tail(2) == session.messages() == [user("kept"), user("all of it"), user(2), assistant(2)]


def test_torn_and_spoiled_rows_are_passed_over(tmp_path: Path):
    """As everywhere; an empty session has no turns."""
    with Session.create(folder=str(tmp_path)) as session:
        assert session.tail(3) == []
        session.extend([user(0), assistant(0)])
    with open(session.path, "ab") as file:
        file.write(b'{"type":"message","uuid":"x","check":"00000000"}\n{"torn')
    assert last_turns(session.path, 3) == [user(0), assistant(0)]


def test_what_stands_in_front_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Of many megabytes one block is."""
    with Session.create(folder=str(tmp_path)) as session:
        for number in range(300):
            session.extend([user("x" * 10_000), assistant(number)])
    read = 0
    lines_backwards = rows._lines_backwards

    def counted(file: Any) -> Any:
        nonlocal read
        for offset, raw in lines_backwards(file):
            read += len(raw)
            yield offset, raw

    monkeypatch.setattr(rows, "_lines_backwards", counted)
    assert len(last_turns(session.path, 5)) == 10
    assert read < 100_000
