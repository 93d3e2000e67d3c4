"""A call that waits for a person is never touched: it stays, with no result, and is told as what it is."""

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import faults
import histories
import rejoinder as rj
from laws.cases import READERS, Case, broken_cases, calls_in, messages_of, result_id, results_in

# Strict templates and the merging of messages for them rewrite the message around the call; the call itself stays.
OWN = [reader for reader in READERS if reader[1] != "strict"]


@pytest.mark.parametrize(("dialect", "target"), OWN)
@settings(suppress_health_check=[HealthCheck.filter_too_much])  # few broken histories have a call that can wait
@given(data=st.data())
def test_paused_calls_stay(dialect: str, target: str, data: st.DataObject):
    """An unanswered call that is paused comes out as the object that went in, without a result."""
    case: Case = data.draw(broken_cases(dialect, target))
    answered = {result_id(result) for result in results_in(case.messages)}
    ids = [named(call) for call in calls_in(case.messages)]
    waiting = [call for call in calls_in(case.messages) if named(call) not in answered and ids.count(named(call)) == 1]
    assume(waiting)
    paused = frozenset({named(data.draw(st.sampled_from(waiting)))})
    outcome = rj.repair(case.payload, target, dialect=dialect, policy=rj.Policy(unanswered=case.policy, paused=paused))
    out = messages_of(outcome.payload)
    wanted = [id(call) for call in waiting if named(call) in paused]
    assert [id(call) for call in calls_in(out) if named(call) in paused] == wanted
    assert not any(result_id(result) in paused for result in results_in(out))
    assert not any(call_id in paused for step in outcome.steps for call_id in step.ids)
    assert [finding.ids for finding in outcome.left if set(finding.ids) & paused]


def named(call: faults.Message) -> Any:
    return call[histories.call_key(call)]


@pytest.mark.parametrize("policy", ["drop", "answer", "strip"])
def test_what_is_answered_beside_a_paused_call_stays(policy: str):
    """Of three parallel calls one is answered, one is lost and one waits: only the lost one goes or is answered."""
    asked: list[Any] = [histories.write_call("openai-chat", histories.Call(name, "f", 1)) for name in ("a", "b", "c")]
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "three things", "tool_calls": asked},
        {"role": "tool", "tool_call_id": "a", "content": "result a"},
    ]
    outcome = rj.repair(messages, "openai-chat", policy=rj.Policy(unanswered=policy, paused=frozenset({"c"})))
    out: Any = outcome.payload
    kept = [call["id"] for call in out[1]["tool_calls"]]
    assert kept == ["a", "b", "c"] if policy == "answer" else kept in (["a", "b", "c"], ["a", "c"])
    assert out[1]["content"] == "three things"
    assert [message["tool_call_id"] for message in out[2:]] == kept[:-1]
    assert out[2] is messages[2]
    assert [finding.ids for finding in outcome.left] == [("c",)]
