"""Targets made of chat templates: what they refuse is learnt, and what is mended for them they take."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

import faults
import rejoinder as rj
from judges.chat_templates import FOLDER, NAMES, TOOLS, refusal
from rejoinder.dialects.chat_template.probe import Said, probe
from rejoinder.edge.chat_template import render

USER = {"role": "user", "content": "What is the weather in Paris?"}
ANSWER = {"role": "assistant", "content": "18C in Paris."}
# Templates that look like those of the recorded cases, by the names that the cases use.
LIKE = {
    "google-gemma-2-2b-it": "alternating_without_system",
    "mistralai-Mistral-Nemo-Instruct-2407": "alternating_with_nine_letter_ids",
    "mistralai-Ministral-3-14B-Reasoning-2512": "alternating_with_chunks",
    "Mistral-Small-3.2-24B-Instruct-2506": "alternating_with_chunks",
    "meta-llama-Llama-3.1-8B-Instruct": "one_call_at_a_time",
    "Qwen3.5-4B": "system_first_and_a_query",
    "Qwen3-Coder": "arguments_as_items",
    "openai-gpt-oss-120b": "channels",
    "GLM-4.6": "arguments_checked",
    "Kimi-K3": "names_resolved",
    "NousResearch-Hermes-3-Llama-3.1-8B-tool_use": "permissive",
    "MiniMax-M2": "results_after_calls",
    "Apertus-8B-Instruct": "results_after_calls",
}


def recorded(folder: Path, verdict: str) -> list[dict[str, Any]]:
    rows = map(json.loads, (folder / "cases" / "wire-cases.jsonl").read_text("utf-8").splitlines())
    return [row for row in rows if row["dialect"] == "chat-template" and row["verdict"] == verdict]


def target(name: str) -> str:
    return f"template:{FOLDER / f'{name}.jinja'}"


def call(*ids: str, arguments: Any = None, **members: Any) -> dict[str, Any]:
    given = {"city": "Paris"} if arguments is None else arguments
    held = [{"id": each, "type": "function", "function": {"name": "f", "arguments": given}} for each in ids]
    return {"role": "assistant", "content": "", "tool_calls": held, **members}


def result(call_id: str, **members: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "18C", **members}


TURN = [USER, call("abc123def"), result("abc123def", name="f")]
SYSTEM = {"role": "system", "content": "Be brief."}
# (template, a history that it refuses, the clause that says so)
REFUSED: list[tuple[str, list[Any], str]] = [
    ("alternating_without_system", [SYSTEM, USER], "system-unsupported"),
    ("alternating_without_system", [USER, USER], "alternate"),
    ("alternating_without_system", [*TURN, ANSWER, USER], "no-tools"),
    ("alternating_with_nine_letter_ids", [*TURN, USER], "alternate"),
    ("alternating_with_nine_letter_ids", [USER, ANSWER, SYSTEM, USER], "alternate"),
    ("alternating_with_nine_letter_ids", [USER, call("call_abc123"), result("call_abc123")], "call-id-9"),
    ("alternating_with_chunks", [USER, {"role": "assistant", "content": ""}, USER], "nonempty-assistant"),
    ("one_call_at_a_time", [USER, call("a", "b"), result("a"), result("b")], "single-call"),
    ("arguments_as_items", [USER, call("a", arguments='{"city": "Paris"}'), result("a")], "arguments-mapping"),
    ("system_first_and_a_query", [SYSTEM, SYSTEM, USER], "system-first"),
    ("system_first_and_a_query", [SYSTEM], "user-required"),
    ("system_first_and_a_query", [{**SYSTEM, "role": "developer"}, USER], "role-known"),
    ("system_first_and_a_query", [{**SYSTEM, "content": [{"type": "image"}]}, USER], "system-text-only"),
    ("channels", [USER, result("a")], "tool-after-call"),
    ("channels", [USER, call("a", content="Let me look.", thinking="Hm."), result("a")], "content-xor-thinking"),
    ("channels", [USER, {"role": "assistant", "content": "<|channel|>final<|message|>Hi"}, USER], "no-control-tokens"),
    ("arguments_checked", [USER, call("a", arguments='{"city": "Paris"}'), result("a")], "arguments-mapping"),
    ("arguments_as_text", TURN, "arguments-text"),
    ("named_results", [USER, call("a"), result("a")], "tool-name-resolvable"),
    ("names_resolved", [USER, result("a")], "tool-name-resolvable"),
    ("results_after_calls", [USER, result("a")], "tool-after-call"),
    ("blocks_only", [USER], "content-list"),
]


# --- Learning --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "messages", "clause"), REFUSED)
def test_a_refusal_is_found_by_its_clause_in_the_words_of_the_template(name: str, messages: list[Any], clause: str):
    words = refusal(name, messages)
    assert words is not None, "the template takes it: this case shows nothing"
    found = {finding.clause: finding for finding in rj.check(messages, target(name)) if finding.severity == "error"}
    assert f"chat-template/{clause}" in found
    assert found[f"chat-template/{clause}"].provider_says or clause in ("no-tools", "system-text-only")
    mended = rj.repair(messages, target(name))
    assert refusal(name, mended.payload) is None
    assert [finding for finding in mended.left if finding.severity == "error"] == []


def test_the_words_are_those_of_the_template():
    found = rj.check([USER, call("a", "b"), result("a"), result("b")], target("one_call_at_a_time"))
    assert "This model only supports single tool-calls at once!" in {each.provider_says for each in found}
    learnt = rj.find_target(target("one_call_at_a_time"))
    assert all(clause.evidence for clause in learnt.clauses)
    assert any("probed" in each.source for clause in learnt.clauses for each in clause.evidence)


def test_what_is_left_out_without_a_word_is_a_warning():
    """A template that prints no calls takes them all the same: that is told, and nothing is changed."""
    history = [*TURN, ANSWER, USER]
    found = rj.check(history, target("plain_chat"))
    assert {finding.severity for finding in found} == {"warning"}
    assert {finding.clause for finding in found} == {"chat-template/no-tools"}
    assert rj.repair(history, target("plain_chat")).payload is history


def test_probing_is_pure():
    """Any function can be probed: it is handed conversations and says what it makes of them."""
    silent = probe(lambda jobs: [Said("") for _ in jobs])
    deaf = probe(lambda jobs: [Said("", "no") for _ in jobs])
    assert silent.lost("system") is not None
    assert not deaf.calls
    assert deaf.words == "no"


def test_the_same_template_is_probed_once(tmp_path: Path):
    copy = tmp_path / "copy.jinja"
    copy.write_text((FOLDER / "permissive.jinja").read_text())
    first, second = rj.find_target(target("permissive")), rj.find_target(f"template:{copy}")
    assert first.clauses is second.clauses
    assert second.name == f"template:{copy}"


# --- Mending ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_what_is_mended_for_a_template_it_takes(name: str):
    """Broken histories of every kind, bare and in a body with tools: nothing that is mended is refused."""
    told: list[str] = []
    for seed in range(60):
        rng = Random(f"{name}{seed}")
        history, names = faults.broken(rng, faults.history(rng, "openai-chat", 1 + seed % 4), "openai-chat", 4)
        given = {"messages": history, "tools": TOOLS} if seed % 2 else history
        mended = rj.repair(given, target(name))
        messages = mended.payload["messages"] if seed % 2 else mended.payload
        if not messages:
            continue
        words = refusal(name, messages, TOOLS if seed % 2 or name == "tools_required" else None)
        told += [f"{seed} {names}: {words}"] if words is not None else []
        assert json.dumps(mended.undo()) == json.dumps(given)
        assert rj.repair(mended.payload, target(name)).payload is mended.payload
    assert told == []


@pytest.mark.parametrize("name", NAMES)
def test_an_intact_history_that_is_taken_comes_back_as_the_same_object(name: str):
    taken = 0
    for seed in range(60):
        history = faults.history(Random(seed), "openai-chat", 1 + seed % 3)
        given = {"messages": history, "tools": TOOLS}
        if refusal(name, history, TOOLS) is None and history[-1].get("tool_calls") is None:
            taken += 1
            assert [each for each in rj.check(given, target(name)) if each.severity == "error"] == []
            assert rj.repair(given, target(name)).payload is given
    assert taken or name in ("arguments_as_items", "blocks_only", "alternating_with_nine_letter_ids")


def test_a_history_for_another_api_is_converted_for_a_template():
    history = [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_01", "name": "f", "input": {"n": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_01", "content": "18C"}]},
        {"role": "user", "content": "Thanks"},
    ]
    name = "alternating_with_nine_letter_ids"
    converted = rj.convert(history, target(name), dialect="anthropic")
    assert refusal(name, converted.payload) is None
    assert converted.target == target(name)
    assert [finding for finding in converted.left if finding.severity == "error"] == []


def test_what_no_rule_explains_is_still_told(tmp_path: Path):
    """The template has the last word: what it refuses is never called clean."""
    path = tmp_path / "odd.jinja"
    path.write_text(
        "{% for m in messages %}{% if 'Paris' in m.content|string %}{{ raise_exception('not that city') }}{% endif %}"
        "{{ m.content }}{% endfor %}"
    )
    found = rj.check([USER], f"template:{path}")
    assert [(each.severity, each.provider_says) for each in found] == [("error", "not that city")]
    assert [each.provider_says for each in rj.repair([USER], f"template:{path}").left] == ["not that city"]


def test_a_template_that_needs_tools_does_not_spoil_a_history_without_any():
    """What is refused whatever is said is told, and the messages are left alone."""
    body = {"messages": [*TURN, ANSWER, USER]}
    mended = rj.repair(body, target("tools_required"))
    assert mended.payload is body
    assert [finding.severity for finding in mended.left] == ["error"]
    assert rj.check({**body, "tools": TOOLS}, target("tools_required")) == []


@pytest.mark.parametrize("odd", [[], [7], ["x"], [{}], [{"role": 7}], [{"role": "user", "content": {"a": {1: 2}}}]])
@pytest.mark.parametrize("name", NAMES)
def test_odd_histories_are_mended_or_told(name: str, odd: list[Any]):
    mended = rj.repair(odd, target(name))
    assert refusal(name, mended.payload, TOOLS if name == "tools_required" else None) is None or mended.left


# --- Recorded verdicts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", ["accept", "reject"])
def test_recorded_verdicts_of_templates_like_ours(evidence: Path, verdict: str):
    """The verdict of the real template, on one of ours that was made after what it refuses."""
    cases = [case for case in recorded(evidence, verdict) if case["request"]["template"] in LIKE]
    assert len(cases) >= 4
    for case in cases:
        name, body = LIKE[case["request"]["template"]], dict(case["request"])
        del body["template"]
        found = {each.clause for each in rj.check(body, target(name)) if each.severity == "error"}
        assert (found == set()) if verdict == "accept" else (case["rule"] in found), (case["id"], found)
        mended = rj.repair(body, target(name))
        assert (mended.payload is body) == (verdict == "accept"), case["id"]
        assert refusal(name, mended.payload["messages"], body.get("tools")) is None, case["id"]


# --- Hostile templates and files -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("loops", "loops and macros took more than 1,000,000 turns"),
        ("macros", "loops and macros took more than 1,000,000 turns"),
        ("multiplies", "'*' would make a value of more than 20,000,000 characters"),
        ("doubles", "more memory than a template may have"),
        ("pads", "more memory than a template may have"),
        ("writes", "it wrote more than 20,000,000 characters"),
        ("broken", "it is no Jinja template"),
    ],
)
def test_a_hostile_template_is_an_error_that_names_the_limit(name: str, says: str):
    began = time.monotonic()
    with pytest.raises(rj.TargetError, match="the template cannot be used") as told:
        rj.check([USER], target(f"hostile/{name}"))
    assert says in str(told.value)
    assert time.monotonic() - began < render.SECONDS


def test_a_template_that_is_slow_is_stopped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(render, "SECONDS", 1)
    with pytest.raises(rj.TargetError, match="ran for more than 1 seconds and was stopped"):
        rj.check([USER], target("hostile/slow"))
    # The next one is rendered by a new process.
    assert rj.check([USER], target("permissive")) == []


@pytest.mark.parametrize("name", ["escapes", "changes"])
def test_the_sandbox_refuses_what_reaches_out(name: str):
    found = rj.check([USER], target(f"hostile/{name}"))
    assert [finding.severity for finding in found] == ["error"]
    assert "forbidden in the sandbox" in found[0].provider_says


def test_a_configuration_has_its_template_and_its_tokens(tmp_path: Path):
    text = "{% for m in messages %}{{ bos_token + m.content + eos_token }}{% endfor %}"
    config = tmp_path / "tokenizer_config.json"
    config.write_text(json.dumps({"chat_template": text, "bos_token": {"content": "<b>"}, "eos_token": None}))
    assert rj.check([USER], f"template:{config}") == []
    assert rj.check([USER], f"template:{tmp_path}") == []


def test_of_several_templates_that_for_tools_is_used_with_tools(tmp_path: Path):
    config = tmp_path / "tokenizer_config.json"
    both = [
        {"name": "default", "template": (FOLDER / "alternating_without_system.jinja").read_text()},
        {"name": "tool_use", "template": (FOLDER / "permissive.jinja").read_text()},
    ]
    config.write_text(json.dumps({"chat_template": both}))
    body = {"messages": [SYSTEM, USER]}
    assert rj.check({**body, "tools": TOOLS}, f"template:{config}") == []
    assert "error" in {each.severity for each in rj.check(body, f"template:{config}")}
    assert rj.check([SYSTEM, USER], f"template:{config}#tool_use") == []
    with pytest.raises(rj.TargetError, match="there are default, tool_use"):
        rj.check(body, f"template:{config}#other")


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"chat_template": 7}', '{"chat_template": [{"name": 1}]}'])
def test_what_is_no_template_is_an_error_of_one_line(tmp_path: Path, text: str):
    path = tmp_path / "chat_template.json"
    path.write_text(text)
    with pytest.raises(rj.TargetError) as told:
        rj.check([USER], f"template:{path}")
    assert str(path) in str(told.value)
    with pytest.raises(rj.TargetError, match="there is no such file"):
        rj.check([USER], f"template:{tmp_path / 'nothing.jinja'}")


def test_without_jinja_it_says_what_to_install():
    code = (
        "import sys; sys.modules['jinja2'] = None\n"
        "import rejoinder as rj\n"
        f"try: rj.check([], {target('permissive')!r})\n"
        "except rj.TargetError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'rejoinder[template]'" in done.stdout
