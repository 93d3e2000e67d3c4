"""Gemini in the wild: many broken histories, with ids and without, in both spellings; and junk of every kind."""

import gzip
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
from gemini_shape import in_snake, without_ids
from judges.sdk_types import refusals_by_types
from judges.structure import refusals
from laws.cases import POLICIES, written

HISTORIES = int(os.environ.get("REJOINDER_FUZZ", "400"))
MODELS = (None, "gemini-2.0-flash", "gemini-2.5-pro", "gemini-3-pro-preview")


@pytest.mark.parametrize("spelled", [list, in_snake])
@pytest.mark.parametrize("bare", [list, without_ids])
def test_random_broken_histories_are_mended_with_ids_or_without(bare: Any, spelled: Any):
    """Judged by the rules and by the SDK's types, for each family of models; undone, and mended once and for all."""
    refused = 0
    for number in range(HISTORIES):
        rng, name = random.Random(f"gemini {number}"), MODELS[number % 4]
        intact = faults.history(rng, "gemini", 1 + number % 6)
        damaged: Any = spelled(bare(faults.broken(rng, intact, "gemini", 4)[0]))
        refused += bool(refusals("gemini", damaged, name))
        outcome = rj.repair(damaged, "gemini", dialect="gemini", model=name, policy=POLICIES[number % 3])
        out: Any = outcome.payload
        assert refusals("gemini", out, name) == [], number
        assert number % 20 or refusals_by_types("gemini", out) == [], number
        assert written(outcome.undo()) == written(damaged), number
        assert rj.repair(out, "gemini", dialect="gemini", model=name).payload is out, number
        assert rj.repair(spelled(bare(intact)), "gemini", dialect="gemini", model=name).steps == (), number
    assert refused > HISTORIES / 2


_NAMES = st.sampled_from(
    (
        *("role", "parts", "text", "thought", "thoughtSignature", "functionCall", "function_call", "functionResponse"),
        *("inlineData", "fileData", "name", "args", "id", "response", "output", "error", "mimeType", "data", "fileUri"),
        *("executableCode", "toolCall", "user", "model", "system", "f"),
    )
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _NAMES | st.just("\ud83d"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=20,
)
_CONTENTS = st.lists(
    st.fixed_dictionaries({"role": _NAMES, "parts": st.lists(st.dictionaries(_NAMES, _JSON, max_size=3), max_size=4)})
    | _JSON,
    max_size=4,
)


@given(_CONTENTS, st.sampled_from(MODELS))
def test_no_junk_is_an_accident(contents: list[Any], name: str | None):
    """Whatever stands in the list: read and written alike, mended or told, undone, mended once, converted."""
    before = written(contents)
    outcome = rj.repair(contents, "gemini", dialect="gemini", model=name)
    assert written(outcome.undo()) == before == written(contents)
    again = rj.repair(outcome.payload, "gemini", dialect="gemini", model=name)
    assert [(step.rule, step.fix) for step in again.steps] == []
    for goal in ("openai-chat", "anthropic"):
        done = rj.convert(contents, goal, dialect="gemini")
        back = rj.convert(done.payload, "gemini", dialect=goal, side=json.loads(written(done.side)))
        assert written(back.payload) == before


@given(_CONTENTS)
def test_what_was_read_is_written_again(contents: list[Any]):
    """A content that goes through the writer unchanged says what it said, member for member."""
    from rejoinder.dialects.gemini import DIALECT

    assert DIALECT.encode(DIALECT.decode(contents)) is contents
    for message, raw in zip(DIALECT.decode(contents).messages, contents, strict=True):
        if isinstance(raw, dict):
            assert written(DIALECT.write(message)) == written(raw)  # pyright: ignore[reportArgumentType]


# One recorded request holds system text alone: of it there is nothing to send here, and that is told.
SYSTEM_ALONE = "test_openai_model_without_system_prompt"
ENDS = {"gemini": "gemini-3-pro-preview", "openai-chat": "gpt-5", "anthropic": "claude-opus-4-8"}


@pytest.mark.parametrize(
    ("source", "goal"), [(one, other) for one in ENDS for other in ENDS if one != other and "gemini" in (one, other)]
)
def test_recorded_requests_arrive_and_come_back(evidence: Path, source: str, goal: str):
    """Each request that was answered is accepted by both judges at the other end, and leads back byte for byte."""
    with gzip.open(evidence / "cases" / "recorded-traffic.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["dialect"] == source and row["status"] == 200]
    assert len(rows) > 50
    for row in rows:
        done = rj.convert(row["request"], goal, dialect=source, model=ENDS[goal])
        said: Any = done.payload
        contents = said.get("messages", said.get("contents"))
        told = {finding.clause for finding in done.left if finding.severity == "error"}
        assert set(refusals(goal, said, ENDS[goal])) == told, row["source"]
        assert not told or SYSTEM_ALONE in row["source"], row["source"]
        assert refusals_by_types(goal, contents) == [], row["source"]
        back = rj.convert(said, source, dialect=goal, side=json.loads(written(done.side)))
        assert written(back.payload) == written(row["request"]), row["source"]
