"""No secret leaks from any field of a session into any export that was asked to redact."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from console import run
from rejoinder.edge.sessions import Session
from test_redact import FAKE, KINDS

FIELDS = "text thinking tool_name tool_id tool_input tool_result title cwd model label unknown_field row_id".split()


ALL = "\n\n".join(text for text, _ in KINDS.values())


def session_with(field: str, secret: str) -> str:
    """A session with a text in one field of it."""

    def put(name: str) -> str:
        return secret if name == field else "plain"

    settings = {"system": "Be brief.", "metadata": {"user_id": put("unknown_field")}}
    head = {"title": put("title"), "cwd": put("cwd"), "model": put("model"), "settings": settings}
    call = {"type": "tool_use", "id": put("tool_id"), "name": put("tool_name"), "input": {"q": put("tool_input")}}
    content = [{"type": "thinking", "thinking": put("thinking"), "signature": "c2ln"}, call]
    result = {"type": "tool_result", "tool_use_id": put("tool_id"), "content": put("tool_result")}
    with Session.create(dialect="anthropic", **head) as session:
        session.append({"role": "user", "content": put("text")})
        session.append({"role": "assistant", "content": content})
        session.append_row({"type": "label", "label": put("label")})
        session.append_row({"type": "message", "uuid": put("row_id"), "role": "user", "content": [result]})
        session.append({"role": "assistant", "content": "Done."})
    return session.path


@pytest.mark.parametrize("field", FIELDS)
def test_no_kind_leaks_from_any_field_into_any_export(field: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """And the same export without --redact shows it, so that this test can fail."""
    monkeypatch.setenv("REJOINDER_HOME", str(tmp_path))
    path = session_with(field, ALL)
    shown = ""
    for form in ("markdown", "html", "anthropic", "openai-chat", "finetune"):
        shown += run("sessions", "export", path, "--to", form).stdout
        done = run("sessions", "export", path, "--to", form, "--redact")
        assert done.exit_code in (0, 1), done.stderr
        assert [secret for _, secret in KINDS.values() if secret in done.stdout + done.stderr] == [], form
        assert "redacted anthropic key: 1 secret" in done.stderr
    assert FAKE in shown


def test_what_was_redacted_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("REJOINDER_HOME", str(tmp_path))
    path = session_with("text", f"ghp_{FAKE} and ghp_{FAKE}")
    done = run("sessions", "export", path, "--redact")
    # The title of a session is what was said first.
    assert "redacted github token: 1 secret in" in done.stderr
    told = json.loads(run("sessions", "export", path, "--redact", "--json").stdout)
    assert told["redacted"]["github token"]["secrets"] == 1
    assert "redacted nothing" in run("sessions", "export", session_with("text", "hi"), "--redact").stderr
    assert FAKE in Path(path).read_text("utf-8")
