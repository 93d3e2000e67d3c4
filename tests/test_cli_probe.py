"""`rejoinder probe`, and `--target template:PATH`, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from console import CLEAN, OBEYED, USER, call, result, run
from judges.chat_templates import FOLDER, NAMES

LLAMA = FOLDER / "one_call_at_a_time.jinja"


@pytest.mark.parametrize("name", NAMES)
def test_the_table_has_a_row_for_each_conversation(name: str):
    done = run("probe", FOLDER / f"{name}.jinja")
    assert done.exit_code == 0
    assert "conversations refused" in done.stderr
    said = json.loads(run("probe", FOLDER / f"{name}.jinja", "--json").stdout)
    assert {row["verdict"] for row in said["plays"]} <= {"accepted", "refused", "lost", "garbled"}
    assert sum(row["verdict"] == "refused" for row in said["plays"]) == done.stdout.count("  refused ")


def test_what_a_template_refuses_is_shown_in_its_own_words():
    done = run("probe", LLAMA, "--refused")
    assert "two calls in one message" in done.stdout
    assert "single" in done.stdout
    assert "accepted" not in done.stdout
    said = json.loads(run("probe", LLAMA, "--json").stdout)
    rows = {row["play"]: row for row in said["plays"]}
    assert rows["parallel"]["words"] == "This model only supports single tool-calls at once!"
    assert rows["plain"]["verdict"] == "accepted"
    assert said["calls"] is True


def test_what_cannot_be_probed_is_one_line_and_exit_code_2(tmp_path: Path):
    for path in (tmp_path / "nothing.jinja", FOLDER / "hostile" / "broken.jinja", tmp_path):
        done = run("probe", path)
        assert done.exit_code == 2
        assert len(done.stderr.splitlines()) == 1
        assert done.stdout == ""


def test_a_template_that_speaks_to_the_terminal_is_not_obeyed(tmp_path: Path):
    path = tmp_path / "colours.jinja"
    path.write_text("{{ raise_exception('\x1b[31mred\x07') }}{{ messages }}")
    done = run("probe", path)
    assert not OBEYED.search(done.stdout + done.stderr)


def test_a_history_is_checked_and_repaired_for_a_template(tmp_path: Path):
    path, out = tmp_path / "history.json", tmp_path / "mended.json"
    path.write_text(json.dumps([USER, call("c1", "c2"), result("c1"), result("c2")]))
    target = f"template:{LLAMA}"
    assert run("check", path, "--target", target).exit_code == 1
    assert run("repair", path, "--target", target, "-o", out).exit_code == 0
    assert run("check", out, "--target", target).exit_code == 0
    assert [len(each.get("tool_calls", ())) for each in json.loads(out.read_text())] == [0, 1, 0, 1, 0]


def test_a_history_is_converted_for_a_template(tmp_path: Path):
    path = tmp_path / "history.json"
    path.write_text(json.dumps(CLEAN))
    done = run("convert", path, "--to", f"template:{FOLDER / 'arguments_as_items.jinja'}")
    assert json.loads(done.stdout)[1]["tool_calls"][0]["function"]["arguments"] == {}
