"""Law 3: an intact history comes back as the same object, with no step and nothing to complain about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rejoinder as rj
from laws.cases import READERS, Case, intact_cases

# A reader for strict templates asks for more than the API does: an intact history may well be against its rules.
OWN = [reader for reader in READERS if reader[1] != "strict"]


@pytest.mark.parametrize(("dialect", "target"), OWN)
@given(data=st.data())
def test_intact_in_identical_out(dialect: str, target: str, data: st.DataObject):
    """An intact history is not touched: the same object, no step, no finding that is an error."""
    case: Case = data.draw(intact_cases(dialect, target))
    outcome = case.repaired()
    assert outcome.payload is case.payload
    assert outcome.steps == ()
    assert not outcome.changed
    assert outcome.first_changed is None
    assert [str(finding) for finding in outcome.left if finding.severity == "error"] == []


@pytest.mark.parametrize(("dialect", "target"), OWN)
@given(data=st.data())
def test_an_intact_history_has_no_error(dialect: str, target: str, data: st.DataObject):
    """A check of an intact history finds no error, whatever the model is."""
    case: Case = data.draw(intact_cases(dialect, target))
    found = rj.check(case.payload, target, dialect=dialect)
    assert [str(finding) for finding in found if finding.severity == "error"] == []


@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic", "app", "neovate"])
@given(data=st.data())
def test_the_sanitizer_leaves_an_intact_history_alone(dialect: str, data: st.DataObject):
    """`sanitize_messages` hands the very list back, and `validate_messages` calls it valid."""
    messages = data.draw(intact_cases(dialect, "pairs")).messages
    outcome = rj.sanitize_messages(messages)
    assert outcome.messages is messages
    assert not outcome.sanitized
    assert (outcome.removed_count, outcome.removed_messages) == (0, ())
    assert rj.validate_messages(messages).valid
