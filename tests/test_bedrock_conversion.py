"""Bedrock Converse on the way to another API and back: blocks, marks, seals, media, bytes and settings."""

import base64
import json
from pathlib import Path
from typing import Any

import rejoinder as rj
from judges.structure import refusals
from test_bedrock import CLAUDE, PDF, PNG, assistant, call, result, text, user
from test_conversion_cases import DIFFERENT


def there_and_back(payload: Any, goal: str, *, dialect: str = "bedrock", **asked: Any) -> rj.Converted:
    """The conversion, held to the way back: through JSON text, the side table gives the original again."""
    done = rj.convert(payload, goal, dialect=dialect, **asked)
    back = rj.convert(done.payload, dialect, dialect=goal, side=json.loads(json.dumps(done.side)))
    assert back.payload == payload
    return done


def test_detection_knows_converse_by_its_blocks():
    assert rj.detect([user(text("hi"))]).dialect == "bedrock"
    assert rj.detect({"modelId": "m", "messages": []}).dialect == "bedrock"
    long = [user(text("q")), assistant(text("a"))] * 40 + [user(text("q"))]
    assert rj.check(long) == []


def test_the_different_case_is_different_in_its_tools_alone(evidence: Path):
    """Its messages are the expectation to the letter; besides, the tools that were called are declared."""
    rows = map(json.loads, (evidence / "cases" / "conversion-cases.jsonl").read_text("utf-8").splitlines())
    cases = [case for case in rows if case["id"] in DIFFERENT and "bedrock" in (case["from"], case["to"])]
    assert cases
    for case in cases:
        payload = there_and_back(case["input"], case["to"], dialect=case["from"]).payload
        assert {**payload, "toolConfig": None} == {**case["expected"], "toolConfig": None}
        assert refusals("bedrock", case["expected"]) == ["bedrock/toolconfig-required"]
        assert refusals("bedrock", payload) == []


def test_reasoning_of_claude_crosses_and_that_of_others_does_not():
    """Text, signature and redacted thinking go between Anthropic and Claude on Bedrock without a loss."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    hidden = {"type": "redacted_thinking", "data": "Emw="}
    body = {
        "model": "claude-sonnet-4-5",
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": [thought, hidden, {"type": "text", "text": "a"}]},
            {"role": "user", "content": "r"},
        ],
    }
    done = there_and_back(body, "bedrock", dialect="anthropic", model=CLAUDE)
    assert done.losses == ()
    sealed = {"reasoningText": {"text": "hm", "signature": "c2ln"}}
    redacted = {"redactedContent": base64.b64encode(b"Emw=").decode()}
    assert done.payload["messages"][1] == assistant(
        {"reasoningContent": sealed}, {"reasoningContent": redacted}, text("a")
    )
    assert done.payload["additionalModelRequestFields"] == {"thinking": body["thinking"]}
    alone = rj.convert(done.payload, "anthropic", model="claude-sonnet-4-5")
    assert alone.losses == ()
    assert alone.payload == body
    nova = there_and_back(body, "bedrock", dialect="anthropic", model="us.amazon.nova-lite-v1:0")
    assert {loss.what for loss in nova.losses} == {"thinking", "redacted_thinking"}
    assert "c2ln" not in json.dumps(nova.payload)


def test_cache_points_and_cache_control_cross_without_a_loss():
    """On tools, system text and blocks, with how long they hold; and by themselves back to what they were."""
    short, long = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}
    body = {
        "model": "claude-sonnet-4-5",
        "tools": [{"name": "look", "input_schema": {"type": "object"}, "cache_control": long}],
        "system": [{"type": "text", "text": "s", "cache_control": long}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "q", "cache_control": short}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a", "cache_control": short}],
            },
        ],
    }
    done = there_and_back(body, "bedrock", dialect="anthropic", model=CLAUDE)
    assert done.losses == ()
    marks = {"short": {"cachePoint": {"type": "default"}}, "long": {"cachePoint": {"type": "default", "ttl": "1h"}}}
    assert done.payload["system"] == [text("s"), marks["long"]]
    assert done.payload["toolConfig"]["tools"][1:] == [marks["long"]]
    assert done.payload["messages"][0] == user(text("q"), marks["short"])
    assert done.payload["messages"][2] == user(result("t1", text("a")), marks["short"])
    assert rj.convert(done.payload, "anthropic", model="claude-sonnet-4-5").payload == body
    chat = there_and_back(done.payload, "openai-chat")
    assert [loss.what for loss in chat.losses].count("cache mark") == 4


def test_settings_are_mapped_or_named():
    body = {
        "model": "gpt-5",
        "messages": [{"role": "system", "content": "terse"}, {"role": "user", "content": "hi"}],
        "tools": [
            {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}
        ],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
        "stop": "END",
        "max_tokens": 99,
        "temperature": 1.5,
        "top_p": 0.9,
        "seed": 7,
        "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}},
    }
    done = there_and_back(body, "bedrock", dialect="openai-chat", model=CLAUDE)
    structure = {"jsonSchema": {"name": "n", "schema": '{"type":"object"}'}}
    spec = {"name": "f", "description": "d", "inputSchema": {"json": {"type": "object"}}}
    assert done.payload == {
        "modelId": CLAUDE,
        "inferenceConfig": {"maxTokens": 99, "temperature": 1, "topP": 0.9, "stopSequences": ["END"]},
        "toolConfig": {"tools": [{"toolSpec": spec}], "toolChoice": {"tool": {"name": "f"}}},
        "outputConfig": {"textFormat": {"type": "json_schema", "structure": structure}},
        "system": [text("terse")],
        "messages": [user(text("hi"))],
    }
    assert {loss.what for loss in done.losses} == {"temperature", "seed"}
    again = rj.convert(done.payload, "openai-chat", model="gpt-5").payload
    assert again["tools"] == body["tools"]
    assert again["tool_choice"] == body["tool_choice"]
    assert again["response_format"] == body["response_format"]
    assert rj.convert({"messages": [{"role": "user", "content": "hi"}]}, "bedrock").needs == ("model",)


def test_media_come_inline_with_a_format_and_a_name():
    """URLs are fetched, documents get names of their own, and what Converse has no format for leaves a note."""
    asked: list[rj.Fetch] = []

    def fetch(ask: rj.Fetch) -> rj.Fetched:
        asked.append(ask)
        return rj.Fetched(PNG, "image/png")

    title = {
        "type": "document",
        "title": "a_b.pdf",
        "source": {"type": "base64", "media_type": "application/pdf", "data": PDF},
    }
    plain = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}}
    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    history = [{"role": "user", "content": [title, title, plain, image]}]
    done = there_and_back(history, "bedrock", dialect="anthropic", fetch=fetch)
    assert asked == [rj.Fetch("https://example.com/a.png", "image")]
    names = [block["document"]["name"] for block in done.payload[0]["content"] if "document" in block]
    assert names == ["a b pdf", "a b pdf 2", "document"]
    assert done.payload[0]["content"][2]["document"] == {
        "name": "document",
        "format": "txt",
        "source": {"text": "words"},
    }
    assert done.payload[0]["content"][3] == {"image": {"format": "png", "source": {"bytes": PNG}}}
    assert done.payload[0]["content"][4:] == [text(".")]
    assert "not fetched" in json.dumps(rj.convert(history, "bedrock", dialect="anthropic").payload)


def test_results_arrive_with_all_they_hold():
    """JSON is text elsewhere, images stay where they can, and so does how the tool fared."""
    inside = (text("a"), {"json": {"n": [1]}}, {"image": {"format": "png", "source": {"bytes": PNG}}})
    history = [
        user(text("q")),
        assistant(call(), call("t2")),
        user(result("t1", *inside), result("t2", text("boom"), status="error")),
    ]
    there = there_and_back(history, "anthropic").payload[2]["content"]
    assert [block.get("text") or block["type"] for block in there[0]["content"]] == ["a", '{"n":[1]}', "image"]
    assert there[1]["is_error"] is True
    assert rj.convert(there_and_back(history, "openai-chat").payload, "bedrock").left == ()


def test_guarded_and_cited_words_are_said_elsewhere_too():
    """No word of a user is lost because a guardrail was to look at it."""
    guarded = {"guardContent": {"text": {"text": "look at this", "qualifiers": ["query"]}}}
    cited = {"citationsContent": {"content": [text("it says")], "citations": [{"title": "t"}]}}
    done = there_and_back([user(guarded), assistant(cited), user(text("r"))], "openai-chat")
    assert [message["content"] for message in done.payload] == ["look at this", "it says", "r"]
    assert [loss.what for loss in done.losses] == ["guardContent", "citationsContent"]


def test_bytes_stay_bytes_and_are_told_as_base64():
    """Payloads for boto3 hold bytes: they come back as they were, and whatever is told of them is JSON."""
    image = {"image": {"format": "png", "source": {"bytes": base64.b64decode(PNG)}}}
    hidden = {"reasoningContent": {"redactedContent": b"Emw="}}
    history = [user(image, text("")), assistant(hidden, text("a")), user(image, text("b"))]
    outcome = rj.repair(history, "bedrock", model=CLAUDE)
    assert outcome.payload[0]["content"] == [image]
    assert outcome.payload[0]["content"][0] is image
    assert json.loads(json.dumps(outcome.as_dict()))["changed"]
    assert outcome.undo() == history
    done = there_and_back(history, "anthropic", model=CLAUDE)
    assert done.payload[1]["content"][0] == {"type": "redacted_thinking", "data": "Emw="}
    assert done.payload[0]["content"][0]["source"] == {"type": "base64", "media_type": "image/png", "data": PNG}
    json.dumps([done.as_dict(), done.side])
    # Who puts bytes where base64 was written, as boto3 wants it, still has what the side table knows.
    there = rj.convert([{"role": "user", "content": [done.payload[0]["content"][0]]}], "bedrock", dialect="anthropic")
    there.payload[0]["content"][0]["image"]["source"]["bytes"] = base64.b64decode(PNG)
    back = rj.convert(there.payload, "anthropic", dialect="bedrock", side=there.side)
    assert back.payload == [{"role": "user", "content": [done.payload[0]["content"][0]]}]
