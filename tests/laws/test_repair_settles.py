"""Law 4: after a repair nothing is left that the policy may fix; a second one does nothing; it takes few rounds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rejoinder as rj
from laws.cases import Case, broken_cases, each_reader, model_of
from laws.large import ANTHROPIC, HISTORIES, OPENAI_CHAT, History
from rejoinder.mend import loop
from rejoinder.targets import find_target
from rejoinder.values.conversation import Conversation

# Out of 32: room for faults that only show when others are mended, and a long way from running in circles.
MOST_ROUNDS = 8
# More of one fault, in one place or in a row, than a repair has rounds.
MANY = 60


@each_reader
@given(data=st.data())
def test_a_second_repair_does_nothing(dialect: str, target: str, data: st.DataObject):
    """What was repaired is handed back as the same object by the next repair."""
    case: Case = data.draw(broken_cases(dialect, target))
    once = case.repaired()
    again = case.repaired(once.payload)
    assert [(step.rule, step.fix, step.pointer) for step in again.steps] == []
    assert again.payload is once.payload
    assert [finding.clause for finding in again.left] == [finding.clause for finding in once.left]


@each_reader
@given(data=st.data())
def test_nothing_is_left_that_the_policy_may_fix(dialect: str, target: str, data: st.DataObject):
    """A finding that remains has no fix, or belongs to a clause that only tells, or only might apply."""
    case: Case = data.draw(broken_cases(dialect, target))
    acting = {
        (clause.id, clause.rule)
        for clause in find_target(target).clauses
        if clause.acts and (clause.models is None or model_of(case.payload))
    }
    open_ends = [f for f in case.repaired().left if f.fixes and (f.clause, f.rule) in acting]
    assert [f"{finding.at} {finding.clause} {finding.rule}" for finding in open_ends] == []


@each_reader
@given(data=st.data())
def test_it_takes_few_rounds(dialect: str, target: str, data: st.DataObject):
    """Far fewer rounds are needed than are allowed."""
    case: Case = data.draw(broken_cases(dialect, target))
    rounds = 0

    def counted(*given_to_apply: Any) -> Conversation:
        nonlocal rounds
        rounds += 1
        return loop_apply(*given_to_apply)

    loop_apply = loop.apply
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "apply", counted)
        case.repaired()
    assert rounds <= MOST_ROUNDS


@pytest.mark.parametrize("policy", ["drop", "answer", "strip"])
@pytest.mark.parametrize(
    ("dialect", "history"),
    [
        *(("openai-chat", history) for history in (HISTORIES | OPENAI_CHAT).values()),
        *(("anthropic", history) for history in (HISTORIES | ANTHROPIC).values()),
    ],
)
def test_many_faults_of_one_kind_settle_too(dialect: str, history: History, policy: str):
    """Sixty faults in one place, or in a row, leave nothing that a second repair would mend."""
    once = rj.repair(history(dialect, MANY), dialect, dialect=dialect, policy=policy)
    again = rj.repair(once.payload, dialect, dialect=dialect, policy=policy)
    assert [(step.rule, step.fix, step.pointer) for step in again.steps] == []


def test_every_finding_that_remains_says_so():
    """What nobody can mend is told, not dropped: a message without a role stays and is named."""
    outcome = rj.repair([{"content": "x"}], "openai-chat")
    assert not outcome.changed
    assert [finding.clause for finding in outcome.left] == ["openai-chat/role-known"]
