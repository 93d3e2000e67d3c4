"""Check, take the fixes that do not stand in each other's way, apply them as one, check again."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rejoinder.dialects.clause import Clause, Target
from rejoinder.dialects.dialect import Dialect
from rejoinder.errors import RefusedError
from rejoinder.repair.policy import Policy
from rejoinder.repair.report import Step, step_of
from rejoinder.values.conversation import Conversation
from rejoinder.values.edit import Edit, Insert, apply
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.view import View

# Each round settles all that can be settled at once. A property test holds that far fewer are needed.
ROUNDS = 32


def look(conversation: Conversation, dialect: Dialect, target: Target, model: str | None, paused: frozenset[str]) -> list[tuple[Clause, Finding]]:
    """All findings of a target's clauses, in the order of the clauses."""
    view = View(conversation, dialect.layout, paused)
    foreign = bool(target.dialect) and target.dialect != dialect.name
    found: list[tuple[Clause, Finding]] = []
    for clause in target.clauses:
        severity = clause.severity_for(model)
        if severity is None or (clause.wire and foreign):
            continue
        for finding in clause.check(view, **clause.params):
            named = msgspec.structs.replace(
                finding,
                rule=clause.rule,
                clause=clause.id,
                target=target.name,
                severity=severity,
                pointer=dialect.pointer(conversation, finding.at),
                provider_says=quote(clause, finding, view),
            )
            found.append((clause, named))
    return found


def quote(clause: Clause, finding: Finding, view: View) -> str:
    """The error text that the provider would answer with, for this finding."""
    index = finding.at.message
    message = view.conversation.at(index) if -2 <= index < len(view.conversation.messages) else None
    at = getattr(message, "origin", index)
    words = clause.provider_says.replace("{i}", str(at if at >= 0 else max(index, 0)))
    return words.replace("{ids}", ", ".join(finding.ids)).replace("{kind}", finding.says.partition("'")[2].partition("'")[0])


def mend(
    conversation: Conversation, dialect: Dialect, target: Target, model: str | None, policy: Policy
) -> tuple[Conversation, list[Step], list[Finding]]:
    """The conversation as the policy mends it, the steps taken, and the findings that remain."""
    steps: list[Step] = []
    for _ in range(ROUNDS):
        found = look(conversation, dialect, target, model, policy.paused)
        edits: list[Edit] = []
        for finding, fix in _compatible(found, policy):
            edits += fix.edits
            steps.append(step_of(conversation, finding, fix, finding.pointer))
        if not edits:
            return conversation, steps, [finding for _, finding in found]
        conversation = apply(conversation, edits)
    return conversation, steps, [finding for _, finding in look(conversation, dialect, target, model, policy.paused)]


def _compatible(found: list[tuple[Clause, Finding]], policy: Policy) -> Iterator[tuple[Finding, Fix]]:
    """The fixes to take now: each finding's own, unless one that was taken touches the same place."""
    taken: dict[int, set[int | None]] = {}
    for clause, finding in found:
        fix = _chosen(clause, finding, policy)
        if fix is None or not fix.edits:
            continue
        places = _touched(finding, fix)
        if any(_clash(taken.get(message), part) for message, part in places):
            continue
        for message, part in places:
            taken.setdefault(message, set()).add(part)
        yield finding, fix


def _chosen(clause: Clause, finding: Finding, policy: Policy) -> Fix | None:
    """The fix that the policy takes for a finding; None to leave it."""
    choice = policy.choice(finding)
    if choice == "raise":
        raise RefusedError(finding)
    if choice == "keep" or not finding.fixes or (choice is None and not clause.acts):
        return None
    return next((fix for fix in finding.fixes if fix.name == choice), finding.fixes[0])


def _touched(finding: Finding, fix: Fix) -> set[tuple[int, int | None]]:
    """What a fix changes or leans on: (message, part), or (message, None) for the whole of it."""
    places: set[tuple[int, int | None]] = {(finding.at.message, finding.at.part)} if finding.at.part is not None else set()
    for edit in fix.edits:
        if isinstance(edit, Insert) and edit.at.part is not None:
            places.add((edit.at.message, -1))
        elif not isinstance(edit, Insert):
            places.add((edit.at.message, edit.at.part))
    return places


def _clash(taken: set[int | None] | None, part: int | None) -> bool:
    """Do two fixes meet? Two inserts in one message (-1) do not; the whole of a message meets everything in it."""
    if not taken:
        return False
    if part is None or None in taken:
        return True
    return part != -1 and part in taken
