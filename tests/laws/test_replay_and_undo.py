"""Law 6: the recorded patch makes the output out of the input again; taken back, it gives the input, byte for byte."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import rejoinder as rj
from laws import wild
from laws.cases import Case, broken_cases, each_dialect, each_reader, in_body, messages_of, written


@each_reader
@given(data=st.data())
def test_the_patch_replays_the_repair_and_takes_it_back(dialect: str, target: str, data: st.DataObject):
    """Applied to the input the patch gives the output; undone, the very messages that were handed in come back."""
    case: Case = data.draw(broken_cases(dialect, target))
    outcome = case.repaired()
    assert written(outcome.patch.apply(case.payload)) == written(outcome.payload)
    assert written(outcome.undo()) == written(case.payload)
    assert all(new is old for new, old in zip(messages_of(outcome.undo()), case.messages, strict=True))


@each_dialect
@given(data=st.data())
def test_a_wild_payload_comes_back_too(dialect: str, data: st.DataObject):
    """Whatever was repaired in a payload that nobody would write, the undoing gives its bytes back."""
    payload: Any = data.draw(in_body(dialect, data.draw(wild.conversations())))
    outcome = rj.repair(payload, "pairs" if dialect in ("app", "neovate") else dialect, dialect=dialect)
    assert written(outcome.patch.apply(payload)) == written(outcome.payload)
    assert written(outcome.undo()) == written(payload)


@each_reader
@given(data=st.data())
def test_a_patch_is_as_long_as_the_change(dialect: str, target: str, data: st.DataObject):
    """There is a step exactly where something changed, and the patch holds no message that stayed."""
    case: Case = data.draw(broken_cases(dialect, target))
    outcome = case.repaired()
    assert outcome.changed == bool(outcome.steps) == (written(outcome.payload) != written(case.payload))
    stayed = {id(message) for message in messages_of(outcome.payload)} & {id(message) for message in case.messages}
    touched = [id(message) for hunk in outcome.patch.hunks for message in hunk.removed]
    moved = [each for each in touched if each in stayed]
    assert len(moved) <= sum(step.cost == "moves" for step in outcome.steps) * 2 * len(case.messages)
    assert len(touched) == len(set(touched))


@each_reader
@given(data=st.data())
def test_the_account_of_a_repair_is_json(dialect: str, target: str, data: st.DataObject):
    """Steps, findings and patch can be written down and read again."""
    told = data.draw(broken_cases(dialect, target)).repaired().as_dict()
    assert json.loads(json.dumps(told)) == json.loads(json.dumps(told, sort_keys=True))
    assert all(step["says"] and step["rule"] and step["clause"] for step in told["steps"])
