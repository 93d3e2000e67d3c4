"""The README runs: each ```console block is typed and its output compared, each ```python block is executed.

All console blocks share one folder, a copy of `examples/`, and run in the order a reader types them; so do the Python
blocks, which share one namespace too. Lines that must not run here (`pip install …`) belong in a ```sh block.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
FENCE = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
SEPARATOR = "\x1e"


class Block(NamedTuple):
    """What stands between two fences, and the line of the README it starts on."""

    line: int
    body: str


class Command(NamedTuple):
    """One `$ ` line with its continuations, and what the README says it prints."""

    line: int
    typed: str
    shown: str


def blocks(kind: str) -> list[Block]:
    """The README's blocks of one kind; none at all is told, not passed over."""
    text = README.read_text("utf-8") if README.is_file() else ""
    found = [
        Block(text.count("\n", 0, fence.start("body")) + 1, fence["body"])
        for fence in FENCE.finditer(text)
        if fence["kind"] == kind
    ]
    if not found:
        pytest.skip(f"NOT CHECKED: README.md has no ```{kind} block yet")
    return found


def commands(block: Block) -> Iterator[Command]:
    """A block's commands; a line that ends in a backslash goes on in the next."""
    lines = block.body.splitlines()
    starts = [index for index, line in enumerate(lines) if line.startswith("$ ")]
    assert starts[:1] == [0], f"README.md:{block.line}: a ```console block begins with `$ `"
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        end = start + 1
        while lines[end - 1].endswith("\\"):
            end += 1
        typed = "\n".join(lines[start:end]).removeprefix("$ ")
        yield Command(block.line + start, typed, "\n".join(lines[end:stop]))


def plain(text: str) -> list[str]:
    """Lines without trailing blanks, and without empty lines at the end."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


def environment() -> dict[str, str]:
    """A terminal without colours whose first folder for programs is the one that this Python came from."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    fixed = {"PATH": path, "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("REJOINDER_")}
    return kept | fixed


def typed_out(typed: list[Command], folder: Path) -> list[str]:
    """What each command printed, in one shell, so that `$?` and variables carry over as they do for a reader."""
    script = "".join(f"{command.typed}\n__status=$?; printf '{SEPARATOR}'; (exit $__status)\n" for command in typed)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return done.stdout.split(SEPARATOR)[:-1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a reader of the README stands: a folder of their own with the examples in it."""
    return Path(shutil.copytree(ROOT / "examples", tmp_path / "examples"))


def test_each_command_prints_what_the_readme_shows(folder: Path):
    typed = [command for block in blocks("console") for command in commands(block)]
    printed = typed_out(typed, folder)
    assert len(printed) == len(typed), f"the shell ended early, at README.md:{typed[len(printed)].line}"
    for command, got in zip(typed, printed, strict=True):
        assert plain(got) == plain(command.shown), f"README.md:{command.line}: $ {command.typed}"


def test_each_python_block_runs(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(folder)
    namespace: dict[str, Any] = {"__name__": "readme"}
    for block in blocks("python"):
        if ">>>" in block.body:
            run_doctest(block, namespace)
        else:
            # The empty lines put the README's own line numbers into a traceback.
            exec(compile("\n" * (block.line - 1) + block.body, str(README), "exec"), namespace)


def run_doctest(block: Block, namespace: dict[str, Any]) -> None:
    """Run `>>>` lines and compare; names that the block makes stay for the next."""
    test = doctest.DocTestParser().get_doctest(block.body, namespace, "README.md", str(README), block.line - 1)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    runner.run(test, out=report.append, clear_globs=False)
    namespace.update(test.globs)
    assert not runner.failures, "".join(report)
