"""What the document on resuming asks for: its table of edge cases, its data flow, its scenarios and its debug lines."""

from __future__ import annotations

import copy
import json
import logging
import os
import subprocess
import sys
from typing import Any

import pytest

import rejoinder as rj
from test_documents import as_blocks, of_neovate

Message = dict[str, Any]
Messages = list[Message]


@pytest.fixture(autouse=True)
def _heard(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "rejoinder")


def row(uuid: str, parent: str | None, message: Message, **more: Any) -> Message:
    return {"type": "message", "uuid": uuid, "parentUuid": parent, **message, **more}


def chain(*messages: Message) -> Messages:
    """Rows named 1, 2, 3 …, each the parent of the next."""
    return [row(str(n), str(n - 1) if n > 1 else None, message) for n, message in enumerate(messages, 1)]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def says(text: str, *ids: str) -> Message:
    return {"role": "assistant", "content": [{"type": "text", "text": text}, *as_blocks(*ids)["content"]]}


def names(rows: Messages) -> list[str]:
    return [each["uuid"] for each in rows]


TABLE = {
    "an empty list gives an empty list": ([], []),
    "without a call all rows are kept": (chain(user("hi"), says("hello"), user("bye")), ["1", "2", "3"]),
    "answered calls are kept": (chain(user("hi"), as_blocks("a"), of_neovate("a"), says("done")), ["1", "2", "3", "4"]),
    "one open call of several takes the whole message": (
        chain(user("hi"), as_blocks("a", "b"), of_neovate("a")),
        ["1"],
    ),
    "text beside an open call goes with it": (chain(user("hi"), says("Let me look.", "a")), ["1"]),
}


@pytest.mark.parametrize("situation", TABLE)
def test_the_table_of_edge_cases(situation: str):
    rows, expected = TABLE[situation]
    before = copy.deepcopy(rows)
    kept = rj.filter_messages(rows)
    assert names(kept) == expected
    assert rows == before
    assert all(any(one is each for each in rows) for one in kept)


def flow() -> Messages:
    """The document's example: the process dies while the second tool runs."""
    return chain(user("read file.ts"), as_blocks("toolu_001"), of_neovate("toolu_001"), as_blocks("toolu_002"))


def test_the_data_flow_of_the_document(caplog: pytest.LogCaptureFixture):
    rows = flow()
    assert rj.get_tool_result_ids(rows) == {"toolu_001"}
    assert rj.get_tool_use_ids(rows) == {"toolu_001", "toolu_002"}
    assert rj.filter_messages(rows) == rows[:3]
    assert "Found 1 unmatched tool_use(s): toolu_002" in caplog.text


def test_scenario_1_an_unmatched_call_is_removed():
    assert names(rj.filter_messages(flow())) == ["1", "2", "3"]


def test_scenario_2_a_matched_call_is_kept():
    rows = flow()[:3]
    assert rj.filter_messages(rows) == rows


def test_scenario_3_partly_matched_calls_go_with_the_results_they_did_get():
    rows = chain(user("hi"), as_blocks("a", "b"), of_neovate("a"), user("go on"), says("ok"))
    assert names(rj.filter_messages(rows)) == ["1", "4", "5"]


def test_scenario_4_plain_text_is_not_affected():
    rows = chain(user("hi"), {"role": "assistant", "content": "hello"}, user("bye"))
    assert rj.filter_messages(rows) == rows


def test_a_second_time_nothing_is_left_to_do():
    once = rj.filter_messages(chain(user("hi"), as_blocks("a", "b"), of_neovate("a")))
    assert rj.filter_messages(once) == once


# --- the active path ----------------------------------------------------------------------------------------------


def test_a_branch_that_was_rewound_is_left_out():
    rows = [
        *chain(user("hi"), says("hello")),
        row("3", "2", user("rewound")),
        row("4", "3", as_blocks("a")),
        row("5", "2", user("instead")),
    ]
    assert names(rj.filter_messages(rows)) == ["1", "2", "5"]


def test_the_last_row_that_is_a_message_ends_the_path():
    rows = [*chain(user("hi"), says("hello")), {"type": "config", "config": {}}, {"type": "summary", "summary": "hi"}]
    assert names(rj.filter_messages(rows)) == ["1", "2"]


def test_rows_that_are_no_messages_are_passed_over_between_a_message_and_its_parent():
    rows = [
        {"type": "config", "config": {"approvalMode": "default"}},
        row("1", None, user("hi")),
        {"type": "progress", "uuid": "p", "parentUuid": "1"},
        row("2", "p", says("hello")),
    ]
    assert names(rj.filter_messages(rows)) == ["1", "2"]


@pytest.mark.parametrize("leaf_hangs_on", ["3", "4"])
def test_parallel_results_that_hang_beside_the_path_belong_to_it(leaf_hangs_on: str):
    """Each of them has the row of the calls for a parent; a plain walk sees one and takes the calls for open."""
    rows = [
        *chain(user("hi"), as_blocks("a", "b")),
        row("3", "2", of_neovate("a")),
        row("4", "2", of_neovate("b")),
        row("5", leaf_hangs_on, says("done")),
    ]
    assert rj.filter_messages(rows) == rows


def test_a_result_beside_the_path_that_no_open_call_waits_for_stays_out():
    rows = [
        *chain(user("hi"), as_blocks("a")),
        row("3", "2", of_neovate("a"), note="of the branch that was rewound"),
        row("4", "2", of_neovate("a")),
        row("5", "4", says("done")),
    ]
    assert names(rj.filter_messages(rows)) == ["1", "2", "4", "5"]


def test_orphan_results_of_a_call_that_is_gone_go_too():
    rows = chain(of_neovate("gone"), user("hi"), as_blocks("a", "b"), of_neovate("b"), user("go on"))
    assert names(rj.filter_messages(rows)) == ["2", "5"]


def test_a_parent_that_was_never_written_ends_the_walk_and_is_told(caplog: pytest.LogCaptureFixture):
    rows = [row("1", None, user("hi")), row("3", "never", user("later")), row("4", "3", says("ok"))]
    assert names(rj.filter_messages(rows)) == ["3", "4"]
    assert "never" in caplog.text


@pytest.mark.parametrize(
    "parents", [("1",), ("2", "1"), ("3", "1", "2")], ids=["its own parent", "two in a ring", "three in a ring"]
)
def test_a_ring_of_parents_ends(parents: tuple[str, ...]):
    rows = [row(str(n), parent, user(f"text {n}")) for n, parent in enumerate(parents, 1)]
    assert rj.filter_messages(rows) == rows


def test_rows_without_a_uuid_or_a_parent_do_no_harm():
    rows = [
        {"type": "message", **user("hi")},
        {"type": "message", "uuid": "2", **says("ok")},
        {"type": "message", **user("go on")},
    ]
    assert rj.filter_messages(rows) == rows[2:]


# --- ids and open calls -------------------------------------------------------------------------------------------


def test_ids_are_taken_from_calls_of_assistants_and_results_of_tools():
    rows = [
        user("hi"),
        {"role": "assistant", "content": "plain text"},
        as_blocks("a", "b"),
        of_neovate("a"),
        {"role": "user", "content": [{"type": "tool_use", "id": "no-call", "name": "read", "input": {}}]},
    ]
    assert rj.get_tool_use_ids(rows) == {"a", "b"}
    assert rj.get_tool_result_ids(rows) == {"a"}
    assert rj.get_tool_use_ids([]) == rj.get_tool_result_ids([]) == set()


def test_open_calls_are_found_wherever_they_stand():
    call = as_blocks("a", "b")
    rows = [user("hi"), call, of_neovate("a"), says("Sorry, something went wrong."), user("again"), says("One moment.")]
    [found] = rj.find_incomplete_tool_uses(rows)
    assert (found.index, found.id, found.name) == (1, "b", "read")
    assert found.tool_use is call["content"][1]


def test_open_calls_are_found_by_position_where_ids_repeat():
    rows = [user("hi"), as_blocks("a"), of_neovate("a"), user("again"), as_blocks("a")]
    assert [each.index for each in rj.find_incomplete_tool_uses(rows)] == [4]
    assert rj.find_incomplete_tool_uses(rows[:4]) == []


# --- debug lines --------------------------------------------------------------------------------------------------

DEBUGGED = """
import json, sys, rejoinder as rj
print(len(rj.filter_messages(json.loads(sys.argv[1]))))
"""


def resumed(**environment: str) -> subprocess.CompletedProcess[str]:
    """A process of its own that filters a session with two open calls."""
    rows = [*chain(user("hi")), row("abc-123", "1", as_blocks("toolu_002", "toolu_003"))]
    clean = {name: value for name, value in os.environ.items() if name not in ("DEBUG", "REJOINDER_DEBUG")}
    return subprocess.run(
        [sys.executable, "-c", DEBUGGED, json.dumps(rows)],
        env={**clean, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.parametrize(
    "environment",
    [
        {"REJOINDER_DEBUG": "session"},
        {"DEBUG": "rejoinder:session"},
        {"DEBUG": "vite:*,rejoinder:session"},
        {"REJOINDER_DEBUG": "session", "DEBUG": "rejoinder:session"},
    ],
    ids=str,
)
def test_debug_lines_for_who_asks(environment: dict[str, str]):
    done = resumed(**environment)
    assert done.stdout == "1\n"
    assert done.stderr.splitlines() == [
        "rejoinder:session [filterMessages] Found 2 unmatched tool_use(s): toolu_002, toolu_003",
        "rejoinder:session [filterMessages] Filtering out assistant message abc-123 with unmatched tool_use",
    ]


@pytest.mark.parametrize("environment", [{}, {"DEBUG": "neovate:session"}, {"REJOINDER_DEBUG": "other"}], ids=str)
def test_no_debug_lines_for_anyone_else(environment: dict[str, str]):
    done = resumed(**environment)
    assert (done.stdout, done.stderr) == ("1\n", "")
