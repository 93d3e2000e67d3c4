"""Claude Code's session files: no call is lost, and exactly those that are open are called open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rejoinder as rj
from claude_code_files import Writer, call, exchange, read, read_lines, text
from rejoinder.transcripts.transcript import Transcript

OPEN = {"pending", "cut", "interrupted", "errored"}
REAL = Path("data") / "sessions" / "entireio-cli" / "claude-code"
# What is wrong with each of the real files, read by hand: the kind, the line, whether it is on the active path.
KNOWN: dict[str, list[tuple[str, int, bool]]] = {
    "glued-records": [("glued", 128, True)],
    "head-cut-slice": [],
    "orphan-result-head-cut": [("orphan", 1, False)],
    "parallel-tools-heavy": [],
    "parallel-tools-small": [],
    "pending-call-at-end": [("pending", 4, True)],
    "pending-call-before-compaction": [("cut", 441, False), ("gap", 442, False)],
    "phantom-parent-progress": [("gap", 51, False)],
    "resume-fork-a": [],
    "resume-fork-b": [],
    "split-message-id": [],
    "split-message-id-small": [],
}


def found(transcript: Transcript) -> list[tuple[str, int, bool]]:
    return [(defect.kind, defect.line, defect.live) for defect in transcript.defects]


def open_calls(transcript: Transcript) -> set[str]:
    return {name for defect in transcript.defects if defect.kind in OPEN for name in defect.ids}


def called(transcript: Transcript) -> list[str]:
    return [block["id"] for block in blocks(transcript) if block["type"] == "tool_use"]


def answered(transcript: Transcript) -> list[str]:
    return [block["tool_use_id"] for block in blocks(transcript) if block["type"] == "tool_result"]


def blocks(transcript: Transcript) -> list[dict[str, Any]]:
    return [
        block for message in transcript.messages if isinstance(message["content"], list) for block in message["content"]
    ]


def pairing(transcript: Transcript) -> set[str]:
    """The rules of pairing that the API would refuse the messages by."""
    found = rj.check(list(transcript.messages), "anthropic")
    return {finding.rule for finding in found if finding.rule.startswith(("tool_pairing", "tool_ids"))}


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def holds(line: bytes, kind: str) -> list[str]:
    """The ids of the blocks of a kind in a line."""
    try:
        message = json.loads(line).get("message")
    except ValueError:
        return []
    content = message.get("content") if isinstance(message, dict) else None
    name = "id" if kind == "tool_use" else "tool_use_id"
    return [block[name] for block in content if block.get("type") == kind] if isinstance(content, list) else []


# --- real files ------------------------------------------------------------------------------------------------------


@pytest.fixture(params=sorted(KNOWN))
def real(request: pytest.FixtureRequest, evidence: Path) -> Path:
    return evidence / REAL / f"{request.param}.jsonl"


def test_exactly_what_is_wrong_with_a_real_file_is_found(real: Path):
    assert found(read(real)) == KNOWN[real.stem]


def test_the_messages_of_a_real_file_pair_but_for_what_its_defects_explain(real: Path):
    transcript = read(real)
    explained = {defect.kind for defect in transcript.defects if defect.live} & (OPEN | {"orphan"})
    assert bool(pairing(transcript)) == bool(explained)


def test_no_call_of_a_real_file_is_lost(real: Path):
    """What was called behind the last compaction is in the messages, once, unless it is on a way that was left."""
    transcript = read(real)
    lines = lines_of(real)
    begins = max((at for at, line in enumerate(lines) if b'"subtype":"compact_boundary"' in line), default=0)
    wanted = [name for line in lines[begins:] for name in holds(line, "tool_use")]
    assert called(transcript) == list(dict.fromkeys(wanted))


def test_a_result_taken_out_of_a_real_file_leaves_exactly_its_call_open(real: Path, tmp_path: Path):
    lines = lines_of(real)
    before = open_calls(read(real))
    orphans = {name for defect in read(real).defects if defect.kind == "orphan" for name in defect.ids}
    places = [at for at, line in enumerate(lines) if set(holds(line, "tool_result")) - orphans]
    for at in places[:: max(1, len(places) // 8)]:
        # The rows behind it hang on the row in front of it now, as if it had never been written.
        gone = json.loads(lines[at])
        mark = json.dumps(gone["uuid"]).encode()
        rest = [
            line.replace(b'"parentUuid":' + mark, b'"parentUuid":' + json.dumps(gone["parentUuid"]).encode())
            for line in (*lines[:at], *lines[at + 1 :])
        ]
        assert open_calls(read_lines(rest, tmp_path)) == before | set(holds(lines[at], "tool_result"))


def test_a_real_file_without_its_head_has_no_gap_that_it_had_not_before(real: Path, tmp_path: Path):
    lines = lines_of(real)
    before = {name for defect in read(real).defects if defect.kind == "gap" for name in defect.ids}
    for cut in range(1, len(lines), max(1, len(lines) // 40)):
        after = read_lines(lines[cut:], tmp_path)
        assert {name for defect in after.defects if defect.kind == "gap" for name in defect.ids} <= before
        assert open_calls(after) <= open_calls(read(real))


def test_a_branch_of_progress_changes_nothing(real: Path, tmp_path: Path):
    lines = lines_of(real)
    before = read(real)
    named = [row for line in lines if b'"uuid"' in line and (row := _row(line)).get("uuid")]
    for at in range(0, len(named), max(1, len(named) // 10)):
        more = [named[at] | {"type": kind, "uuid": f"more-{kind}", "parentUuid": named[at]["uuid"]} for kind in BESIDE]
        for row in more:
            row.pop("message", None)
        after = read_lines([*lines, *(json.dumps(row).encode() for row in more)], tmp_path)
        assert after.messages == before.messages
        assert found(after) == found(before)
        assert after.branches == before.branches


BESIDE = ("progress", "attachment", "system")


def _row(line: bytes) -> dict[str, Any]:
    try:
        return json.loads(line)
    except ValueError:
        return {}


@pytest.mark.parametrize("name", ["split-message-id", "parallel-tools-small"])
def test_the_rows_of_an_answer_may_be_one_or_many(name: str, evidence: Path, tmp_path: Path):
    """Rows of one `message.id` joined to one row: the same messages."""
    lines = lines_of(evidence / REAL / f"{name}.jsonl")
    before = read_lines(lines, tmp_path)
    joined: list[dict[str, Any]] = []
    stands_for: dict[str, str] = {}
    answers: dict[str, dict[str, Any]] = {}
    for row in map(_row, lines):
        row["parentUuid"] = stands_for.get(str(row.get("parentUuid")), row.get("parentUuid"))
        answer = row["message"]["id"] if row.get("type") == "assistant" else None
        if answer in answers:
            answers[answer]["message"]["content"] += row["message"]["content"]
            stands_for[row["uuid"]] = answers[answer]["uuid"]
            continue
        if answer:
            answers[answer] = row
        joined.append(row)
    after = read_lines([json.dumps(row).encode() for row in joined], tmp_path)
    assert len(joined) < len(lines)
    assert after.messages == before.messages


# --- small ones, each for one thing ----------------------------------------------------------------------------------


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
