"""The traps that real systems fall into, each with the outcome that is wanted here: `vectors/traps.json`."""

from __future__ import annotations

import copy
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rejoinder as rj
from test_vectors import asked, assert_accepted, assert_lawful, read, value_at

TRAPS: list[dict[str, Any]] = read("traps")["traps"]
HERE = Path(__file__).resolve().parent
# What no repair may say of a call whose result nobody recorded.
CLAIMS = ("success", "succeeded", "completed", "rejected", "cancelled", "was not ", "did not run")

Case = dict[str, Any]


def wants(*doors: str | None) -> list[Any]:
    """Each trap, case and policy, as one row; of the cases that go through one of the doors."""
    return [
        pytest.param(case, wanted, id=f"{trap['trap']}: {case['label']} {wanted['policy'] or ''}".strip())
        for trap in TRAPS
        for case in trap.get("cases", ())
        for wanted in case["wanted"]
        if case.get("via") in doors
    ]


def texts(payload: Any, role: str) -> Iterator[str]:
    """The words of one role, in order; those of results are not among them."""
    for message in payload["messages"] if isinstance(payload, dict) else payload:
        if message["role"] == role:
            content = message["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or ()
            yield from (block["text"] for block in blocks if block["type"] == "text" and block["text"])


def assert_words_are_kept(given: Any, payload: Any) -> None:
    """A user's words are never lost, and they keep their order; merging may join them."""
    rest = "\n".join(texts(payload, "user"))
    for words in texts(given, "user"):
        assert words in rest
        rest = rest[rest.index(words) + len(words) :]


def assert_wanted(given: Any, payload: Any, wanted: Case) -> None:
    """The outcome, and what has to be or must not be in it, named so that a reader sees what matters."""
    assert payload == wanted.get("fixed", given)
    if "fixed" not in wanted:
        assert payload is given
    said = json.dumps(payload)
    for words in wanted.get("keeps", ()):
        assert json.dumps(words)[1:-1] in said
    for words in wanted.get("avoids", ()):
        assert words not in said
    if not wanted.get("rewinds"):
        assert_words_are_kept(given, payload)


def assert_truthful(given: Any, payload: Any) -> None:
    """What a repair writes itself claims nothing about what a tool did."""
    before, after = json.dumps(given).lower(), json.dumps(payload).lower()
    for claim in CLAIMS:
        assert after.count(claim) <= before.count(claim)


@pytest.mark.parametrize(("case", "wanted"), wants(None))
def test_no_repair_falls_into_the_trap(case: Case, wanted: Case):
    given = copy.deepcopy(case["given"])
    ask = asked({**case, "policy": wanted["policy"]})
    mended = rj.repair(given, **ask)
    assert given == case["given"]
    assert_wanted(given, mended.payload, wanted)
    assert_truthful(given, mended.payload)
    assert [each.clause for each in mended.left] == wanted.get("left", [])
    if "steps" in wanted:
        assert sorted([step.rule, step.pointer] for step in mended.steps) == sorted(wanted["steps"])
    removed = [raw for step in mended.steps for raw in step.removed]
    for pointer in wanted.get("removed", ()):
        assert any(raw is value_at(given, pointer) for raw in removed)
    assert_lawful(given, mended, ask)
    assert_accepted(case, mended)


@pytest.mark.parametrize(("case", "wanted"), wants("sanitize_messages", "filter_messages"))
def test_no_door_of_the_documents_falls_into_the_trap(case: Case, wanted: Case, caplog: pytest.LogCaptureFixture):
    given = copy.deepcopy(case["given"])
    with caplog.at_level(logging.DEBUG, "rejoinder"):
        outcome = getattr(rj, case["via"])(given)
    assert given == case["given"]
    clean = outcome if isinstance(outcome, list) else outcome.messages
    assert clean == wanted.get("fixed", given)
    if not wanted.get("rewinds"):
        assert_words_are_kept(given, clean)
    assert all(any(row is one for one in given) for row in clean)
    for words in wanted.get("logs", ()):
        assert words in caplog.text


def test_all_the_traps_are_here():
    assert [trap["trap"] for trap in TRAPS] == [f"T{number}" for number in range(1, 45)]
    for trap in TRAPS:
        assert trap["says"]
        assert trap.get("cases") or trap["later"]
        labels = [case["label"] for case in trap.get("cases", ())]
        assert len(labels) == len(set(labels))


DIGEST = """
import hashlib, json, rejoinder as rj
from test_traps import TRAPS, asked
seen = hashlib.sha256()
for trap in TRAPS:
    for case in trap.get("cases", ()):
        for wanted in case["wanted"] if "via" not in case else ():
            mended = rj.repair(case["given"], **asked({**case, "policy": wanted["policy"]}))
            seen.update(json.dumps([mended.payload, mended.as_dict()]).encode())
print(seen.hexdigest())
"""


def test_the_same_input_gives_the_same_bytes_on_every_run():
    """T14: no set, no clock, no random number: other hash seeds change nothing, not even in the steps."""
    path = os.pathsep.join([str(HERE), *sys.path])
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(digests) == 1
    assert digests.pop().strip()
