"""`rejoinder render` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from console import CLEAN, OBEYED, run

MESSAGES = [
    {"role": "system", "content": "You help {{user.name|somebody}}."},
    "{{#each history}}",
    "{{this}}",
    "{{/each}}",
    {"role": "user", "content": "{{question}}"},
]


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    path = tmp_path / "prompt.txt"
    path.write_text("Hello {{name}}{{#each tags}}, {{this}}{{/each}}!\n", "utf-8")
    return path


@pytest.fixture
def messages(tmp_path: Path) -> Path:
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(MESSAGES), "utf-8")
    return path


@pytest.fixture
def values(tmp_path: Path) -> Path:
    path = tmp_path / "vars.json"
    path.write_text(json.dumps({"name": "Ann", "tags": ["a", "ü"], "history": CLEAN, "question": "?"}), "utf-8")
    return path


def test_a_text_is_filled(prompt: Path, values: Path):
    done = run("render", prompt, "--vars", values, "-D", "name=Bo")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "Hello Bo, a, ü!\n", "")
    assert json.loads(run("render", prompt, "-D", "name=Bo", "--json").stdout) == {"text": "Hello Bo!\n"}


def test_it_is_written_where_that_is_asked(prompt: Path, tmp_path: Path):
    done = run("render", prompt, "-D", "name=Bo", "-o", tmp_path / "out.txt")
    assert (done.exit_code, done.stdout) == (0, "")
    assert (tmp_path / "out.txt").read_text("utf-8") == "Hello Bo!\n"


def test_needs_are_lines_or_a_schema(prompt: Path, messages: Path):
    assert run("render", "--needs", prompt).stdout == "name\ntags\n"
    assert run("render", "--needs", messages).stdout == "user.name\nhistory\nquestion\n"
    assert json.loads(run("render", "--needs", prompt, "--json").stdout)["required"] == ["name", "tags"]


def test_a_conversation_is_filled_and_held_against_a_target(messages: Path, values: Path):
    done = run("render", messages, "--vars", values, "-D", "user.name=Ann", "--target", "openai-chat")
    assert (done.exit_code, done.stderr) == (0, "")
    made = json.loads(done.stdout)
    assert made == [{"role": "system", "content": "You help Ann."}, *CLEAN, {"role": "user", "content": "?"}]
    said = json.loads(run("render", messages, "--vars", values, "--target", "openai-chat", "--json").stdout)
    assert said["payload"][0]["content"] == "You help somebody."
    assert (said["steps"], said["left"]) == ([], [])


def test_what_a_target_still_refuses_is_told_and_is_code_1(tmp_path: Path):
    path = tmp_path / "odd.json"
    path.write_text(json.dumps([{"role": "user", "content": [{"type": "image_url", "image_url": 5}]}]), "utf-8")
    done = run("render", path, "--target", "openai-chat", "--json")
    left = json.loads(done.stdout)["left"]
    assert done.exit_code == int(any(found["severity"] == "error" for found in left))
    assert len(done.stderr.splitlines()) == len(left)


@pytest.mark.parametrize(
    ("text", "arguments", "says"),
    [
        ("a\n  {{#if x}}", [], "{path}:2:3: the block 'if' is not closed; here: "),
        ("{{gone}}", ["--missing", "raise"], "{path}:1:1: there is no value for 'gone'"),
        ("{{#each", [], "{path}:1:1: this tag is not closed"),
        ("text", ["--target", "openai-chat"], "--target is for a template of messages"),
        ("text", ["-D", "name"], "write it as NAME=VALUE"),
        ("text", ["-D", "a=1", "-D", "a.b=2"], "'a' is no object in the values"),
        ("text", ["--vars", "nowhere.json"], "nowhere.json: there is no such file"),
        ('["{{#each xs}}"]', [], "{path}: the block 'each' is not closed"),
        ('["text"]', [], "stands between messages"),
        ("[5]", [], "a message is an object, and this is integer"),
        ("text", ["--target", "nobody"], "no target is called 'nobody'"),
        ("{{#if a}}" * 200, [], "limit: depth"),
    ],
)
def test_what_is_wrong_is_one_line_and_code_2(tmp_path: Path, text: str, arguments: list[str], says: str):
    path = tmp_path / "bad.txt"
    path.write_text(text, "utf-8")
    done = run("render", path, *arguments)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert says.replace("{path}", str(path)) in done.stderr
    assert not OBEYED.search(done.stderr)


@pytest.mark.parametrize("content", ["[1]", "{", "nonsense", "[" * 100_000])
def test_values_that_are_none_are_one_line(prompt: Path, tmp_path: Path, content: str):
    path = tmp_path / "vars.json"
    path.write_text(content, "utf-8")
    done = run("render", prompt, "--vars", path)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "the values" in done.stderr
