"""Streams as answers: any chunking assembles alike, and a stream that breaks off never completes a call (law 11)."""

from __future__ import annotations

import copy
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rejoinder as rj
from streamed import CITY, DIALECTS, EVENTS, WHOLE, sse, wire


def assembled(dialect: str, *chunks: Any) -> rj.Answer:
    assembler = rj.Assembler(dialect)
    for chunk in chunks:
        assembler.feed(chunk)
    return assembler.close()


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[start:stop] for start, stop in pairwise(places)]


# --- the same answer, however it comes -------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_stream_is_the_answer_that_would_have_come_at_once(dialect: str, end: str):
    answer = assembled(dialect, wire(dialect, end=end))
    assert answer.body == WHOLE[dialect]
    assert not answer.cut
    assert answer.unfinished == ()
    assert answer.finish == "calls"
    assert answer.usage == rj.read_answer(WHOLE[dialect], dialect).usage
    assert answer.usage is not None
    assert (answer.usage.input, answer.usage.output, answer.usage.cache_read) == (20, 12, 8)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_byte_by_byte_and_as_events_it_is_the_same(dialect: str):
    data = wire(dialect)
    whole = assembled(dialect, data)
    assert assembled(dialect, *(data[at : at + 1] for at in range(len(data)))) == whole
    assert assembled(dialect, *EVENTS[dialect]) == whole
    assert assembled(dialect, data.decode()) == whole
    assert assembled(dialect, bytearray(data), b"", "") == whole
    assert assembled(dialect, WHOLE[dialect]).body == whole.body


@pytest.mark.parametrize("dialect", DIALECTS)
@given(cuts=st.lists(st.integers(0, 20_000), max_size=30), end=st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_chunking_assembles_alike(dialect: str, cuts: list[int], end: str):
    data = b"\xef\xbb\xbf: hello" + end.encode() * 2 + wire(dialect, end=end)
    assert assembled(dialect, *pieces(data, cuts)).body == WHOLE[dialect]


@given(cuts=st.lists(st.integers(0, 20_000), max_size=30), spread=st.booleans())
def test_gemini_streams_a_json_array_too(cuts: list[int], spread: bool):
    data = json.dumps(EVENTS["gemini"], indent=2 if spread else None, ensure_ascii=False).encode()
    assert assembled("gemini", *pieces(data, cuts)).body == WHOLE["gemini"]
    lines = "\n".join(json.dumps(event) for event in EVENTS["gemini"]).encode()
    assert assembled("gemini", *pieces(lines, cuts)).body == WHOLE["gemini"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_that_is_fed_is_changed(dialect: str):
    events = copy.deepcopy(EVENTS[dialect])
    answer = assembled(dialect, *events)
    answer.messages(unfinished=True)
    list(rj.stream(answer))
    assert events == EVENTS[dialect]


@pytest.mark.parametrize("dialect", ["anthropic", "openai-chat"])
def test_the_message_of_an_answer_stands_in_a_history(dialect: str):
    """Answered, it has no finding: what the API gives is what the API takes."""
    asked = [{"role": "user", "content": "Weather?"}]
    said = assembled(dialect, wire(dialect)).messages()
    if dialect == "anthropic":
        results = [{"type": "tool_result", "tool_use_id": id_, "content": "ok"} for id_ in ("toolu_a", "toolu_b")]
        history = [*asked, *said, {"role": "user", "content": results}]
    else:
        results = [{"role": "tool", "tool_call_id": id_, "content": "ok"} for id_ in ("call_a", "call_b")]
        history = [*asked, *said, *results]
    assert rj.check(history, dialect) == []


# --- streams that break off ------------------------------------------------------------------------


# Behind the event that says why the answer ended, it is whole; what follows are tokens and a farewell.
ENDS = {
    "openai-chat": '"finish_reason": "tool_calls"',
    "anthropic": '"stop_reason": "tool_use"',
    "openai-responses": '"type": "response.completed"',
    "gemini": '"finishReason": "STOP"',
}


def calls_of(dialect: str, body: Any) -> list[tuple[str, Any]]:
    """Each call of an answer: its id, and its arguments if they are what could run."""
    found: list[tuple[str, Any]] = []
    for message in body:
        content = message["content"] if dialect == "anthropic" else ()
        found += [(block["id"], block["input"]) for block in content if block["type"] == "tool_use"]
        for call in message.get("tool_calls") or ():
            body = call[call["type"]]
            found.append((call["id"], body.get("arguments", body.get("input"))))
        asked = [part["functionCall"] for part in message.get("parts") or () if "functionCall" in part]
        found += [(call["id"], call["args"]) for call in asked]
        if message.get("type") in ("function_call", "custom_tool_call"):
            found.append((message["call_id"], message.get("arguments", message.get("input"))))
    return found


@pytest.mark.parametrize("dialect", DIALECTS)
def test_cut_at_every_byte_no_call_is_completed(dialect: str):
    data = wire(dialect)
    whole = assembled(dialect, data)
    calls = calls_of(dialect, whole.messages())
    assert len(calls) == 2
    end = data.index(b"\n\n", data.rindex(ENDS[dialect].encode())) + 2
    for at in range(len(data)):
        answer = assembled(dialect, data[:at])
        assert answer.cut == (at < end), at
        assert all(call in calls for call in calls_of(dialect, answer.messages())), at
        if at >= end:
            assert answer.messages() == whole.messages()
        for call in answer.unfinished:
            assert (CITY + "{}" + 'ls "räw"').count(call.raw), at


# How many events of the sample there are up to the first half of the first call's arguments.
HALF = {"openai-chat": 5, "anthropic": 14, "openai-responses": 18}


@pytest.mark.parametrize("dialect", sorted(HALF))
def test_a_half_written_call_stays_the_text_that_came(dialect: str):
    answer = assembled(dialect, *EVENTS[dialect][: HALF[dialect]])
    assert answer.cut
    (call,) = answer.unfinished
    assert (call.name, call.raw) == ("weather", CITY[:9])
    assert "weather" not in json.dumps(answer.messages())
    kept = json.dumps(answer.messages(unfinished=True))
    assert "weather" in kept
    assert json.dumps(CITY[:9]) in kept


@pytest.mark.parametrize("dialect", ["anthropic", "openai-chat"])
def test_a_cut_call_is_dropped_or_kept_by_a_repair_and_never_runs(dialect: str):
    said = assembled(dialect, *EVENTS[dialect][: HALF[dialect]]).messages(unfinished=True)
    history = [{"role": "user", "content": [{"type": "text", "text": "Weather?"}]}, *said]
    assert calls_of(dialect, rj.repair(history, dialect).payload) == []
    kept = calls_of(dialect, rj.repair(history, dialect, policy=rj.Policy(pending="keep")).payload)
    assert [arguments for _, arguments in kept] == [
        {"_raw_arguments": CITY[:9]} if dialect == "anthropic" else CITY[:9]
    ]


def test_whole_arguments_of_a_call_that_never_ended_are_not_run():
    """All brackets are closed, but nobody said that the call is whole: it is told as unfinished."""
    events = EVENTS["anthropic"][:15]
    answer = assembled("anthropic", *events)
    assert [call.raw for call in answer.unfinished] == [CITY]
    events = EVENTS["openai-chat"][:6]
    assert [call.raw for call in assembled("openai-chat", *events).unfinished] == [CITY]


def test_a_call_that_began_and_got_no_arguments_is_no_call_without_arguments():
    answer = assembled("anthropic", *EVENTS["anthropic"][:12])
    assert answer.body["content"][-1]["input"] == ""
    assert answer.messages() == [{"role": "assistant", "content": answer.body["content"][:2]}]


def test_thinking_that_was_not_sealed_is_not_sent_back():
    assert assembled("anthropic", *EVENTS["anthropic"][:5]).messages() == []


@pytest.mark.parametrize(
    ("dialect", "error"),
    [
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        ("openai-chat", {"error": {"message": "Overloaded", "type": "server_error"}}),
        ("openai-responses", {"type": "error", "code": "server_error", "message": "Overloaded", "param": None}),
        ("gemini", {"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}}),
    ],
)
def test_an_error_inside_a_stream_is_told_and_the_answer_is_cut(dialect: str, error: dict[str, Any]):
    for events in ([*EVENTS[dialect][:4], error], [error]):
        answer = assembled(dialect, sse(events, named="type" in error))
        assert answer.cut
        assert "Overloaded" in json.dumps(answer.error)


def test_a_response_that_failed_is_cut_with_its_error():
    failed = {**WHOLE["openai-responses"], "status": "failed", "output": [], "error": {"code": "x", "message": "no"}}
    answer = assembled(
        "openai-responses", *EVENTS["openai-responses"][:9], {"type": "response.failed", "response": failed}
    )
    assert answer.cut
    assert answer.error == {"code": "x", "message": "no"}
    assert answer.finish == "failed"


def test_a_length_stop_in_the_middle_of_arguments_is_whole_and_its_call_is_not():
    events = [*EVENTS["openai-chat"][:5], {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}]
    answer = assembled("openai-chat", *events)
    assert (answer.cut, answer.finish) == (False, "length")
    assert [call.raw for call in answer.unfinished] == [CITY[:9]]
    assert answer.unfinished == rj.read_answer(answer.body, "openai-chat").unfinished
    assert "tool_calls" not in answer.messages()[0]
