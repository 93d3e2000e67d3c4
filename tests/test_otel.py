"""OpenTelemetry's GenAI messages: what is read, what is written, and what the conventions' schema says of it."""

import json
import os
import random
from typing import Any

import faults
import rejoinder as rj
import stores
from judges.otel_structure import faults as refused

NUMBER = int(os.environ.get("REJOINDER_JUDGED", "60"))
CALL = {"type": "tool_call", "id": "c1", "name": "f", "arguments": {"n": 1}}
ANSWER = {"type": "tool_call_response", "id": "c1", "response": "r"}


def says(role: str, *parts: Any, **members: Any) -> dict[str, Any]:
    return {"role": role, "parts": list(parts), **members}


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "content": text}


def test_it_is_told_from_other_shapes():
    history = stores.otel(faults.history(random.Random(3), "openai-chat", 6))
    found = rj.detect(history)
    assert (found.dialect, found.candidates) == ("otel", ("otel",))
    assert rj.check(history) == []


def test_a_response_of_any_form_is_a_result():
    """A string as it is, parts as parts, anything else as JSON; `result` is what older traces call it."""
    image = {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "iVBORw0KGgo="}
    for member, value, content in (
        ("response", "17", "17"),
        ("response", {"t": 17}, '{"t":17}'),
        ("result", [1, 2], "[1,2]"),
        ("response", [words("17")], [{"type": "text", "text": "17"}]),
        ("response", None, []),
    ):
        answer = {"type": "tool_call_response", "id": "c1", member: value}
        history = [says("user", words("q")), says("assistant", CALL), says("tool", answer), says("user", words("y"))]
        there = rj.convert(history, "anthropic")
        (result,) = (block for block in there.payload[2]["content"] if block["type"] == "tool_result")
        said = result.get("content") or []
        assert said in (content, "".join(block["text"] for block in content if isinstance(block, dict)))
    answer = {"type": "tool_call_response", "id": "c1", "response": [words("see"), image]}
    history = [says("user", words("q")), says("assistant", CALL), says("tool", answer), says("user", words("y"))]
    there = rj.convert(history, "anthropic").payload[2]["content"][0]
    assert [block["type"] for block in there["content"]] == ["text", "image"]


def test_a_result_keeps_its_member_when_its_id_changes():
    """What was not touched of a part stays: the older name, and what nobody knows."""
    answer = {"type": "tool_call_response", "result": [1], "x_unknown": 2}
    history = [says("user", words("q")), says("assistant", CALL, finish_reason="tool_call"), says("tool", answer)]
    mended = rj.repair(history, "pairs")
    assert mended.payload[2]["parts"] == [{**answer, "id": "c1"}]
    assert mended.payload[1] is history[1]


def test_what_a_provider_ran_and_what_nobody_knows():
    """Server tools owe nobody a result; parts of a type of one's own are kept, and told as lost elsewhere."""
    server = {"type": "server_tool_call", "id": "s", "name": "search", "server_tool_call": {"type": "search"}}
    history = [says("user", words("q")), says("assistant", server, {"type": "mine", "x": 1}, words("a"))]
    history.append(says("user", words("y")))
    assert rj.check(history) == []
    there = rj.convert(history, "openai-chat")
    assert [loss.what for loss in there.losses] == ["server_tool_call", "mine"]
    back = rj.convert(there.payload, "otel", dialect="openai-chat", side=json.loads(json.dumps(there.side)))
    assert back.payload == history


def test_media_of_each_kind_go_and_come():
    parts = [
        {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "iVBORw0KGgo="},
        {"type": "uri", "modality": "image", "mime_type": "image/png", "uri": "https://example.com/a.png"},
        {"type": "blob", "modality": "document", "mime_type": "application/pdf", "content": "JVBERi0="},
    ]
    history = [says("user", words("look"), *parts)]
    there = rj.convert(history, "anthropic")
    assert there.losses == ()
    assert rj.convert(there.payload, "otel", dialect="anthropic").payload == history


def test_what_is_written_is_what_the_conventions_say():
    """Conversions of broken and intact histories of both APIs, and repairs under each policy."""
    for number in range(NUMBER):
        rng = random.Random(number)
        for source in ("openai-chat", "anthropic"):
            messages = faults.history(rng, source, 1 + number % 5)
            for each in (messages, faults.broken(rng, messages, source, 3)[0]):
                there = rj.convert(each, "otel", dialect=source).payload
                assert list(refused(there if isinstance(there, list) else there["messages"])) == []
        near, _ = faults.broken(rng, faults.history(rng, "openai-chat", 1 + number % 5), "openai-chat", 3)
        for policy in ("drop", "strip", "answer"):
            assert list(refused(rj.repair(stores.otel(near), "pairs", policy=policy).payload)) == []


def test_the_judge_refuses_what_is_wrong():
    wrong = [says("user", {"type": "text", "text": "a"}), says("tool", {**ANSWER, "id": 7}), {"role": "user"}]
    found = ["0.0: text wants content", "1.0: tool_call_response: id is no string", "2: no parts"]
    assert list(refused(wrong)) == found
