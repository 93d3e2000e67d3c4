"""Gemini: both spellings, calls without ids, seals, what it alone has, and what becomes of it elsewhere."""

import json
from typing import Any

import pytest

import rejoinder as rj
from gemini_shape import in_snake
from judges.structure import refusals
from laws.cases import written

# The value that Google documents for a call that none of its models made, in base64.
BYPASS = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: Any) -> dict[str, Any]:
    return {**user(*parts), "role": "model"}


def call(name: str = "f", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}, **more}}


def response(name: str = "f", words: str = "1", **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": words}, **more}}


def found(payload: Any, name: str | None = None) -> list[str]:
    return [finding.clause for finding in rj.check(payload, "gemini", model=name)]


def mended(payload: Any, **more: Any) -> Any:
    outcome = rj.repair(payload, "gemini", dialect="gemini", **more)
    assert [finding.clause for finding in outcome.left if finding.severity == "error"] == []
    assert written(outcome.undo()) == written(payload)
    return outcome.payload


# --- Reading and writing ----------------------------------------------------------------------------------------------


def test_what_nobody_understands_stays_the_same_object():
    """Beside a part that goes, every other part is the object that it was, with all that it says."""
    kept = [
        {"text": "a", "videoMetadata": {"fps": 1}},
        {"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "CqwL"},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {}, "id": "t"}, "thoughtSignature": "CqwL"},
        {"part_of_tomorrow": {"x": [1]}},
        {"text": "hm", "thought": True, "partMetadata": {"k": 1}},
    ]
    contents = [user("q"), model(*kept, call()), user("never mind")]
    out = mended(contents, policy="strip")
    assert all(new is old for new, old in zip(out[1]["parts"], kept, strict=True))
    assert out[0] is contents[0]


def test_a_content_without_a_role_is_the_users():
    """The API has it so; nothing is found, and nothing is written into it."""
    payload = {"contents": [{"parts": [{"text": "hi"}]}]}
    assert rj.check(payload, "gemini") == []
    assert rj.convert(payload, "openai-chat").payload["messages"] == [{"role": "user", "content": "hi"}]


def test_what_is_written_anew_is_spelled_as_the_payload_is():
    """A result that nobody recorded is a `function_response` among others, and a `functionResponse` by default."""
    contents = [user("q"), model(call(), call("g")), user(response())]
    assert "functionResponse" in mended(contents, policy="answer")[2]["parts"][1]
    snaky = mended(in_snake(contents), policy="answer")
    assert [list(part) for part in snaky[2]["parts"]] == [["function_response"], ["function_response"]]
    unseen = mended({"system_instruction": {"parts": [{"text": "s"}]}, "contents": [user("q"), model(call())]})
    assert unseen["contents"] == [user("q")]


def test_system_text_among_the_contents_goes_to_the_instruction():
    """In a body it has a member; in a list the user says it, marked."""
    contents = [{"role": "system", "parts": [{"text": "be brief"}]}, user("hi")]
    assert found(contents) == ["gemini/role-known"]
    in_body = {"system_instruction": {"parts": [{"text": "be kind"}]}, "contents": contents}
    assert mended(in_body) == {
        "system_instruction": {"parts": [{"text": "be kind"}, {"text": "be brief"}]},
        "contents": [user("hi")],
    }
    assert mended({"contents": contents})["systemInstruction"] == {"parts": [{"text": "be brief"}]}
    assert mended(contents)[0] == user("<system>be brief</system>")


@pytest.mark.parametrize(
    ("role", "known"), [("assistant", "model"), ("ai", "model"), ("function", "user"), ("tool", "user")]
)
def test_other_words_for_the_roles_are_mended(role: str, known: str):
    """Results under `function` stay the results of their calls."""
    said = [{"functionResponse": {"name": "f", "response": {"output": "1"}}}] if known == "user" else [{"text": "a"}]
    before = [user("q"), model(call())] if known == "user" else [user("q")]
    out = mended([*before, {"role": role, "parts": said}, user("go on")])
    assert out[len(before)] == {"role": known, "parts": said}


@pytest.mark.parametrize("text", ["hi", {"text": "hi"}])
def test_parts_that_are_no_list(text: Any):
    """Bare words are put into a list; one part that is in none is a part."""
    out = mended([{"role": "user", "parts": text}])
    assert out == ([user("hi")] if text == "hi" else [{"role": "user", "parts": text}])


# --- Calls without ids ------------------------------------------------------------------------------------------------

NAMELESS = [
    ("two of one name, in order", [model(call(), call()), user(response(), response())], None),
    ("names tell which is which", [model(call(), call("g")), user(response("g"), response())], None),
    ("each in a content of its own", [model(call()), model(call("g")), user(response()), user(response("g"))], None),
    ("an id on one side only", [model(call(id="a")), user(response())], None),
    ("an id on the other side only", [model(call()), user(response(id="a"))], None),
    (
        "one is missing",
        [model(call(), call("g")), user(response("g")), model("so")],
        [model("so")],
    ),
    (
        "one too many",
        [model(call()), user(response(), response(words="2")), model("so")],
        [model(call()), user(response()), model("so")],
    ),
    (
        "one of a tool that was not called",
        [model(call()), user(response(), response("h")), model("so")],
        [model(call()), user(response()), model("so")],
    ),
    (
        "one that comes too late",
        [model(call(), call("g")), user(response()), model("so"), user(response("g"), "and?")],
        [model(call(), call("g")), user(response(), response("g")), model("so"), user("and?")],
    ),
    (
        "an old call gets no result of a newer one",
        [model(call()), user("stop"), model(call()), user(response(words="new"), response(words="new too"))],
        [user("stop"), model(call()), user(response(words="new"))],
    ),
    (
        "another name",
        [model(call()), user(response("g"))],
        [model(call()), user(response("f"))],
    ),
]


@pytest.mark.parametrize(("contents", "wanted"), [case[1:] for case in NAMELESS], ids=[case[0] for case in NAMELESS])
@pytest.mark.parametrize("spelled", [list, in_snake])
def test_calls_without_ids_are_matched_by_place_and_name(spelled: Any, contents: list[Any], wanted: list[Any] | None):
    """Parallel ones, the same name twice, too few and too many: found, mended, or left alone where all is well."""
    history = spelled([user("q"), *contents])
    out = mended(history)
    if wanted is None:
        assert rj.check(history, "gemini") == []
        assert out is history
    else:
        assert out == spelled([user("q"), *wanted])
    assert refusals("gemini", out) == []


@pytest.mark.parametrize("goal", ["openai-chat", "anthropic"])
def test_calls_without_ids_get_some_on_the_way_elsewhere(goal: str):
    """Derived from their place, the same on both sides, and gone again on the way back."""
    contents = [user("q"), model(call(), call()), user(response(words="a"), response(words="b"))]
    done = rj.convert(contents, goal)
    ids = [name for name in ("call_1_0", "call_1_1") if written(done.payload).count(name) == 2]
    assert len(ids) == 2
    assert done.left == ()
    assert rj.convert(done.payload, "gemini", dialect=goal, side=json.loads(written(done.side))).payload == contents


# --- Seals ------------------------------------------------------------------------------------------------------------


def test_a_call_of_another_provider_has_the_documented_value_in_place_of_a_seal():
    """For Gemini 3, on the first of parallel calls, and told as a loss; for models before it nothing is needed."""
    asked = [
        {"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}} for name in ("call_a", "call_b")
    ]
    history = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": asked},
        *({"role": "tool", "tool_call_id": name, "content": "1"} for name in ("call_a", "call_b")),
    ]
    done = rj.convert(history, "gemini", model="gemini-3.1-pro-preview")
    assert [part.get("thoughtSignature") for part in done.payload[1]["parts"]] == [BYPASS, None]
    assert [loss.what for loss in done.losses] == ["thinking.call_sealed"]
    older = rj.convert(history, "gemini", model="gemini-2.5-flash")
    assert BYPASS not in written(older.payload)
    assert older.losses == ()


def test_a_seal_crosses_to_nobody_and_comes_back():
    """A signature is not sent to another provider; the side table has it."""
    contents = [user("q"), model({**call(id="a"), "thoughtSignature": "CqwL"}), user(response(id="a"))]
    for goal in ("openai-chat", "anthropic"):
        done = rj.convert(contents, goal)
        assert "CqwL" not in written(done.payload)
        assert [loss.what for loss in done.losses] == ["thought signature"]
        assert rj.convert(done.payload, "gemini", dialect=goal, side=done.side).payload == contents


# --- Conversion -------------------------------------------------------------------------------------------------------


def test_settings_are_those_of_the_sdk_and_lead_back():
    """Every setting that has a name here is mapped; the SDK's own types accept what is written."""
    from google.genai.types import GenerateContentConfig

    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    answer = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    tool = {"type": "function", "function": {"name": "f", "description": "d", "parameters": schema}}
    body = {
        "model": "gpt-5",
        "messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hi"}],
        "tools": [tool],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
        "stop": ["END"],
        "max_completion_tokens": 99,
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "reasoning_effort": "low",
        "response_format": answer,
        "logit_bias": {"1": 2},
    }
    done = rj.convert(body, "gemini", model="gemini-3-pro-preview")
    config: Any = done.payload["generationConfig"]
    assert config == {
        "maxOutputTokens": 99,
        "temperature": 0.5,
        "topP": 0.9,
        "seed": 7,
        "stopSequences": ["END"],
        "responseMimeType": "application/json",
        "responseJsonSchema": schema,
        "thinkingConfig": {"thinkingLevel": "LOW"},
    }
    rest = {name: done.payload[name] for name in ("tools", "toolConfig", "systemInstruction")}
    assert rest == {
        "tools": [{"functionDeclarations": [{"name": "f", "description": "d", "parametersJsonSchema": schema}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}},
        "systemInstruction": {"parts": [{"text": "be kind"}]},
    }
    GenerateContentConfig.model_validate({**config, **rest})
    assert {loss.what for loss in done.losses} == {"format", "logit_bias"}
    back = rj.convert(done.payload, "openai-chat", dialect="gemini", model="gpt-5").payload
    assert {name: back[name] for name in body if name not in ("logit_bias", "response_format")} == {
        name: value for name, value in body.items() if name not in ("logit_bias", "response_format")
    }


def test_a_schema_of_this_api_becomes_json_schema():
    """Types in capitals and `nullable` are this API's own; one tool that is in no list is a tool."""
    schema = {"type": "OBJECT", "properties": {"type": {"type": "STRING", "nullable": True}}, "required": ["type"]}
    declared = {"functionDeclarations": [{"name": "f", "parameters": schema}]}
    for tools in (declared, [declared], in_snake(declared)):
        done = rj.convert({"contents": [user("hi")], "tools": tools}, "openai-chat")
        (tool,) = done.payload["tools"]
        assert tool["function"]["parameters"] == {
            "type": "object",
            "properties": {"type": {"type": ["string", "null"]}},
            "required": ["type"],
        }


def test_what_only_this_provider_understands_is_named():
    """Its own tools, its own settings and its own parts are losses, and all that was said arrives."""
    body = {
        "contents": [
            user("q", {"inlineData": {"mimeType": "video/mp4", "data": "AAAA"}, "videoMetadata": {"fps": 2}}),
            model(
                {"executableCode": {"language": "PYTHON", "code": "1"}}, {"codeExecutionResult": {"output": "1"}}, "a"
            ),
            user("r"),
        ],
        "tools": [{"codeExecution": {}}],
        "safetySettings": [{"category": "c", "threshold": "t"}],
        "generationConfig": {"thinkingConfig": {"thinkingBudget": 5}},
    }
    done = rj.convert(body, "anthropic", model="claude-opus-5")
    assert [message["role"] for message in done.payload["messages"]] == ["user", "assistant", "user"]
    told = {loss.what for loss in done.losses}
    assert told >= {"executableCode", "codeExecutionResult", "video", "videoMetadata", "tool codeExecution"}
    assert told >= {"safetySettings", "thinkingBudget"}
    assert rj.convert(done.payload, "gemini", dialect="anthropic", side=done.side).payload == body


def test_media_elsewhere_need_a_type_and_those_of_results_their_bytes():
    """A URL that ends in no known type is asked for; one in a result moves behind the results."""
    asked: list[str] = []

    def fetch(ask: rj.Fetch) -> rj.Fetched:
        asked.append(ask.url)
        return rj.Fetched(PIXEL, "image/png")

    def seen(url: str) -> dict[str, Any]:
        return {"type": "image", "source": {"type": "url", "url": url}}

    known, unknown = "https://example.com/a.png?x=1", "https://example.com/a"
    history = [{"role": "user", "content": [seen(known), seen(unknown)]}]
    done = rj.convert(history, "gemini", dialect="anthropic", fetch=fetch)
    assert asked == [unknown]
    assert done.payload[0]["parts"] == [
        {"fileData": {"fileUri": known, "mimeType": "image/png"}},
        {"inlineData": {"mimeType": "image/png", "data": PIXEL}},
    ]
    use = {"type": "tool_use", "id": "t", "name": "shot", "input": {}}
    shown = {"type": "tool_result", "tool_use_id": "t", "content": [seen(known)]}
    history = [*history[:1], {"role": "assistant", "content": [use]}, {"role": "user", "content": [shown]}]
    done = rj.convert(history, "gemini", dialect="anthropic", model="gemini-3-pro-preview", fetch=fetch)
    assert done.left == ()
    assert done.payload[-1]["parts"][1] == {"fileData": {"fileUri": known, "mimeType": "image/png"}}


def test_a_file_of_its_own_store_is_no_url():
    """What was handed to Google before cannot be fetched by anybody else."""
    for uri in ("gs://bucket/a.pdf", "https://generativelanguage.googleapis.com/v1beta/files/k8"):
        file = {"fileData": {"fileUri": uri, "mimeType": "application/pdf"}}
        done = rj.convert([user(file, "Well?")], "anthropic", dialect="gemini")
        assert [loss.what for loss in done.losses] == ["document"]
        assert uri not in written(done.payload)


def test_inline_bytes_are_base64_as_everybody_reads_it():
    """The alphabet for URLs, and bytes without padding, are this API's own; words are sent as words."""
    image = {"inlineData": {"mimeType": "image/png", "data": "_-8"}}
    text = {"inline_data": {"mime_type": "text/csv", "data": "YSxi"}}
    done = rj.convert([user(image, text)], "anthropic", dialect="gemini")
    assert [block["source"] for block in done.payload[0]["content"]] == [
        {"type": "base64", "media_type": "image/png", "data": "/+8="},
        {"type": "text", "media_type": "text/plain", "data": "a,b"},
    ]
    assert rj.convert(done.payload, "gemini", dialect="anthropic", side=done.side).payload == [user(image, text)]
