"""The page about sessions says what the command does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from console import run
from rejoinder.edge.cli.sessions import command
from test_readme import FENCE

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "sessions.md").read_text("utf-8")


def test_each_block_of_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("REJOINDER_HOME", str(tmp_path))
    found = [fence["body"] for fence in FENCE.finditer(PAGE) if fence["kind"] == "python"]
    assert found
    for body in found:
        exec(compile(body, "sessions.md", "exec"), {})


def test_each_command_and_each_option_that_is_shown_exists():
    """And every command is shown."""
    shown = re.findall(r"^rejoinder sessions (\w+)(.*)$", PAGE, re.MULTILINE)
    assert {name for name, _ in shown} == set(command.commands)
    for name, rest in shown:
        page = run("sessions", name, "--help").stdout
        assert [option for option in re.findall(r"--[a-z]+", rest.partition("  #")[0]) if option not in page] == []
