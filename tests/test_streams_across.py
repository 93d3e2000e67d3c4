"""An answer as a stream of its own or another dialect, and one stream as another while it runs."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rejoinder as rj
from streamed import CITY, DIALECTS, EVENTS, WHOLE, wire
from test_streams import assembled, calls_of, pieces

PAIRS = list(permutations(DIALECTS, 2))


def text_of(dialect: str, body: Any) -> str:
    """The words of an answer for its reader."""
    match dialect:
        case "openai-chat":
            return body["choices"][0]["message"]["content"] or ""
        case "anthropic":
            return "".join(block.get("text", "") for block in body["content"])
        case "gemini":
            parts = body["candidates"][0]["content"]["parts"]
            return "".join(part.get("text", "") for part in parts if not part.get("thought"))
        case _:
            said = [item for item in body["output"] if item["type"] == "message"]
            return "".join(part.get("text", "") for item in said for part in item["content"])


def bridged(source: str, target: str, *chunks: Any) -> bytes:
    bridge = rj.Bridge(source, target)
    return b"".join([*(bridge.feed(chunk) for chunk in chunks), bridge.close()])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_answer_as_a_stream_and_assembled_again_is_the_answer(dialect: str):
    answer = rj.read_answer(WHOLE[dialect], dialect)
    again = assembled(dialect, *rj.stream(answer))
    assert again == answer


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_cut_answer_as_a_stream_is_cut_again(dialect: str):
    for stop in range(1, len(EVENTS[dialect])):
        answer = assembled(dialect, *EVENTS[dialect][:stop])
        again = assembled(dialect, *rj.stream(answer))
        assert again.cut == answer.cut, stop
        assert again.messages() == answer.messages(), stop
        assert [call.raw for call in again.unfinished] == [call.raw for call in answer.unfinished], stop


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_an_answer_says_the_same_in_another_dialect(source: str, target: str):
    answer = rj.read_answer(WHOLE[source], source)
    there = answer.converted(target)
    assert there.dialect == target
    assert text_of(target, there.body) == "Let me sée 🎈."
    was = [json.loads(value) if value[:1] == "{" else value for _, value in plain(source, answer)]
    now = [json.loads(value) if value[:1] == "{" else value for _, value in plain(target, there)]
    custom = source == "openai-responses" and target in ("anthropic", "gemini")
    assert now == [was[0], {"input": was[1]} if custom else was[1]]
    assert [id_ for id_, _ in plain(target, there)] == [id_ for id_, _ in plain(source, answer)]
    assert there.finish == "calls"
    assert not there.cut
    assert there.usage is not None
    assert answer.usage is not None
    assert (there.usage.input, there.usage.output) == (answer.usage.input, answer.usage.output)
    assert there.usage.cache_read == answer.usage.cache_read


def plain(dialect: str, answer: rj.Answer) -> list[tuple[str, str]]:
    """The calls, with their arguments as text."""
    calls = calls_of(dialect, answer.messages())
    return [(id_, value if isinstance(value, str) else json.dumps(value)) for id_, value in calls]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_what_a_conversion_cannot_carry_is_named(source: str, target: str):
    """Thinking and its seals stay with who made them; calls of free text become JSON where there are none."""
    expected = {
        "openai-chat": set(),
        "anthropic": {"thinking"},
        "gemini": {"thinking", "thought signature"},
        "openai-responses": {"thinking", "encrypted_content"}
        | ({"custom call"} if target in ("anthropic", "gemini") else set()),
    }
    losses = rj.read_answer(WHOLE[source], source).converted(target).losses
    assert {loss.what for loss in losses} == expected[source]
    assert all(loss.where and loss.why for loss in losses)


@pytest.mark.parametrize(("source", "target"), PAIRS)
@given(cuts=st.lists(st.integers(0, 20_000), max_size=20))
def test_a_bridge_gives_what_a_conversion_gives(source: str, target: str, cuts: list[int]):
    out = bridged(source, target, *pieces(wire(source), cuts))
    there = rj.read_answer(WHOLE[source], source).converted(target)
    assert assembled(target, out).body == there.body


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_stream_that_breaks_off_breaks_off_on_the_other_side(source: str, target: str):
    data = wire(source)
    calls = calls_of(target, rj.read_answer(WHOLE[source], source).converted(target).messages())
    for at in range(0, len(data), 7):
        before, there = assembled(source, data[:at]), assembled(target, bridged(source, target, data[:at]))
        assert there.cut == before.cut, at
        assert all(call in calls for call in calls_of(target, there.messages())), at


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_bridge_does_not_wait(source: str, target: str):
    """Each piece of text is sent on by the very event that brought it; so are arguments, but to Gemini."""
    bridge = rj.Bridge(source, target)
    sent = [(json.dumps(event), bridge.feed(event).decode()) for event in EVENTS[source]]
    for words in ("Let me ", CITY[:9]) if target != "gemini" and source != "gemini" else ("Let me ",):
        # The first event with these words in it is the one that brought them.
        told = [out for event, out in sent if json.dumps(words)[1:-1] in event.replace('\\\\"', '\\"')]
        assert json.dumps(words)[1:-1] in told[0].replace('\\\\"', '\\"')


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_bridge_to_the_same_dialect_keeps_everything(dialect: str):
    assert assembled(dialect, bridged(dialect, dialect, wire(dialect))).body == WHOLE[dialect]


@pytest.mark.parametrize("target", ["anthropic", "openai-responses", "gemini"])
def test_calls_that_grow_at_the_same_time_come_one_after_the_other(target: str):
    """OpenAI's numbers allow it; the others have one open part at a time."""
    pieces_ = [(0, '{"a"'), (1, '{"b"'), (0, ":1"), (1, ":2}"), (0, "}")]
    events: list[Any] = [
        {
            "id": "c",
            "model": "m",
            "choices": [{"index": 0, "delta": {"tool_calls": [{"index": index, "id": f"c{index}", "function": head}]}}],
        }
        for index, head in ((0, {"name": "f", "arguments": ""}), (1, {"name": "g", "arguments": ""}))
    ]
    for index, text in pieces_:
        delta = {"tool_calls": [{"index": index, "function": {"arguments": text}}]}
        events.append({"id": "c", "choices": [{"index": 0, "delta": delta}]})
    events.append({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    there = assembled(target, bridged("openai-chat", target, *events))
    found = [(id_, json.loads(value)) for id_, value in plain(target, there)]
    assert found == [("c0", {"a": 1}), ("c1", {"b": 2})]


@pytest.mark.parametrize("target", [name for name in DIALECTS if name != "gemini"])
def test_an_id_that_gemini_does_not_give_is_made_and_the_same_every_time(target: str):
    event = {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}] * 2},
                "finishReason": "STOP",
            }
        ],
        "responseId": "r9",
    }
    first = assembled("gemini", event).converted(target)
    ids = [id_ for id_, _ in plain(target, first)]
    assert len(set(ids)) == 2
    assert first == assembled("gemini", event).converted(target)


def test_a_refusal_is_text_where_there_are_none_and_is_told():
    body = {
        "id": "c",
        "object": "chat.completion",
        "model": "m",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": None, "refusal": "No."}, "finish_reason": "stop"}
        ],
    }
    answer = rj.read_answer(body, "openai-chat")
    there = answer.converted("anthropic")
    assert there.body["content"] == [{"type": "text", "text": "No."}]
    assert [loss.what for loss in there.losses] == ["refusal marker"]
    (item,) = answer.converted("openai-responses").body["output"]
    assert item["content"] == [{"type": "refusal", "refusal": "No."}]


FINISH = [
    ("openai-chat", "length", "length", {"anthropic": "max_tokens", "gemini": "MAX_TOKENS"}),
    ("openai-chat", "content_filter", "filtered", {"anthropic": "refusal", "gemini": "SAFETY"}),
    ("anthropic", "refusal", "refused", {"openai-chat": "content_filter", "gemini": "SAFETY"}),
    ("anthropic", "pause_turn", "paused", {"openai-chat": "stop", "gemini": "OTHER"}),
    ("gemini", "PROHIBITED_CONTENT", "filtered", {"openai-chat": "content_filter", "anthropic": "refusal"}),
    ("gemini", "MALFORMED_FUNCTION_CALL", "malformed", {"openai-chat": "stop", "anthropic": "end_turn"}),
    ("gemini", "A_NEW_REASON", "other", {"openai-chat": "stop", "anthropic": "end_turn"}),
]


def ended_so(dialect: str, reason: str) -> dict[str, Any]:
    match dialect:
        case "openai-chat":
            message = {"role": "assistant", "content": "a"}
            return {"choices": [{"index": 0, "message": message, "finish_reason": reason}]}
        case "anthropic":
            return {"type": "message", "content": [{"type": "text", "text": "a"}], "stop_reason": reason}
        case _:
            return {"candidates": [{"content": {"role": "model", "parts": [{"text": "a"}]}, "finishReason": reason}]}


@pytest.mark.parametrize(("source", "reason", "neutral", "theirs"), FINISH)
def test_why_an_answer_ended_has_a_word_everywhere(source: str, reason: str, neutral: str, theirs: dict[str, str]):
    answer = rj.read_answer(ended_so(source, reason), source)
    assert answer.finish == neutral
    for target, word in theirs.items():
        body = answer.converted(target).body
        first = (body.get("choices") or body.get("candidates") or [body])[0]
        found = first.get("finish_reason") or first.get("finishReason") or first.get("stop_reason")
        assert found == word


@pytest.mark.parametrize("target", [name for name in DIALECTS if name != "anthropic"])
def test_what_a_provider_did_by_itself_is_told_and_its_pieces_go_with_it(target: str):
    """Its JSON must not end up in a call, or in the words, of another API."""
    searched = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "rain"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []}
    cited = {"type": "text", "text": "It rains.", "citations": [{"type": "web_search_result_location", "url": "u"}]}
    body = {**WHOLE["anthropic"], "content": [searched, found, cited], "stop_reason": "end_turn"}
    answer = rj.read_answer(body, "anthropic")
    there = answer.converted(target)
    assert text_of(target, there.body) == "It rains."
    assert calls_of(target, there.messages()) == []
    assert [loss.what for loss in there.losses] == ["server_tool_use", "web_search_tool_result", "citations"]
    assert there.finish == "stop"
    assert assembled("anthropic", *rj.stream(answer)).body == body


def test_the_tokens_are_counted_as_each_api_counts_them():
    """Anthropic does not count what was cached as input, Gemini does not count thoughts as output."""
    usage = rj.read_answer(WHOLE["gemini"], "gemini").converted("openai-chat").body["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (20, 12)
    assert usage["completion_tokens_details"] == {"reasoning_tokens": 4}
    usage = rj.read_answer(WHOLE["openai-chat"], "openai-chat").converted("anthropic").body["usage"]
    assert (usage["input_tokens"], usage["cache_read_input_tokens"]) == (12, 8)
    usage = rj.read_answer(WHOLE["openai-chat"], "openai-chat").converted("gemini").body["usageMetadata"]
    assert (usage["candidatesTokenCount"], usage["thoughtsTokenCount"], usage["totalTokenCount"]) == (8, 4, 32)


def test_a_length_stop_is_an_incomplete_response_and_back():
    there = rj.read_answer(ended_so("anthropic", "max_tokens"), "anthropic").converted("openai-responses")
    assert there.body["status"] == "incomplete"
    assert there.body["incomplete_details"] == {"reason": "max_output_tokens"}
    assert there.finish == "length"
    assert not there.cut
    assert there.converted("anthropic").finish == "length"
