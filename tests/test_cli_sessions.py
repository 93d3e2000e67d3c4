"""`rejoinder sessions`: found by a prefix, read in a terminal, searched, forked, brought in; and nothing escapes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import rejoinder
from console import BROKEN, CLEAN, run
from rejoinder.edge import dates, rows
from rejoinder.edge.cli.sessions import command
from rejoinder.edge.sessions import Session
from sessions_kept import ANSWER, USER, call, claude_rows, keep_trains, result


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of our own, with one session in it that has a branch and a long result."""
    monkeypatch.setenv("REJOINDER_HOME", str(tmp_path))
    keep_trains()
    return tmp_path


def lines(home: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (home / "sessions" / f"{name}.jsonl").read_text("utf-8").splitlines()]


# --- help -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(command.commands))
def test_each_command_has_help_with_examples_and_speaks_json(name: str):
    shown = run("sessions", name, "--help").stdout
    assert f"rejoinder sessions {name}" in shown
    assert "Examples:" in shown
    assert "--json" in shown


# --- list -------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("home")
def test_list_tells_what_each_session_is_about_and_when():
    with Session.create("older", title="Buses") as session:
        session.append_row({**USER, "type": "message", "timestamp": "2026-01-02T03:04:05.000Z"})
    shown = run("sessions", "list")
    assert shown.exit_code == 0
    first, second = shown.stdout.splitlines()
    assert re.fullmatch(r"trains-1 +(just now|\d+ seconds? ago) +1\.\d+ kB +When is the next train\?", first)
    assert re.fullmatch(r"older +2026-01-02 +\d+ B +Buses", second)
    assert run("sessions", "list", "--since", "1d").stdout.split()[0] == "trains-1"
    assert len(run("sessions", "list", "--since", "1d").stdout.splitlines()) == 1
    limited = run("sessions", "list", "--limit", "1")
    assert len(limited.stdout.splitlines()) == 1
    assert "1 more session; --all shows them" in limited.stderr
    assert len(run("sessions", "list", "--limit", "1", "--all").stdout.splitlines()) == 2
    told = json.loads(run("sessions", "list", "--json", "--limit", "1").stdout)
    assert (told["more"], told["sessions"][0]["session"], told["unreadable"]) == (1, "trains-1", [])


def test_list_without_any_is_code_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("REJOINDER_HOME", str(tmp_path / "none"))
    assert run("sessions", "list").exit_code == 1


@pytest.mark.usefixtures("home")
def test_list_reads_the_files_of_other_agents(tmp_path: Path):
    """A folder of them; what is none is told, and does not stop the others."""
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, claude_rows(2))), "utf-8")
    (folder / "b.jsonl").write_text("nothing\n", "utf-8")
    shown = run("sessions", "list", folder)
    assert "[claude-code]" in shown.stdout
    assert "user says 0" in shown.stdout
    assert shown.exit_code == 2
    assert f"{folder}/b.jsonl: " in shown.stderr


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("words", ["yesterday", "2x", "", "2026-13-01", "-1d", "9" * 30 + "d"])
def test_a_date_that_is_none_is_one_line(words: str):
    done = run("sessions", "list", f"--since={words}") if words else run("sessions", "search", "x", "--since=?")
    assert done.exit_code == 2
    assert "say a span as 30min" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_dates_are_said_as_people_say_them():
    now = 1_790_000_000.0
    assert [dates.ago(now - past, now) for past in (0, 30, 60, 3700, 86_400, 86_400 * 3)] == [
        *("just now", "30 seconds ago", "1 minute ago", "1 hour ago", "1 day ago", "3 days ago")
    ]
    assert dates.ago(now - 86_400 * 60, now) == "2026-07-23"
    assert dates.ago(None) == "?"
    assert dates.since("2d", now) == now - 2 * 86_400
    assert dates.since("90min", now) == now - 5400


# --- which session ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("home")
def test_a_prefix_is_enough_and_one_too_short_names_them_all():
    Session.create("trains-2").close()
    assert run("sessions", "show", "trains-1").exit_code == 0
    done = run("sessions", "show", "train")
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "several sessions begin with 'train': trains-1, trains-2; give more of it" in done.stderr
    done = run("sessions", "show", "bus")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "there is no session 'bus'" in done.stderr


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a\0b", "", "/dev/zero", "nowhere/x.jsonl", "."])
def test_what_is_no_session_is_one_line(name: str):
    for verb in ("show", "branches", "fork", "export"):
        done = run("sessions", verb, name)
        assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), (verb, done.stderr)


# --- show -------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("home")
def test_show_reads_well():
    """Who spoke, the call and its arguments in a line, the result folded, and where a branch goes off."""
    shown = run("sessions", "show", "trains-1", "--no-color").stdout
    order = [
        "trains-1  When is the next train?",
        "rejoinder-session · openai-chat · 4 messages · /here",
        "1 branch beside this one",
        "user  2",
        "  When is the next train?",
        "── branch: 2 messages went another way from here",
        "assistant",
        "  → next_train  call_1",
        '    {"from": "Bern"}',
        "  ← call_1",
        "    10:00",
        "    10:05",
        "    … 24 more lines; --full shows all",
        "  At 10:04.",
    ]
    at = 0
    for part in order:
        assert part in shown[at:], part
        at = shown.index(part, at) + len(part)
    assert "10:06" not in shown
    assert "10:29" in run("sessions", "show", "trains-1", "--full").stdout


@pytest.mark.usefixtures("home")
def test_show_marks_what_is_to_be_known():
    """Gaps, repairs, summaries, pauses, settings and labels, where they belong."""
    with Session.create("marked") as session:
        first = session.append(USER)
        session.append(ANSWER)
        session.compact("They asked for a train.", [first])
        session.append_row({"type": "label", "label": "half way"})
        session.append({"role": "user", "content": "And back?"})
        session.append(call("call_9"))
        session.pause("call_9")
    assert "They asked for a train." in (shown := run("sessions", "show", "marked").stdout)
    for mark in ("summary: this stands for 1 row", 'label: {"label": "half way"}', "pause: waits for a person: call_9"):
        assert f"── {mark}" in shown
    assert "defect" not in shown
    with Session.create("mended") as session:
        session.extend([USER, call(), USER])
    Session.resume("mended", "openai-chat", policy="answer").session.close()
    shown = run("sessions", "show", "mended").stdout
    assert "── repair: mended for openai-chat:" in shown
    assert "1 defect: unanswered" in shown
    with Session.create("torn") as session:
        session.append(USER, parent="never")
    assert "── gap: the row in front of this, never, was never written" in run("sessions", "show", "torn").stdout


def test_a_branch_is_shown_by_its_last_row(home: Path):
    leaf = next(row["uuid"] for row in lines(home, "trains-1") if row.get("content") == "No idea.")
    shown = run("sessions", "show", "trains-1", "--at", leaf).stdout
    assert "No idea." in shown
    assert "At 10:04." not in shown
    done = run("sessions", "show", "trains-1", "--at", "never")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)


def test_the_last_turns_are_read_from_the_end(home: Path, monkeypatch: pytest.MonkeyPatch):
    """What stands in front of them is not even looked at: it may be broken, or a gigabyte."""
    with Session.create("long") as session:
        for number in range(20):
            session.extend([{"role": "user", "content": f"q{number}"}, call(f"c{number}"), result("ok", f"c{number}")])
    path = home / "sessions" / "long.jsonl"
    data = path.read_bytes()
    head, rest = data.split(b"\n", 1)
    path.write_bytes(head + b"\n" + b"\xff" * 2_000_000 + b"\n" + rest)
    seen: list[int] = []
    real = rows.backwards

    def counted(*arguments: Any, **more: Any) -> Any:
        for record in real(*arguments, **more):
            seen.append(record.offset)
            yield record

    monkeypatch.setattr("rejoinder.edge.own_stories.backwards", counted)
    shown = run("sessions", "show", "long", "--last", "2").stdout
    assert [f"q{number}" in shown for number in (17, 18, 19)] == [False, True, True]
    assert "only the end of the file was read" in shown
    assert len(seen) == 6
    assert min(seen) > 2_000_000


def test_the_last_turns_of_another_agent(tmp_path: Path):
    path = tmp_path / "claude.jsonl"
    path.write_text("\n".join(map(json.dumps, claude_rows(30))) + "\n", "utf-8")
    shown = run("sessions", "show", path, "--last", "1").stdout
    assert "user says 29" in shown
    assert "user says 28" not in shown
    assert "gap" not in shown
    assert "claude-code · anthropic · 60 messages" in run("sessions", "show", path).stdout


@pytest.mark.usefixtures("home")
def test_show_as_json_is_the_detail():
    told = json.loads(run("sessions", "show", "trains-1", "--json").stdout)
    assert told["session"] == "trains-1"
    assert [message["role"] for message in told["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert told["health"]["ok"] is True
    assert [branch["active"] for branch in told["branches"]] == [False, True]


# --- search -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("home")
def test_search_finds_in_every_field_and_says_where():
    done = run("sessions", "search", "BERN")
    assert done.exit_code == 0
    assert 'line 5 assistant: {"from": "Bern"}' in done.stdout
    assert "1 message in 1 session of 1" in done.stderr
    assert run("sessions", "search", "nobody said this").exit_code == 1
    assert run("sessions", "search", " ").exit_code == 2
    told = json.loads(run("sessions", "search", "no idea", "trains-1", "--json").stdout)
    assert [hit["found"] for hit in told["sessions"][0]["hits"]] == ["No idea"]


# --- fork, branches, import -------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("home")
def test_branches_marks_the_active_one():
    shown = run("sessions", "branches", "trains-1").stdout.splitlines()
    assert [line[0] for line in shown] == [" ", "*"]
    assert "No idea." in shown[0]
    told = json.loads(run("sessions", "branches", "trains-1", "--json").stdout)
    with Session.open("trains-1", read_only=True) as session:
        known = [(each.leaf, each.messages, each.active) for each in session.branches()]
    assert [(each["leaf"], each["messages"], each["active"]) for each in told["branches"]] == known


def test_fork_takes_the_rows_up_to_one(home: Path):
    leaf = next(row["uuid"] for row in lines(home, "trains-1") if row.get("content") == "No idea.")
    done = run("sessions", "fork", "trains", "--at", leaf, "--id", "second")
    assert (done.exit_code, done.stdout) == (0, "second\n")
    with Session.open("second", read_only=True) as session:
        assert [message["content"] for message in session.messages()] == [USER["content"], "No idea."]
    assert run("sessions", "fork", "trains-1", "--id", "second").exit_code == 2
    assert run("sessions", "fork", "trains-1", "--id", "../out").exit_code == 2


def test_import_makes_a_session_of_any_history(home: Path, tmp_path: Path):
    """Messages of any dialect, a request with what stands around them, another agent's session, one of ours."""
    body = {"model": "claude-x", "system": "Be brief.", "messages": [USER, {"role": "assistant", "content": "Yes."}]}
    for name, text in {
        "list": json.dumps(CLEAN),
        "body": json.dumps(body),
        "claude": "\n".join(map(json.dumps, claude_rows(2))),
    }.items():
        path = tmp_path / f"{name}.json"
        path.write_text(text, "utf-8")
        done = run("sessions", "import", path, "--id", name)
        assert (done.exit_code, done.stdout) == (0, f"{name}\n"), done.stderr
    with Session.open("list", read_only=True) as session:
        assert session.messages() == CLEAN
    assert json.loads(run("sessions", "export", "body", "--to", "anthropic").stdout)["system"] == "Be brief."
    assert [message["content"] for message in rejoinder.get_session_detail("claude")["messages"]][
        1
    ] == "assistant says 0"
    assert lines(home, "claude")[0]["importedFrom"] == {"tool": "claude-code", "session": "s-1", "file": "claude.json"}
    done = run("sessions", "import", home / "sessions" / "list.jsonl", "--id", "again")
    assert done.exit_code == 0
    assert rejoinder.get_session_detail("again")["messages"] == CLEAN


def test_import_of_many_conversations_and_of_none(home: Path, tmp_path: Path):
    path = tmp_path / "many.jsonl"
    path.write_text(json.dumps({"messages": CLEAN, "n": 1}) + "\n" + json.dumps({"messages": BROKEN}), "utf-8")
    assert len(run("sessions", "import", path).stdout.split()) == 2
    assert run("sessions", "import", path, "--id", "one").exit_code == 2
    before = sorted((home / "sessions").iterdir())
    path.write_text('{"torn', "utf-8")
    done = run("sessions", "import", path)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert sorted((home / "sessions").iterdir()) == before
    assert run("sessions", "import", "-", stdin=json.dumps(CLEAN)).exit_code == 0
