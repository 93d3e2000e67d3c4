"""What single fields and parts of sessions become: times, pictures, resources, and tables of a newer version."""

import json
import random
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rejoinder.transcripts.fields import time_of, title_of, words
from session_samples import (
    document,
    goose_message,
    goose_rows,
    kinds,
    lines,
    opencode_database,
    opencode_message,
    opencode_tool,
    opened,
)

PNG = "iVBORw0KGgo="


def test_times_are_those_of_the_calendar():
    """Of seconds and of milliseconds, held against the standard library for days over 8,000 years."""
    rng = random.Random(7)
    for _ in range(3000):
        days, rest = rng.randrange(4000, 2_900_000), rng.randrange(86_400_000)
        when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=days, milliseconds=rest)
        assert time_of(days * 86_400_000 + rest) == f"{when:%Y-%m-%dT%H:%M:%S}.{rest % 1000:03d}Z".rjust(24, "0")
    assert time_of(1767261600) == time_of(1767261600000) == "2026-01-01T10:00:00.000Z"
    odd: tuple[Any, ...] = (None, True, 0, -5, float("nan"), float("inf"), 10**40, [], {})
    assert [time_of(each) for each in odd] == [""] * len(odd)
    assert time_of("as it is") == "as it is"


def test_words_and_titles():
    """Of what is nested deeper nothing is taken: nobody writes a title there."""
    assert words(["a", {"type": "text", "text": "b"}, {"type": "image"}, 7, None, [["c"]]]) == "a\nb"
    assert (words(None), words(7), words({"text": "x"})) == ("", "", "x")
    assert title_of("\n  \n first line \nsecond") == "first line"
    assert len(title_of("x" * 500)) == 120


@pytest.mark.parametrize(
    ("file", "block"),
    [
        (
            {"mime": "image/png", "url": f"data:image/png;base64,{PNG}"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        ),
        (
            {"mime": "application/pdf", "url": f"data:application/pdf;base64,{PNG}"},
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PNG}},
        ),
        (
            {"mime": "image/png", "url": "https://example.com/a.png"},
            {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
        ),
        (
            {"mime": "image/png", "url": "file:///a.png", "filename": "a.png"},
            {"type": "text", "text": "[Attached image/png: a.png]"},
        ),
    ],
)
def test_files_in_opencode(file: dict[str, Any], block: dict[str, Any], tmp_path: Path):
    """Asked about, and given by a tool; a text file was written out as text already."""
    parts = [{"type": "file", **file}, {"type": "file", "mime": "text/plain", "url": "file:///a"}]
    made = opencode_tool("a", attachments=[file])
    rows = [opencode_message("msg_1", "user", parts), opencode_message("msg_2", "assistant", [made])]
    found = opened(document(tmp_path / "list.json", rows))
    assert found.messages[0]["content"] == [block]
    assert found.messages[2]["content"][0]["content"] == [{"type": "text", "text": "text"}, block]


def test_the_newer_table_of_opencode(tmp_path: Path):
    """One row a message, in the order of their numbers; the conversation begins at the last compaction."""
    path = opencode_database(tmp_path / "opencode.db", [])
    tool = {"type": "tool", "id": "c", "name": "read", "state": {"status": "completed", "input": {}}}
    tool["state"] |= {"content": [{"type": "text", "text": "text"}]}
    rows: list[tuple[str, Any]] = [
        ("user", {"text": "long ago", "time": {"created": 1767261600000}}),
        ("compaction", {"summary": "So far"}),
        ("user", {"text": "Read"}),
        ("model-switched", {"model": {"id": "m"}}),
        ("assistant", {"content": [{"type": "text", "text": "Yes."}, tool], "model": {"id": "m"}}),
        ("assistant", {"content": [tool | {"id": "d", "state": {"status": "running", "input": {}}}]}),
    ]
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INTEGER, data TEXT)")
        for number in reversed(range(len(rows))):
            kind, data = rows[number]
            values = (f"msg_{number}", kind, number, json.dumps(data))
            database.execute("INSERT INTO session_message VALUES (?, 'ses_1', ?, ?, ?)", values)
        database.commit()
    found = opened(path)
    assert [message["role"] for message in found.messages] == ["user", "user", "assistant", "user", "assistant"]
    assert found.messages[0]["content"][0]["text"] == "<summary>\nSo far\n</summary>"
    assert found.messages[3]["content"] == [{"type": "tool_result", "tool_use_id": "c", "content": "text"}]
    assert kinds(found) == [("pending", 1, ("d",), True)]
    assert found.model == "m"


def test_what_a_goose_tool_gives(tmp_path: Path):
    """In the form of either version of its protocol: texts, pictures, resources."""
    given = [
        {"type": "text", "text": "a"},
        {"type": "image", "data": PNG, "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///b", "text": "b"}},
    ]
    for value in (given, {"content": given, "isError": True}):
        answer = {"type": "toolResponse", "id": "a", "toolResult": {"status": "success", "value": value}}
        rows = [*goose_rows()[:3], goose_message("user", answer)]
        block = opened(lines(tmp_path / "goose.jsonl", rows)).messages[2]["content"][0]
        assert [part["type"] for part in block["content"]] == ["text", "image", "text"]
        assert block["content"][2]["text"] == "b"
        assert block.get("is_error", False) is isinstance(value, dict)


def test_thoughts_of_goose_are_kept_under_their_seal(tmp_path: Path):
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    sealed = {"type": "redactedThinking", "data": "x"}
    rows = [*goose_rows()[:2], goose_message("assistant", thinking, sealed, {"type": "text", "text": "Yes."})]
    content = opened(lines(tmp_path / "goose.jsonl", rows)).messages[1]["content"]
    assert content[:2] == [thinking, {"type": "redacted_thinking", "data": "x"}]
