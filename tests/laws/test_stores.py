"""The laws, for the shapes of stores: lossless, settled, undone, accepted elsewhere, and led back to the original."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import faults
import grammar
import rejoinder as rj
import stores
from laws import wild
from laws.cases import POLICIES, written
from laws.test_conversion import NEW_TURNS
from rejoinder.dialects.detect import find_dialect
from rejoinder.values.conversation import Message

each_form = pytest.mark.parametrize("form", stores.FORMS)
each_way = pytest.mark.parametrize("there", ["openai-chat", "anthropic"])


@st.composite
def stored(draw: st.DrawFn, form: str, *, broken: bool | None = None) -> list[Any]:
    """A history in the form of a store, intact or broken; the faults happened before it was stored."""
    intact, other = grammar.histories("openai-chat"), grammar.broken_histories("openai-chat")
    drawn = intact | other if broken is None else other if broken else intact
    return stores.FORMS[form](draw(drawn))


def name_of(form: str) -> str:
    return form.partition(":")[0]


def listed(payload: Any) -> list[Any]:
    return payload if isinstance(payload, list) else payload["messages"]


@st.composite
def wild_ones(draw: st.DrawFn) -> list[Any]:
    """Messages that nobody would write, in each place where a store keeps them."""
    messages = draw(wild.conversations())
    where = st.sampled_from(("", "parts", "data", "kwargs", "toolInvocations", "call", "invocation"))
    return [_wrapped(message, draw(where)) for message in messages]


def _wrapped(message: Any, where: str) -> Any:
    if not isinstance(message, dict):
        return message
    if where in ("data", "kwargs"):
        return {"type": "constructor" if where == "kwargs" else "ai", where: message}
    if where == "parts":
        return {**message, "parts": message.get("content")}
    if where == "toolInvocations":
        return {**message, "toolInvocations": [message]}
    if where:
        held = {**message, "toolCallId": message.get("name"), "state": "result" if where == "invocation" else "call"}
        block = {"type": "tool-invocation", "toolInvocation": held} if where == "invocation" else held
        return {"role": "assistant", "parts": [block, {**held, "type": "tool-f", "state": "output-available"}, message]}
    return message


@each_form
@given(data=st.data())
def test_what_is_read_is_written_as_the_same_object(form: str, data: st.DataObject):
    messages = data.draw(stored(form) | wild_ones())
    shape = find_dialect(form)
    assert shape.encode(shape.decode(messages)) is messages


@each_form
@given(data=st.data())
def test_a_message_that_is_written_anew_without_a_change_is_equal(form: str, data: st.DataObject):
    messages = data.draw(stored(form) | wild_ones())
    shape = find_dialect(form)
    for message, raw in zip(shape.decode(messages).messages, messages, strict=True):
        assert isinstance(message, Message)
        if isinstance(raw, dict):
            again = shape.write(replace(message, touched=True))
            assert written(again) == written(raw)


@each_form
@given(data=st.data())
def test_intact_is_left_alone_and_told_from_others(form: str, data: st.DataObject):
    messages = data.draw(stored(form, broken=False))
    assert rj.detect(messages).dialect in (name_of(form), "openai-chat")
    mended = rj.repair(messages, "pairs", dialect=name_of(form))
    assert mended.payload is messages
    assert mended.steps == ()


@each_form
@pytest.mark.parametrize("policy", POLICIES)
@given(data=st.data())
def test_a_repair_settles_and_can_be_undone(form: str, policy: str, data: st.DataObject):
    """Nothing is left, the input is as it was, a second repair does nothing, and each message is accounted for."""
    messages = data.draw(stored(form, broken=True))
    before = written(messages)
    mended = rj.repair(messages, "pairs", dialect=name_of(form), policy=policy)
    assert written(messages) == before
    assert mended.left == ()
    assert rj.repair(mended.payload, "pairs", dialect=name_of(form), policy=policy).steps == ()
    assert written(mended.undo()) == before
    assert mended.patch.apply(messages) == mended.payload
    stay = {id(message) for message in mended.payload}
    named = {step.at.message for step in mended.steps} | {gone for step in mended.steps for gone in step.gone}
    assert all(id(message) in stay or index in named for index, message in enumerate(messages))
    assert all(_found(messages, step.pointer) is not None for step in mended.steps if step.pointer)


def _found(found: Any, pointer: str) -> Any:
    for name in pointer.split("/")[1:]:
        found = found[int(name)] if isinstance(found, list) else found[name]
    return found


@each_form
@given(data=st.data())
def test_pairs_are_mended_as_in_the_messages_it_was_made_of(form: str, data: st.DataObject):
    """Where each message was told again by itself, the same are dropped."""
    near = data.draw(grammar.broken_histories("openai-chat"))
    if form == "ai-sdk:ui":
        return
    mended = rj.repair(near, "pairs", dialect="openai-chat", policy="strip")
    told = rj.repair(stores.FORMS[form](near), "pairs", dialect=name_of(form), policy="strip")
    assert [(s.rule, s.fix, s.at.message) for s in told.steps] == [(s.rule, s.fix, s.at.message) for s in mended.steps]


@each_form
@each_way
@given(data=st.data())
def test_what_is_converted_is_accepted_and_leads_back(form: str, there: str, data: st.DataObject):
    """No error is left (but where only system text was said), and the original comes back, byte for byte."""
    messages = data.draw(stored(form))
    done = rj.convert(messages, there, dialect=name_of(form))
    left = [finding for finding in done.left if finding.severity == "error"]
    assert [str(finding) for finding in left if finding.rule != "message_order.nonempty"] == []
    side = json.loads(json.dumps(done.side))
    back = rj.convert(done.payload, name_of(form), dialect=there, side=side)
    assert written(back.payload) == written(messages)


@each_form
@each_way
@given(data=st.data())
def test_new_turns_come_back_in_the_form_of_the_store(form: str, there: str, data: st.DataObject):
    messages = data.draw(stored(form))
    done = rj.convert(messages, there, dialect=name_of(form))
    new = listed(rj.convert(NEW_TURNS, there, dialect="openai-chat").payload)
    longer = [*listed(done.payload), *new]
    whole = longer if isinstance(done.payload, list) else {**done.payload, "messages": longer}
    back = listed(rj.convert(whole, name_of(form), dialect=there, side=json.loads(json.dumps(done.side))).payload)
    assert written(back[: len(messages)]) == written(messages)
    said = rj.convert(back[len(messages) :], "openai-chat", dialect=name_of(form)).payload
    assert said == NEW_TURNS
    assert all(_form(raw) == _form_named(form) for raw in back[len(messages) :])


def _form(raw: Any) -> str:
    return next(name for name in ("data", "kwargs", "parts", "content") if name in raw)


def _form_named(form: str) -> str:
    named = {"langchain": "data", "langchain:dumpd": "kwargs", "otel": "parts", "ai-sdk:ui": "parts"}
    return named.get(form, "content")


@each_form
@each_way
@given(data=st.data())
def test_what_is_converted_to_a_store_leads_back(form: str, there: str, data: st.DataObject):
    """The other way round: an API's history in a store, and home again."""
    messages = data.draw(grammar.histories(there) | grammar.broken_histories(there))
    done = rj.convert(messages, form, dialect=there)
    assert done.left == ()
    assert rj.check(done.payload, "pairs", dialect=name_of(form)) == []
    back = rj.convert(done.payload, there, dialect=name_of(form), side=json.loads(json.dumps(done.side)))
    assert written(back.payload) == written(messages)


@each_form
@each_way
@given(data=st.data())
def test_users_keep_their_words(form: str, there: str, data: st.DataObject):
    """Through a store and out again, each text of a user is there, in order."""
    messages = data.draw(grammar.histories("openai-chat"))
    stored_so = stores.FORMS[form](messages)
    out = listed(rj.convert(stored_so, there, dialect=name_of(form)).payload)
    assert [text for text in faults.user_texts(out) if text.strip()] == faults.user_texts(messages)


@each_form
@given(data=st.data())
def test_nothing_crashes_and_nothing_is_changed(form: str, data: st.DataObject):
    """Messages that nobody would write: findings or losses, never a traceback, and the input stays as it was."""
    messages = data.draw(wild_ones())
    before = written(messages)
    rj.repair(messages, "pairs", dialect=form)
    rj.convert(messages, "openai-chat", dialect=form)
    rj.convert(messages, form, dialect=form)
    assert written(messages) == before
