"""The quick pass may only ever say "not sure": what it leaves unread is intact, and reading it changes nothing."""

import random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import faults
import rejoinder as rj
from laws import wild
from laws.cases import JUDGED, POLICIES, each_judged, written
from rejoinder.dialects.detect import find_dialect
from rejoinder.dialects.fold import open_spans
from rejoinder.dialects.openai_chat.proof import paired
from rejoinder.mend import settle
from rejoinder.mend.loop import Reading, look
from rejoinder.targets import PROOFS, find_target

PROVEN = sorted(PROOFS)


@st.composite
def long_histories(draw: st.DrawFn, dialect: str) -> list[Any]:
    """Histories that are worth folding: intact but for a few faults, or a few messages that nobody would write."""
    rng = draw(st.randoms(use_true_random=False))
    messages: list[Any] = faults.history(rng, dialect, draw(st.integers(12, 24)))
    if draw(st.booleans()):
        messages, _ = faults.broken(rng, messages, dialect, 3)
    for odd in draw(st.lists(wild.messages(), max_size=2)):
        messages.insert(draw(st.integers(0, len(messages))), odd)
    return messages


@pytest.mark.parametrize(("target", "dialect"), PROVEN)
@given(data=st.data())
def test_folded_or_not_is_the_same(target: str, dialect: str, data: st.DataObject):
    """Findings, steps, what is left and the payload are the same when every message is read."""
    messages = data.draw(long_histories(dialect))
    policy = data.draw(st.sampled_from(POLICIES))
    folded = told(messages, target, dialect, policy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settle, "PROOFS", {})
        assert told(messages, target, dialect, policy) == folded


def told(messages: list[Any], target: str, dialect: str, policy: str) -> list[str]:
    """All that a check and a repair say, as JSON."""
    found = [finding.as_dict() for finding in rj.check(messages, target, dialect=dialect)]
    outcome = rj.repair(messages, target, dialect=dialect, policy=policy)
    return [written(each) for each in (found, outcome.payload, outcome.as_dict())]


@pytest.mark.parametrize(("target", "dialect"), PROVEN)
@given(data=st.data())
def test_nothing_wrong_is_left_unread(target: str, dialect: str, data: st.DataObject):
    """Each finding of a reader who reads everything lies in what the quick pass asked to be read."""
    messages = data.draw(long_histories(dialect))
    assume(len(messages) > 1)
    spans = open_spans(messages, PROOFS[target, dialect].unproven(messages))
    shape = find_dialect(dialect)
    for noted in look(shape.decode(messages), Reading(shape, find_target(target))):
        index = noted.finding.at.message
        assert any(start <= index < stop for start, stop in spans), str(noted.finding)


@each_judged
@given(data=st.data())
def test_what_is_called_paired_at_a_glance_is_paired(dialect: str, data: st.DataObject):
    """Where the sanitizer only glances, a reader who reads everything finds no fault in the pairs."""
    messages = data.draw(long_histories(dialect))
    if paired(messages):
        assert rj.check(messages, "pairs", dialect="openai-chat") == []
        assert rj.sanitize_messages(messages).messages is messages


@pytest.mark.parametrize("dialect", [each for each in JUDGED if (each, each) in PROOFS])
def test_most_of_an_intact_history_is_left_unread(dialect: str):
    """The quick pass is worth having: of a long intact history a good part stays folded."""
    messages = faults.history(random.Random(1), dialect, 200)
    spans = open_spans(messages, PROOFS[dialect, dialect].unproven(messages))
    assert sum(stop - start for start, stop in spans) < 0.7 * len(messages)
