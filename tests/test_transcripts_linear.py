"""What goes wrong in sessions that are a plain list: Codex, Gemini CLI, OpenCode and Goose, each fault by its name."""

from pathlib import Path
from typing import Any

import pytest

from rejoinder.transcripts.transcript import Transcript, Way
from session_samples import (
    assistant,
    call,
    codex_rows,
    document,
    event,
    gemini_call,
    gemini_message,
    goose_database,
    goose_message,
    goose_request,
    goose_response,
    item,
    kinds,
    lines,
    meta,
    opencode_database,
    opencode_message,
    opencode_tool,
    opened,
    output,
    user,
)

META = {"sessionId": "s-1", "projectHash": "ab12", "startTime": "2026-01-01T10:00:00.000Z"}


# --- Codex -----------------------------------------------------------------------------------------------------------


def codex(tmp_path: Path, *rows: dict[str, Any]) -> Transcript:
    found = opened(lines(tmp_path / "rollout.jsonl", [meta(), *rows]))
    assert found.tool == "codex"
    return found


@pytest.mark.parametrize(
    ("rows", "defects"),
    [
        ([user("x"), call("a"), call("b"), output("b")], [("pending", 3, ("a",), True)]),
        ([user("x"), call("a"), event("turn_aborted", reason="interrupted")], [("interrupted", 3, ("a",), True)]),
        ([user("x"), call("a"), user("y"), assistant("z")], [("interrupted", 3, ("a",), True)]),
        ([user("x"), call("a"), call("b"), output("b"), assistant("z")], [("interrupted", 3, ("a",), True)]),
        ([user("x"), output("a"), assistant("z")], [("orphan", 3, ("a",), True)]),
        ([user("x"), output("a"), call("a")], [("early", 3, ("a",), True)]),
        ([user("x"), call("a"), output("a"), output("a")], [("duplicate", 5, ("a",), True)]),
        ([user("x"), call("a"), output("a"), call("a", "[1]"), output("a")], [("duplicate", 5, ("a",), True)]),
        # A call that is written again while it waits is one call, and has its result.
        ([user("x"), call("a"), call("a"), output("a")], [("duplicate", 4, ("a",), True)]),
        ([user("x"), item("tool_search_call", execution="server", call_id=None, arguments={})], []),
    ],
)
def test_what_is_wrong_with_calls(rows: list[dict[str, Any]], defects: list[Any], tmp_path: Path):
    assert kinds(codex(tmp_path, *rows)) == defects


def test_a_compaction_puts_its_items_in_the_place_of_all(tmp_path: Path):
    """What was before it is not in the conversation; a call that it cut short is told, and not live."""
    kept = [user("x")["payload"], {"type": "compaction", "encrypted_content": "gAAAA"}]
    row = {"type": "compacted", "timestamp": "t", "payload": {"message": "", "replacement_history": kept}}
    found = codex(tmp_path, user("x"), call("a"), row, user("y"))
    assert list(found.messages) == [*kept, user("y")["payload"]]
    assert found.lines == (4, 4, 5)
    assert kinds(found) == [("cut", 3, ("a",), False)]


def test_an_older_compaction_keeps_what_the_user_said(tmp_path: Path):
    """And puts its summary behind."""
    row = {"type": "compacted", "timestamp": "t", "payload": {"message": "A summary"}}
    rows = [user("x" * 90_000), user("short"), call("a"), output("a"), assistant("z"), row, assistant("on")]
    found = codex(tmp_path, *rows)
    texts = [message["content"][0]["text"] for message in found.messages]
    assert [text[:9] for text in texts] == ["x" * 9, "short", "A summary", "on"]
    rows.insert(1, user("y" * 90_000))
    assert len(codex(tmp_path, *rows).messages) == 4
    assert kinds(found) == []


def test_a_result_whose_call_a_compaction_took_is_an_orphan(tmp_path: Path):
    """A resume would send it alone."""
    row = {"type": "compacted", "timestamp": "t", "payload": {"message": "", "replacement_history": []}}
    assert kinds(codex(tmp_path, user("x"), call("a"), row, output("a"))) == [("orphan", 5, ("a",), True)]


def test_a_rollback_takes_turns_away(tmp_path: Path):
    """Those of the user's own words; what Codex wrote in his name begins none. What was taken is a way of its own."""
    context = user("<environment_context>x</environment_context>")
    rows = [context, user("1"), assistant("a"), user("2"), call("c"), event("thread_rolled_back", num_turns=1)]
    found = codex(tmp_path, *rows, user("3"))
    assert [message["content"][0]["text"][-1] for message in found.messages] == [">", "1", "a", "3"]
    assert found.branches == (Way(line=6, messages=2, ended="2026-01-01T10:00:01.000Z"),)
    assert kinds(found) == [("interrupted", 6, ("c",), False)]
    found = codex(tmp_path, *rows, event("thread_rolled_back", num_turns=99), user("3"))
    assert len(found.messages) == 2
    for turns in (0, -1, None, "1", 1.5, [1]):
        assert len(codex(tmp_path, *rows[:4], event("thread_rolled_back", num_turns=turns)).messages) == 4


def test_of_a_fork_the_first_header_counts(tmp_path: Path):
    """Its source's follows, with the rows that were copied."""
    found = codex(tmp_path, meta("source", cwd="/other"), user("x"), assistant("y"))
    assert (found.session, found.folder, len(found.messages), found.defects) == ("5973b6c0", "/app", 2, ())


def test_the_first_form_of_codex_has_no_envelope(tmp_path: Path):
    head = {"id": "bare", "timestamp": "2025-08-06T18:02:11.653Z", "instructions": None, "git": {}}
    rows = [head, {"record_type": "state"}, user("x")["payload"], call("a")["payload"], {"record_type": "state"}]
    found = opened(lines(tmp_path / "bare.jsonl", rows))
    assert (found.tool, found.session, found.title, found.lines) == ("codex", "bare", "x", (3, 4))
    assert kinds(found) == [("pending", 4, ("a",), True)]


def test_what_lines_show_is_a_defect_too(tmp_path: Path):
    """A record that was cut off, one that is glued to another, one that cannot be read."""
    path = lines(tmp_path / "rollout.jsonl", codex_rows())
    rows = path.read_bytes().splitlines(keepends=True)
    rows[4] = rows[4].rstrip(b"\n") + rows[5]
    rows[8] = rows[8].replace(b'"name"', b'"na"me"')
    path.write_bytes(b"".join((*rows[:5], *rows[6:]))[:-20])
    assert [defect.kind for defect in opened(path).defects] == ["glued", "unreadable", "orphan", "torn"]


# --- Gemini CLI ------------------------------------------------------------------------------------------------------


def gemini(tmp_path: Path, *rows: dict[str, Any]) -> Transcript:
    found = opened(lines(tmp_path / "session.jsonl", [META, *rows]))
    assert found.tool == "gemini-cli"
    return found


@pytest.mark.parametrize(
    ("state", "behind", "kind"),
    [
        ("executing", (), "pending"),
        ("awaiting_approval", (), "paused"),
        ("cancelled", (), "interrupted"),
        ("executing", (gemini_message("m9", "error", "[API Error: x]"),), "errored"),
        ("executing", (gemini_message("m9", "info", "Request cancelled."),), "interrupted"),
        ("executing", (gemini_message("m9", "info", "An update"),), "pending"),
        ("executing", (gemini_message("m9", "user", "go on"),), "interrupted"),
        ("success", (gemini_message("m9", "gemini", "Done."),), "interrupted"),
    ],
)
def test_a_gemini_call_without_a_result_says_why(state: str, behind: Any, kind: str, tmp_path: Path):
    made = gemini_message("m1", "gemini", "", toolCalls=[gemini_call("c1", status=state, result=None)])
    assert kinds(gemini(tmp_path, made, *behind)) == [(kind, 2, ("c1",), True)]


def test_a_rewind_takes_a_message_and_all_behind_it(tmp_path: Path):
    """An id that nobody knows takes everything, as in the tool itself."""
    said = [gemini_message(f"m{number}", "user", f"text {number}") for number in range(4)]
    found = gemini(tmp_path, *said, {"$rewindTo": "m2"}, gemini_message("m9", "user", "other"))
    assert [content["parts"][0]["text"] for content in found.messages] == ["text 0", "text 1", "other"]
    assert found.branches == (Way(line=5, messages=2, ended="2026-01-01T10:00:00.000Z"),)
    assert gemini(tmp_path, *said, {"$rewindTo": "no"}).messages == ()


def test_a_checkpoint_among_the_rows_replaces_all(tmp_path: Path):
    """An empty list replaces nothing."""
    said = [gemini_message(f"m{number}", "user", f"text {number}") for number in range(3)]
    found = gemini(tmp_path, *said, {"$set": {"messages": said[1:2]}}, gemini_message("m9", "user", "other"))
    assert [content["parts"][0]["text"] for content in found.messages] == ["text 1", "other"]
    assert found.lines == (5, 6)
    assert len(gemini(tmp_path, *said, {"$set": {"messages": [], "summary": "S"}}).messages) == 3


def test_results_that_are_written_down_twice_are_sent_once(tmp_path: Path):
    """Later versions keep them in the call, and as a message of the user."""
    made = gemini_call("c1")
    written = gemini_message("m2", "user", made["result"])
    found = gemini(tmp_path, gemini_message("m1", "gemini", "", toolCalls=[made]), written)
    assert [list(content["parts"][0]) for content in found.messages] == [["functionCall"], ["functionResponse"]]
    assert found.defects == ()


@pytest.mark.parametrize("result", ["text", ["text"], [{"text": "text"}], {"output": "text"}])
def test_results_of_any_form_become_responses(result: Any, tmp_path: Path):
    made = gemini_message("m1", "gemini", "", toolCalls=[gemini_call("c1", result=result)])
    response = {"id": "c1", "name": "read_file", "response": {"output": "text"}}
    assert gemini(tmp_path, made).messages[1]["parts"] == [{"functionResponse": response}]


def test_contents_of_the_api_are_read_as_they_are(tmp_path: Path):
    """A trajectory, or what `/chat save` wrote; calls without an id are told apart by name, and one has no result."""
    made = {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}}}] * 2}
    answer = {"functionResponse": {"name": "ls", "response": {"output": "a"}}}
    contents = [{"role": "user", "parts": [{"text": "List"}]}, made, {"role": "user", "parts": [answer] * 3}]
    for value in (contents, {"history": contents, "authType": "oauth"}):
        path = tmp_path / "checkpoint.json"
        document(path, value)
        found = opened(path)
        assert (found.messages, found.title, found.lines) == (tuple(contents), "List", (1, 2, 3))
        assert kinds(found) == [("orphan", 3, ("ls",), True)]


# --- OpenCode --------------------------------------------------------------------------------------------------------


def opencode(tmp_path: Path, *messages: dict[str, Any], **how: Any) -> Transcript:
    path = tmp_path / "opencode.db"
    path.unlink(missing_ok=True)
    found = opened(opencode_database(path, list(messages), **how))
    assert found.tool == "opencode"
    return found


ASK = opencode_message("msg_1", "user", [{"type": "text", "text": "Go"}])
MORE = opencode_message("msg_3", "user", [{"type": "text", "text": "Go on"}])


@pytest.mark.parametrize(
    ("how", "behind", "kind"),
    [
        ({}, (), "pending"),
        ({}, (MORE,), "interrupted"),
        ({"error": {"name": "APIError", "data": {}}}, (MORE,), "errored"),
        ({"error": {"name": "MessageAbortedError", "data": {}}}, (), "interrupted"),
    ],
)
@pytest.mark.parametrize("status", ["pending", "running"])
def test_a_part_that_was_left_running(status: str, how: Any, behind: Any, kind: str, tmp_path: Path):
    parts = [{"type": "step-start"}, opencode_tool("a"), opencode_tool("b", status)]
    found = opencode(tmp_path, ASK, opencode_message("msg_2", "assistant", parts, **how), *behind)
    assert [(defect.kind, defect.line, defect.ids) for defect in found.defects] == [(kind, 2, ("b",))]
    assert str(found.defects[0]) == f"row 2: {kind}: call b has no result"


def test_the_conversation_begins_at_a_compaction_that_was_completed(tmp_path: Path):
    """Or at the message that it keeps from; one that was not completed changes nothing."""
    cut = {"type": "compaction", "auto": True}
    made = opencode_message("msg_2", "assistant", [opencode_tool("a", "running")])
    ask = opencode_message("msg_4", "user", [cut])
    summary = opencode_message("msg_5", "assistant", [{"type": "text", "text": "S"}], parentID="msg_4", summary=True)
    found = opencode(tmp_path, ASK, made, MORE, ask, summary | {"info": summary["info"] | {"finish": "stop"}})
    assert [message["content"][0]["text"] for message in found.messages] == ["What did we do so far?", "S"]
    assert kinds(found) == [("interrupted", 2, ("a",), False)]
    assert len(opencode(tmp_path, ASK, made, ask, summary).messages) == 4
    ask = opencode_message("msg_4", "user", [cut | {"tail_start_id": "msg_3"}])
    done = summary | {"info": summary["info"] | {"finish": "stop"}}
    assert len(opencode(tmp_path, ASK, made, MORE, ask, done).messages) == 3


def test_what_is_reverted_is_a_way_that_was_left(tmp_path: Path):
    answer = opencode_message("msg_2", "assistant", [{"type": "text", "text": "Yes."}])
    found = opencode(tmp_path, ASK, answer, MORE, revert={"messageID": "msg_2"})
    assert [message["role"] for message in found.messages] == ["user"]
    assert [(way.line, way.messages) for way in found.branches] == [(3, 2)]


# --- Goose -----------------------------------------------------------------------------------------------------------


def goose(tmp_path: Path, *rows: dict[str, Any]) -> Transcript:
    path = tmp_path / "sessions.db"
    path.unlink(missing_ok=True)
    found = opened(goose_database(path, list(rows)))
    assert found.tool == "goose"
    return found


def test_what_is_wrong_with_gooses_calls(tmp_path: Path):
    """Open at the end; asked for and not answered; gone on from; without a call; hidden by a compaction."""
    ask, said = goose_message("user", {"type": "text", "text": "Go"}), {"type": "text", "text": "Yes."}
    made = goose_message("assistant", goose_request("a"))
    question = {"type": "toolConfirmationRequest", "id": "a", "toolName": "shell", "arguments": {}}
    hidden = {"userVisible": True, "agentVisible": False}
    assert kinds(goose(tmp_path, ask, made)) == [("pending", 2, ("a",), True)]
    assert kinds(goose(tmp_path, ask, made, goose_message("user", question))) == [("paused", 2, ("a",), True)]
    assert kinds(goose(tmp_path, ask, made, ask)) == [("interrupted", 2, ("a",), True)]
    assert kinds(goose(tmp_path, ask, goose_message("user", goose_response("a")))) == [("orphan", 2, ("a",), True)]
    found = goose(tmp_path, ask | {"metadata": hidden}, made | {"metadata": hidden}, goose_message("user", said))
    assert kinds(found) == [("cut", 2, ("a",), False)]
    assert len(found.messages) == 1


def test_a_request_that_could_not_be_read_keeps_its_response(tmp_path: Path):
    """It is a call of a tool that there is not: to leave it out would leave the response alone."""
    broken = {"type": "toolRequest", "id": "a", "toolCall": {"status": "error", "error": "bad JSON"}}
    answer = {"type": "toolResponse", "id": "a", "toolResult": {"status": "error", "error": "bad JSON"}}
    found = goose(tmp_path, goose_message("assistant", broken), goose_message("user", answer))
    assert found.defects == ()
    assert found.messages[0]["content"][0]["input"] == {"error": "bad JSON"}
    assert found.messages[1]["content"][0]["is_error"] is True
