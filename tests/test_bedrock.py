"""Bedrock Converse: how its blocks are read and written, and what it demands of each family of models."""

import base64
import json
import os
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faults
import rejoinder as rj
from judges.sdk_types import refusals_by_types
from judges.structure import refusals
from rejoinder.dialects.bedrock.blocks import read_block, write_block

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
HISTORIES = int(os.environ.get("REJOINDER_FUZZ", "500"))
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
