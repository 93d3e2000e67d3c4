"""The command as a user meets it: what it says, what it writes, and its exit codes."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

import histories
from console import BROKEN, CLEAN, USER, call, run
from rejoinder.edge.cli import options
from rejoinder.edge.cli.group import COMMANDS
from rejoinder.errors import DialectError
from rejoinder.journey import repair
from rejoinder.mend.policy import PHENOMENA
from rejoinder.targets import TARGETS


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps({"model": "gpt-5.1", "messages": BROKEN}, indent=2))
    return path


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    path = tmp_path / "clean.json"
    path.write_text(json.dumps(CLEAN))
    return path


# --- help -----------------------------------------------------------------------------------------


def test_without_arguments_there_is_help():
    assert run().exit_code == 0
    assert run().stdout == run("-h").stdout == run("--help").stdout
    assert run("--version").stdout.startswith("rejoinder 0.")


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_that_ends_with_examples(command: str):
    shown = run(command, "--help").stdout
    assert "Examples:" in shown
    assert f"rejoinder {command}" in shown
    assert COMMANDS[command].partition(",")[0][:16].split()[0] in run().stdout


@pytest.mark.parametrize(
    "arguments", [["chek"], ["check"], ["check", "--no-such"], ["repair", "a", "b"], ["diff", "-", "-"], ["--x"]]
)
def test_a_wrong_call_is_one_line_and_code_2(arguments: list[str]):
    done = run(*arguments)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "--help" in done.stderr


# --- check ----------------------------------------------------------------------------------------


def test_check_of_a_clean_history(clean: Path):
    done = run("check", clean)
    assert done.exit_code == 0
    assert done.stdout == f"{clean}: openai-chat would accept this (5 messages)\n"
    assert "held against openai-chat; --target chooses another" in done.stderr
    assert run("check", clean, "--target", "openai-chat").stderr == ""


def test_check_shows_the_message_the_finding_and_the_fixes(broken: Path):
    done = run("check", broken, "-t", "openai-chat")
    assert done.exit_code == 1
    shown = done.stdout
    order = [
        "openai-chat would refuse this (1 error)",
        f"messages[1]  assistant  {broken}:8",
        "|  text       Let me look.",
        "|  tool call  call_1 f {}",
        ">  tool call  call_2 f {}",
        "error    call call_2 has no result (interrupted)",
        "tool_pairing.unanswered (openai-chat/call-answered)",
        "api says An assistant message with 'tool_calls' must be",
        "fix      drop    drop the message",
        "answer  say that no result was recorded  (invents)",
    ]
    assert [shown.find(part) for part in order] == sorted(shown.find(part) for part in order)
    assert all(part in shown for part in order)
    assert "rejoinder repair" in done.stderr


def test_check_as_json(broken: Path, clean: Path, tmp_path: Path):
    done = run("check", broken, clean, tmp_path / "no.json", "--json")
    assert done.exit_code == 2
    told = json.loads(done.stdout)
    assert (told["ok"], told["errors"], told["warnings"]) == (False, 1, 0)
    finding = told["findings"][0]
    assert finding["rule"] == "tool_pairing.unanswered"
    assert finding["pointer"] == "/messages/1/tool_calls/1"
    assert (finding["file"], finding["message"], finding["message_line"]) == (str(broken), 1, 8)
    assert [each["messages"] for each in told["conversations"]] == [4, 5]
    assert told["unreadable"] == [{"file": str(tmp_path / "no.json"), "says": f"{tmp_path}/no.json: " + _MISSING}]


_MISSING = "there is no such file; nothing was read"


def test_warnings_alone_are_told_and_count_where_it_is_strict(tmp_path: Path):
    path = tmp_path / "pending.json"
    path.write_text(json.dumps([USER, call("call_1")]))
    done = run("check", path, "-t", "openai-chat")
    assert "would accept this (1 warning)" in done.stdout
    assert (done.exit_code, run("check", path, "--strict").exit_code) == (0, 1)


def test_each_line_of_conversations_is_checked(tmp_path: Path):
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join([json.dumps(CLEAN), '[{"role": "us', json.dumps({"messages": BROKEN})]))
    done = run("check", path)
    assert done.exit_code == 2
    assert f"{path}:3: openai-chat would refuse this" in done.stdout
    assert f"{path}:2:14: torn JSON" in done.stderr
    assert "2 conversations, 1 would be refused" in done.stdout
    assert run("repair", path, "-o", tmp_path / "out.jsonl").exit_code == 2
    assert not (tmp_path / "out.jsonl").exists()


def test_standard_input_is_a_file_too():
    assert run("check", "-", stdin=json.dumps(CLEAN)).exit_code == 0
    assert run("check", "-", stdin=json.dumps(BROKEN)).exit_code == 1
    assert run("check", "-", stdin="").exit_code == 2


def test_a_call_that_waits_for_a_person_is_only_told(tmp_path: Path):
    path = tmp_path / "paused.json"
    path.write_text(json.dumps(BROKEN))
    assert "yours to decide" in run("check", path, "--paused", "call_2").stdout
    assert "call_2" in run("repair", path, "--paused", "call_2", "-o", "-").stdout


@pytest.mark.parametrize("shape", histories.DIALECTS)
def test_what_is_told_of_the_reading_is_what_the_library_does(shape: str):
    made = histories.history(Random(3), shape, 12)
    for target in (None, *TARGETS):
        try:
            outcome = repair(made, target)
        except DialectError:
            with pytest.raises(DialectError):
                options.reader(made, target, None)
            continue
        reader = options.reader(made, target, None)
        assert (reader.dialect, reader.target) == (outcome.dialect, outcome.target)


# --- repair ---------------------------------------------------------------------------------------


def test_repair_shows_a_difference_and_writes_nothing(broken: Path):
    before = broken.read_bytes()
    done = run("repair", broken)
    assert done.exit_code == 1
    assert "- messages[1]  assistant" in done.stdout
    assert "The first change is at messages[1]: prompt caches fit up to there." in done.stdout
    assert "Nothing was written" in done.stderr
    assert broken.read_bytes() == before
    assert os.listdir(broken.parent) == [broken.name]


def test_repair_writes_where_it_is_told_and_what_it_writes_is_clean(broken: Path, tmp_path: Path):
    out = tmp_path / "out.json"
    assert run("repair", broken, "-o", out).exit_code == 0
    assert run("check", out, "-t", "openai-chat").exit_code == 0
    assert json.loads(out.read_text()) == {"model": "gpt-5.1", "messages": [USER, USER]}
    assert run("repair", out, "-o", out.with_suffix(".2")).exit_code == 0
    assert out.with_suffix(".2").read_bytes() == out.read_bytes()


def test_repair_to_standard_output_keeps_it_for_the_data(broken: Path):
    done = run("repair", broken, "-o", "-", "-p", "unanswered=answer")
    assert done.exit_code == 0
    assert [message["role"] for message in json.loads(done.stdout)["messages"]] == [
        *("user", "assistant", "tool", "tool", "user")
    ]
    assert "1  messages[1]" in done.stderr


def test_repair_in_place_keeps_a_backup(broken: Path):
    before = broken.read_bytes()
    assert run("repair", broken, "--write").exit_code == 0
    assert Path(f"{broken}.bak").read_bytes() == before
    assert run("check", broken).exit_code == 0
    assert run("repair", broken, "--write").exit_code == 0
    assert sorted(os.listdir(broken.parent)) == [broken.name, f"{broken.name}.bak"]


def test_repair_writes_its_record(broken: Path, tmp_path: Path):
    record = tmp_path / "steps.json"
    run("repair", broken, "-o", "-", "--steps", record)
    step = json.loads(record.read_text())["steps"][0]
    assert (step["rule"], step["fix"], step["cost"]) == ("tool_pairing.unanswered", "drop", "drops")
    assert step["removed"] == BROKEN[1:3]


def test_repair_as_json(broken: Path):
    told = json.loads(run("repair", broken, "--json").stdout)
    assert told["changed"] is True
    assert told["payload"]["messages"] == [USER, USER]
    assert told["target"] == told["dialect"] == "openai-chat"
    assert told["left"] == []


def test_the_same_form_comes_back(tmp_path: Path):
    for name, text in {
        "lines": "\n".join(map(json.dumps, BROKEN)) + "\n",
        "conversations": json.dumps(CLEAN) + "\n" + json.dumps({"messages": BROKEN}) + "\n",
    }.items():
        path = tmp_path / name
        path.write_text(text)
        done = run("repair", path, "-o", "-")
        lines = text.splitlines()
        wanted = [lines[0], lines[3]] if name == "lines" else [lines[0], json.dumps({"messages": [USER, USER]})]
        assert done.stdout.splitlines() == wanted


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        ("unanswered=strip tool_pairing.unanswered=answer openai-chat/call-answered=strip pending=keep", 0),
        ("call:call_2=keep unanswered=raise unanswered=keep", 1),
        ("unanswered=x nothing=drop unanswered tool_pairing.unanswered=merge", 2),
    ],
)
def test_policies(broken: Path, tmp_path: Path, policy: str, code: int):
    for each in policy.split():
        done = run("repair", broken, "-o", tmp_path / "out.json", "--policy", each)
        assert done.exit_code == code
        if code == 2:
            assert len(done.stderr.splitlines()) == 1
            assert not (tmp_path / "out.json").exists()


def test_every_phenomenon_can_be_chosen_and_is_in_the_help(broken: Path):
    shown = run("repair", "--help").stdout
    for name, (_, choices) in PHENOMENA.items():
        assert re.search(rf"^ +{name} +{', '.join(choices)}$", shown, re.MULTILINE)
        for choice in choices:
            assert run("repair", broken, "-o", "-", "--policy", f"{name}={choice}").exit_code in (0, 1)


def test_what_makes_no_sense_is_refused_before_anything_is_written(broken: Path):
    before = broken.read_bytes()
    for arguments in (["-o", broken], ["-o", "x", "--write"], ["--json", "-o", "-"], ["-t", "nobody"], ["-d", "none"]):
        assert run("repair", broken, *arguments).exit_code == 2
    assert run("repair", "-", "--write", stdin="[]").exit_code == 2
    assert broken.read_bytes() == before


# --- diff, targets --------------------------------------------------------------------------------


def test_diff(broken: Path, tmp_path: Path):
    after = tmp_path / "after.json"
    run("repair", broken, "-o", after)
    done = run("diff", broken, after)
    assert done.exit_code == 1
    assert "2 messages differ" in done.stdout
    assert "prompt caches fit up to there" in done.stdout
    assert run("diff", broken, broken).exit_code == 0
    told = json.loads(run("diff", broken, after, "--json").stdout)
    assert told["impact"]["first_changed"] == 1
    assert [change["change"] for change in told["changes"]] == ["removed", "removed"]


def test_diff_tells_what_it_spoils(tmp_path: Path):
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    said = {"type": "text", "text": "ok", "cache_control": {"type": "ephemeral"}}
    body: dict[str, Any] = {"system": "a", "messages": [USER, {"role": "assistant", "content": [thought, said]}]}
    (tmp_path / "a").write_text(json.dumps(body))
    (tmp_path / "b").write_text(json.dumps({**body, "system": "b"}))
    shown = run("diff", tmp_path / "a", tmp_path / "b").stdout
    assert "no prompt cache fits any more" in shown
    assert "1 cache mark behind it" in shown
    assert "1 signed thinking block behind it" in shown


def test_targets():
    shown = run("targets").stdout
    assert all(name in shown for name in TARGETS)
    listed = json.loads(run("targets", "--json").stdout)["targets"]
    assert {each["name"]: each["clauses"] for each in listed} == {n: len(t.clauses) for n, t in TARGETS.items()}
    one = json.loads(run("targets", "anthropic", "--json").stdout)
    assert all(clause["evidence"] for clause in one["clauses"])
    assert "api" not in run("targets", "anthropic").stderr
    assert run("targets", "nobody").exit_code == 2
