"""Law 5: what a repair calls clean, judges accept that share no code with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faults
import histories
from judges.sdk_types import refusals_by_types
from judges.structure import refusals
from laws.cases import JUDGED, Case, broken_cases, each_judged, messages_of
from laws.verdicts import ABOUT_PAIRS
from test_judges import as_chat


@each_judged
@given(data=st.data())
def test_the_structural_judge_accepts(dialect: str, data: st.DataObject):
    """Under every policy, for every model, no documented rule is broken, in the strict reading of disputed ones."""
    case: Case = data.draw(broken_cases(dialect, dialect))
    assert refusals(dialect, case.repaired().payload, trailing=True) == []


@each_judged
@given(data=st.data())
def test_the_types_of_the_sdk_accept(dialect: str, data: st.DataObject):
    """The official SDK could send it: its own parameter types fit, down to the last block."""
    case: Case = data.draw(broken_cases(dialect, dialect))
    assert refusals_by_types(dialect, messages_of(case.repaired().payload)) == []


@pytest.mark.parametrize("dialect", ["app", "neovate"])
@given(data=st.data())
def test_pairs_are_pairs_in_the_dialects_without_an_api(dialect: str, data: st.DataObject):
    """The pairing of an application's history, written as OpenAI Chat messages, is accepted there."""
    outcome = data.draw(broken_cases(dialect, "pairs")).repaired()
    assert paired(messages_of(outcome.payload)) == []


@given(case=broken_cases("openai-chat", "strict"))
def test_roles_alternate_for_strict_templates(case: Case):
    """For the strict target the user speaks first, roles alternate, and the API accepts it as well."""
    payload = case.repaired().payload
    roles = [message["role"] for message in messages_of(payload) if message["role"] != "tool"]
    spoken = roles[1:] if roles[:1] == ["system"] else roles
    assert "system" not in spoken
    assert spoken[:1] == ["user"]
    for one, other in zip(messages_of(payload), messages_of(payload)[1:], strict=False):
        assert one["role"] != other["role"] or one["role"] == "tool"
    assert refusals("openai-chat", payload, trailing=True) == []


def paired(messages: faults.Messages) -> list[str]:
    """What the judge says of the pairs alone; a tool message without a result is no pair's matter."""
    told = [message for message in messages if message["role"] != "tool" or histories.results(message)]
    return [rule for rule in refusals("openai-chat", as_chat(told)) if rule in ABOUT_PAIRS]


def test_all_judged_dialects_have_a_judge():
    """Both judges know every dialect that they are asked about."""
    for dialect in JUDGED:
        messages = [histories.write_text(dialect, "user", "hi")]
        assert refusals(dialect, messages) == []
        assert refusals_by_types(dialect, messages) == []
