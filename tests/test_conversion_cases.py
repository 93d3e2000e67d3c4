"""Conversions with the outcome that is wanted: recorded conventions, and what each kind of content becomes."""

import json
from pathlib import Path
from typing import Any

import pytest

import rejoinder as rj
from rejoinder.dialects.detect import DIALECTS

Row = dict[str, Any]

# What the cases call a capability, a model has: newer Claude models take system messages among the others.
_MODELS = {True: "claude-opus-5", False: "claude-sonnet-4-5"}
# A loss that the case does not list, and another case lists for the very same thing: (id, what is told, why).
UNLISTED = {"c44-responses-to-anthropic": ("role developer", "c02 lists it: developer text becomes system text")}
# Cases whose outcome is another one, and why. Their dialect's tests hold the rest of them to the expectation.
DIFFERENT = {"c58-bedrock-error": "a body with calls and no tools is refused: the tools that were called are declared"}
PIXEL = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def model_of(case: Row) -> str | None:
    options = case.get("options", {})
    if "mid_conversation_system" in options:
        return _MODELS[options["mid_conversation_system"]]
    return options.get("model")


def conversions(folder: Path) -> list[Row]:
    lines = (folder / "cases" / "conversion-cases.jsonl").read_text("utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["id"] not in DIFFERENT]
    return [case for case in cases if case["from"] in DIALECTS and case["to"] in DIALECTS]


def test_each_recorded_conversion_comes_out_as_wanted_and_leads_back(evidence: Path):
    """The outcome is the expectation to the letter, nothing is left, and the side table gives the input again."""
    cases = conversions(evidence)
    assert len(cases) >= 24
    for case in cases:
        done = rj.convert(case["input"], case["to"], dialect=case["from"], model=model_of(case))
        body = {name: value for name, value in done.payload.items() if name != "model"}
        assert body == case["expected"], case["id"]
        assert done.left == (), case["id"]
        back = rj.convert(done.payload, case["from"], dialect=case["to"], side=done.side)
        assert json.dumps(back.payload) == json.dumps(case["input"]), case["id"]


def test_what_a_recorded_conversion_loses_is_named(evidence: Path):
    """Where a case lists losses there are losses; where it lists none there are none. (Ids are in the side table.)"""
    for case in conversions(evidence):
        done = rj.convert(case["input"], case["to"], dialect=case["from"], model=model_of(case))
        wanted = [loss for loss in case.get("lossy", []) if not loss.startswith("original id")]
        told = [loss for loss in done.losses if loss.what not in UNLISTED.get(case["id"], ())]
        assert bool(told) == bool(wanted), case["id"]


def test_a_loss_can_be_an_error():
    """`losses="raise"` refuses what would lose something, and says what."""
    audio = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
    with pytest.raises(rj.LossError, match="1 losses: audio"):
        rj.convert([{"role": "user", "content": [audio]}], "anthropic", dialect="openai-chat", losses="raise")


def test_settings_are_mapped_or_named():
    """Each member of a request arrives under the name the other API has for it, or is a loss."""
    tool = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}
    body = {
        "model": "gpt-5",
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [tool],
        "tool_choice": "required",
        "stop": "END",
        "max_tokens": 99,
        "temperature": 0.5,
        "seed": 7,
        "response_format": {"type": "json_object"},
        "logit_bias": {"1": 2},
    }
    done = rj.convert(body, "anthropic", model="claude-opus-5")
    assert done.payload == {
        "model": "claude-opus-5",
        "max_tokens": 99,
        "temperature": 0.5,
        "stop_sequences": ["END"],
        "tools": [{"name": "f", "description": "d", "input_schema": {"type": "object"}}],
        "tool_choice": {"type": "any"},
        "messages": [{"role": "user", "content": "hi"}],
    }
    assert {loss.what: loss.where for loss in done.losses} == {
        "seed": "/seed",
        "format": "/response_format",
        "logit_bias": "/logit_bias",
    }
    assert done.needs == ()


def test_settings_that_the_api_asks_for_are_named_and_not_made_up():
    """Nobody gave a model or a limit, and Anthropic wants both: they are named."""
    assert rj.convert({"messages": [{"role": "user", "content": "hi"}]}, "anthropic").needs == ("model", "max_tokens")


def test_system_text_of_a_list_needs_a_body():
    """A list has no place for system text where the API wants it in a field: a body comes back."""
    messages = [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hi"}]
    done = rj.convert(messages, "anthropic", dialect="openai-chat")
    assert done.payload == {"messages": [{"role": "user", "content": "hi"}], "system": "be kind"}


def test_an_image_in_a_result_moves_behind_all_results():
    """The note says where it went, and the note with it says where it came from."""
    call = {"type": "tool_use", "id": "t1", "name": "shot", "input": {}}
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    text = {"type": "text", "text": "done"}
    history = [
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [text, image]}]},
    ]
    done = rj.convert(history, "openai-chat")
    assert done.payload[2:] == [
        {"role": "tool", "tool_call_id": "t1", "content": "done\n[image 1 is attached in the next user message]"},
        {"role": "user", "content": [{"type": "text", "text": "[image 1 from tool result t1]"}, PIXEL]},
    ]
    assert [loss.what for loss in done.losses] == ["media position"]


def test_media_that_have_to_be_inline_are_asked_for_and_never_fetched_by_the_conversion():
    """`fetch` is asked once for each URL; without it a note stands in the place of the image."""
    url = "https://example.com/report.pdf"
    document = {"type": "document", "source": {"type": "url", "url": url}}
    history = [{"role": "user", "content": [document, document]}]
    asked: list[rj.Fetch] = []

    def fetch(ask: rj.Fetch) -> rj.Fetched:
        asked.append(ask)
        return rj.Fetched("JVBERi0=", "application/pdf")

    done = rj.convert(history, "openai-chat", fetch=fetch)
    assert asked == [rj.Fetch(url, "document")]
    file = {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERi0="}}
    assert done.payload == [{"role": "user", "content": [file, file]}]
    without = rj.convert(history, "openai-chat")
    assert [loss.what for loss in without.losses] == ["document", "document"]
    assert "omitted" in json.dumps(without.payload)


def test_thinking_crosses_to_nobody_else():
    """Sealed thinking is not sent to another provider, and is in the side table."""
    sealed = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    history = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [sealed, {"type": "text", "text": "a"}]},
        {"role": "user", "content": "r"},
    ]
    done = rj.convert(history, "openai-chat")
    assert "c2ln" not in json.dumps(done.payload)
    assert "c2ln" in json.dumps(done.side)
    assert rj.convert(done.payload, "anthropic", dialect="openai-chat", side=done.side).payload == history


def test_a_side_table_of_another_version_is_refused():
    with pytest.raises(rj.PayloadError, match="no side table"):
        rj.convert([{"role": "user", "content": "hi"}], "anthropic", side={"format": 99})
