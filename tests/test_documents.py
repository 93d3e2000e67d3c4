"""What the sanitizer's document asks for: its seven scenarios by name, played in each dialect, and its log line."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import rejoinder as rj

Message = dict[str, Any]
Messages = list[Message]


class Writer(NamedTuple):
    """How one dialect writes calls and a result, and which role brings results."""

    calls: Callable[..., Message]
    result: Callable[[str], Message]
    role: str


def function(call_id: str) -> Message:
    return {"id": call_id, "type": "function", "function": {"name": "read", "arguments": "{}"}}


def in_field(name: str) -> Callable[..., Message]:
    return lambda *ids: {"role": "assistant", "content": "", name: [function(each) for each in ids]}


def as_blocks(*ids: str) -> Message:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": i, "name": "read", "input": {}} for i in ids]}


def of_anthropic(call_id: str) -> Message:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call_id, "content": "ok"}]}


def of_neovate(call_id: str) -> Message:
    part = {
        "type": "tool-result",
        "toolCallId": call_id,
        "toolName": "read",
        "input": {},
        "result": {"llmContent": "ok"},
    }
    return {"role": "tool", "content": [part]}


WRITERS = {
    "openai-chat": Writer(
        in_field("tool_calls"), lambda i: {"role": "tool", "tool_call_id": i, "content": "ok"}, "tool"
    ),
    "anthropic": Writer(as_blocks, of_anthropic, "user"),
    "app": Writer(in_field("toolCalls"), lambda i: {"role": "tool", "toolCallId": i, "content": "ok"}, "tool"),
    "app, older": Writer(
        as_blocks, lambda i: {"role": "tool", "content": [{"tool_use_id": i, "content": "ok"}]}, "tool"
    ),
    "neovate": Writer(as_blocks, of_neovate, "tool"),
}
HELLO: Messages = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "hello"},
    {"role": "user", "content": "read two files"},
]


@pytest.fixture(params=sorted(WRITERS))
def write(request: pytest.FixtureRequest) -> Writer:
    """The scenarios are played in each dialect."""
    return WRITERS[request.param]


@pytest.fixture(autouse=True)
def _heard(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "rejoinder")


def complete(write: Writer, call_id: str) -> Messages:
    return [write.calls(call_id), write.result(call_id)]


def untouched(messages: Messages) -> None:
    """Nothing is done, nothing is said, and the very same list comes back."""
    before = copy.deepcopy(messages)
    outcome = rj.sanitize_messages(messages)
    assert outcome.messages is messages
    assert messages == before
    assert (outcome.sanitized, outcome.removed_count, outcome.removed_messages) == (False, 0, ())
    assert rj.validate_messages(messages) == rj.Validation(True, [])


def removals(outcome: rj.SanitizeResult) -> list[tuple[int, str, str]]:
    assert outcome.removed_count == len(outcome.removed_messages)
    return [(each.index, each.role, each.reason) for each in outcome.removed_messages]


# --- the sanitizer: its seven scenarios ---------------------------------------------------------------------------


def test_normal_messages_are_not_modified():
    untouched(HELLO)


def test_an_empty_list_is_handled():
    untouched([])


def test_complete_pairs_are_kept(write: Writer):
    untouched(
        [*HELLO, *complete(write, "call_1"), write.calls("call_2", "call_3"), *map(write.result, ("call_3", "call_2"))]
    )


def test_an_incomplete_assistant_message_is_removed(write: Writer):
    messages = [*HELLO, write.calls("call_1")]
    before = copy.deepcopy(messages)
    outcome = rj.sanitize_messages(messages)
    assert outcome.messages == HELLO
    assert outcome.sanitized
    assert removals(outcome) == [(3, "assistant", "Missing tool responses for: call_1")]
    assert messages == before


def test_partial_responses_remove_the_whole_incomplete_pair(write: Writer):
    outcome = rj.sanitize_messages([*HELLO, write.calls("call_1", "call_2"), write.result("call_1")])
    assert outcome.messages == HELLO
    assert removals(outcome) == [
        (3, "assistant", "Missing tool responses for: call_2"),
        (4, write.role, "Associated with incomplete assistant message at index 3"),
    ]


def test_earlier_complete_pairs_are_kept(write: Writer):
    kept = [*HELLO, *complete(write, "call_0")]
    outcome = rj.sanitize_messages([*kept, write.calls("call_1", "call_2"), write.result("call_1")])
    assert outcome.messages == kept
    assert all(now is then for now, then in zip(outcome.messages, kept, strict=True))
    assert removals(outcome) == [
        (5, "assistant", "Missing tool responses for: call_2"),
        (6, write.role, "Associated with incomplete assistant message at index 5"),
    ]


def test_orphan_tool_messages_are_removed(write: Writer):
    spoken: Messages = [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Thanks."}]
    outcome = rj.sanitize_messages([*HELLO[:2], write.result("call_9"), *spoken])
    assert outcome.messages == [*HELLO[:2], *spoken]
    [(index, role, reason)] = removals(outcome)
    assert (index, role) == (2, write.role)
    assert "call_9" in reason


# --- the sanitizer: details ---------------------------------------------------------------------------------------


def test_a_tool_message_without_an_id_is_removed():
    outcome = rj.sanitize_messages([*HELLO[:2], {"role": "tool", "content": "ok"}, HELLO[2]])
    assert outcome.messages == HELLO
    assert [(index, role) for index, role, _ in removals(outcome)] == [(2, "tool")]


def test_all_missing_ids_are_named(write: Writer):
    outcome = rj.sanitize_messages([*HELLO, write.calls("call_1", "call_2")])
    assert removals(outcome) == [(3, "assistant", "Missing tool responses for: call_1, call_2")]


def test_indexes_count_in_the_input_whatever_was_removed_before(write: Writer):
    first, second = [write.calls("call_1", "call_2"), write.result("call_2")], [write.calls("call_3")]
    again: Messages = [{"role": "user", "content": "again"}]
    outcome = rj.sanitize_messages([write.result("call_9"), *HELLO, *first, *again, *second])
    assert outcome.messages == [*HELLO, *again]
    assert [(index, role) for index, role, _ in removals(outcome)] == [
        (0, write.role),
        (4, "assistant"),
        (5, write.role),
        (7, "assistant"),
    ]
    assert removals(outcome)[2][2] == "Associated with incomplete assistant message at index 4"


def test_a_message_that_only_loses_a_part_is_not_removed():
    """Anthropic's results share a message with the user's words, and the words stay."""
    write = WRITERS["anthropic"]
    words = {"type": "text", "text": "IMPORTANT"}
    shared = {"role": "user", "content": [*write.result("call_1")["content"], words]}
    outcome = rj.sanitize_messages([*HELLO, write.calls("call_1", "call_2"), shared])
    assert outcome.messages == [*HELLO, {"role": "user", "content": [words]}]
    assert removals(outcome) == [(3, "assistant", "Missing tool responses for: call_2")]


def test_a_result_that_only_stands_in_the_wrong_place_is_moved_and_not_removed(write: Writer):
    call, result = complete(write, "call_1")
    spoken: Messages = [{"role": "user", "content": "hello?"}, {"role": "assistant", "content": "One moment."}]
    outcome = rj.sanitize_messages([*HELLO, call, *spoken, result])
    assert outcome.sanitized
    assert removals(outcome) == []
    assert [step.fix for step in outcome.steps] == ["move"]
    assert json.dumps(outcome.messages).count("ok") == 1
    assert rj.validate_messages(outcome.messages).valid


def test_one_warning_tells_the_count_and_the_details(write: Writer, caplog: pytest.LogCaptureFixture):
    kept = [*HELLO, *complete(write, "call_0")]
    rj.sanitize_messages([*kept, write.calls("call_1", "call_2"), write.result("call_1")])
    [record] = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert (record.name, record.levelname) == ("rejoinder.sanitize", "WARNING")
    said = record.getMessage()
    assert said.startswith("Messages sanitized ")
    assert "'removed_count': 2" in said
    for index, role, reason in (
        (5, "assistant", "Missing tool responses for: call_2"),
        (6, write.role, "Associated with incomplete assistant message at index 5"),
    ):
        assert str({"index": index, "role": role, "reason": reason}) in said


def test_nothing_is_logged_when_nothing_is_removed(write: Writer, caplog: pytest.LogCaptureFixture):
    rj.sanitize_messages([*HELLO, *complete(write, "call_1")])
    rj.sanitize_messages([])
    assert caplog.records == []


def test_validating_only_looks(write: Writer, caplog: pytest.LogCaptureFixture):
    messages = [*HELLO, write.calls("call_1", "call_2"), write.result("call_1"), HELLO[0], write.result("call_9")]
    before = copy.deepcopy(messages)
    outcome = rj.validate_messages(messages)
    assert not outcome.valid
    assert len(outcome.errors) == 2
    assert "call_2" in outcome.errors[0]
    assert "call_9" in outcome.errors[1]
    assert messages == before
    assert caplog.records == []


def test_sanitized_messages_are_valid_and_stay_as_they_are(write: Writer):
    outcome = rj.sanitize_messages(
        [write.result("call_9"), *HELLO, write.calls("call_1", "call_2"), write.result("call_1")]
    )
    untouched(outcome.messages)
