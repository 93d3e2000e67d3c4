"""What a rule, a target or a provider's error means: every known text leads to its rule, and none is guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from console import BROKEN, OBEYED, run
from rejoinder.edge.cli import wording
from rejoinder.mend.policy import PHENOMENA
from rejoinder.rules import RULES
from rejoinder.targets import TARGETS


@pytest.mark.parametrize("name", [*RULES, *TARGETS, *PHENOMENA, "anthropic/call-answered", "unanswered"])
def test_every_name_is_explained(name: str):
    assert run("explain", name).exit_code == 0
    assert json.loads(run("explain", name, "--json").stdout)


def test_without_a_name_all_rules_are_listed():
    shown = run("explain").stdout
    assert all(rule in shown for rule in RULES)


@pytest.mark.parametrize("known", wording.wordings(), ids=lambda known: f"{known.clause or known.reader} {known.rule}")
def test_every_known_text_leads_to_its_rule(known: wording.Known):
    text = known.text.replace("{i}", "7").replace("{ids}", "toolu_01AbC").replace("{kind}", "x")
    assert known.rule in RULES
    for said in (text, text.replace("`", "").replace("'", '\\"'), f"Error code: 400 - {{'message': \"{text}\"}}"):
        assert known.rule in {match.known.rule for match in wording.sure(wording.matches(said))}


def explained(text: str) -> dict[str, Any]:
    return json.loads(run("explain", "-", "--json", stdin=text).stdout)


def test_a_text_cut_short_or_wrapped_is_known():
    cut = "messages.1: `tool_use` ids were found without ..."
    assert (explained(cut)["rule"], explained(cut)["messages"]) == ("tool_pairing.unanswered", [1])
    message = (
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
    )
    envelope = {"error": {"message": message, "type": "invalid_request_error", "param": "messages.[4].role"}}
    told = explained(f"Error code: 400 - {json.dumps(envelope)}")
    assert (told["rule"], told["messages"]) == ("tool_pairing.orphan_result", [4])
    told = explained("messages[3]: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_9.")
    assert (told["messages"], told["ids"]) == ([3], ["toolu_9"])


@pytest.mark.parametrize(
    "text",
    [
        "Rate limit reached for gpt-4o in organization org-x on tokens per min",
        "Incorrect API key provided: sk-abc",
        "max_tokens: Field required",
        "messages.1.content.2.source.media_type: Field required",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The model gpt-9 does not exist or you do not have access to it.",
        "Overloaded",
        "\x1b[2J" * 1000,
        "[" * 100_000,
        "{" * 100_000,
    ],
    ids=lambda text: text[:20].encode("unicode_escape").decode(),
)
def test_what_is_not_known_is_not_guessed(text: str):
    done = run("explain", "-", stdin=text)
    assert done.exit_code == 1
    assert not OBEYED.search(done.output)


def test_a_mistyped_name_finds_the_nearest():
    done = run("explain", "tool_paring.unanswerd")
    assert done.exit_code == 1
    assert "tool_pairing.unanswered" in done.stdout


def test_an_error_and_its_file_show_the_message(tmp_path: Path):
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps({"model": "gpt-5.1", "messages": BROKEN}, indent=2))
    text = "The following tool_call_ids did not have response messages: call_2"
    done = run("explain", f"must be followed by tool messages responding to each 'tool_call_id'. {text}", "-f", broken)
    assert done.exit_code == 0
    assert f"messages[1]  assistant  {broken}:8" in done.stdout


def test_every_refusal_on_record_leads_to_its_rule(evidence: Path):
    """The clause that a recorded error text was filed under, and the rule that we find for the text, agree."""
    rules: dict[str, set[str]] = {}
    for target in TARGETS.values():
        for clause in target.clauses:
            rules.setdefault(clause.id, set()).add(clause.rule)
    lines = (evidence / "cases" / "wire-cases.jsonl").read_text("utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case.get("error") and case["rule"] in rules]
    assert len(cases) > 40
    for case in cases:
        found = {match.known.rule for match in wording.sure(wording.matches(case["error"]))}
        assert found & rules[case["rule"]], case
