"""Claude Code's session files, small ones: no call is lost, and exactly those that are open are called open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claude_code_files import (
    Writer,
    answered,
    call,
    called,
    exchange,
    found,
    pairing,
    read,
    read_lines,
    text,
)


@pytest.fixture
def writer() -> Writer:
    return Writer()


def test_parallel_calls_and_their_results_are_two_messages(writer: Writer, tmp_path: Path):
    """Each result hangs on its own call, and a block of the same answer comes behind the first result."""
    writer.says("look")
    first = writer.answers("msg_1", call("a"))
    second = writer.answers("msg_1", call("b"))
    writer.result("a", parent=first)
    third = writer.answers("msg_1", call("c"), parent=second)
    writer.result("c", parent=third)
    writer.result("b", parent=second)
    writer.answers("msg_2", text("done"))
    transcript = read(writer.write(tmp_path / "s.jsonl"))
    assert [len(message["content"]) for message in transcript.messages[1:]] == [3, 3, 1]
    assert called(transcript) == ["a", "b", "c"]
    assert answered(transcript) == ["a", "c", "b"]
    assert (transcript.defects, transcript.branches) == ((), ())


def test_the_summary_of_a_compaction_begins_the_conversation(writer: Writer, tmp_path: Path):
    """It is sent, though it says that it is seen in the transcript only; the call in front of it was cut."""
    exchange(writer, 1)
    exchange(writer, 2, answered=False)
    last = writer.last
    writer.row("system", None, subtype="compact_boundary", logicalParentUuid=last, content="Conversation compacted")
    writer.says("This session is being continued", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    writer.answers("msg_9", text("going on"))
    transcript = read(writer.write(tmp_path / "s.jsonl"))
    assert [message["content"] for message in transcript.messages] == [
        "This session is being continued",
        [text("going on")],
    ]
    assert found(transcript) == [("cut", 6, False)]
    assert transcript.branches == ()


def test_a_microcompaction_leaves_the_conversation_as_it_was(writer: Writer, tmp_path: Path):
    exchange(writer, 1)
    last = writer.last
    writer.row("system", None, subtype="microcompact_boundary", logicalParentUuid=last)
    exchange(writer, 2)
    assert called(read(writer.write(tmp_path / "s.jsonl"))) == ["toolu_001", "toolu_002"]


def test_a_sub_agents_row_is_no_leaf(writer: Writer, tmp_path: Path):
    exchange(writer, 1)
    writer.says("a prompt of its own", parent=None, isSidechain=True)
    writer.answers("msg_side", call("side"), isSidechain=True)
    transcript = read(writer.write(tmp_path / "s.jsonl"))
    assert called(transcript) == ["toolu_001"]
    assert found(transcript) == [("pending", 6, False)]


def test_a_sub_agents_file_is_a_conversation(writer: Writer, tmp_path: Path):
    exchange(writer, 1)
    for row in writer.rows:
        row["isSidechain"] = True
    transcript = read(writer.write(tmp_path / "agent-1.jsonl"))
    assert len(transcript.messages) == 4
    assert transcript.defects == ()


def test_a_late_result_of_a_way_that_was_left_does_not_lead(writer: Writer, tmp_path: Path):
    """The tool of an answer that was rewound comes back when the conversation has long gone on from elsewhere."""
    root = writer.says("begin")
    writer.answers("msg_1", call("slow"))
    left = writer.last
    writer.says("something else", parent=root)
    writer.answers("msg_2", text("that then"))
    writer.result("slow", parent=left)
    transcript = read(writer.write(tmp_path / "s.jsonl"))
    assert [message["content"] for message in transcript.messages] == ["begin", "something else", [text("that then")]]
    assert (found(transcript), [way.messages for way in transcript.branches]) == ([], [1])


def test_a_rewind_is_a_branch_and_no_defect(writer: Writer, tmp_path: Path):
    exchange(writer, 1)
    goes_on = writer.last
    exchange(writer, 2)
    writer.says("no, this", parent=goes_on)
    transcript = read(writer.write(tmp_path / "s.jsonl"))
    assert transcript.messages[-1]["content"] == "no, this"
    assert [(way.line, way.messages) for way in transcript.branches] == [(8, 4)]
    assert transcript.defects == ()


@pytest.mark.parametrize("fresh", [False, True], ids=["under their own ids", "under new ids"])
def test_a_conversation_that_is_written_again_is_there_once(writer: Writer, tmp_path: Path, fresh: bool):
    """`agent-acompact-*` files repeat the conversation; a resume may repeat its last row."""
    exchange(writer, 1)
    again = [dict(row) for row in writer.rows]
    for row in again if fresh else ():
        row["uuid"] += "-again"
        row["parentUuid"] = row["parentUuid"] and row["parentUuid"] + "-again"
    writer.rows += again
    transcript = read(writer.write(tmp_path / "s.jsonl"))
    assert len(transcript.messages) == 4
    assert transcript.defects == ()


def test_two_rows_of_one_id_that_say_different_things_are_told(writer: Writer, tmp_path: Path):
    exchange(writer, 1)
    writer.rows.append(writer.rows[0] | {"message": {"role": "user", "content": "other words"}})
    assert ("twin", 5, True) in found(read(writer.write(tmp_path / "s.jsonl")))


def test_an_answer_that_failed_is_not_sent(writer: Writer, tmp_path: Path):
    writer.says("hi")
    writer.answers("msg_1", call("open"))
    failure = {"role": "assistant", "id": "x", "model": "<synthetic>", "content": [text("API Error: 529")]}
    writer.row("assistant", message=failure, isApiErrorMessage=True)
    transcript = read(writer.write(tmp_path / "s.jsonl"))
    assert len(transcript.messages) == 2
    assert transcript.model == "claude-opus-4-5"
    assert found(transcript) == [("errored", 2, True)]


@pytest.mark.parametrize(
    ("behind", "kind"),
    [(None, "pending"), ("[Request interrupted by user for tool use]", "interrupted"), ("go on", "interrupted")],
)
def test_why_a_call_is_open_is_told(writer: Writer, tmp_path: Path, behind: str | None, kind: str):
    exchange(writer, 1, answered=False)
    writer.answers("msg_1a", call("second"))
    writer.row("progress", data={"type": "bash_progress"})
    if behind is not None:
        writer.says(behind)
    assert [each for each, _, _ in found(read(writer.write(tmp_path / "s.jsonl")))] == [kind, kind]


def test_a_rejected_call_is_answered(writer: Writer, tmp_path: Path):
    exchange(writer, 1, answered=False)
    block = {"type": "tool_result", "content": "The user doesn't want to", "is_error": True, "tool_use_id": "toolu_001"}
    writer.row("user", message={"role": "user", "content": [block]}, toolUseResult="User rejected tool use")
    assert read(writer.write(tmp_path / "s.jsonl")).defects == ()


def test_a_result_in_front_of_its_call_is_told_and_put_behind_it(writer: Writer, tmp_path: Path):
    asks = writer.says("hi")
    writer.result("a", parent=asks)
    made = writer.answers("msg_1", call("a"), parent=asks)
    writer.answers("msg_2", text("well"), parent=made)
    transcript = read(writer.write(tmp_path / "s.jsonl"))
    assert found(transcript) == [("early", 2, True)]
    assert pairing(transcript) == set()


def test_an_orphan_at_the_end_is_on_the_path(writer: Writer, tmp_path: Path):
    """The row of the answer was never written: what the tool would send begins with a result of nothing."""
    exchange(writer, 1)
    writer.result("never", parent="never-written")
    transcript = read(writer.write(tmp_path / "s.jsonl"))
    assert found(transcript) == [("gap", 5, True), ("orphan", 5, True)]
    assert pairing(transcript)


def test_a_gateway_that_gives_all_answers_one_id_does_not_make_them_one(writer: Writer, tmp_path: Path):
    for number in (1, 2):
        exchange(writer, number)
    for row in writer.rows:
        if row["type"] == "assistant":
            row["message"]["id"] = "chatcmpl-0"
    transcript = read(writer.write(tmp_path / "s.jsonl"))
    assert len(transcript.messages) == 8
    assert pairing(transcript) == set()


def test_parents_in_a_circle_are_told(writer: Writer, tmp_path: Path):
    exchange(writer, 1)
    writer.rows[0]["parentUuid"] = writer.rows[-1]["uuid"]
    assert found(read(writer.write(tmp_path / "s.jsonl"))) == [("circle", 1, True)]


rows = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["user", "assistant", "progress", "system", "summary", 3, None]),
            "uuid": st.sampled_from(["a", "b", "c", "", 0, None, {}]),
            "parentUuid": st.sampled_from(["a", "b", "c", "d", "", 0, None, []]),
            "isSidechain": st.sampled_from([True, False, "yes", None]),
            "isApiErrorMessage": st.booleans(),
            "subtype": st.sampled_from(["compact_boundary", 4]),
            "logicalParentUuid": st.sampled_from(["a", "z", 1]),
            "sessionId": st.just("s"),
            "message": st.sampled_from(
                [None, [], {"content": None}, {"content": "words", "id": 3}, {"id": "m", "content": [call("x"), 1, {}]}]
                + [{"content": [{"type": "tool_result", "tool_use_id": name}]} for name in ("x", None)]
                + [{"id": "m", "role": 5, "model": {}, "content": [{"type": "tool_use"}, text("t")]}]
            ),
        },
    ),
    max_size=12,
)


@given(rows)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_of_any_shape_are_read_without_a_word(tmp_path: Path, rows: list[dict[str, Any]]):
    transcript = read_lines([json.dumps(row).encode() for row in rows], tmp_path)
    assert len(transcript.messages) == len(transcript.lines)
    json.dumps(transcript.as_dict())
