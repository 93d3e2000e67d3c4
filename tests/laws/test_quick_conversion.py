"""The quick way of a plain history gives what the thorough way gives, or says that it is not sure."""

import json
import random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faults
import grammar
import rejoinder as rj
from laws.cases import in_body, written
from rejoinder import crossing
from rejoinder.dialects.skim import arguments_object
from rejoinder.rules.tool_arguments import parsed


def nothing(*_: object) -> None:
    """A quick way that is never sure."""


def both(payload: object, goal: str) -> tuple[rj.Converted, rj.Converted]:
    quick = rj.convert(payload, goal)  # pyright: ignore[reportArgumentType]
    with patch.object(crossing, "_quick", nothing):
        return quick, rj.convert(payload, goal)  # pyright: ignore[reportArgumentType]


@given(data=st.data())
def test_the_quick_way_and_the_thorough_way_agree(data: st.DataObject):
    """Payload, losses, what is left, and where each message came from: all as the thorough way has it."""
    messages = data.draw(grammar.histories("openai-chat") | grammar.broken_histories("openai-chat"))
    payload = data.draw(in_body("openai-chat", messages))
    quick, thorough = both(payload, "anthropic")
    assert written(quick.payload) == written(thorough.payload)
    assert (quick.losses, quick.needs) == (thorough.losses, thorough.needs)
    assert [finding.as_dict() for finding in quick.left] == [finding.as_dict() for finding in thorough.left]
    assert quick.origins == thorough.origins
    assert json.loads(quick.body) == quick.payload


def test_many_plain_histories_are_taken_the_quick_way():
    """The law above is about something: of intact histories, a good part is plain, and agrees."""
    taken = 0
    for number in range(400):
        messages = faults.history(random.Random(number), "openai-chat", 1 + number % 6)
        quick, thorough = both(messages, "anthropic")
        taken += quick.encoded is not None
        assert written(quick.payload) == written(thorough.payload)
    assert taken > 30


STRINGS = st.text() | st.sampled_from(['\\"', "\\\\", '"', "\\", "a\\", 'x"y', "\ud83d", "", "é"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=6,
)


@given(members=st.lists(st.tuples(STRINGS, VALUES), max_size=4), spaced=st.booleans(), ascii_only=st.booleans())
def test_arguments_are_read_as_the_thorough_way_reads_them(
    members: list[tuple[str, object]], spaced: bool, ascii_only: bool
):
    """Whatever the keys, twice or not, escaped or not: the object is the same, or both keep the text."""
    colon = ": " if spaced else ":"
    said = [[json.dumps(each, ensure_ascii=ascii_only) for each in member] for member in members]
    pairs = [colon.join(both) for both in said]
    text = "{" + ",".join(pairs) + "}"
    assert written(arguments_object(text)) == written(parsed(text))


@pytest.mark.parametrize(
    "text", ["", "[]", "7", "{", '{"a":1}x', '{"a\\\\":"b\\\\","a\\\\":"c\\\\"}', '{"a":1,"\\u0061":2}']
)
def test_arguments_that_are_no_plain_object_are_kept(text: str):
    """What is no object, or says a key twice under whatever spelling, is not guessed at."""
    assert arguments_object(text) == parsed(text)
