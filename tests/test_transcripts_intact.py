"""Sessions of other agents that are intact: read from each form of file, without a defect, and valid as they are."""

from pathlib import Path
from typing import Any

import pytest

import rejoinder as rj
from rejoinder.dialects.detect import DIALECTS
from rejoinder.transcripts.formats import FORMATS
from session_samples import INTACT, codex_rows, gemini_rows, lines, opened

FOLDERS = {"opencode list": "/app", "opencode database": "/app"}


@pytest.mark.parametrize("form", INTACT)
def test_an_intact_session_has_no_defects(form: str, tmp_path: Path):
    """And its messages, each with a line, are as its dialect wants them."""
    found = opened(INTACT[form](tmp_path))
    assert found.tool == form.split()[0]
    assert (found.defects, found.oddities, found.branches) == ((), (), ())
    assert len(found.lines) == len(found.messages) > 3
    assert list(found.lines) == sorted(found.lines)
    assert all((found.title, found.began, found.ended)), found
    assert found.folder == "/app" or form == "neovate"
    assert found.as_dict()["messages"] == list(found.messages)
    if found.dialect in DIALECTS:
        assert rj.check(list(found.messages), "pairs", dialect=found.dialect) == []
    if found.dialect == "anthropic":
        assert [str(each) for each in rj.check(with_user(found.messages), "anthropic")] == []


def with_user(messages: tuple[Any, ...]) -> list[Any]:
    """The conversation, with a user who goes on."""
    return [*messages, {"role": "user", "content": "Go on."}]


def test_codex_items_are_the_objects_of_the_file(tmp_path: Path):
    """In their order; what Codex keeps for itself is not among them, and the instructions stand in front.

    Of a shell call without an id for its output, the item's own is put in its place: that is what the output names.
    """
    found = opened(lines(tmp_path / "rollout.jsonl", codex_rows()))
    said = [row["payload"] for row in codex_rows() if row["type"] == "response_item"]
    said = [each | ({"call_id": "lsh_3"} if each["type"] == "local_shell_call" else {}) for each in said]
    assert list(found.messages) == [each for each in said if each["type"] != "ghost_snapshot"]
    assert (found.system, found.model, found.session) == ("You are an agent.", "gpt-5-codex", "5973b6c0")
    assert found.title == "Run the tests"


def test_of_gemini_messages_with_one_id_the_last_wins(tmp_path: Path):
    """It keeps the place of the first; commands to the program stay out; results stand behind their calls."""
    found = opened(lines(tmp_path / "session.jsonl", gemini_rows()))
    assert found.messages == (
        {"role": "user", "parts": [{"text": "What is in a?"}]},
        {
            "role": "model",
            "parts": [
                {"text": "**Reading** I read the file.", "thought": True},
                {"text": "I look."},
                {"functionCall": {"id": "c1", "name": "read_file", "args": {"path": "a"}}},
            ],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "text"}}}],
        },
        {"role": "model", "parts": [{"text": "Text."}]},
    )
    assert found.lines == (2, 5, 5, 7)
    assert found.ended == "2026-01-01T10:05:00.000Z"


def test_pi_messages_are_anthropics(tmp_path: Path):
    found = opened(INTACT["pi"](tmp_path))
    assert found.messages[1]["content"] == [
        {"type": "thinking", "thinking": "I read.", "signature": "c2ln"},
        {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "a"}},
        {"type": "tool_use", "id": "b", "name": "read", "input": {"path": "b"}},
    ]
    content = [{"type": "text", "text": "text"}]
    assert found.messages[3]["content"] == [
        {"type": "tool_result", "tool_use_id": "b", "content": content, "is_error": True}
    ]
    assert found.messages[5] == {"role": "user", "content": "Ran `ls`\n```\na\n```"}
    assert (found.model, found.session) == ("claude-opus-4-5", "pi-1")


def test_all_results_of_a_neovate_call_are_there(tmp_path: Path):
    """Two that hang on one row: its own walk sees the last alone."""
    found = opened(INTACT["neovate"](tmp_path))
    assert [message["role"] for message in found.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert found.messages[0] == {"role": "user", "content": "Read a and b"}
    assert (found.title, found.model, found.session) == ("Reading two files", "m-1", "neo")


@pytest.mark.parametrize("form", [form for form in INTACT if form.startswith("opencode")])
def test_each_step_of_an_opencode_answer_is_a_message(form: str, tmp_path: Path):
    """With the results of its calls behind it; the same from all four forms."""
    found = opened(INTACT[form](tmp_path))
    assert [message["role"] for message in found.messages] == ["user", *["assistant", "user"] * 2, "assistant"]
    assert found.messages[1]["content"][0] == {"type": "thinking", "thinking": "I read.", "signature": "c2ln"}
    refused = {"type": "tool_result", "tool_use_id": "b", "content": "no such file", "is_error": True}
    assert found.messages[4]["content"] == [refused]
    assert found.session == "ses_1"


def test_goose_is_the_same_from_lines_and_from_its_database(tmp_path: Path):
    told = [opened(INTACT[form](tmp_path)) for form in ("goose lines", "goose database")]
    assert told[0].messages == told[1].messages
    assert [block["type"] for block in told[0].messages[1]["content"]] == ["text", "tool_use", "tool_use"]
    assert (told[1].session, told[1].model) == ("20260101_1", "claude-opus-4-5")


def test_each_format_says_where_its_sessions_are():
    """With the variable of the environment, where the tool asks one, in front."""
    homes = {each.name: each.homes for each in FORMATS}
    for tool in {form.split()[0] for form in INTACT}:
        assert homes[tool], tool
        assert homes[tool][0].startswith("$") or tool == "neovate"
        assert any(home.startswith("~/") for home in homes[tool])
    assert len(homes) == len(FORMATS)
