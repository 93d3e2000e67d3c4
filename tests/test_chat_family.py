"""Mistral and DeepSeek: the shape of OpenAI Chat under other demands, held to executed and structural judges."""

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
from judges.chat_family_structure import chat_family_refusals
from judges.mistral_tokenizer import refusals_by_tokenizer
from laws.cases import POLICIES, broken_cases, messages_of, model_of
from test_evidence import Row, payload_of

HISTORIES = int(os.environ.get("REJOINDER_FUZZ", "500"))
OLD, HOSTED = "open-mistral-7b", "mistral-large-latest"
# The same request is accepted by one server and refused by another: whoever names no model is warned, and whoever
# names one of the models that refuse has it mended.
DISPUTED = {
    "mi-ok-user-after-tool": "mistral/role-order",
    "mi-ok-content-and-calls": "mistral/content-xor-calls",
}


def cases(folder: Path, verdict: str) -> list[Row]:
    """The wire cases of both, each with its dialect; those of DeepSeek stand among the compatible servers."""
    rows = map(json.loads, (folder / "cases" / "wire-cases.jsonl").read_text("utf-8").splitlines())
    found: list[Row] = []
    for row in rows:
        if row["dialect"] == "openai-compat" and "DeepSeek" in str(row.get("server")):
            row = {**row, "dialect": "deepseek", "model": "deepseek-v4-pro"}
        if row["dialect"] in ("mistral", "deepseek") and row["verdict"] == verdict:
            found.append(row)
    return found


def model_for(case: Row) -> str | None:
    """The model that a case is about, where it says so in words."""
    server = str(case.get("server"))
    return OLD if "v3" in server else HOSTED if "hosted" in server else case.get("model")


# --- Cases with a verdict ---------------------------------------------------------------------------------------------


def test_accepted_cases_have_no_findings_and_come_back_as_the_same_object(evidence: Path):
    """But for the two that other servers refuse: those have a warning, and are left alone all the same."""
    rows = cases(evidence, "accept")
    assert len(rows) >= 5
    for case in rows:
        payload = payload_of(case)
        found = rj.check(payload, case["dialect"], model=model_for(case))
        wanted = [DISPUTED[case["id"]]] if case["id"] in DISPUTED else []
        assert [each.clause for each in found] == wanted, case["id"]
        assert all(each.severity == "warning" for each in found), case["id"]
        assert rj.repair(payload, case["dialect"], model=model_for(case)).payload is payload, case["id"]


def test_refused_cases_are_found_by_the_clause_that_refuses_them(evidence: Path):
    """As an error for the model that the case is about; and at least as a warning where no model is named."""
    rows = cases(evidence, "reject")
    assert len(rows) >= 9
    for case in rows:
        found = rj.check(payload_of(case), case["dialect"], model=model_for(case))
        assert case["rule"] in {each.clause for each in found if each.severity == "error"}, case["id"]
        assert case["rule"] in {each.clause for each in rj.check(payload_of(case), case["dialect"])}, case["id"]
        told = next(each for each in found if each.clause == case["rule"])
        assert case["error"] in (None, told.provider_says), case["id"]


@pytest.mark.parametrize("policy", POLICIES)
def test_refused_cases_are_mended(evidence: Path, policy: str):
    """Afterwards both judges accept; of no messages at all it is told that there are none."""
    for case in cases(evidence, "reject"):
        done = rj.repair(payload_of(case), case["dialect"], model=model_for(case), policy=policy)
        left = [each.clause for each in done.left if each.severity == "error"]
        if not payload_of(case):
            assert left == ["mistral/messages-nonempty"]
            continue
        assert left == [], case["id"]
        assert refused(case["dialect"], done.payload, model_for(case)) == [], case["id"]
        assert done.undo() == payload_of(case), case["id"]


# --- Broken histories, repaired and judged ----------------------------------------------------------------------------


def refused(dialect: str, payload: Any, model: str | None) -> list[str]:
    """What the judges say against it: by structure, and for Mistral by three validators, with the oldest for OLD."""
    body = {"model": model, **(payload if isinstance(payload, dict) else {"messages": payload})}
    found = chat_family_refusals(dialect, body, hosted=model is not None, old=model == OLD)
    for version in (11, 13, 15, *((3,) if model == OLD else ())) if dialect == "mistral" else ():
        found += refusals_by_tokenizer(messages_of(payload), version)
    return found


@pytest.mark.parametrize("model", [None, HOSTED, OLD])
@given(data=st.data())
def test_the_validator_of_mistral_accepts_what_was_mended(model: str | None, data: st.DataObject):
    case = data.draw(broken_cases("mistral", "mistral"))
    done = rj.repair(case.messages, "mistral", dialect="mistral", model=model, policy=case.policy)
    assert refused("mistral", done.payload, model) == []


@given(case=broken_cases("deepseek", "deepseek"))
def test_the_judge_of_deepseek_accepts_what_was_mended(case: Any):
    assert refused("deepseek", case.repaired().payload, model_of(case.payload)) == []


@pytest.mark.parametrize(("dialect", "model"), [("mistral", HOSTED), ("mistral", OLD), ("deepseek", "deepseek-v4-pro")])
def test_many_random_broken_histories_are_accepted(dialect: str, model: str):
    """`REJOINDER_FUZZ` says how many."""
    before = 0
    for number in range(HISTORIES):
        rng = random.Random(f"{dialect} {number}")
        messages, names = faults.broken(rng, faults.history(rng, dialect, 1 + number % 6), dialect, 4)
        done = rj.repair(messages, dialect, model=model, dialect=dialect, policy=POLICIES[number % 3])
        assert refused(dialect, done.payload, model) == [], f"{number}: {names}"
        assert [each.clause for each in done.left if each.severity == "error"] == [], f"{number}: {names}"
        before += bool(refused(dialect, messages, model))
    assert before > HISTORIES / 2, "most of them were refused before"


# --- Reading and writing ----------------------------------------------------------------------------------------------


def test_what_was_written_for_openai_is_simply_read_for_mistral():
    """No dialect is named: the history is in OpenAI's shape, and what Mistral would refuse of it is mended."""
    call = {"id": "call_62Zf8LgBwqgW2V0Jwvc3WQ9E", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "w", "name": "alice"},
        {"role": "assistant", "content": None, "refusal": None, "annotations": [], "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": "18C"},
        {"role": "assistant", "content": "18C"},
    ]
    done = rj.repair(history, "mistral")
    assert done.payload == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "w"},
        {"role": "assistant", "content": None, "tool_calls": [{**call, "id": "32bbf9386"}]},
        {"role": "tool", "tool_call_id": "32bbf9386", "content": "18C"},
        {"role": "assistant", "content": "18C", "prefix": True},
    ]
    assert done.left == ()
    assert done.undo() == history


def test_ids_are_nine_digits_of_a_digest_and_two_never_become_one():
    """Where the digest of an id is another call's id already, another one is taken, each time the same."""
    taken = "32bbf9386"
    ids = ["call_62Zf8LgBwqgW2V0Jwvc3WQ9E", taken]
    calls = [{"id": each, "type": "function", "function": {"name": "f", "arguments": "{}"}} for each in ids]
    results = [{"role": "tool", "tool_call_id": each, "content": each} for each in ids]
    history = [{"role": "user", "content": "w"}, {"role": "assistant", "content": "", "tool_calls": calls}, *results]
    done = rj.repair(history, "mistral")
    new = [each["id"] for each in done.payload[1]["tool_calls"]]
    assert new[1] == taken
    assert new[0] != taken
    assert [each["tool_call_id"] for each in done.payload[2:]] == new
    assert rj.repair(history, "mistral").payload == done.payload
    assert refused("mistral", done.payload, None) == []


def test_chunks_of_mistral_are_read_and_kept():
    """Thinking, references, a bare URL and a document are known here, and what nobody understands stays."""
    history = [
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": "https://example.com/a.png"},
                {"type": "document_url", "document_url": "https://example.com/a.pdf", "document_name": "a.pdf"},
                {"type": "input_audio", "input_audio": "UklGRg=="},
                {"type": "text", "text": "What is this?"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Look."}], "closed": True},
                {"type": "text", "text": "A cat."},
                {"type": "reference", "reference_ids": [1]},
            ],
        },
        {"role": "user", "content": "Thanks."},
    ]
    assert rj.check(history, "mistral") == []
    assert rj.repair(history, "mistral").payload is history
    assert rj.detect(history).dialect == "mistral"


def test_a_body_of_openai_goes_to_mistral_with_its_settings():
    """Seed, stop, choice and format under Mistral's names; what it has no word for is named."""
    tool = {"type": "function", "function": {"name": "f"}}
    body = {
        "model": "gpt-5",
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [tool],
        "tool_choice": "required",
        "stop": "END",
        "max_completion_tokens": 99,
        "seed": 7,
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}},
        "user": "alice",
    }
    done = rj.convert(body, "mistral", model=HOSTED)
    assert done.payload == {
        "model": HOSTED,
        "max_tokens": 99,
        "stop": ["END"],
        "random_seed": 7,
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
        "tool_choice": "any",
        "response_format": body["response_format"],
        "messages": body["messages"],
    }
    assert [loss.what for loss in done.losses] == ["user"]
    back = rj.convert(done.payload, "openai-chat", dialect="mistral", side=json.loads(json.dumps(done.side)))
    assert json.dumps(back.payload) == json.dumps(body)


def test_what_only_mistral_can_be_asked_for_is_told():
    """A safe prompt and its own thinking stay behind, and the side table brings them back."""
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    body = {
        "model": HOSTED,
        "safe_prompt": True,
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [thinking, {"type": "text", "text": "The answer"}], "prefix": True},
        ],
    }
    done = rj.convert(body, "openai-chat", model="gpt-5")
    assert done.dialect == "mistral"
    assert {loss.what for loss in done.losses} == {"safe_prompt", "thinking", "prefix"}
    assert rj.convert(done.payload, "mistral", dialect="openai-chat", side=done.side).payload == body


def test_the_mark_to_go_on_crosses_between_those_who_have_it():
    """Mistral's `prefix` is DeepSeek's, and a prefill of Anthropic's becomes one."""
    history = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "The answer", "prefix": True}]
    done = rj.convert(history, "deepseek", dialect="mistral")
    assert (done.payload, done.losses) == (history, ())
    prefill = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "The answer"}]
    assert rj.convert(prefill, "mistral", dialect="anthropic").payload == history


def test_the_assistant_says_a_word_between_results_and_the_user():
    """What OpenAI takes as it is, needs a turn of the assistant for Mistral; the way back has none of it."""
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "user", "content": "w"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "18C"},
        {"role": "user", "content": "thanks"},
    ]
    done = rj.convert(history, "mistral", dialect="openai-chat")
    assert done.payload[3:] == [{"role": "assistant", "content": "OK"}, history[3]]
    assert [loss.what for loss in done.losses] == ["turn order"]
    assert refused("mistral", done.payload, HOSTED) == []
    assert rj.convert(done.payload, "openai-chat", dialect="mistral", side=done.side).payload == history


# --- DeepSeek ---------------------------------------------------------------------------------------------------------


def test_thinking_of_deepseek_stands_beside_its_words_and_stays_there():
    """It is told when another provider cannot take it, and the side table brings it back."""
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "user", "content": "time?"},
        {"role": "assistant", "content": None, "tool_calls": [call], "reasoning_content": "The user wants the time."},
        {"role": "tool", "tool_call_id": "call_1", "content": "12:00"},
    ]
    assert rj.check(history, "deepseek", model="deepseek-v4-pro") == []
    for goal in ("openai-chat", "anthropic", "mistral"):
        done = rj.convert(history, goal, dialect="deepseek")
        assert "wants the time" not in json.dumps(done.payload)
        assert "thinking" in {loss.what for loss in done.losses}
        assert rj.convert(done.payload, "deepseek", dialect=goal, side=done.side).payload == history


def test_a_history_with_thinking_keeps_it_on_the_way_to_deepseek():
    """In OpenAI's shape, but with what only DeepSeek's readers know: it is read as they would."""
    history = [
        {"role": "user", "content": "time?"},
        {"role": "assistant", "content": "Noon.", "reasoning_content": "It is twelve."},
        {"role": "user", "content": "thanks"},
    ]
    body = {"model": "deepseek-chat", "max_completion_tokens": 9, "messages": history}
    assert rj.convert(history, "deepseek").payload == history
    assert rj.convert(body, "deepseek").payload == {"model": "deepseek-chat", "max_tokens": 9, "messages": history}


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        ("deepseek-v4-flash", True),
        ("deepseek/deepseek-reasoner", True),
        ("kimi-k2.5", True),
        ("moonshotai/Kimi-K2-Thinking", True),
        ("xiaomi/mimo-v2-flash", True),
        ("kimi-k2-0905-preview", False),
        ("deepseek-chat", False),
    ],
)
def test_which_models_want_their_thinking_back(model: str, wanted: bool):
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "user", "content": "time?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "12:00"},
    ]
    done = rj.repair(history, "deepseek", model=model)
    assert done.changed == wanted
    assert ("reasoning_content" in done.payload[1]) == wanted


def test_an_image_is_left_out_for_deepseek_and_said_to_be():
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    history = [{"role": "user", "content": [{"type": "text", "text": "this?"}, image]}]
    assert rj.check(history, "deepseek", model="kimi-k2.5") == []
    for model in (None, "deepseek-v4-pro"):
        done = rj.repair(history, "deepseek", model=model)
        assert "image_url" not in json.dumps(done.payload)
        assert [(step.fix, step.cost) for step in done.steps] == [("placeholder", "drops")]
        assert done.undo()[0]["content"][1] is image
