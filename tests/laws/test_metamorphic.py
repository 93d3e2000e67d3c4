"""P10: an intact turn at the end, and other names for the ids, make no difference to what a repair does."""

import json
import random
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import faults
import histories
from laws.cases import Case, broken_cases, each_reader, holder, messages_of, written


class Plain(random.Random):
    """Draws the plain choice each time: no thinking, which newer models bind to the text in front of it."""

    def random(self) -> float:
        return 0.0


# (An item's own id is no name that anybody pairs by.)
_IDS = re.compile(r'"(?:id|call_id|tool_call_id|toolCallId|tool_use_id|toolUseId)": "((?!rs_|fc_|msg_)[^"]*)"')


@each_reader
@given(data=st.data())
def test_appending_an_intact_turn_commutes(dialect: str, target: str, data: st.DataObject):
    """A history that is closed and goes on intact is repaired as it would be without what comes after."""
    case: Case = data.draw(broken_cases(dialect, target))
    seed = data.draw(st.integers(0, 999))
    body = {} if isinstance(case.payload, list) else case.payload
    closed = [*case.messages, *closing(dialect)]
    longer = [*closed, *intact_turn(dialect, seed)]
    short = case.repaired({**body, holder(dialect): closed} if body else closed)
    long = case.repaired({**body, holder(dialect): longer} if body else longer)
    assert written(messages_of(long.payload)) == written([*messages_of(short.payload), *longer[len(closed) :]])
    assert [step.as_dict() for step in long.steps] == [step.as_dict() for step in short.steps]


@each_reader
@given(data=st.data())
def test_renaming_all_ids_commutes(dialect: str, target: str, data: st.DataObject):
    """What a repair does depends on which ids are equal, and not on how they are spelled."""
    case: Case = data.draw(broken_cases(dialect, target))
    named, renamed = case.repaired(), case.repaired(with_other_ids(case.payload))
    assert without_names(renamed.payload) == without_names(named.payload)
    assert [(step.rule, step.fix, step.at) for step in renamed.steps] == [
        (step.rule, step.fix, step.at) for step in named.steps
    ]


@each_reader
@given(data=st.data())
def test_a_list_and_a_body_are_repaired_alike(dialect: str, target: str, data: st.DataObject):
    """Fields of a body that nobody understands make no difference to its messages."""
    case: Case = data.draw(broken_cases(dialect, target))
    bare = case.repaired(case.messages)
    body = case.repaired({holder(dialect): case.messages, "x_unknown": 1})
    assert written(bare.payload) == written(messages_of(body.payload))


def closing(dialect: str) -> faults.Messages:
    """The words that end whatever was open: the user speaks last, so that the assistant can go on."""
    text = [{"type": "text", "text": "closed"}] if dialect == "neovate" else "closed"
    return [
        histories.write_text(dialect, "user", "is that all?"),
        histories.write_text(dialect, "assistant", text),
        histories.write_text(dialect, "user", "then go on"),
    ]


def intact_turn(dialect: str, seed: int) -> faults.Messages:
    """The assistant calls a tool, gets its result and says so; with an id that is used nowhere else."""
    rng = Plain(seed)
    call = histories.Call(f"fresh{seed:04}", "search", seed)
    words = [{"type": "text", "text": "found it"}] if dialect == "neovate" else "found it"
    return [
        *histories.write_turn(rng, dialect, None, [call]),
        *histories.write_answers(rng, dialect, [call], "and then?"),
        histories.write_text(dialect, "assistant", words),
        histories.write_text(dialect, "user", "thank you"),
    ]


def with_other_ids(payload: Any) -> Any:
    """Each id has its small letters large: it stays as legal, as long or too long as it was."""
    return json.loads(_IDS.sub(_in_capitals, json.dumps(payload)))


def _in_capitals(found: re.Match[str]) -> str:
    return found[0].removesuffix(f'{found[1]}"') + f'{found[1].upper()}"'


def without_names(payload: Any) -> str:
    """The payload with its ids numbered in the order in which they first occur."""
    numbers: dict[str, int] = {}
    spelled = re.sub(r"call, id [^]]*\]", "call]", json.dumps(payload))
    return _IDS.sub(lambda found: f'"id": {numbers.setdefault(found[1], len(numbers))}', spelled)


def test_the_renaming_renames():
    """The law above is about something: an id is found in each place where a dialect keeps one."""
    for dialect in faults.DIALECTS:
        history: faults.Messages = faults.history(random.Random(3), dialect, 6)
        old, new = (
            {call[histories.call_key(call)] for message in messages for call in histories.calls(message)}
            for messages in (history, with_other_ids(history))
        )
        assert old
        assert new == {name.upper() for name in old} != old
