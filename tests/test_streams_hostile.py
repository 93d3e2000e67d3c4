"""Streams that are none: one clear error, never a traceback and never a wrong message. And no stream costs too much."""

from __future__ import annotations

import base64
import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rejoinder as rj
from streamed import DIALECTS, EVENTS, WHOLE, wire
from test_streams import assembled

OTHERS = [(ours, theirs) for ours in DIALECTS for theirs in DIALECTS if ours != theirs]


def fed(assembler: rj.Assembler, *chunks: Any) -> None:
    for chunk in chunks:
        assembler.feed(chunk)


def refused(dialect: str, *chunks: Any) -> str:
    """What is said of a stream that cannot be read; whatever came before it stays readable, as cut."""
    assembler = rj.Assembler(dialect)
    with pytest.raises(rj.StreamError) as told:
        fed(assembler, *chunks)
    with pytest.raises(rj.StreamError):
        assembler.feed(b"")
    assert assembler.close().cut
    return str(told.value)


@pytest.mark.parametrize(("ours", "theirs"), OTHERS)
def test_the_stream_of_another_api_is_named(ours: str, theirs: str):
    said = refused(ours, wire(theirs))
    assert theirs in said
    assert ours in said
    assert theirs in refused(ours, *EVENTS[ours][:3], EVENTS[theirs][2])


GARBAGE = {
    "words": b"data: hello\n\n",
    "a number": b"data: 5\n\n",
    "a list": b"data: []\n\n",
    "half an object": b'data: {"choices": [\n\n',
    "two objects": b'data: {"choices": []} {"choices": []}\n\n',
    "nan": b'data: {"choices": [], "usage": NaN}\n\n',
    "no utf-8": b'data: {"choices": [], "x": "\xff"}\n\n',
    "no members": b"data: {}\n\n",
    "html, then an event": b"<html>\ndata: <p>\n\n",
    "an array of numbers": b"[1, 2]",
    "objects with words between": b'{"choices": []} and {"choices": []}',
    "an unknown object": b'data: {"d": "a"}\n\n',
    "deep": b'data: {"choices": ' + b"[" * 100_000 + b"\n\n",
    "deep without events": b"[" * 5 + b'{"a":' * 100_000,
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("what", sorted(set(GARBAGE) - {"deep without events"}))
def test_garbage_is_one_clear_error(dialect: str, what: str):
    said = refused(dialect, GARBAGE[what])
    assert "\n" not in said
    assert len(said) < 400


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "data", [b"", b"\n\n\n", b"<html></html>", b": hi\n\n", b"data: [DONE]", GARBAGE["deep without events"]]
)
def test_nothing_is_a_cut_answer_that_says_nothing(dialect: str, data: bytes):
    answer = assembled(dialect, data)
    assert answer.cut
    assert answer.messages() == []


WRONG = [
    ("openai-chat", {"choices": 5}),
    ("openai-chat", {"choices": [5]}),
    ("openai-chat", {"choices": [{"index": "a", "delta": {}}]}),
    ("openai-chat", {"choices": [{"index": -1, "delta": {}}]}),
    ("openai-chat", {"choices": [{"delta": []}]}),
    ("openai-chat", {"choices": [{"delta": {"tool_calls": 5}}]}),
    ("openai-chat", {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": 5}}]}}]}),
    ("anthropic", {"type": "message_start", "message": "a"}),
    ("anthropic", {"type": "content_block_start", "index": [], "content_block": {}}),
    ("anthropic", {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 5}}),
    ("openai-responses", {"type": "response.output_text.delta", "delta": "a", "output_index": 3}),
    ("openai-responses", {"type": "response.created", "response": []}),
    ("gemini", {"candidates": {"a": 1}}),
    ("gemini", {"candidates": [{"content": {"parts": "a"}}]}),
]


@pytest.mark.parametrize(("dialect", "event"), WRONG)
def test_a_member_of_the_wrong_type_is_named_with_its_event(dialect: str, event: dict[str, Any]):
    said = refused(dialect, EVENTS[dialect][0], event)
    assert said.startswith("event 2 ")


def test_a_part_far_ahead_is_refused_and_not_made_room_for():
    start = [EVENTS["openai-responses"][0], EVENTS["openai-responses"][7 + 2]]
    far = {"type": "response.output_text.delta", "output_index": 1, "content_index": 10**9, "delta": "a"}
    assert "part 1000000000" in refused("openai-responses", *start, far)


def test_what_came_before_garbage_is_passed_on_and_the_garbage_is_told_once():
    bridge = rj.Bridge("openai-chat", "anthropic")
    out = bridge.feed(wire("openai-chat")[:1500] + b"\n\ndata: hello\n\n")
    assert b"Let me " in out
    with pytest.raises(rj.StreamError, match="no JSON"):
        bridge.close()
    assert bridge.close() == b""
    with pytest.raises(rj.StreamError, match="no JSON"):
        bridge.feed(b"")


def test_what_is_no_chunk_at_all():
    for chunk in (5, None, ["data"], object()):
        assert "bytes, text or events" in refused("anthropic", chunk)
    assert "half a character" in refused("anthropic", "data: \ud800")


def test_an_unknown_dialect_is_told_with_those_that_are_known():
    with pytest.raises(rj.DialectError, match="anthropic, gemini, openai-chat, openai-responses"):
        rj.Assembler("cobol")


def test_behind_its_close_a_stream_takes_nothing_more():
    assembler = rj.Assembler("anthropic")
    assembler.feed(wire("anthropic"))
    answer = assembler.close()
    assert assembler.close() is answer
    with pytest.raises(rj.StreamError, match="was closed"):
        assembler.feed(b"")


def test_behind_an_answer_at_once_nothing_may_follow():
    assert "more events" in refused("anthropic", WHOLE["anthropic"], EVENTS["anthropic"][0])


# Keys that the dialects look for, with values of every type: what comes out is an answer or one error.
KEYS = sorted(
    {key for events in EVENTS.values() for event in events for key in event}
    | set("delta content parts tool_calls function arguments text type index usage role name id input".split())
)
KINDS = sorted({event["type"] for events in EVENTS.values() for event in events if "type" in event})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(["", "a", "\ud800", "{}", "text", *KINDS]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


def broken(data: st.DataObject, value: Any) -> Any:
    """The value with something else in one place, as deep as it pleases."""
    inside = value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}
    if not inside or data.draw(st.integers(0, 3)) == 0:
        return data.draw(VALUES) if not isinstance(value, dict) else {**value, data.draw(st.sampled_from(KEYS)): 5}
    key = data.draw(st.sampled_from(sorted(inside)))
    changed = {**inside, key: broken(data, inside[key])}
    return changed if isinstance(value, dict) else list(changed.values())


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
def test_whatever_an_event_holds_there_is_an_answer_or_one_error(dialect: str, data: st.DataObject):
    chosen = data.draw(st.lists(st.sampled_from(EVENTS[dialect]), min_size=1, max_size=4))
    events = [EVENTS[dialect][0], *(broken(data, event) for event in chosen)]
    target = data.draw(st.sampled_from(DIALECTS))
    assembler, bridge = rj.Assembler(dialect), rj.Bridge(dialect, target)
    for event in events:
        try:
            assembler.feed(event)
        except rj.StreamError:
            break
    for event in events:
        try:
            bridge.feed(event)
        except rj.StreamError:
            break
    with contextlib.suppress(rj.StreamError):
        bridge.close()
    answer = assembler.close()
    answer.messages()
    try:
        list(rj.stream(answer))
        answer.converted(target).messages()
    except rj.StreamError:
        pass


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
def test_whatever_an_answer_at_once_holds(dialect: str, data: st.DataObject):
    try:
        answer = rj.read_answer(broken(data, WHOLE[dialect]), dialect)
        answer.messages()
        b"".join(rj.stream(answer))
        answer.converted(data.draw(st.sampled_from(DIALECTS))).messages()
    except rj.StreamError:
        pass


# --- sizes ---------------------------------------------------------------------------------------------


def test_an_event_that_is_too_large_is_refused_before_it_is_held():
    for endless in (b"data: " + b"x" * 50_000, b"x" * 50_000, b'{"a": "' + b"x" * 50_000):
        assembler = rj.Assembler("openai-chat", limit=1000)
        tens = (endless[start : start + 10] for start in range(0, len(endless), 10))
        with pytest.raises(rj.StreamError, match="larger than 1000 bytes"):
            fed(assembler, *tens)
    lines = b"".join(b"data: " + b"x" * 10 + b"\n" for _ in range(200))
    with pytest.raises(rj.StreamError, match="larger than"):
        rj.Assembler("openai-chat", limit=1000).feed(lines)
    comments = b": ping\n" * 100_000 + wire("openai-chat")
    small = rj.Assembler("openai-chat", limit=10_000)
    small.feed(comments)
    assert small.close().body == WHOLE["openai-chat"]


def work(run: Any) -> int:
    """How many lines of ours run: a count, which no other process disturbs."""
    counted = 0

    def trace(_frame: Any, event: str, _arg: Any) -> Any:
        nonlocal counted
        counted += event == "line"
        return trace

    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(None)
    return counted


def many(dialect: str, count: int) -> list[dict[str, Any]]:
    """A stream with its growing pieces repeated."""
    events = EVENTS[dialect]
    growing = {
        "openai-chat": range(1, 2),
        "anthropic": range(8, 9),
        "openai-responses": range(11, 12),
        "gemini": range(2, 3),
    }[dialect]
    return [*events[: growing.start], *(events[at] for at in growing for _ in range(count)), *events[growing.stop :]]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("target", DIALECTS)
def test_twice_the_events_is_twice_the_work(dialect: str, target: str):
    def run(count: int) -> int:
        events = many(dialect, count)

        def both() -> None:
            assembled(dialect, *events)
            bridge = rj.Bridge(dialect, target)
            for event in events:
                bridge.feed(event)
            bridge.close()

        return work(both)

    run(1)
    few, more = run(200), run(400)
    assert more < 2.1 * few


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_hundred_thousand_tiny_deltas_take_no_longer_each_than_a_few(dialect: str):
    def seconds(count: int) -> float:
        data = wire(dialect, many(dialect, count))
        began = time.process_time()
        assembled(dialect, data)
        return (time.process_time() - began) / count

    seconds(1000)
    few = min(seconds(4000) for _ in range(3))
    assert seconds(100_000) < 4 * few


def test_arguments_in_many_pieces_and_ids_with_each_are_counted_once():
    """A server that repeats id and name with every piece asks each time whether the arguments are whole."""

    def seconds(count: int) -> float:
        piece = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '"aaaaaaaaaa",'}}
        first = {"choices": [{"delta": {"tool_calls": [{**piece, "function": {"name": "f", "arguments": "["}}]}}]}
        event = {"choices": [{"delta": {"tool_calls": [piece]}}]}
        began = time.process_time()
        assembled("openai-chat", first, *([event] * count))
        return (time.process_time() - began) / count

    seconds(1000)
    few = min(seconds(4000) for _ in range(3))
    assert seconds(100_000) < 4 * few


def error_of(assembler: rj.Assembler, data: bytes) -> str:
    try:
        assembler.feed(data)
    except rj.StreamError as error:
        return str(error)
    return ""


def test_recorded_hostile_streams(evidence: Path):
    """The same verdicts as were written down for a gateway: refused, bounded, or partial; never taken as whole."""
    cases = [json.loads(line) for line in (evidence / "cases/hostile-cases.jsonl").read_text("utf-8").splitlines()]
    seen = 0
    for case in cases:
        if case["area"] != "sse" or not ("input_b64" in case or "gen" in case):
            continue
        seen += 1
        made = (base64.b64decode(text) * times for text, times in case.get("gen", ()))
        data = base64.b64decode(case["input_b64"]) if "input_b64" in case else b"".join(made)
        for dialect in DIALECTS:
            assembler = rj.Assembler(dialect)
            # None of them is a stream of an API that has an end.
            said = error_of(assembler, data)
            assert assembler.close().cut, case["id"]
            assert ("larger than" in said) == (case["id"] in ("I11-event-50m", "I12-no-newline-forever")), case["id"]
    assert seen >= 8
