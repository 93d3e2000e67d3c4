"""Check, take the fixes that do not stand in each other's way, apply them as one, check again."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rejoinder.dialects.clause import Clause, Target
from rejoinder.dialects.dialect import Dialect
from rejoinder.errors import RefusedError
from rejoinder.mend.policy import INSTEAD, Policy
from rejoinder.mend.report import Step, step_of
from rejoinder.values.conversation import Conversation
from rejoinder.values.edit import Edit, Insert, apply
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.view import View

# Each round settles all that can be settled at once. A property test holds that far fewer are needed.
ROUNDS = 32


class Reading(msgspec.Struct, frozen=True):
    """How a payload is read, and what it is held against."""

    dialect: Dialect
    target: Target
    model: str | None = None
    policy: Policy = Policy()


class Noted(msgspec.Struct, frozen=True):
    """A finding, and whether its fix is taken without being asked for."""

    finding: Finding
    acts: bool


def look(conversation: Conversation, reading: Reading) -> list[Noted]:
    """All findings of a target's clauses, in the order of the clauses."""
    target, model = reading.target, reading.model
    view = View(conversation, reading.dialect.layout, reading.policy.untouched)
    foreign = bool(target.dialect) and target.dialect != reading.dialect.name
    found: list[Noted] = []
    for clause in target.clauses:
        severity = clause.severity_for(model)
        if severity is None or (clause.wire and foreign):
            continue
        # A clause that only might apply, because the model is not known, is told and not acted on.
        acts = clause.acts and (clause.models is None or model is not None)
        for finding in clause.check(view, **clause.params):
            named = msgspec.structs.replace(
                finding,
                rule=clause.rule,
                clause=clause.id,
                target=target.name,
                severity=severity,
                pointer=reading.dialect.pointer(conversation, finding.at),
                provider_says=quote(clause, finding, conversation),
            )
            found.append(Noted(named, acts))
    return found


def quote(clause: Clause, finding: Finding, conversation: Conversation) -> str:
    """The error text that the provider would answer with, for this finding."""
    index = finding.at.message
    if 0 <= index < len(conversation.messages):
        index = max(conversation.messages[index].origin, 0)
    kind = finding.says.partition("'")[2].partition("'")[0]
    words = clause.provider_says.replace("{i}", str(max(index, 0)))
    return words.replace("{ids}", ", ".join(finding.ids)).replace("{kind}", kind)


def mend(conversation: Conversation, reading: Reading) -> tuple[Conversation, list[Step], list[Finding]]:
    """The conversation as the policy mends it, the steps taken, and the findings that remain."""
    steps: list[Step] = []
    for _ in range(ROUNDS):
        found = look(conversation, reading)
        edits: list[Edit] = []
        for finding, fix in _compatible(found, reading.policy):
            edits += fix.edits
            steps.append(step_of(conversation, finding, fix))
        if not edits:
            return conversation, steps, [noted.finding for noted in found]
        conversation = apply(conversation, edits)
    return conversation, steps, [noted.finding for noted in look(conversation, reading)]


def _compatible(found: list[Noted], policy: Policy) -> Iterator[tuple[Finding, Fix]]:
    """The fixes to take now: each finding's own, unless one that was taken touches the same place."""
    taken: dict[int, set[int | None]] = {}
    for noted in found:
        fix = _chosen(noted, policy)
        if fix is None or not fix.edits:
            continue
        places = _touched(noted.finding, fix)
        if any(_clash(taken.get(message), part) for message, part in places):
            continue
        for message, part in places:
            taken.setdefault(message, set()).add(part)
        yield noted.finding, fix


def _chosen(noted: Noted, policy: Policy) -> Fix | None:
    """The fix that the policy takes for a finding; None to leave it."""
    finding = noted.finding
    choice = policy.choice(finding)
    if choice == "raise":
        raise RefusedError(finding)
    if choice == "keep" or not finding.fixes or (choice is None and not noted.acts):
        return None
    offered = {fix.name: fix for fix in finding.fixes}
    return offered.get(choice or "") or offered.get(INSTEAD.get(choice or "", "")) or finding.fixes[0]


def _touched(finding: Finding, fix: Fix) -> set[tuple[int, int | None]]:
    """What a fix changes or leans on: (message, part), or (message, None) for the whole of it."""
    places: set[tuple[int, int | None]] = {(place.message, place.part) for place in fix.needs}
    if finding.at.part is not None:
        places.add((finding.at.message, finding.at.part))
    for edit in fix.edits:
        places.add((edit.at.message, -1 if isinstance(edit, Insert) else edit.at.part))
    return places


def _clash(taken: set[int | None] | None, part: int | None) -> bool:
    """Do two fixes meet? Two inserts at a message (-1) do not; the whole of a message meets all that happens to it."""
    if not taken:
        return False
    if part is None or None in taken:
        return True
    return part != -1 and part in taken
