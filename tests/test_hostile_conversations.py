"""The hostile conversations of the recorded evidence: each is taken, mended, or refused, as its expectation says."""

import base64
import builtins
import json
import socket
import time
from pathlib import Path
from typing import Any

import pytest

import rejoinder as rj
from judges.structure import refusals
from laws.cases import POLICIES, messages_of, said, strings, written
from laws.large import dangling
from rejoinder.values.exchange import UNRECORDED

Hostile = dict[str, Any]

# Asked of the strictest reader: the API itself takes them as they are (recorded with status 200, or measured).
FOR_STRICT = {
    "D07-dup-call-id": "one id in two turns is told apart by position",
    "D15-user-user": "two user messages are one turn",
    "D16-assistant-first": "the assistant may speak first",
}
# What stays legal although it is odd: the API takes any string for arguments, and no repair reads them.
ARGUMENTS = ("D22-args-truncated", "D23-args-not-object", "D25-args-dup-keys")
UNMENDABLE = {"D19-role-missing": "role-known"}
SECONDS = 5.0


def hostile(folder: Path, *expected: str) -> dict[str, Hostile]:
    """The cases of the area that have one of these expectations, by id; with their payload read."""
    rows = map(json.loads, (folder / "cases" / "hostile-cases.jsonl").read_text("utf-8").splitlines())
    found = {row["id"]: row for row in rows if row["area"] == "conversation" and row["expect"] in expected}
    for row in found.values():
        row["payload"] = json.loads(base64.b64decode(row["input_b64"])) if "input_b64" in row else None
    return found


def target_of(name: str, payload: Any) -> str:
    """Whose conversation it is, by its shape."""
    if name in FOR_STRICT and not any(isinstance(message["content"], list) for message in messages_of(payload)):
        return "strict"
    return "openai-chat" if any("tool_calls" in message for message in messages_of(payload)) else "anthropic"


def repaired(name: str, payload: Any, policy: str) -> rj.Repaired:
    """The outcome, after what holds for every case: the caller's bytes stay, it can be undone, once is enough."""
    before, target = written(payload), target_of(name, payload)
    outcome = rj.repair(payload, target, policy=policy)
    assert written(payload) == before, name
    assert written(outcome.undo()) == before, name
    again = rj.repair(outcome.payload, target, policy=policy)
    assert again.payload is outcome.payload, name
    return outcome


def accepted(name: str, payload: Any) -> list[str]:
    target = target_of(name, payload)
    return refusals("anthropic" if target == "anthropic" else "openai-chat", payload, trailing=True)


def test_every_expectation_is_looked_at(evidence: Path):
    """No case of the area has an expectation that no test here asks for."""
    asked = ("ACCEPT_SAME", "REPAIR", "REPAIR_UNKNOWN", "REFUSE", "LITERAL", "NO_EGRESS", "BOUND")
    rows = map(json.loads, (evidence / "cases" / "hostile-cases.jsonl").read_text("utf-8").splitlines())
    cases = [row for row in rows if row["area"] == "conversation"]
    assert len(cases) == len(hostile(evidence, *asked)) > 20


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_to_be_accepted_comes_back_the_same(evidence: Path, policy: str):
    """ACCEPT_SAME: not one finding, and the same object."""
    for name, case in hostile(evidence, "ACCEPT_SAME").items():
        assert rj.check(case["payload"], target_of(name, case["payload"])) == [], name
        assert repaired(name, case["payload"], policy).payload is case["payload"], name


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_to_be_repaired_is_accepted_afterwards(evidence: Path, policy: str):
    """REPAIR: found, mended, reported; every text of a user is there, and the judge has nothing against it."""
    for name, case in hostile(evidence, "REPAIR").items():
        outcome = repaired(name, case["payload"], policy)
        if name not in ("D07-dup-call-id", "D29-lone-surrogate-text"):
            assert outcome.changed, name
            assert said(messages_of(outcome.payload), "user") == said(messages_of(case["payload"]), "user"), name
        assert accepted(name, outcome.payload) == [], name
        assert [f.clause for f in outcome.left if f.severity == "error"] == [], name


def test_one_id_for_two_calls_stays_two_calls_and_two_results(evidence: Path):
    """D07: the API takes it as it is; the strictest reader gets two ids, and each result stays with its call."""
    payload = hostile(evidence, "REPAIR")["D07-dup-call-id"]["payload"]
    assert not rj.repair(payload, "anthropic").changed
    call = {"type": "function", "function": {"name": "run", "arguments": "{}"}, "id": "t1"}
    asked = {"role": "assistant", "content": "", "tool_calls": [call]}
    answers = [{"role": "tool", "tool_call_id": "t1", "content": words} for words in ("1", "2")]
    reused = [{"role": "user", "content": "a"}, asked, answers[0], asked, answers[1]]
    out: Any = rj.repair(reused, "strict").payload
    first, second = (message["tool_calls"][0]["id"] for message in out if message["role"] == "assistant")
    assert first != second
    assert [(m["tool_call_id"], m["content"]) for m in out if m["role"] == "tool"] == [(first, "1"), (second, "2")]


def test_half_a_character_is_told_and_the_rest_stays(evidence: Path):
    """D29: the text can be written as UTF-8 again, and nothing but the half character is gone."""
    outcome = repaired("D29", hostile(evidence, "REPAIR")["D29-lone-surrogate-text"]["payload"], "drop")
    (text,) = said(messages_of(outcome.payload), "user")
    assert text == "cut emoji \ufffd"
    assert [step.rule for step in outcome.steps] == ["text_encoding.surrogates"]


@pytest.mark.parametrize("policy", POLICIES)
def test_what_nobody_knows_is_never_made_up(evidence: Path, policy: str):
    """REPAIR_UNKNOWN: accepted afterwards; a result that was made says that it is not known what happened."""
    for name, case in hostile(evidence, "REPAIR_UNKNOWN").items():
        outcome = repaired(name, case["payload"], policy)
        assert outcome.changed, name
        assert accepted(name, outcome.payload) == [], name
        assert said(messages_of(outcome.payload), "user") == said(messages_of(case["payload"]), "user"), name
        new = set(strings(outcome.payload)) - set(strings(case["payload"]))
        assert new <= {UNRECORDED, "tool_result", "text", "user", "tool", "openai-chat"}, name
        if policy == "answer":
            assert UNRECORDED in new, name


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_are_never_completed_or_chosen(evidence: Path, name: str, policy: str):
    """Cut arguments, a bare string and two values for one key come out byte for byte, or with their call not at all."""
    payload = hostile(evidence, "REPAIR", "REPAIR_UNKNOWN", "REFUSE")[name]["payload"]
    (call,) = messages_of(payload)[1]["tool_calls"]
    kept = [c for m in messages_of(repaired(name, payload, policy).payload) for c in m.get("tool_calls", ())]
    assert all(other is call for other in kept)
    # As blocks of the other API: kept whole under a name of ours, which no tool has.
    function = call["function"]
    block = {"type": "tool_use", "id": "t1", "name": "w", "input": function["arguments"]}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "x"}
    blocks = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [block]},
        {"role": "user", "content": [answer]},
    ]
    out: Any = rj.repair(blocks, "anthropic", policy=policy).payload
    assert out[1]["content"][0]["input"] == {"_raw_arguments": function["arguments"]}


def test_what_is_to_be_refused_is_told_and_left_alone(evidence: Path):
    """REFUSE: what nobody can mend without guessing stays as it is, with a finding that says so; or it raises."""
    for name, case in hostile(evidence, "REFUSE").items():
        if name in ARGUMENTS:
            continue
        outcome = repaired(name, case["payload"], "drop")
        assert outcome.payload is case["payload"], name
        assert [f.clause.partition("/")[2] for f in outcome.left] == [UNMENDABLE[name]], name
        strictly = rj.Policy(rules={outcome.left[0].rule: "raise"})
        with pytest.raises(rj.RefusedError):
            rj.repair(case["payload"], target_of(name, case["payload"]), policy=strictly)


def test_text_is_only_text(evidence: Path):
    """LITERAL: markers of roles inside a text are not read as anything."""
    for name, case in hostile(evidence, "LITERAL").items():
        outcome = repaired(name, case["payload"], "drop")
        assert outcome.payload is case["payload"], name
        assert [f.clause for f in outcome.left if f.severity == "error"] == [], name


def test_nothing_is_fetched(evidence: Path, monkeypatch: pytest.MonkeyPatch):
    """NO_EGRESS: a URL in a message is never asked for, and no file is opened for it."""

    def refuse(*_args: object, **_kwargs: object):
        raise AssertionError("the core reached out into the world")

    cases = hostile(evidence, "NO_EGRESS")
    for case in cases.values():
        rj.repair(case["payload"], "anthropic")  # whatever is imported late is imported now
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(builtins, "open", refuse)
    for name, case in cases.items():
        assert rj.check(case["payload"], "anthropic") == [], name
        assert rj.repair(case["payload"], "anthropic").payload is case["payload"], name
    monkeypatch.undo()
    assert cases


@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic"])
@pytest.mark.parametrize("policy", POLICIES)
def test_ten_thousand_dangling_calls(dialect: str, policy: str):
    """BOUND, D33: ten thousand assistant messages, each with an unanswered call, are mended in seconds."""
    messages = dangling(dialect, 10_000)
    began = time.process_time()
    outcome = rj.repair(messages, dialect, dialect=dialect, policy=policy)
    assert time.process_time() - began < SECONDS
    assert refusals(dialect, outcome.payload) == []
    assert messages_of(outcome.payload)[-1] is messages[-1] or policy == "answer"
