"""P7: sealed thinking is handed back as it was or not at all, and never out of a message that lost a call."""

from itertools import groupby
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import faults
import rejoinder as rj
from laws import wild
from laws.cases import Case, broken_cases, calls_in, messages_of, written
from laws.verdicts import thinking_in

SEALED = ("thinking", "redacted_thinking", "block_of_tomorrow")


@given(case=broken_cases("anthropic", "anthropic"))
def test_thinking_is_handed_back_as_it_was(case: Case):
    """Each thinking block of the output is an object of the input."""
    own = {id(block) for message in case.messages for block in thinking_in(message)}
    out = messages_of(case.repaired().payload)
    assert [block for message in out for block in thinking_in(message) if id(block) not in own] == []


@given(case=broken_cases("anthropic", "anthropic"))
def test_a_turn_that_lost_a_call_lost_its_thinking_too(case: Case):
    """Where sealed thinking stayed, every call that was signed with it stayed, each distinct one counted once."""
    out = messages_of(case.repaired().payload)
    kept = {id(block) for message in out for block in thinking_in(message)}
    asked = {what(call) for call in calls_in(out)}
    for role, turn in groupby(case.messages, key=lambda message: message["role"]):
        spoken = list(turn)
        if role == "assistant" and kept & {id(block) for message in spoken for block in thinking_in(message)}:
            assert {what(call) for call in calls_in(spoken)} <= asked


def what(call: faults.Message) -> str:
    """What a call asks for; generated calls are numbered, so that only copies are equal."""
    return written([call["name"], call["input"]])


@given(messages=wild.conversations(), policy=st.sampled_from(("drop", "answer", "strip")))
def test_nobody_writes_thinking_or_unknown_blocks(messages: list[Any], policy: str):
    """However odd a history is, no thinking, signature or block of an unknown type says anything new after a repair."""
    outcome = rj.repair(messages, "anthropic", dialect="anthropic", policy=policy)
    known = {written(sealed(block)) for block in all_blocks(messages)}
    assert [block for block in all_blocks(messages_of(outcome.payload)) if written(sealed(block)) not in known] == []


def all_blocks(messages: list[Any]) -> list[Any]:
    """Thinking and what nobody knows, in messages that are some."""
    contents = [message.get("content") for message in messages if isinstance(message, dict)]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    return [block for block in blocks if isinstance(block, dict) and block.get("type") in SEALED]


def sealed(block: dict[str, Any]) -> dict[str, Any]:
    """The block without the members that its reader does not take: they may be stripped, and nothing else may."""
    kept = ("type", "thinking", "signature", "data")
    return {key: value for key, value in block.items() if key in kept or block["type"] == "block_of_tomorrow"}
