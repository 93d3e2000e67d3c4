"""Random broken histories carried from each dialect to each API: what arrives is accepted, or it is told why not.

`REJOINDER_FUZZ=100000` says how many, a fifth of them for each ordered pair (that is `make fuzz`).
"""

import json
import os
import random
from typing import Any

import pytest

import faults
import rejoinder as rj
from judges.chat_family_structure import chat_family_refusals
from judges.structure import refusals

HISTORIES = int(os.environ.get("REJOINDER_FUZZ", "300")) // 5
MOST_TURNS, MOST_FAULTS, BACK_EVERY = 6, 4, 8
# Each API with a model, for the clauses that hang on one.
GOALS = {
    "openai-chat": "gpt-5-mini",
    "anthropic": "claude-opus-4-8",
    "bedrock": "anthropic.claude-sonnet-4-20250514-v1:0",
    "gemini": "gemini-3-pro-preview",
    "openai-responses": "gpt-5.4",
    "mistral": "mistral-large-latest",
    "deepseek": "deepseek-chat",
}
# What is told and not mended: the history had nothing in it to send.
NOTHING = ("messages-nonempty", "contents-nonempty", "input-nonempty")
PAIRS = [(source, goal) for source in faults.DIALECTS for goal in GOALS if source != goal]


def judged(goal: str, payload: Any) -> list[str]:
    """The rules that a judge without our code says are broken."""
    if goal in ("mistral", "deepseek"):
        return chat_family_refusals(goal, payload, hosted=goal == "mistral")
    return refusals(goal, payload, GOALS[goal])


@pytest.mark.parametrize(("source", "goal"), PAIRS)
def test_broken_histories_arrive_whole(source: str, goal: str):
    """None is refused silently; and what nobody edited leads back, byte for byte."""
    refused: dict[str, int] = {}
    for number in range(HISTORIES):
        rng = random.Random(f"{source} to {goal} {number}")
        history = faults.history(rng, source, 1 + number % MOST_TURNS)
        messages, _ = faults.broken(rng, history, source, MOST_FAULTS)
        before = json.dumps(messages)
        done = rj.convert(messages, goal, dialect=source, model=GOALS[goal])
        left = {finding.clause for finding in done.left if finding.severity == "error"}
        assert all(clause.endswith(NOTHING) for clause in left), (before, left)
        for rule in set(judged(goal, done.payload)) - left:
            refused.setdefault(rule, number)
        if number % BACK_EVERY == 0:
            back = rj.convert(done.payload, source, dialect=goal, side=json.loads(json.dumps(done.side)))
            assert json.dumps(back.payload) == before, number
    assert refused == {}, "the number of the first history for each rule"
