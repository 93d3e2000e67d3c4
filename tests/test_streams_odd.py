"""What servers that are almost like an API send, each seen in the wild, and what it means."""

from __future__ import annotations

import json
from typing import Any

import pytest

import rejoinder as rj
from streamed import EVENTS, WHOLE
from test_streams import assembled

Json = dict[str, Any]


def chunk(*pieces: Json, finish: str | None = None, **delta: Any) -> Json:
    """A chunk with pieces of calls, or with another delta."""
    said = {"tool_calls": list(pieces), **delta} if pieces else delta
    return {"id": "c", "object": "chat.completion.chunk", "choices": [{"delta": said, "finish_reason": finish}]}


def piece(arguments: Any = None, name: str | None = None, **more: Any) -> Json:
    function = {**({} if name is None else {"name": name}), **({} if arguments is None else {"arguments": arguments})}
    return {**more, "function": function}


PARIS, ROME = '{"city":"Paris"}', '{"city":"Rome"}'
ODD: dict[str, tuple[list[Json], list[tuple[str | None, str, str]]]] = {
    "the number is left out, and each call comes whole": (
        [chunk(piece(PARIS, "f", id="a")), chunk(piece(ROME, "f", id="b"))],
        [("a", "f", PARIS), ("b", "f", ROME)],
    ),
    "the number is left out, two whole calls in one delta, no ids": (
        [chunk(piece(PARIS, "f"), piece(ROME, "g"))],
        [(None, "f", PARIS), (None, "g", ROME)],
    ),
    "the number is left out, and arguments follow without an id": (
        [
            chunk(piece("", "f", id="a")),
            chunk(piece(PARIS[:5])),
            chunk(piece(PARIS[5:])),
            chunk(piece(ROME, "g", id="b")),
        ],
        [("a", "f", PARIS), ("b", "g", ROME)],
    ),
    "every call has the number 0, and an id of its own": (
        [chunk(piece(PARIS, "f", id="a", index=0)), chunk(piece(ROME, "f", id="b", index=0))],
        [("a", "f", PARIS), ("b", "f", ROME)],
    ),
    "every call has the number 0, and none has an id": (
        [chunk(piece(PARIS, "f", index=0)), chunk(piece(ROME, "f", index=0))],
        [(None, "f", PARIS), (None, "f", ROME)],
    ),
    "the id and the name come with every piece": (
        [chunk(piece(part, "f", id="a", index=0)) for part in (PARIS[:3], PARIS[3:9], PARIS[9:])],
        [("a", "f", PARIS)],
    ),
    "the id is empty or null behind the first piece": (
        [
            chunk(piece("", "f", id="a", index=0)),
            chunk(piece(PARIS[:5], id="", index=0)),
            chunk(piece(PARIS[5:], id=None, index=0)),
        ],
        [("a", "f", PARIS)],
    ),
    "each piece has another id, but only the first a name": (
        [chunk(piece(PARIS[:5], "f", id="a", index=0)), chunk(piece(PARIS[5:], id="zz", index=0))],
        [("a", "f", PARIS)],
    ),
    "one constant id for all calls": (
        [chunk(piece(PARIS, "f", id="x", index=0)), chunk(piece(ROME, "f", id="x", index=1))],
        [("x", "f", PARIS), ("x", "f", ROME)],
    ),
    "one constant id, and no number": (
        [chunk(piece(PARIS, "f", id="x")), chunk(piece(ROME, "f", id="x"))],
        [("x", "f", PARIS), ("x", "f", ROME)],
    ),
    "the head of the second call has the number of the first": (
        [
            chunk(piece(PARIS, "f", id="a", index=0)),
            chunk(piece("", "g", id="b", index=0)),
            chunk(piece(ROME, index=1)),
        ],
        [("a", "f", PARIS), ("b", "g", ROME)],
    ),
    "head and first piece in one delta, both with one number": (
        [
            chunk({"index": 0, "id": "a", "function": {"name": "f"}}, piece(PARIS[:4], index=0)),
            chunk(piece(PARIS[4:], index=0)),
        ],
        [("a", "f", PARIS)],
    ),
    "arguments as an object": (
        [chunk(piece(json.loads(PARIS), "f", id="a", index=0))],
        [("a", "f", PARIS)],
    ),
    "the whole call once more at the end": (
        [
            chunk(piece(PARIS[:5], "f", id="a", index=0)),
            chunk(piece(PARIS[5:], index=0)),
            chunk(piece(PARIS, "f", id="a", index=0)),
        ],
        [("a", "f", PARIS)],
    ),
    "a call without arguments, between two others": (
        [
            chunk(piece(PARIS, "f", id="a", index=0)),
            chunk(piece("", "g", id="b", index=1)),
            chunk(piece(ROME, "f", id="c", index=2)),
        ],
        [("a", "f", PARIS), ("b", "g", ""), ("c", "f", ROME)],
    ),
    "numbers that begin with 1": (
        [chunk(piece("", "f", id="a", index=1)), chunk(piece(PARIS, index=1))],
        [("a", "f", PARIS)],
    ),
}


@pytest.mark.parametrize("label", ODD)
def test_pieces_of_calls_find_their_call(label: str):
    events, expected = ODD[label]
    answer = assembled("openai-chat", *events, chunk(finish="tool_calls"))
    calls = answer.body["choices"][0]["message"]["tool_calls"]
    assert [(call.get("id"), call["function"]["name"], call["function"]["arguments"]) for call in calls] == expected
    assert answer.unfinished == ()
    assert all(call["type"] == "function" and "index" not in call for call in calls)


@pytest.mark.parametrize("label", [label for label in ODD if "without arguments" not in label])
def test_so_they_do_on_the_way_to_another_dialect(label: str):
    events, expected = ODD[label]
    bridge = rj.Bridge("openai-chat", "anthropic")
    out = b"".join(bridge.feed(event) for event in (*events, chunk(finish="tool_calls"))) + bridge.close()
    blocks = assembled("anthropic", out).body["content"]
    found = [(block["id"], block["name"], block["input"]) for block in blocks]
    assert found == [(id_, name, json.loads(arguments)) for id_, name, arguments in expected]


def test_the_role_in_each_delta_and_null_members_say_nothing_twice():
    answer = assembled(
        "openai-chat",
        chunk(role="assistant", content="Hel", tool_calls=None, refusal=None, function_call=None),
        chunk(role="assistant", content="lo", tool_calls=[]),
        chunk(role=None, content=None, finish="stop"),
        {**chunk(finish="stop"), "usage": None},
        {"id": "c", "object": "chat.completion.chunk", "choices": None, "usage": {"prompt_tokens": 1}},
    )
    assert answer.messages() == [{"role": "assistant", "content": "Hello"}]
    assert answer.finish == "stop"
    assert answer.usage == rj.read_answer({"choices": [], "usage": {"prompt_tokens": 1}}, "openai-chat").usage


def test_why_it_ended_is_said_twice_and_the_last_time_counts():
    answer = assembled("openai-chat", chunk(content="a", finish="stop"), chunk(content="b"), chunk(finish="length"))
    assert answer.body["choices"][0]["message"]["content"] == "ab"
    assert answer.finish == "length"
    bridge = rj.Bridge("openai-chat", "anthropic")
    out = bridge.feed(chunk(content="a", finish="stop")) + bridge.feed(chunk(content="b", finish="length"))
    assert assembled("anthropic", out + bridge.close()).finish == "length"


def test_a_first_chunk_of_a_filter_has_no_choices_and_empty_names():
    first = {"id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": [{"x": 1}]}
    answer = assembled("openai-chat", first, *EVENTS["openai-chat"])
    assert answer.body == {**WHOLE["openai-chat"], "prompt_filter_results": [{"x": 1}]}


def test_reasoning_logprobs_audio_and_several_choices_are_joined():
    def numbered(index: int, **delta: Any) -> Json:
        return {"choices": [{"index": index, "delta": delta, "logprobs": {"content": [{"token": str(index)}]}}]}

    answer = assembled(
        "openai-chat",
        numbered(1, reasoning_content="th"),
        numbered(0, audio={"id": "a", "transcript": "He", "data": "AA"}),
        numbered(1, reasoning_content="ink"),
        numbered(0, audio={"transcript": "llo", "data": "BB", "expires_at": 5}),
        numbered(1, reasoning_details=[{"index": 0, "type": "text", "text": "a"}]),
        numbered(1, reasoning_details=[{"index": 0, "type": "text", "text": "b"}]),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    )
    first, second = answer.body["choices"]
    assert first["message"]["audio"] == {"id": "a", "transcript": "Hello", "data": "AABB", "expires_at": 5}
    assert first["logprobs"]["content"] == [{"token": "0"}] * 2
    assert second["message"]["reasoning_content"] == "think"
    assert second["message"]["reasoning_details"] == [{"index": 0, "type": "text", "text": "ab"}]
    assert answer.cut  # the second choice did not end


def test_what_was_heard_goes_into_the_history_by_its_id():
    audio = {"id": "a", "transcript": "Hello", "data": "AABB", "expires_at": 5}
    (message,) = assembled("openai-chat", chunk(role="assistant", audio=audio, finish="stop")).messages()
    assert message == {"role": "assistant", "content": None, "audio": {"id": "a"}}
    assert rj.check([{"role": "user", "content": "Hi"}, message], "openai-chat") == []


def test_content_that_comes_as_blocks_is_joined_by_its_kind():
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    answer = assembled(
        "openai-chat",
        chunk(content=[thought]),
        chunk(content=[{"type": "text", "text": "a"}]),
        chunk(content=[{"type": "text", "text": "b"}], finish="stop"),
    )
    assert answer.messages()[0]["content"] == [thought, {"type": "text", "text": "ab"}]


def test_a_character_whose_halves_come_in_two_deltas_is_one():
    first = b'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n'
    second = b'data: {"choices":[{"delta":{"content":"\\ude00b"},"finish_reason":"stop"}]}\n\n'
    assert assembled("openai-chat", first + second).messages() == [{"role": "assistant", "content": "a😀b"}]


def test_a_server_that_does_not_stream_gives_the_answer_at_once():
    for dialect, body in WHOLE.items():
        answer = assembled(dialect, json.dumps(body).encode())
        assert answer.body == body
        assert not answer.cut


def test_a_block_that_never_began_begins_with_its_first_delta():
    """Seen of proxies; only a call cannot begin so, for it would have no name."""
    text = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}
    start = EVENTS["anthropic"][0]
    assert assembled("anthropic", start, text).body["content"] == [{"type": "text", "text": "Hi"}]
    call = {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}}
    assembler = rj.Assembler("anthropic")
    assembler.feed(start)
    with pytest.raises(rj.StreamError, match=r"event 2 .* never began"):
        assembler.feed(call)


def test_blocks_deltas_and_events_that_nobody_knows_are_kept():
    new = {"type": "content_block_start", "index": 0, "content_block": {"type": "hologram", "rays": 3}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "ray_delta", "angle": 30}}
    strange = {"type": "content_block_hum", "pitch": 440}
    answer = assembled("anthropic", EVENTS["anthropic"][0], new, delta, strange)
    assert answer.body["content"] == [{"type": "hologram", "rays": 3, "angle": 30}]
    assert answer.strange == (strange,)


def test_the_last_event_of_a_response_may_leave_the_output_out():
    events = EVENTS["openai-responses"]
    for bare in ({**events[-1]["response"], "output": []}, {"id": "resp_1", "status": "completed"}):
        answer = assembled("openai-responses", *events[:-1], {**events[-1], "response": bare})
        assert answer.body["output"] == WHOLE["openai-responses"]["output"]
        assert not answer.cut


def test_signed_parts_of_gemini_are_not_joined_with_others():
    def parts(*said: Json) -> Json:
        return {"candidates": [{"content": {"role": "model", "parts": list(said)}}]}

    answer = assembled(
        "gemini",
        parts({"text": "a"}),
        parts({"text": "b", "thoughtSignature": "s"}),
        parts({"text": "c"}),
        parts({"text": "d"}),
    )
    said = answer.body["candidates"][0]["content"]["parts"]
    assert said == [{"text": "a"}, {"text": "b", "thoughtSignature": "s"}, {"text": "cd"}]


def by_path(*pieces: Json, goes_on: bool = True, **call: Any) -> Json:
    held = {**call, "partialArgs": list(pieces), "willContinue": goes_on}
    return {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": held}]}}]}


def test_arguments_that_come_by_their_paths_are_put_together():
    events = [
        by_path({"jsonPath": "$.city", "stringValue": "Zü", "willContinue": True}, name="f", id="a"),
        by_path({"jsonPath": "$.city", "stringValue": "rich"}, {"jsonPath": "$.days[0].n", "numberValue": 2}),
        by_path({"jsonPath": "$.days[1]['a b']", "boolValue": True}, {"jsonPath": "$.none", "nullValue": "NULL_VALUE"}),
    ]
    last = {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {}}]}, "finishReason": "STOP"}]}
    args = {"city": "Zürich", "days": [{"n": 2}, {"a b": True}], "none": None}
    whole = assembled("gemini", *events, last)
    assert whole.body["candidates"][0]["content"]["parts"] == [{"functionCall": {"name": "f", "id": "a", "args": args}}]
    assert (whole.cut, whole.unfinished) == (False, ())
    cut = assembled("gemini", *events)
    assert cut.cut
    assert cut.messages() == []
    assert [call.name for call in cut.unfinished] == ["f"]
    assert isinstance(cut.messages(unfinished=True)[0]["parts"][0]["functionCall"]["args"], str)
    bridge = rj.Bridge("gemini", "openai-chat")
    out = b"".join(bridge.feed(event) for event in (*events, last)) + bridge.close()
    (call,) = assembled("openai-chat", out).body["choices"][0]["message"]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == args
