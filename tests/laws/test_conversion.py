"""The laws of conversion: accepted there, the original again on the way back, new turns too, and nothing said lost."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import faults
import grammar
import rejoinder as rj
from laws.cases import in_body, said, written
from rejoinder.dialects.detect import DIALECTS

PAIRS = [(one, other) for one in faults.DIALECTS for other in faults.DIALECTS if one != other]
each_pair = pytest.mark.parametrize(("source", "goal"), PAIRS)
# There are many pairs: each is asked less often than a law that stands alone.
seldom = settings(max_examples=settings().max_examples // 5)
NEW_TURNS = [
    {"role": "user", "content": "and another thing"},
    {"role": "assistant", "content": "which?"},
    {"role": "user", "content": "never mind"},
]


def broken_or_not(dialect: str) -> st.SearchStrategy[faults.Messages]:
    return grammar.histories(dialect) | grammar.broken_histories(dialect)


def listed(payload: Any, dialect: str) -> list[Any]:
    return payload if isinstance(payload, list) else payload[DIALECTS[dialect].holds]


def spoken_by_assistant(payload: Any, dialect: str) -> bool:
    last = listed(payload, dialect)[-1]
    return last.get("role") in ("assistant", "model") or last.get("type") in ("function_call", "reasoning")


@each_pair
@seldom
@given(data=st.data())
def test_what_is_converted_is_accepted(source: str, goal: str, data: st.DataObject):
    """Whatever was wrong with a history, what it is converted to has no error left; and looking changed nothing."""
    payload = data.draw(in_body(source, data.draw(broken_or_not(source))))
    before = written(payload)
    done = rj.convert(payload, goal, dialect=source)
    assert [str(finding) for finding in done.left if finding.severity == "error"] == []
    assert written(payload) == before
    assert written(rj.convert(payload, goal, dialect=source).payload) == written(done.payload)


@each_pair
@seldom
@given(data=st.data())
def test_the_way_back_gives_the_original_byte_for_byte(source: str, goal: str, data: st.DataObject):
    """With the side table, which is plain JSON, what nobody edited is the original again, broken or not."""
    payload = data.draw(in_body(source, data.draw(broken_or_not(source))))
    done = rj.convert(payload, goal, dialect=source)
    side = through_json(done.side)
    back = rj.convert(done.payload, source, dialect=goal, side=side)
    assert written(back.payload) == written(payload)


@each_pair
@seldom
@given(data=st.data())
def test_what_was_said_on_the_other_side_comes_back_behind_the_original(source: str, goal: str, data: st.DataObject):
    """New turns at the other end are converted; all in front of them is as it was."""
    messages = data.draw(broken_or_not(source))
    done = rj.convert(messages, goal, dialect=source)
    # Where speakers have to take turns, two turns of the user would come back as one: then the assistant goes on.
    again = source == "bedrock" and listed(done.payload, goal)[-1:] and not spoken_by_assistant(done.payload, goal)
    turns = NEW_TURNS[1:] if again else NEW_TURNS
    new = listed(rj.convert(turns, goal, dialect="openai-chat").payload, goal)
    longer = [*listed(done.payload, goal), *new]
    there = longer if isinstance(done.payload, list) else {**done.payload, DIALECTS[goal].holds: longer}
    back = rj.convert(there, source, dialect=goal, side=through_json(done.side))
    tail = listed(rj.convert(turns, source, dialect="openai-chat").payload, source)
    # Where no user may speak right behind results, a word of the assistant's stands between.
    bridge = DIALECTS[source].carries(None).bridge
    behind_results = bool(messages) and messages[-1].get("role") == "tool"
    between = [{"role": "assistant", "content": bridge}] if bridge and behind_results else []
    assert written(listed(back.payload, source)) == written([*messages, *between, *tail])


@each_pair
@seldom
@given(data=st.data())
def test_conversion_and_repair_of_pairs_commute(source: str, goal: str, data: st.DataObject):
    """To mend the pairs first changes nothing about what comes out, unless nothing else is left."""
    messages = data.draw(broken_or_not(source))
    mended = rj.repair(messages, "pairs", dialect=source).payload
    if mended:
        assert written(rj.convert(mended, goal, dialect=source).payload) == written(
            rj.convert(messages, goal, dialect=source).payload
        )


@each_pair
@seldom
@given(data=st.data())
def test_users_keep_their_words_and_their_order(source: str, goal: str, data: st.DataObject):
    """Each text of a user arrives, in order; what had to become text stands among them."""
    messages = data.draw(broken_or_not(source))
    mended = rj.repair(messages, "pairs", dialect=source).payload
    there = listed(rj.convert(messages, goal, dialect=source).payload, goal)
    if mended:
        assert said(mended, "user") == [text for text in said(there, "user") if not text.startswith("[")]


@each_pair
@seldom
@given(data=st.data())
def test_two_ids_never_become_one(source: str, goal: str, data: st.DataObject):
    """Each new id belongs to one old id, and the table leads back."""
    done = rj.convert(data.draw(broken_or_not(source)), goal, dialect=source)
    assert len(set(done.ids)) == len(done.ids)
    assert all(new != old for new, old in done.ids.items())


def through_json(value: Any) -> Any:
    """The value after a way through JSON text."""
    return json.loads(json.dumps(value))
