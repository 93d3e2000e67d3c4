"""Servers that speak like OpenAI: their own demands, and none of OpenAI's about names and ids."""

import json
from pathlib import Path
from typing import Any

import pytest

import rejoinder as rj

USER = {"role": "user", "content": "What time is it?"}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "12:00"}
TARGET = "openai-compat"


def asks(arguments: Any, call_id: str = "call_1", **more: Any) -> dict[str, Any]:
    call = {"id": call_id, "type": "function", "function": {"name": "now", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call], **more}


@pytest.mark.parametrize("arguments", ["", "{}", '{"zone": "UTC"}'])
def test_arguments_that_parse_are_fine_and_so_are_none(arguments: str):
    """The same object comes back."""
    history = [USER, asks(arguments), RESULT]
    assert rj.check(history, TARGET) == []
    assert rj.repair(history, TARGET).payload is history


@pytest.mark.parametrize("arguments", ['{"zone": ', "[1]", "now", "1"])
def test_arguments_that_do_not_parse_are_kept_whole_and_not_completed(arguments: str):
    """Under a name of their own: nothing half-written becomes something that could run."""
    mended = rj.repair([USER, asks(arguments), RESULT], TARGET)
    assert [step.clause for step in mended.steps] == ["openai-compat/arguments-json"]
    written = mended.payload[1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(written) == {"_raw_arguments": arguments}


def test_long_ids_are_nobodys_business_here():
    """They are OpenAI's."""
    history = [USER, asks("{}", "x" * 60), {**RESULT, "tool_call_id": "x" * 60}]
    assert rj.check(history, TARGET) == []
    assert rj.check(history, "openai-chat") != []


def test_a_model_that_thinks_wants_its_thinking_back():
    """Of a model that is not known, nobody knows."""
    history = [USER, asks("{}"), RESULT]
    assert rj.check(history, TARGET) == []
    found = rj.check(history, TARGET, model="deepseek-v4-pro")
    assert [finding.clause for finding in found] == ["openai-compat/reasoning-content-required"]
    assert rj.check([USER, asks("{}", reasoning_content="Hm."), RESULT], TARGET, model="deepseek-v4-pro") == []


def test_cases_of_servers_that_were_read(evidence: Path):
    """Accepted ones have no finding; refused ones are found by their rule, and mended."""
    lines = (evidence / "cases" / "wire-cases.jsonl").read_text("utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["dialect"] == TARGET]
    assert cases
    for case in cases:
        found = rj.check(case["messages"], TARGET)
        if case["verdict"] == "accept":
            assert found == [], case["id"]
        else:
            assert case["rule"] in {finding.clause for finding in found}, case["id"]
            assert rj.repair(case["messages"], TARGET).left == (), case["id"]
