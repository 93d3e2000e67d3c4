"""Every case in `vectors/<rule>.json` is checked and repaired, and each outcome is held to the laws of a repair."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import rejoinder as rj
from judges.structure import refusals
from rejoinder.rules import RULES
from test_documents import WRITERS

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
PROVIDERS = ("openai-chat", "anthropic", "openai-responses")

Case = dict[str, Any]


@cache
def read(name: str) -> dict[str, Any]:
    """A vector file."""
    return json.loads((VECTORS / f"{name}.json").read_text("utf-8"))


def cases() -> list[Any]:
    """All cases of all rules; a known failure is expected to fail, and it is news when it does not."""
    rows = [(path.stem, case) for path in sorted(VECTORS.glob("*.json")) for case in read(path.stem).get("cases", ())]
    return [
        pytest.param(
            rule,
            case,
            id=f"{rule}: {case['label']}",
            marks=[pytest.mark.xfail(reason=case["why"])] if case["from"] == "known failure" else [],
        )
        for rule, case in rows
    ]


def policy_of(choices: dict[str, Any]) -> rj.Policy:
    """The policy that a vector writes as an object."""
    return rj.Policy(**{**choices, "paused": frozenset(choices.get("paused", ()))})


def asked(case: Case) -> dict[str, Any]:
    """What check and repair are asked with."""
    return {
        "target": case["target"],
        "dialect": case.get("dialect"),
        "model": case.get("model"),
        "policy": policy_of(case.get("policy", {})),
    }


def in_order(finds: list[dict[str, Any]]) -> list[list[str]]:
    """Findings as a vector names them; which of two comes first is not pinned."""
    return sorted([find["clause"], find["at"], find["pointer"]] for find in finds)


def told(findings: list[rj.Finding]) -> list[dict[str, Any]]:
    return [{"clause": each.clause, "at": str(each.at), "pointer": each.pointer} for each in findings]


def value_at(payload: Any, pointer: str) -> Any:
    """What a JSON pointer names; a KeyError or IndexError where it names nothing."""
    for step in pointer.split("/")[1:]:
        payload = payload[int(step)] if isinstance(payload, list) else payload[step]
    return payload


def assert_lawful(given: Any, mended: rj.Repaired, ask: dict[str, Any]) -> None:
    """What holds for every repair: it can be taken back and replayed, and a second one finds nothing to do."""
    before = copy.deepcopy(given)
    assert mended.undo() == given
    assert mended.patch.apply(given) == mended.payload
    assert mended.changed == bool(mended.steps)
    again = rj.repair(mended.payload, **{**ask, "dialect": mended.dialect})
    assert again.payload is mended.payload
    assert again.steps == ()
    assert [each.clause for each in again.left] == [each.clause for each in mended.left]
    json.dumps(mended.as_dict())
    assert given == before


def assert_accepted(case: Case, mended: rj.Repaired) -> None:
    """An independent judge accepts what the repair calls clean."""
    if case["target"] in PROVIDERS and mended.dialect == case["target"] and not mended.left:
        assert refusals(case["target"], mended.payload, case.get("model")) == []


@pytest.mark.parametrize(("rule", "case"), cases())
def test_check_finds_what_the_vector_says(rule: str, case: Case):
    given = copy.deepcopy(case["given"])
    found = rj.check(given, **asked(case))
    assert in_order(told([each for each in found if each.rule == rule])) == in_order(case["finds"])
    assert given == case["given"]
    for each in found:
        assert each.says
        if not each.at.field:
            value_at(given, each.pointer)


@pytest.mark.parametrize(("rule", "case"), cases())
def test_repair_gives_what_the_vector_wants(rule: str, case: Case):
    given = copy.deepcopy(case["given"])
    ask = asked(case)
    mended = rj.repair(given, **ask)
    assert given == case["given"]
    assert mended.payload == case.get("fixed", case["given"])
    if "fixed" not in case:
        assert mended.payload is given
        assert not mended.changed
    assert [each.clause for each in mended.left] == case.get("left", [])
    still = rj.check(mended.payload, **{**ask, "dialect": mended.dialect})
    assert {each.clause for each in still if each.rule == rule} <= set(case.get("left", ()))
    assert_lawful(given, mended, ask)
    assert_accepted(case, mended)


def intact(dialect: str, count: int) -> list[Any]:
    """A long history that nobody objects to, in one dialect: so long that a quick pass is worth its while."""
    write = WRITERS[dialect]
    history: list[Any] = []
    for number in range(count):
        ids = (f"earlier_{number}", f"earlier_too_{number}")
        history += [{"role": "user", "content": "Go on."}, write.calls(*ids), *map(write.result, ids)]
        history.append({"role": "assistant", "content": "Done."})
    return history


def moved(find: dict[str, Any], by: int) -> dict[str, Any]:
    """A finding as it is named when so many messages stand in front."""
    index = int(find["pointer"].split("/")[1])
    at = find["at"].replace(f"messages[{index}]", f"messages[{index + by}]")
    return {**find, "at": at, "pointer": find["pointer"].replace(f"/{index}", f"/{index + by}", 1)}


def pairing_cases() -> list[Any]:
    """The cases of pairing over a bare list; where all there is would go, more in front makes a difference."""
    return [
        row
        for row in cases()
        if str(row.id).startswith("tool_pairing.")
        and isinstance(row.values[1]["given"], list)
        and "all there is" not in str(row.id)
    ]


@pytest.mark.parametrize(("rule", "case"), pairing_cases())
def test_a_long_intact_history_in_front_makes_no_difference(rule: str, case: Case):
    ask = asked(case)
    front = intact(case.get("dialect") or case["target"], 12)
    given = [*front, *copy.deepcopy(case["given"])]
    found = [each for each in rj.check(given, **ask) if each.rule == rule]
    assert in_order(told(found)) == in_order([moved(find, len(front)) for find in case["finds"]])
    mended = rj.repair(given, **ask)
    assert mended.payload == [*front, *case.get("fixed", case["given"])]
    assert all(now is then for now, then in zip(mended.payload, front, strict=False))
    assert_lawful(given, mended, ask)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_each_rule_has_vectors_that_find_and_vectors_that_find_nothing(rule: str):
    found = read(rule)["cases"]
    assert any(case["finds"] for case in found)
    assert any(case["from"] == "negative" for case in found)
    for case in found:
        if case["from"] == "negative":
            assert "fixed" not in case
            assert case["finds"] == []
