"""Sealed thinking that stands behind a repair, for models that bind it to the text in front of it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rejoinder.errors import RefusedError
from rejoinder.mend.loop import Reading, mend
from rejoinder.mend.prefix import first_difference
from rejoinder.mend.report import Step, step_of
from rejoinder.rules import thinking
from rejoinder.values.conversation import Conversation, Message
from rejoinder.values.edit import Drop, apply
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import is_sealed
from rejoinder.values.place import Place

Outcome = tuple[Conversation, list[Step]]


def spare_spoiled(before: Conversation, after: Conversation, reading: Reading) -> Outcome:
    """The conversation without the thinking that the repair spoiled, if this model would refuse it.

    `strip` (the default) leaves it out; `drop_block` tells the API to do so, where there is a body
    that asks for thinking; `keep` leaves it and the warning.
    """
    clause = next((each for each in reading.target.clauses if each.check is thinking.bound), None)
    if clause is None or clause.severity_for(reading.model) is None or reading.policy.thinking == "keep":
        return after, []
    spoiled = _spoiled(before, after)
    if not spoiled:
        return after, []
    finding = Finding(
        at=spoiled[0],
        says="the repair changed what this thinking is bound to",
        rule=clause.rule,
        clause=clause.id,
        target=reading.target.name,
        severity=clause.severity,
        pointer=reading.dialect.pointer(after, spoiled[0]),
    )
    if reading.policy.thinking == "raise":
        raise RefusedError(finding)
    if reading.policy.thinking == "drop_block" and is_object(after.settings.get("thinking")):
        return _told_to_drop(after, finding)
    fix = Fix("strip", "drops", "leave the thinking behind the repair out", tuple(Drop(place) for place in spoiled))
    stripped, steps, _ = mend(apply(after, fix.edits), reading)
    return stripped, [step_of(after, finding, fix), *steps]


def _spoiled(before: Conversation, after: Conversation) -> list[Place]:
    """The sealed thinking behind the first place that is not as it was."""
    first = first_difference(before, after)
    if first is None:
        return []
    return [
        Place(index, number)
        for index, message in enumerate(after.messages)
        if isinstance(message, Message)
        for number, part in enumerate(message.parts)
        if is_sealed(part) and (index, number) >= first
    ]


def _told_to_drop(after: Conversation, finding: Finding) -> Outcome:
    """The request says that blocks whose prefix does not match are to be dropped by the API."""
    body: dict[str, Any] = after.settings
    held: dict[str, Any] = body["thinking"]
    binding = held.get("block_binding")
    binding = binding if is_object(binding) else {}
    asked = {**held, "block_binding": {**binding, "prefix_mismatch_behavior": "drop_block"}}
    fix = Fix("drop_block", "free", "ask the API to drop such blocks")
    step = replace(step_of(after, finding, fix), pointer="/thinking", removed=(held,))
    return replace(after, changed={"thinking": asked}), [step]
