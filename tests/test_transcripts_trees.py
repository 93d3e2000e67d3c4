"""What goes wrong in sessions that are a tree: pi and neovate, each fault by its name, and the ways that were left."""

from pathlib import Path
from typing import Any

import pytest

import rejoinder as rj
from rejoinder.transcripts.transcript import Transcript, Way
from session_samples import (
    kinds,
    lines,
    neovate_call,
    neovate_result,
    neovate_row,
    neovate_rows,
    opened,
    pi_call,
    pi_result,
    pi_row,
    pi_rows,
    pi_said,
)

TEXT = [{"type": "text", "text": "words"}]
TIME = "2026-01-01T10:00:00.000Z"


def pi(tmp_path: Path, *rows: dict[str, Any]) -> Transcript:
    found = opened(lines(tmp_path / "pi.jsonl", [pi_rows()[0], *rows]))
    assert found.tool == "pi"
    return found


def ask(name: str, parent: str | None) -> dict[str, Any]:
    return pi_said(name, parent, "user", [{"type": "text", "text": f"ask {name}"}])


def made(name: str, parent: str, *calls: str, stop: str = "toolUse") -> dict[str, Any]:
    return pi_said(name, parent, "assistant", [*map(pi_call, calls)], stopReason=stop, model="m")


@pytest.mark.parametrize(
    ("rows", "defects"),
    [
        ([ask("1", None), made("2", "1", "a", "b"), pi_result("3", "2", "a")], [("pending", 3, ("b",), True)]),
        ([ask("1", None), made("2", "1", "a"), ask("3", "2")], [("interrupted", 3, ("a",), True)]),
        ([ask("1", None), made("2", "1", "a", stop="aborted"), ask("3", "2")], [("errored", 3, ("a",), True)]),
        ([ask("1", None), made("2", "1", "a", stop="error")], [("errored", 3, ("a",), True)]),
        ([ask("1", None), pi_result("2", "1", "a")], [("orphan", 3, ("a",), True)]),
        (
            [ask("1", None), made("2", "1", "a"), ask("3", "9")],
            [("interrupted", 3, ("a",), False), ("gap", 4, ("9",), True)],
        ),
        ([ask("1", "9"), ask("2", "1")], []),
        ([ask("1", None), ask("2", "1"), ask("2", "2")], [("twin", 4, ("2",), True)]),
        ([ask("1", "2"), ask("2", "1"), ask("3", "2")], [("circle", 2, ("2",), True)]),
    ],
)
def test_what_is_wrong_with_a_pi_session(rows: list[dict[str, Any]], defects: list[Any], tmp_path: Path):
    assert kinds(pi(tmp_path, *rows)) == defects


def test_the_way_that_was_left_is_told_and_not_read(tmp_path: Path):
    """An id that both ways use is no fault of either: counters begin anew where the model is asked again."""
    rows = [ask("1", None), made("2", "1", "functions.read:0"), pi_result("3", "2", "functions.read:0")]
    found = pi(tmp_path, *rows, made("4", "1", "functions.read:0"), pi_result("5", "4", "functions.read:0"))
    assert (found.lines, found.defects) == ((2, 5, 6), ())
    assert found.branches == (Way(line=4, messages=2, ended=TIME),)


def test_a_call_whose_result_is_on_the_way_that_was_left_is_open(tmp_path: Path):
    """The user went back to the call: the conversation goes on without its result."""
    rows = [ask("1", None), made("2", "1", "a"), pi_result("3", "2", "a"), ask("4", "2")]
    found = pi(tmp_path, *rows)
    assert kinds(found) == [("interrupted", 3, ("a",), True)]
    assert len(rj.check(list(found.messages), "pairs", dialect="anthropic")) == 1


def test_a_compaction_keeps_what_it_names(tmp_path: Path):
    """Its summary first, then the rows from the one that it names, then what came behind."""
    rows = [ask("1", None), made("2", "1", "a"), ask("3", "2"), ask("4", "3")]
    cut = pi_row("5", "4", "compaction", summary="So far", firstKeptEntryId="4", tokensBefore=9)
    found = pi(tmp_path, *rows, cut, ask("6", "5"))
    assert found.lines == (6, 5, 7)
    assert found.messages[0] == {"role": "user", "content": "<summary>\nSo far\n</summary>"}
    assert kinds(found) == [("interrupted", 3, ("a",), False)]
    again = pi_row("7", "6", "compaction", summary="And now", firstKeptEntryId="4", tokensBefore=9)
    assert pi(tmp_path, *rows, cut, ask("6", "5"), again).lines == (8, 5, 7)
    lost = pi_row("5", "4", "compaction", summary="So far", firstKeptEntryId="no")
    assert pi(tmp_path, *rows, lost, ask("6", "5")).lines == (6, 7)
    found = pi(tmp_path, ask("1", None), made("2", "1", "a"), pi_row("3", "2", "compaction", summary="S"))
    assert kinds(found) == [("cut", 3, ("a",), False)]


def test_the_first_version_is_a_list_without_ids(tmp_path: Path):
    """Its compaction names the number of a row, the header counted."""
    rows = [{key: value for key, value in row.items() if key not in ("id", "parentId")} for row in pi_rows()[1:]]
    head = {key: value for key, value in pi_rows()[0].items() if key != "version"}
    found = opened(lines(tmp_path / "pi.jsonl", [head, *rows]))
    assert (found.lines, found.defects, found.session) == (tuple(range(3, 9)), (), "pi-1")
    cut = {"type": "compaction", "timestamp": TIME, "summary": "So far", "firstKeptEntryIndex": 6}
    found = opened(lines(tmp_path / "pi.jsonl", [head, *rows, cut]))
    assert found.lines == (9, 7, 8)


def test_what_extensions_and_users_put_in_is_said_by_the_user(tmp_path: Path):
    """And what they keep out of the conversation is not in it."""
    rows = [
        ask("1", None),
        pi_row("2", "1", "custom", customType="x", data={}),
        pi_row("3", "2", "custom_message", customType="x", content="told", display=False),
        pi_row("4", "3", "branch_summary", fromId="9", summary="Over there"),
        pi_said("5", "4", "bashExecution", None, command="ls", output="a", excludeFromContext=True),
        pi_said("6", "5", "assistant", [{"type": "thinking", "thinking": "hm"}], stopReason="aborted"),
        pi_row("7", "6", "session_info") | {"name": "A name"},
    ]
    found = pi(tmp_path, *rows)
    assert found.lines == (2, 4, 5)
    assert found.messages[1:] == (
        {"role": "user", "content": "told"},
        {"role": "user", "content": "<summary>\nOver there\n</summary>"},
    )
    assert (found.title, found.defects) == ("A name", ())


# --- neovate ---------------------------------------------------------------------------------------------------------


def neovate(tmp_path: Path, *rows: dict[str, Any]) -> Transcript:
    found = opened(lines(tmp_path / "neo.jsonl", list(rows)))
    assert found.tool == "neovate"
    return found


FIRST = neovate_row("1", None, "user", "Go")
MADE = neovate_row("2", "1", "assistant", [neovate_call("a"), neovate_call("b")])


@pytest.mark.parametrize(
    ("rows", "defects"),
    [
        ([FIRST, MADE, neovate_row("3", "2", "tool", [neovate_result("a")])], [("pending", 2, ("b",), True)]),
        (
            [FIRST, MADE, neovate_row("3", "2", "user", "Stop")],
            [("interrupted", 2, ("a",), True), ("interrupted", 2, ("b",), True)],
        ),
        ([FIRST, neovate_row("2", "1", "tool", [neovate_result("a")])], [("orphan", 2, ("a",), True)]),
        ([FIRST, neovate_row("2", "9", "user", "x")], [("gap", 2, ("9",), True)]),
        ([neovate_row("2", "1", "user", "x"), neovate_row("3", "2", "user", "y")], []),
        (
            [FIRST, MADE, neovate_row("3", None, "user", "Summary")],
            [("cut", 2, ("a",), False), ("cut", 2, ("b",), False)],
        ),
    ],
)
def test_what_is_wrong_with_a_neovate_session(rows: list[dict[str, Any]], defects: list[Any], tmp_path: Path):
    assert kinds(neovate(tmp_path, *rows)) == defects


def test_results_that_hang_side_by_side_stand_behind_their_call(tmp_path: Path):
    """In the order of the file, though the way goes through one of them alone; in the older form, too."""
    older = {"type": "tool_result", "id": "b", "name": "read", "input": {}, "result": "text"}
    rows = [
        FIRST,
        MADE,
        neovate_row("3", "2", "tool", [neovate_result("a")]),
        neovate_row("4", "2", "user", [older]),
        neovate_row("5", "3", "assistant", [{"type": "text", "text": "Done."}]),
    ]
    found = neovate(tmp_path, *rows)
    assert (sorted(found.lines), found.lines[-1], found.defects, found.branches) == ([1, 2, 3, 4, 5], 5, (), ())
    assert rj.check(list(found.messages), "pairs", dialect="neovate") == []


def test_what_was_rewound_is_a_way_that_was_left(tmp_path: Path):
    """And so is all that a row of settings at the end made the writer forget."""
    rows = [FIRST, neovate_row("2", "1", "assistant", TEXT), neovate_row("3", "1", "assistant", TEXT)]
    found = neovate(tmp_path, *rows)
    assert (found.lines, found.branches) == ((1, 3), (Way(line=2, messages=1, ended=TIME),))
    settings = {"type": "config", "config": {"approvalMode": "yolo"}}
    found = neovate(tmp_path, *neovate_rows(), settings, neovate_row("9", None, "user", "Again"))
    assert (found.lines, found.defects) == ((8,), ())
    assert found.branches == (Way(line=6, messages=4, ended=TIME),)


def test_settings_last_and_a_torn_end_are_no_end_of_the_conversation(tmp_path: Path):
    """Its own reader stops at either."""
    path = lines(tmp_path / "neo.jsonl", [*neovate_rows()[1:], neovate_rows()[0]], end=b'\n{"parentUuid":"5","uu')
    found = opened(path)
    assert len(found.messages) == 5
    assert [defect.kind for defect in found.defects] == ["torn"]
