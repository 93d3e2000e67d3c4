"""P7: sealed thinking is handed back as it was or not at all, and never out of a message that lost a call."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import faults
import histories
import rejoinder as rj
from laws import wild
from laws.cases import Case, broken_cases, messages_of, written

SEALED = ("thinking", "redacted_thinking", "block_of_tomorrow")


@given(case=broken_cases("anthropic", "anthropic"))
def test_thinking_is_handed_back_as_it_was(case: Case):
    """Each thinking block of the output is an object of the input."""
    own = {id(block) for message in case.messages for block in thinking_in(message)}
    out = messages_of(case.repaired().payload)
    assert [block for message in out for block in thinking_in(message) if id(block) not in own] == []


@given(case=broken_cases("anthropic", "anthropic"))
def test_a_message_that_lost_a_call_lost_its_thinking_too(case: Case):
    """Where sealed thinking stayed, every call that was signed with it stayed."""
    calls = {id(block): len(histories.calls(message)) for message in case.messages for block in thinking_in(message)}
    for message in messages_of(case.repaired().payload):
        for block in thinking_in(message):
            assert len(histories.calls(message)) == calls[id(block)]


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


def thinking_in(message: faults.Message) -> list[faults.Message]:
    kinds = ("thinking", "redacted_thinking")
    return [b for b in histories.blocks(message) if b.get("type") in kinds and (b.get("signature") or b.get("data"))]
