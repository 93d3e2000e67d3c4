"""Sealed thinking that stands behind a repair, for models that bind it to the text in front of it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rejoinder.dialects.clause import Clause, Target
from rejoinder.dialects.dialect import Dialect
from rejoinder.repair.loop import mend
from rejoinder.repair.policy import Policy
from rejoinder.repair.report import Step, step_of
from rejoinder.rules import thinking
from rejoinder.values.conversation import Conversation, Message, Stretch
from rejoinder.values.edit import Drop, apply
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.parts import is_sealed
from rejoinder.values.place import Place

Outcome = tuple[Conversation, list[Step], list[Finding]]


def spare_spoiled(
    before: Conversation,
    after: Conversation,
    left: list[Finding],
    dialect: Dialect,
    target: Target,
    model: str | None,
    policy: Policy,
) -> Outcome:
    """The conversation without the thinking that the repair spoiled, if this model would refuse it.

    `strip` (the default) leaves it out; `drop_block` tells the API to do so, where there is a body
    to say it in; `keep` leaves it and the warning.
    """
    clause = next((each for each in target.clauses if each.check is thinking.bound), None)
    if clause is None or clause.severity_for(model) is None or policy.thinking == "keep":
        return after, [], left
    spoiled = _spoiled(before, after)
    if not spoiled:
        return after, [], left
    if policy.thinking == "drop_block" and isinstance(after.source, dict):
        return _told_to_drop(after, clause, spoiled, left)
    finding, fix = _without(clause, target, spoiled)
    step = step_of(after, finding, fix, dialect.pointer(after, finding.at))
    stripped, steps, left = mend(apply(after, fix.edits), dialect, target, model, policy)
    return stripped, [step, *steps], left


def _spoiled(before: Conversation, after: Conversation) -> list[Place]:
    """The sealed thinking behind the first place that is not as it was."""
    changed = before.system is not after.system or before.tools is not after.tools
    places: list[Place] = []
    expected = 0
    for index, message in enumerate(after.messages):
        changed = changed or message.origin != expected or getattr(message, "touched", False)
        expected += len(message.source) if isinstance(message, Stretch) else 1
        if changed and isinstance(message, Message):
            places += [Place(index, number) for number, part in enumerate(message.parts) if is_sealed(part)]
    return places


def _without(clause: Clause, target: Target, spoiled: list[Place]) -> tuple[Finding, Fix]:
    fix = Fix("strip", "drops", "leave the thinking behind the repair out", tuple(Drop(place) for place in spoiled))
    finding = Finding(
        at=spoiled[0],
        says="the repair changed what this thinking is bound to",
        rule=clause.rule,
        clause=clause.id,
        target=target.name,
        severity=clause.severity,
    )
    return finding, fix


def _told_to_drop(after: Conversation, clause: Clause, spoiled: list[Place], left: list[Finding]) -> Outcome:
    """The request says that blocks whose prefix does not match are to be dropped by the API."""
    body: dict[str, Any] = dict(after.source)
    asked = body.get("thinking")
    asked = dict(asked) if isinstance(asked, dict) else {}
    asked["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
    step = Step(
        rule=clause.rule,
        clause=clause.id,
        at=Place(spoiled[0].message, field="thinking"),
        pointer="/thinking",
        fix="drop_block",
        cost="free",
        says="the repair changed what thinking is bound to: ask the API to drop such blocks",
        ids=(),
        removed=(body.get("thinking"),),
        before="",
        after="",
    )
    return replace(after, changed={"thinking": asked}), [step], left
