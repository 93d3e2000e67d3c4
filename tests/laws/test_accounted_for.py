"""Law 8: each message of the input is in the output, or in a step; and so is every part of it."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import faults
import histories
import rejoinder as rj
from laws.cases import Case, broken_cases, each_reader, holder, messages_of, strings


@each_reader
@given(data=st.data())
def test_each_message_is_in_the_output_or_in_a_step(dialect: str, target: str, data: st.DataObject):
    """A message that is not handed back was removed by a step, or changed by one, or all that it held is there."""
    case: Case = data.draw(broken_cases(dialect, target))
    outcome = case.repaired()
    out = messages_of(outcome.payload)
    stay = {id(message) for message in out}
    told = {id(gone) for step in outcome.steps for gone in step.removed}
    named = {step.at.message for step in outcome.steps}
    held = {id(piece) for message in out for piece in pieces(message)} | told
    for index, message in enumerate(case.messages):
        by_parts = all(id(piece) in held for piece in pieces(message)) and text_is_there(message, out)
        assert id(message) in stay or id(message) in told or index in named or by_parts, f"messages[{index}] is lost"


@each_reader
@given(data=st.data())
def test_each_part_is_in_the_output_or_in_a_step(dialect: str, target: str, data: st.DataObject):
    """A call, a result or a text block that is gone is in what a step removed, alone or inside its message."""
    case: Case = data.draw(broken_cases(dialect, target))
    outcome = case.repaired()
    removed = [gone for step in outcome.steps for gone in step.removed]
    told = {id(gone) for gone in removed} | {id(piece) for gone in removed for piece in pieces(gone)}
    held = {id(piece) for message in messages_of(outcome.payload) for piece in pieces(message)}
    for index, message in enumerate(case.messages):
        for piece in pieces(message):
            assert id(piece) in held or id(piece) in told or id(message) in told, f"messages[{index}] lost {piece}"


@each_reader
@given(data=st.data())
def test_what_is_removed_is_the_callers_own(dialect: str, target: str, data: st.DataObject):
    """A step hands out the very objects that it took away, not copies that somebody has to compare."""
    case: Case = data.draw(broken_cases(dialect, target))
    own = {id(message) for message in case.messages} | {id(p) for message in case.messages for p in pieces(message)}
    for step in case.repaired().steps:
        if step.cost == "drops":
            assert [gone for gone in step.removed if isinstance(gone, dict) and id(gone) not in own] == [], step.says


@each_reader
@given(data=st.data())
def test_each_step_points_at_what_it_was_about(dialect: str, target: str, data: st.DataObject):
    """The pointer of a step finds something in the payload that was handed in, and the place agrees with it."""
    case: Case = data.draw(broken_cases(dialect, target))
    for step in case.repaired().steps:
        if step.pointer:
            found = resolved(case.payload, step.pointer)
            assert found is not None or step.at.field, step.pointer
            if step.pointer == f"/{holder(dialect)}":
                # Nothing was left, and a word was put: that is about the list itself.
                continue
            index = int(step.pointer.removeprefix(f"/{holder(dialect)}").split("/")[1])
            assert step.at.message == index


def pieces(message: Any) -> list[Any]:
    """The calls and blocks inside a message."""
    if not isinstance(message, dict) or "role" not in message:
        return []
    # A call that stands inside a part is not a piece of its own.
    beside = [call for call in histories.calls(message) if "parts" not in message and "toolUseId" not in call]
    return [*histories.blocks(message), *beside]


def text_is_there(message: faults.Message, out: faults.Messages) -> bool:
    content = message.get("content")
    return not isinstance(content, str) or not content.strip() or content in "\n".join(strings(out))


def resolved(payload: Any, pointer: str) -> Any:
    """What a JSON pointer finds; None where it finds nothing."""
    found = payload
    for name in pointer.split("/")[1:]:
        if isinstance(found, list) and int(name) < len(found):
            found = found[int(name)]
        elif isinstance(found, dict) and name in found:
            found = found[name]
        else:
            return None
    return found


def test_the_sanitizer_names_each_message_that_it_removed():
    """`removed_messages` holds the index in the input, the role, and why."""
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [{"role": role, "content": "a"} for role in ("user", "assistant", "user")]
    messages[1] |= {"tool_calls": [call]}
    outcome = rj.sanitize_messages(messages)
    assert [(gone.index, gone.role) for gone in outcome.removed_messages] == [(1, "assistant")]
    assert "call_1" in outcome.removed_messages[0].reason
    assert outcome.messages == [messages[0], messages[2]]
