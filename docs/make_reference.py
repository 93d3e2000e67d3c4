"""Writes docs/reference.md from the code: `python docs/make_reference.py`. A test holds the page to it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import rejoinder

PAGE = Path(__file__).with_name("reference.md")
COMMANDS = "check repair convert probe render sessions doctor diff explain dialects targets".split()
HEAD = """# Reference

Made from the code by `make docs`.

## Python

All of these are names of `rejoinder`; each has a docstring that says more.

| name | |
|---|---|
"""


def help_of(command: str) -> str:
    """What `rejoinder COMMAND --help` prints."""
    run = "import sys; from rejoinder.edge.cli import main; sys.argv[0] = 'rejoinder'; main()"
    asked = [sys.executable, "-c", run, command, "--help"]
    seen = subprocess.run(
        asked, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    )
    return seen.stdout.rstrip()


def reference() -> str:
    """The whole page."""
    rows = [f"| `{name}` | {_first_line(name)} |" for name in rejoinder.__all__]
    commands = [f"### rejoinder {name}\n\n```text\n{help_of(name)}\n```\n" for name in COMMANDS]
    return HEAD + "\n".join(rows) + "\n\n## The command\n\n" + "\n".join(commands)


def _first_line(name: str) -> str:
    return (getattr(rejoinder, name).__doc__ or "").strip().partition("\n")[0].replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
