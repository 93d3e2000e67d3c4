"""The command, called as a test calls it, and two small histories: one that is clean, one that is not."""

from __future__ import annotations

import re
from typing import Any

from click.testing import CliRunner, Result

from rejoinder.edge.cli.group import rejoinder

RUN = "import sys; sys.argv[0] = 'rejoinder'; from rejoinder.edge.cli import main; main()"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff]")


def call(*calls: str) -> dict[str, Any]:
    held = [{"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}} for name in calls]
    return {"role": "assistant", "content": "Let me look.", "tool_calls": held}


def result(name: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": "ok"}


USER: dict[str, Any] = {"role": "user", "content": "hi"}
CLEAN = [USER, call("call_1"), result("call_1"), {"role": "assistant", "content": "done"}, USER]
BROKEN = [USER, call("call_1", "call_2"), result("call_1"), USER]


def run(*arguments: object, stdin: str | bytes | None = None) -> Result:
    done = CliRunner().invoke(rejoinder, [str(each) for each in arguments], input=stdin)
    assert isinstance(done.exception, SystemExit | None), done.exception
    assert "Traceback" not in done.output
    assert "a fault of rejoinder itself" not in done.output, done.output
    return done
