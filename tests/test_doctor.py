"""`rejoinder doctor`: finds what is really wrong with sessions, and says where and what it does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rejoinder as rj
from claude_code_files import Writer, call, pending, whole
from console import OBEYED, run
from rejoinder.edge import doctor
from rejoinder.edge.cli import doctor as command


@pytest.fixture(autouse=True)
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Homes of no sessions: what is on this machine is no part of a test."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("REJOINDER_HOME", str(home / "rejoinder"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


# --- the table -------------------------------------------------------------------------------------------------------


def test_a_folder_is_a_table_of_what_is_wrong(tmp_path: Path):
    whole(tmp_path)
    pending(tmp_path)
    done = run("doctor", tmp_path)
    assert done.exit_code == 1
    assert "1 pending" in done.stdout
    assert "whole.jsonl" not in done.stdout
    assert "1 defect in 1 of 2 sessions" in done.stderr
    assert "whole.jsonl" in run("doctor", tmp_path, "--all").stdout


def test_without_a_defect_the_exit_code_is_0(tmp_path: Path):
    path = whole(tmp_path)
    assert run("doctor", tmp_path).exit_code == 0
    assert run("doctor", path).exit_code == 0


def test_without_a_path_the_homes_are_looked_through(tmp_path: Path, homes: Path, monkeypatch: pytest.MonkeyPatch):
    """Where the tool's variable is set, its usual home is not: nobody keeps sessions in both."""
    usual, other = homes / ".claude" / "projects" / "-there", tmp_path / "other" / "projects" / "-there"
    for folder in (usual, other / "a" / "subagents"):
        folder.mkdir(parents=True)
    pending(usual, "usual.jsonl")
    pending(other, "other.jsonl")
    pending(other / "a" / "subagents", "agent-1.jsonl")
    with rj.Session.create("mine") as session:
        session.append({"role": "user", "content": "hi"})
    said = json.loads(run("doctor", "--json", "--all").stdout)
    assert [Path(each["file"]).name for each in said["sessions"]] == ["mine.jsonl", "usual.jsonl"]
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "other"))
    said = json.loads(run("doctor", "--json").stdout)
    assert [Path(each["file"]).name for each in said["sessions"]] == ["other.jsonl", "agent-1.jsonl"]


def test_a_session_is_found_by_how_its_id_begins(homes: Path):
    folder = homes / ".claude" / "projects" / "-there"
    folder.mkdir(parents=True)
    pending(folder, "abcd-1.jsonl")
    pending(folder, "abef-1.jsonl")
    assert "abcd-1.jsonl" in run("doctor", "abc").stdout
    for name, words in (("ab", "2 sessions"), ("zz", "no session")):
        done = run("doctor", name)
        assert (done.exit_code, words in done.stderr) == (2, True)


def test_only_some_kinds_are_looked_for(tmp_path: Path):
    pending(tmp_path)
    assert run("doctor", tmp_path, "--kind", "gap").exit_code == 0
    assert run("doctor", tmp_path, "--kind", "pending", "--kind", "gap").exit_code == 1
    assert run("doctor", tmp_path, "--kind", "nonsense").exit_code == 2


def test_the_table_as_json_has_each_defect(tmp_path: Path):
    pending(tmp_path)
    said = json.loads(run("doctor", tmp_path, "--json").stdout)
    assert (said["ok"], said["looked_at"], said["unreadable"]) == (False, 1, [])
    (session,) = said["sessions"]
    assert session["kinds"] == {"pending": 1}
    assert [(each["kind"], each["line"], each["ids"]) for each in session["defects"]] == [("pending", 6, ["toolu_002"])]


def test_what_cannot_be_read_is_told_and_holds_nothing_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A file that vanishes while the others are looked at; one of a folder that is no session is passed over."""
    pending(tmp_path)
    (tmp_path / "settings.json").write_text('{"theme": "dark"}')
    meant = doctor.places([str(tmp_path)])
    gone = doctor.Place(str(tmp_path / "gone.jsonl"))
    monkeypatch.setattr(command.doctor, "places", lambda _paths: [gone, *meant])
    done = run("doctor", tmp_path)
    assert done.exit_code == 2
    assert "gone.jsonl: there is no such file" in done.stderr
    assert "1 defect in 1 of 1 session" in done.stderr
    assert "settings.json" not in done.output


def test_a_file_that_is_named_and_is_no_session_is_an_error(tmp_path: Path):
    path = tmp_path / "settings.json"
    path.write_text('{"theme": "dark"}')
    done = run("doctor", path)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)


def test_nothing_that_a_session_says_reaches_the_terminal(tmp_path: Path):
    writer = Writer()
    writer.says("\x1b]0;owned\x07 title \u202e")
    writer.answers("msg_1", call("id\x1b[31m\u009b"))
    path = writer.write(tmp_path / "s.jsonl")
    for arguments in (["doctor", tmp_path], ["doctor", path], ["doctor", path, "--fix", "--dry-run"]):
        done = run(*arguments)
        assert not OBEYED.search(done.stdout + done.stderr)


# --- one session -----------------------------------------------------------------------------------------------------


def test_one_session_shows_the_place_the_reason_and_what_resuming_meets(tmp_path: Path):
    path = pending(tmp_path)
    done = run("doctor", path)
    lines = path.read_bytes().splitlines(keepends=True)
    assert done.exit_code == 1
    assert f"line 6, byte {sum(map(len, lines[:5]))}  pending" in done.stdout
    assert "its tool may still run" in done.stdout
    assert "Resuming would be refused by anthropic: 1 error" in done.stdout
    assert "tool_pairing.unanswered" in done.stdout
    said = json.loads(run("doctor", path, "--json").stdout)
    assert [finding["rule"] for finding in said["resuming"]["errors"]] == ["tool_pairing.unanswered"]
    assert [step["rule"] for step in said["resuming"]["steps"]] == ["tool_pairing.unanswered"]
    assert [each["mends"] for each in said["defects"]] == [True]


def test_a_call_that_waits_for_a_person_is_no_defect():
    with rj.Session.create("waits") as session:
        session.append({"role": "user", "content": "hi"})
        function = {"name": "f", "arguments": "{}"}
        session.append({"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]})
        path = session.path
    assert run("doctor", path).exit_code == 1
    with rj.Session.open("waits") as session:
        session.pause("c1")
    assert run("doctor", path).exit_code == 0
