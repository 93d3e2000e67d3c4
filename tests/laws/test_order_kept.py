"""Law 9: what users wrote is never lost, changed or put into another order; what assistants wrote keeps its order."""

from hypothesis import given
from hypothesis import strategies as st

import histories
from laws.cases import Case, broken_cases, each_reader, in_order, messages_of, said, strings


@each_reader
@given(data=st.data())
def test_the_words_of_users_stay(dialect: str, target: str, data: st.DataObject):
    """Whatever the policy, the texts of users are the same ones in the same order."""
    case: Case = data.draw(broken_cases(dialect, target))
    assert said(messages_of(case.repaired().payload), "user") == said(case.messages, "user")


@each_reader
@given(data=st.data())
def test_the_words_of_assistants_keep_their_order(dialect: str, target: str, data: st.DataObject):
    """An assistant's text that is not in the output is in a step; the others keep their order."""
    case: Case = data.draw(broken_cases(dialect, target))
    outcome = case.repaired()
    before, after = said(case.messages, "assistant"), said(messages_of(outcome.payload), "assistant")
    assert in_order(after, before)
    removed = "\n".join(text for step in outcome.steps for text in strings(list(step.removed)))
    assert [text for text in before if text not in after and text not in removed] == []


@each_reader
@given(data=st.data())
def test_untouched_messages_keep_their_order(dialect: str, target: str, data: st.DataObject):
    """Messages that come back as they were stand as they stood, but for results that were moved to their calls."""
    case: Case = data.draw(broken_cases(dialect, target))
    places = {id(message): index for index, message in enumerate(case.messages)}
    out = [message for message in messages_of(case.repaired().payload) if id(message) in places]
    order = [places[id(message)] for message in out if not brings_results(message)]
    assert order == sorted(order)


def brings_results(message: dict[str, object]) -> bool:
    blocks = message.get("content")
    if "parts" in message or any("toolResult" in block for block in histories.blocks(message)):
        return bool(histories.results(message))
    kinds = [block.get("type") for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    return message.get("role", "tool") == "tool" or "tool_result" in kinds
