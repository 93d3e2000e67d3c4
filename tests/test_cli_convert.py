"""`rejoinder convert` and `rejoinder dialects` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from console import BROKEN, CLEAN, OBEYED, run
from rejoinder.carry.matrix import KINDS, holds
from rejoinder.dialects.detect import DIALECTS

AUDIO = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
HEARD = [{"role": "user", "content": [{"type": "text", "text": "what is this?"}, AUDIO]}]


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "history.json"
    path.write_text(json.dumps({"model": "gpt-5.1", "messages": CLEAN}))
    return path


def test_data_goes_to_stdout_and_talk_to_stderr(history: Path):
    done = run("convert", history, "--to", "anthropic", "--model", "claude-sonnet-4-5")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["model"] == "claude-sonnet-4-5"
    assert json.loads(done.stdout)["messages"][1]["content"][1]["type"] == "tool_use"
    assert "nothing lost" in done.stderr
    assert "also wants: max_tokens" in done.stderr


def test_losses_are_told_on_stderr_and_strict_makes_them_an_exit_code(tmp_path: Path):
    path = tmp_path / "heard.json"
    path.write_text(json.dumps(HEARD))
    assert run("convert", path, "--to", "anthropic").exit_code == 0
    done = run("convert", path, "--to", "anthropic", "--strict")
    assert done.exit_code == 1
    assert "1 loss" in done.stderr
    assert "/0" in done.stderr
    assert "[audio/wav attachment omitted" in done.stdout


def test_a_side_table_leads_back(tmp_path: Path):
    """The first call writes the table, the second reads it, and the file is the original again, broken as it was."""
    path, there, side = tmp_path / "broken.json", tmp_path / "there.json", tmp_path / "side.json"
    path.write_text(json.dumps({"model": "gpt-5.1", "messages": BROKEN}))
    assert run("convert", path, "--to", "anthropic", "--side", side, "-o", there).exit_code == 0
    back = run("convert", there, "--from", "anthropic", "--to", "openai-chat", "--side", side)
    assert json.loads(back.stdout) == json.loads(path.read_text())


def test_json_holds_the_payload_the_losses_and_the_side_table(tmp_path: Path):
    path = tmp_path / "heard.json"
    path.write_text(json.dumps(HEARD))
    said = json.loads(run("convert", path, "--to", "anthropic", "--json").stdout)
    assert said["target"] == "anthropic"
    assert [loss["what"] for loss in said["losses"]] == ["audio"]
    assert said["payload"][0]["content"][0] == {"type": "text", "text": "what is this?"}
    assert said["side"]["format"] == 1


def test_conversations_on_lines_stay_on_lines(tmp_path: Path):
    path = tmp_path / "many.jsonl"
    path.write_text("".join(json.dumps({"messages": CLEAN}) + "\n" for _ in range(3)))
    done = run("convert", path, "--to", "anthropic")
    assert [list(json.loads(line)) for line in done.stdout.splitlines()] == [["messages"]] * 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--to", "nobody"], "no target is called 'nobody'"),
        (["--to", "anthropic", "--from", "nobody"], "no dialect is called 'nobody'"),
        ([], "missing option"),
    ],
)
def test_a_wrong_call_is_one_line_and_code_2(history: Path, arguments: list[str], says: str):
    done = run("convert", history, *arguments)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert says in done.stderr


def test_a_side_table_that_is_none_is_refused(history: Path, tmp_path: Path):
    side = tmp_path / "side.json"
    side.write_text("[1")
    done = run("convert", history, "--to", "anthropic", "--side", side)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "no side table" in done.stderr


def test_what_a_terminal_would_obey_is_not_said(tmp_path: Path):
    path = tmp_path / "evil.json"
    path.write_text(json.dumps([{"role": "user", "content": "hi", "na\x1b[2Jme": "x", "content2": "\x1b]0;t\x07"}]))
    done = run("convert", path, "--to", "anthropic", "--from", "openai-chat")
    assert not OBEYED.search(done.stderr)


def test_the_matrix_is_what_the_code_carries():
    """Each cell is found by carrying a part of that kind; the command shows the same table."""
    said = json.loads(run("dialects", "--json").stdout)["dialects"]
    assert {each["name"] for each in said} == set(DIALECTS)
    for each in said:
        assert each["holds"] == holds(each["name"])
        assert set(each["holds"]) == set(KINDS)
        assert each["holds"]["text"] == each["holds"]["tool call"] == each["holds"]["tool result"] == "yes"
    shown = run("dialects").stdout
    assert all(name in shown for name in DIALECTS)
    assert all(len(line) <= 100 for line in shown.splitlines())
