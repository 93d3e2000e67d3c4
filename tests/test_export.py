"""Sessions as data: for each API as it takes it, and to train on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rejoinder
from console import run
from hostile_story import FIELDS, story_of
from rejoinder.edge.exports import exported
from rejoinder.edge.sessions import Session

USER = {"role": "user", "content": "When is the next train?"}


def call(name: str) -> dict[str, Any]:
    held = {"id": name, "type": "function", "function": {"name": "next_train", "arguments": "{}"}}
    return {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [held]}


@pytest.fixture
def trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REJOINDER_HOME", str(tmp_path / "home"))
    tools = [
        {"type": "function", "function": {"name": "next_train", "parameters": {"type": "object", "properties": {}}}}
    ]
    with Session.create("trains", settings={"model": "gpt-5.1", "tools": tools}) as session:
        session.extend([{"role": "system", "content": "Be brief."}, USER, call("call_1")])
        session.append({"role": "tool", "tool_call_id": "call_1", "content": "10:04"})
        session.extend([{"role": "assistant", "content": "At 10:04."}, USER, call("call_2")])
    return tmp_path


@pytest.mark.parametrize("form", ["anthropic", "openai-chat", "openai-responses", "gemini", "mistral", "langchain"])
def test_json_of_any_dialect_is_taken_by_its_own_api(form: str, trains: Path):
    out = trains / f"{form}.json"
    done = run("sessions", "export", "trains", "--to", form, "-o", out)
    assert done.exit_code == 0, done.stderr
    payload = json.loads(out.read_text("utf-8"))
    errors = [finding for finding in rejoinder.check(payload, dialect=form) if finding.severity == "error"]
    assert errors == []
    assert f"wrote {out}" in done.stderr


@pytest.mark.usefixtures("trains")
def test_training_data_has_the_form_that_openai_takes():
    """Whole exchanges, the assistant last, arguments as text, and no member that the API does not know."""
    from openai.types.chat import ChatCompletionMessageParam
    from pydantic import TypeAdapter

    done = run("sessions", "export", "trains", "trains", "--to", "finetune")
    assert done.exit_code == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == second
    line = json.loads(first)
    assert set(line) == {"messages", "tools"}
    assert [message["role"] for message in line["messages"]] == ["system", "user", "assistant", "tool", "assistant"]
    known = {"role", "content", "name", "tool_calls", "tool_call_id", "refusal", "weight"}
    assert all(set(message) <= known for message in line["messages"])
    assert isinstance(line["messages"][2]["tool_calls"][0]["function"]["arguments"], str)
    TypeAdapter(list[ChatCompletionMessageParam]).validate_python(line["messages"])


@pytest.mark.usefixtures("trains")
def test_nothing_to_train_on_is_one_line():
    with Session.create("silent") as session:
        session.append(USER)
    done = run("sessions", "export", "silent", "--to", "finetune")
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "nothing to train on" in done.stderr


def test_the_name_of_the_file_tells_the_form(trains: Path):
    for name, begins in {"a.md": "# ", "a.html": "<!doctype", "a.jsonl": '{"messages"', "a": "# "}.items():
        assert run("sessions", "export", "trains", "-o", trains / name).exit_code == 0
        assert (trains / name).read_text("utf-8").startswith(begins)
        assert (trains / name).stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("trains")
@pytest.mark.parametrize(
    "arguments",
    [["trains", "--to", "word"], ["trains", "trains"], [], ["trains", "-o", "/nowhere/x.md"], ["trains", "--at", "x"]],
)
def test_a_wrong_export_is_one_line(arguments: list[str]):
    done = run("sessions", "export", *arguments)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


@pytest.mark.usefixtures("trains")
def test_export_as_json_tells_what_it_did():
    told = json.loads(run("sessions", "export", "trains", "--to", "anthropic", "--json").stdout)
    assert told["form"] == "anthropic"
    assert json.loads(told["text"])["messages"][0]["role"] == "user"
    assert told["redacted"] is None


@given(st.dictionaries(st.sampled_from(FIELDS), st.text(st.characters(exclude_categories=()), max_size=30)))
def test_no_text_stops_an_export(texts: dict[str, str]):
    story = story_of(texts)
    for form in ("markdown", "html", "openai-chat", "anthropic", "gemini"):
        assert exported(story, form).text
