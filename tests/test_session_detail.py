"""The detail of a session for a bridge: plain JSON, after the clean-up, with its health."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rejoinder
from rejoinder.edge.sessions import Session
from rejoinder.errors import SessionError
from sessions_kept import ANSWER, USER, call, keep_trains


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of our own, with one session in it that has a branch and a long result."""
    monkeypatch.setenv("REJOINDER_HOME", str(tmp_path))
    keep_trains()
    return tmp_path


# --- the function for a bridge ----------------------------------------------------------------------------------------


def test_the_detail_of_a_session_is_plain_json_after_the_clean_up(home: Path):
    """Messages that are whole, the health, the branches; what is there on disk stays as it is."""
    with Session.create("broken") as session:
        session.extend([USER, call("call_7"), USER, ANSWER])
    before = (home / "sessions" / "broken.jsonl").read_bytes()
    told = rejoinder.get_session_detail("broken")
    assert json.loads(json.dumps(told)) == told
    assert told["messages"] == [USER, USER, ANSWER]
    assert told["health"]["ok"] is False
    assert [(defect["kind"], defect["ids"]) for defect in told["health"]["defects"]] == [("unanswered", ["call_7"])]
    assert [step["ids"] for step in told["health"]["removed"]] == [["call_7"]]
    assert [branch["active"] for branch in told["branches"]] == [True]
    assert (home / "sessions" / "broken.jsonl").read_bytes() == before
    with pytest.raises(SessionError, match="there is no session"):
        rejoinder.get_session_detail("nobody")


def test_the_detail_tells_rows_that_were_lost(home: Path):
    path = home / "sessions" / "trains-1.jsonl"
    path.write_bytes(path.read_bytes().replace(b"At 10:04.", b"At 11:04."))
    told = rejoinder.get_session_detail(str(path))
    assert told["health"]["ok"] is False
    assert [odd["kind"] for odd in told["health"]["oddities"]] == ["a row whose bytes were changed"]


def test_a_call_of_the_last_turn_is_pending_and_no_defect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Its tool may still run."""
    monkeypatch.setenv("REJOINDER_HOME", str(tmp_path))
    with Session.create("live") as session:
        session.extend([USER, call("call_7")])
    told = rejoinder.get_session_detail("live")
    assert [defect["kind"] for defect in told["health"]["defects"]] == ["pending"]
    assert told["health"]["ok"] is True
