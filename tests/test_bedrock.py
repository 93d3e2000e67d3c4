"""Bedrock Converse: what its blocks become on the way to another API and back, and what it demands by the model."""

import base64
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faults
import rejoinder as rj
from judges.sdk_types import refusals_by_types
from judges.structure import refusals
from rejoinder.dialects.bedrock.blocks import read_block, write_block
from test_conversion_cases import DIFFERENT

CLAUDE, NEW_CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "us.anthropic.claude-opus-4-6-v1"
MODELS = (
    None,
    CLAUDE,
    NEW_CLAUDE,
    "us.amazon.nova-2-lite-v1:0",
    "us.meta.llama4-maverick-17b-instruct-v1:0",
    "mistral.mistral-large-2407-v1:0",
    "us.writer.palmyra-x5-v1:0",
    "qwen.qwen3-32b-v1:0",
)
HISTORIES = int(os.environ.get("REJOINDER_FUZZ", "1200"))
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n0000").decode()
PDF = base64.b64encode(b"%PDF-1.4\n").decode()


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(said: str) -> dict[str, Any]:
    return {"text": said}


def call(call_id: str = "t1", **given: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": call_id, "name": "look", "input": given}}


def result(call_id: str, *content: Any, **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": call_id, "content": list(content), **more}}


def there_and_back(payload: Any, goal: str, *, dialect: str = "bedrock", **asked: Any) -> rj.Converted:
    """The conversion, held to the way back: through JSON text, the side table gives the original again."""
    done = rj.convert(payload, goal, dialect=dialect, **asked)
    back = rj.convert(done.payload, dialect, dialect=goal, side=json.loads(json.dumps(done.side)))
    assert back.payload == payload
    return done


# --- Reading and writing ----------------------------------------------------------------------------------------------

EACH_BLOCK: list[dict[str, Any]] = [
    text("a"),
    {"image": {"format": "png", "source": {"bytes": PNG}}},
    {"image": {"format": "png", "source": {"bytes": b"\x89PNG"}, "error": {"message": "m"}}},
    {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://b/a.png", "bucketOwner": "111122223333"}}}},
    {
        "document": {
            "name": "a",
            "format": "pdf",
            "source": {"bytes": PDF},
            "context": "c",
            "citations": {"enabled": True},
        }
    },
    {"document": {"name": "a", "source": {"content": [text("x"), text("y")]}}},
    {"video": {"format": "three_gp", "source": {"bytes": "AAAA"}}},
    {"audio": {"format": "wav", "source": {"bytes": "UklGRg=="}}},
    call(),
    {"toolUse": {"toolUseId": "t", "name": "n", "input": {}, "type": "server_tool_use"}},
    result("t1", text("a"), {"json": {"a": [1]}}, {"searchResult": {"source": "s", "title": "t", "content": []}}),
    result("t1", status="error"),
    {"toolResult": {"toolUseId": "t", "content": [{"json": {}}], "type": "nova_code_interpreter_result"}},
    {"guardContent": {"text": {"text": "a", "qualifiers": ["query"]}}},
    {"guardContent": {"image": {"format": "png", "source": {"bytes": PNG}}}},
    {"cachePoint": {"type": "default", "ttl": "1h"}},
    {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
    {"reasoningContent": {"redactedContent": "RW13PQ=="}},
    {"citationsContent": {"content": [text("a")], "citations": [{"title": "t"}]}},
    {"citationsContent": {"citations": []}},
    {"searchResult": {"source": "s", "title": "t", "content": []}},
    {"toolAddition": {"tool": {"name": "n"}}},
    {"toolRemoval": {"tool": {"name": "n"}}},
]


@pytest.mark.parametrize("block", EACH_BLOCK, ids=lambda block: next(iter(block)))
def test_each_block_is_known_and_comes_back_as_the_same_object(block: dict[str, Any]):
    """All kinds of the service model are read without an odd word, in a message and by botocore too."""
    part = read_block(block)
    assert write_block(part) is block
    assert not any(quirk.startswith(("type:", "block:", "kinds:", "member:")) for quirk in part.quirks)
    assert refusals_by_types("bedrock", [user(block)]) == []


_WORDS = st.sampled_from(("", "a", "t1", "success", "png", "default", "s3://b/c", "RW13PQ==", "\ud83d"))
_NAMES = st.sampled_from(
    "text image document video audio toolUse toolResult reasoningContent cachePoint guardContent citationsContent json "
    "searchResult toolUseId name input content status type format source bytes s3Location uri reasoningText signature "
    "redactedContent ttl x_unknown".split()
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.binary(max_size=3) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=12,
)
_MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(("user", "assistant", "system", "tool")), "content": st.lists(_JSON, max_size=4) | _JSON}
)


@given(st.lists(_MESSAGE | _JSON, max_size=4), st.sampled_from(MODELS))
def test_no_shape_is_an_accident(messages: list[Any], model: str | None):
    """Whatever stands in the blocks: the same object, a repair that settles, is undone and told as JSON."""
    before = repr(messages)
    outcome = rj.repair(messages, "bedrock", dialect="bedrock", model=model)
    assert repr(outcome.undo()) == before == repr(messages)
    json.dumps(outcome.as_dict())
    assert rj.repair(outcome.payload, "bedrock", dialect="bedrock", model=model).steps == ()
    done = rj.convert(messages, "anthropic", dialect="bedrock", model=CLAUDE)
    json.dumps([done.as_dict(), done.side])
    back = rj.convert(done.payload, "bedrock", dialect="anthropic", side=json.loads(json.dumps(done.side)))
    assert repr(back.payload) == before


# --- By the model -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_random_broken_histories_are_mended_for_each_family(model: str | None):
    """Repaired for a model, alone or in a body without tools, the judges accept each and nothing is left to do."""
    for number in range(HISTORIES // 8):
        rng = random.Random(f"{model} {number}")
        messages, _ = faults.broken(rng, faults.history(rng, "bedrock", 1 + number % 6), "bedrock", 4)
        payload: Any = messages if number % 2 else {"messages": messages, "system": [text("be kind")]}
        outcome = rj.repair(payload, "bedrock", dialect="bedrock", model=model)
        assert refusals("bedrock", outcome.payload, model) == [], (model, number)
        out = outcome.payload if isinstance(outcome.payload, list) else outcome.payload["messages"]
        assert refusals_by_types("bedrock", out) == [], (model, number)
        assert rj.repair(outcome.payload, "bedrock", dialect="bedrock", model=model).payload is outcome.payload
        assert outcome.undo() == payload


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic"])
def test_random_broken_histories_arrive_in_a_form_that_is_accepted(dialect: str, model: str | None):
    """Converted for a model, no judge refuses any of them."""
    for number in range(HISTORIES // 16):
        rng = random.Random(f"{dialect} {model} {number}")
        messages, _ = faults.broken(rng, faults.history(rng, dialect, 1 + number % 6), dialect, 4)
        done = rj.convert({"messages": messages}, "bedrock", dialect=dialect, model=model)
        assert refusals("bedrock", done.payload, model) == [], (dialect, model, number)
        assert refusals_by_types("bedrock", done.payload["messages"]) == [], (dialect, model, number)


def found(messages: list[Any], model: str | None) -> set[str]:
    return {finding.clause.partition("/")[2] for finding in rj.check(messages, "bedrock", model=model)}


def test_who_may_begin_depends_on_the_family():
    begun = [assistant(text("Hi")), user(text("x"))]
    for model in MODELS[3:7]:
        assert found(begun, model) == {"start-user"}, model
    assert found(begun, CLAUDE) == found(begun, "qwen.qwen3-32b-v1:0") == found(begun, "zai.glm-4.7") == set()
    arn = "arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/abcdef123456"
    assert found(begun, arn) == set()
    assert [finding.severity for finding in rj.check(begun, "bedrock")] == ["warning"]


def test_what_stands_beside_results_depends_on_the_family():
    """Llama, Mistral and Writer take results alone; Llama takes calls alone, too."""
    mixed = [user(text("q")), assistant(text("a"), call()), user(result("t1", text("b")), text("c"))]
    counts = {
        model: sum(f.clause == "bedrock/no-mixed-turn" for f in rj.check(mixed, "bedrock", model=model))
        for model in MODELS
    }
    assert list(counts.values()) == [0, 0, 0, 0, 2, 1, 1, 0]


def test_a_cache_point_between_results_is_no_word_of_the_user():
    mark = {"cachePoint": {"type": "default"}}
    asked = [user(text("q")), assistant(call(), call("t2")), user(result("t1"), mark, result("t2"), mark)]
    for model in MODELS:
        assert found(asked, model) == set(), model


def test_five_cache_points_are_one_too_many_for_claude():
    """The last in front of the messages and the last of those stay; the earliest goes, and only it."""
    mark = {"cachePoint": {"type": "default"}}
    tools = {"tools": [{"toolSpec": {"name": "look", "inputSchema": {"json": {}}}}, mark]}
    body = {
        "toolConfig": tools,
        "system": [text("s"), mark],
        "messages": [user(text("a"), mark, text("b"), mark, text("c"), mark)],
    }
    outcome = rj.repair(body, "bedrock", model=CLAUDE)
    assert outcome.payload["toolConfig"]["tools"] == tools["tools"][:1]
    assert json.dumps(outcome.payload).count("cachePoint") == 4
    assert outcome.undo() == body
    assert not rj.repair(body, "bedrock", model="us.amazon.nova-pro-v1:0").changed


def test_thinking_that_is_asked_for_is_where_converse_has_it():
    body = {
        "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}},
        "toolConfig": {"tools": [{"toolSpec": {"name": "look", "inputSchema": {"json": {}}}}]},
        "messages": [user(text("q")), assistant(call()), user(result("t1", text("a")))],
    }
    assert [finding.clause for finding in rj.check(body, "bedrock", model=CLAUDE)] == ["bedrock/reasoning-first"]


def test_strings_for_content_are_written_as_blocks():
    """The most common slip: the content, the system text or the content of a result as a plain string."""
    held = {"toolUseId": "t1", "content": "18C"}
    body = {
        "system": "terse",
        "messages": [{"role": "user", "content": "q"}, assistant(call()), user({"toolResult": held})],
        "toolConfig": {"tools": [{"toolSpec": {"name": "look", "inputSchema": {"json": {}}}}]},
    }
    outcome = rj.repair(body, "bedrock", dialect="bedrock")
    assert outcome.payload["system"] == [text("terse")]
    assert outcome.payload["messages"] == [user(text("q")), assistant(call()), user(result("t1", text("18C")))]


# --- On the way to another API and back -------------------------------------------------------------------------------


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
