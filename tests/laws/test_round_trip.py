"""Law 1: what was read is written again as it was, the same objects, whatever nobody understands of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import faults
import grammar
from histories import HELD_IN
from laws import wild
from laws.cases import each_dialect, in_body, written
from rejoinder.dialects.detect import find_dialect
from rejoinder.values.conversation import Message


@each_dialect
@given(data=st.data())
def test_what_is_read_is_written_as_the_same_object(dialect: str, data: st.DataObject):
    """Decoding and encoding gives back the very payload, broken or not, known or not."""
    messages = data.draw(grammar.broken_histories(dialect) | wild.conversations())
    payload = data.draw(in_body(dialect, messages))
    shape = find_dialect(dialect)
    assert shape.encode(shape.decode(payload)) is payload


@each_dialect
@given(data=st.data())
def test_a_message_that_is_written_anew_without_a_change_is_equal(dialect: str, data: st.DataObject):
    """A message that went through the writer unchanged says what its source says, member for member."""
    messages = data.draw(grammar.broken_histories(dialect) | wild.conversations())
    shape = find_dialect(dialect)
    for message, raw in zip(shape.decode(messages).messages, messages, strict=True):
        assert isinstance(message, Message)
        if isinstance(raw, dict):
            again = shape.write(replace(message, touched=True))
            assert same(again, raw), f"{written(raw)} became {written(again)}"


def same(left: Any, right: Any) -> bool:
    """Equal, and in the same order of members: what a client would send as the same bytes."""
    return left == right and written(left) == written(right)


@pytest.mark.parametrize("dialect", [dialect for dialect in faults.DIALECTS if dialect not in HELD_IN])
def test_a_changed_part_leaves_the_unknown_members_of_its_neighbours_alone(dialect: str):
    """When one text of a message goes, every other block stays the object that it was."""
    unknown = [{"type": "text", "text": "a", "x_unknown": 1}, {"type": "block_of_tomorrow", "y": [2]}]
    blocks = [*unknown, {"type": "text", "text": "b"}]
    raw = {"role": "user", "content": blocks, "x_unknown": {"kept": True}}
    shape = find_dialect(dialect)
    (message,) = shape.decode([raw]).messages
    assert isinstance(message, Message)
    again = shape.write(replace(message, parts=message.parts[:2], touched=True))
    assert again == {**raw, "content": blocks[:2]}
    assert all(new is old for new, old in zip(again["content"], blocks, strict=False))
