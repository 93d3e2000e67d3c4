"""Law 2: the caller's objects are never changed, by a check or by a repair, intact or broken or wild."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import grammar
import rejoinder as rj
from laws import wild
from laws.cases import POLICIES, READERS, each_reader, in_body, written


@each_reader
@given(data=st.data())
def test_nothing_that_was_handed_in_is_changed(dialect: str, target: str, data: st.DataObject):
    """After check, repair, undo and the account of it, the payload is as it was, down to the order of its keys."""
    payload = data.draw(in_body(dialect, data.draw(grammar.broken_histories(dialect) | wild.conversations())))
    policy = data.draw(st.sampled_from(POLICIES))
    before, kept = written(payload), copy.deepcopy(payload)
    rj.check(payload, target, dialect=dialect, policy=policy)
    outcome = rj.repair(payload, target, dialect=dialect, policy=policy)
    outcome.undo()
    outcome.as_dict()
    assert payload == kept
    assert written(payload) == before


@each_reader
@given(data=st.data())
def test_a_check_says_what_a_repair_finds(dialect: str, target: str, data: st.DataObject):
    """Where a check finds nothing a repair does nothing, and where a repair did something the check had a finding."""
    payload = data.draw(in_body(dialect, data.draw(grammar.broken_histories(dialect))))
    found = rj.check(payload, target, dialect=dialect)
    assert bool(found) >= rj.repair(payload, target, dialect=dialect).changed


@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic"])
@given(payload=wild.conversations())
def test_detection_changes_nothing_and_never_guesses_silently(dialect: str, payload: list[Any]):
    """Detection names a dialect with a reason, or refuses with an error that names candidates."""
    before = written(payload)
    try:
        found = rj.detect(payload)
    except rj.DialectError as error:
        found = rj.Detection("", str(error), ("",))
        assert "dialect=" in found.because
    assert found.dialect in found.candidates
    assert found.because
    assert written(payload) == before
    rj.check(payload, dialect, dialect=dialect)


@pytest.mark.parametrize(("dialect", "target"), READERS)
@given(payload=wild.conversations())
def test_a_wild_history_is_never_an_accident(dialect: str, target: str, payload: list[Any]):
    """Whatever is in the list, check and repair come to an end with a value, and the undoing fits."""
    outcome = rj.repair(payload, target, dialect=dialect)
    assert written(outcome.undo()) == written(payload)
    rj.check(outcome.payload, target, dialect=dialect)
