"""Held against what providers answered: recorded requests, and cases with the rule that each of them breaks."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import rejoinder as rj
from judges.structure import refusals
from laws.cases import JUDGED, POLICIES, holder, messages_of, said, written
from test_judges import payload_of, wire_cases

Row = dict[str, Any]

# Recorded with status 400 for something else than its messages: (source contains, why).
NOT_THE_MESSAGES = {
    "test_model_name_suggestion[bedrock]": "there is no such model",
    "effort_xhigh_unsupported_model": "the effort level is not one of the model's",
    "test_openai_responses_model_http_error": "the temperature is below zero",
    "test_inferred_model_name_suggestion": "there is no such model",
}
# Refused, and not to be mended without guessing or another request: each stays a finding.
UNMENDABLE = {
    "oc-no-messages-empty": "nothing was said",
    "an-no-empty": "nothing was said",
    "oc-no-function-role": "whose result it is, nobody says",
    "oc-no-anthropic-tool-use-part": "the history is in the other dialect: it has to be converted",
    "or-no-input-empty-list": "nothing was said",
    "or-no-messages-key": "it is not known whether what is there is the input",
    "or-no-item-primitive": "what a number means, nobody says",
    "or-no-item-type-unknown": "a block of another dialect: the history has to be converted",
    "or-no-item-empty-object": "who speaks, nobody says",
    "or-no-role-tool": "a role of another dialect: it has to be converted",
    "an-no-role-tool": "a role of the other dialect: it has to be converted",
    "ge-no-empty-contents": "nothing was said",
    "ge-no-robots-url": "only the caller can fetch it",
    "an-no-thinking-first": "lost thinking cannot be made again: the request has to switch thinking off",
}
# What one request cannot show: whether what stands in front is what stood there. Said as a warning.
SUSPECTED = {"an-no-thinking-prefix-changed"}
# What nobody could say without the answer as it came (decisions/0010).
UNSEEN = {"an-no-thinking-modified"}


def recorded(folder: Path) -> list[Row]:
    with gzip.open(folder / "cases" / "recorded-traffic.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["dialect"] in JUDGED]


def leads_elsewhere(request: Row) -> bool:
    """Are there messages that the body names, and does not hold? Without it they are not there."""
    return bool(request.get("previous_response_id") or request.get("conversation"))


def found(case: Row) -> list[rj.Finding]:
    return rj.check(payload_of(case), case["dialect"], model=case.get("model"))


# --- Recorded requests ------------------------------------------------------------------------------------------------


def test_not_one_finding_on_a_request_that_was_answered(evidence: Path):
    """A request that a provider answered has no finding, not even a warning; and there are many of both kinds."""
    rows = [row for row in recorded(evidence) if row["status"] == 200]
    for dialect in JUDGED:
        assert sum(row["dialect"] == dialect for row in rows) > 50
    alarms = {row["source"]: [str(finding) for finding in found(row)] for row in rows if found(row)}
    assert alarms == {}


@pytest.mark.parametrize("policy", POLICIES)
def test_a_request_that_was_answered_comes_back_as_the_same_object(evidence: Path, policy: str):
    """A repair of what was accepted does nothing, whatever the policy, with the target named or not."""
    for row in recorded(evidence):
        if row["status"] == 200:
            request, model = row["request"], row["model"]
            assert rj.repair(request, row["dialect"], model=model, policy=policy).payload is request, row["source"]
            messages = request[holder(row["dialect"])]
            if isinstance(messages, list) and not leads_elsewhere(request):
                bare = rj.repair(messages, row["dialect"], model=model, policy=policy)
                assert bare.payload is messages, row["source"]


def test_a_recorded_request_is_known_for_what_it_is(evidence: Path):
    """Detection names the dialect of every recorded request, or says that it could be several that read it alike."""
    for row in recorded(evidence):
        assert row["dialect"] in rj.detect(row["request"]).candidates, row["source"]


def test_a_request_that_was_refused_for_its_messages_is_found(evidence: Path):
    """A recorded refusal that is about the messages has a finding; the others are listed with what they are about."""
    refused = [row for row in recorded(evidence) if row["status"] == 400]
    other = [row for row in refused if any(name in row["source"] for name in NOT_THE_MESSAGES)]
    assert len(other) == len(NOT_THE_MESSAGES)
    for row in refused:
        assert bool(found(row)) == (row not in other), row["source"]


# --- Cases with a verdict ---------------------------------------------------------------------------------------------


def test_accepted_cases_have_no_findings(evidence: Path):
    """What a provider accepts has no finding at all, and comes back as the same object."""
    cases = wire_cases(evidence, "accept")
    assert len(cases) > 40
    for case in cases:
        assert [str(finding) for finding in found(case)] == [], case["id"]
        outcome = rj.repair(payload_of(case), case["dialect"], model=case.get("model"))
        assert outcome.payload is payload_of(case), case["id"]


def test_refused_cases_are_found_by_the_clause_that_refuses_them(evidence: Path):
    """What a provider refuses has a finding, and the finding names the provider's rule."""
    cases = [case for case in wire_cases(evidence, "reject") if case["id"] not in UNSEEN]
    assert len(cases) > 40
    missed = {case["id"]: case["rule"] for case in cases if case["rule"] not in {f.clause for f in found(case)}}
    assert missed == {}


@pytest.mark.parametrize("policy", POLICIES)
def test_refused_cases_are_mended_or_told(evidence: Path, policy: str):
    """After a repair the judge accepts, or an error is left that says why not: nothing is refused silently."""
    for case in wire_cases(evidence, "reject"):
        outcome = rj.repair(payload_of(case), case["dialect"], model=case.get("model"), policy=policy)
        broken = refusals(case["dialect"], outcome.payload, case.get("model"))
        left = {finding.clause for finding in outcome.left if finding.severity == "error"}
        assert set(broken) == left, case["id"]
        assert bool(left) == (case["id"] in UNMENDABLE), case["id"]
        assert written(outcome.undo()) == written(payload_of(case)), case["id"]


@pytest.mark.parametrize("policy", POLICIES)
def test_mending_a_refused_case_keeps_the_words_of_users(evidence: Path, policy: str):
    """No text of a user is lost in any repair of a refused case."""
    for case in wire_cases(evidence, "reject"):
        messages = [message for message in messages_of(payload_of(case)) if readable(message)]
        outcome = rj.repair(payload_of(case), case["dialect"], model=case.get("model"), policy=policy)
        after = [message for message in messages_of(outcome.payload) if readable(message)]
        kept = said(after, "user")
        assert [text for text in said(messages, "user") if text not in kept] == [], case["id"]


def readable(message: Any) -> bool:
    """Is this a message whose texts can be read? Some cases are about those that are not."""
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, str | list):
        return False
    return isinstance(content, str) or all(isinstance(block, dict) and "type" in block for block in content)


def test_what_one_request_cannot_show_is_a_warning(evidence: Path):
    """Thinking that may not be what was signed is told, not acted on: nobody can see it in one request."""
    for case in wire_cases(evidence, "reject"):
        if case["id"] in SUSPECTED:
            assert {finding.severity for finding in found(case)} == {"warning"}, case["id"]


def test_each_finding_quotes_the_provider_or_says_nothing(evidence: Path):
    """What a finding says in the provider's name holds no blanks, and it points at something in the payload."""
    for case in wire_cases(evidence, "reject"):
        for finding in found(case):
            assert "{" not in finding.provider_says.replace('{"type": "enabled"}', ""), finding.provider_says
            assert finding.says
            assert finding.pointer or finding.at.message < 0 or not messages_of(payload_of(case)), case["id"]
