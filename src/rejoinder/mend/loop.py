"""Check, take the fixes that do not stand in each other's way, apply them as one, check again."""

from __future__ import annotations

import re
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
from rejoinder.values.place import Place
from rejoinder.values.view import View

# Each round settles all that can be settled at once. A property test holds that far fewer are needed.
ROUNDS = 32


# What something happens to: a message, a part of it, a part inside that; None for the whole, -1 for what is put in.
_Spot = tuple[int, int | None, int | None]
# The same for each message and part.
_Spots = dict[int, dict[int | None, set[int | None]]]


# The blanks of a provider's words: the block, the number, the kind and the quoted value that the finding speaks of.
_BLANKS = (
    ("{j}", re.compile(r"/(?:content|parts|tool_calls|toolCalls)/(\d+)"), True),
    ("{n}", re.compile(r"(?:has |^)(\d+) "), False),
    ("{found}", re.compile(r" is (\w+)$"), False),
    ("{member}", re.compile(r"not known here: (\w+)"), False),
    ("{kind}", re.compile(r"'([^']*)'"), False),
)


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
    target = reading.target
    if target.ask is None or target.dialect != reading.dialect.name:
        return _found(conversation, reading, target.clauses, taken=False)
    refusal = target.ask(reading.dialect.encode(conversation))
    fine = refusal is None or refusal.whatever
    found = _found(conversation, reading, target.clauses, taken=fine)
    for clauses in () if fine else target.sterner:
        if any(_may_act(noted) for noted in found):
            break
        found += _found(conversation, reading, clauses, taken=False)
    if refusal is not None and not any(noted.finding.severity == "error" for noted in found):
        found.append(_refused(conversation, reading, refusal.words))
    return found


def _may_act(noted: Noted) -> bool:
    """Will something be done about it, unless the policy keeps it?"""
    return noted.acts and any(fix.edits for fix in noted.finding.fixes)


def _refused(conversation: Conversation, reading: Reading, words: str) -> Noted:
    """What is refused, and no clause says why."""
    name = reading.target.name
    says = "the reader itself refuses this, and no rule says why"
    at = Place(max(len(conversation.messages) - 1, 0))
    finding = Finding(at=at, says=says, rule="refused", clause="refused", target=name, provider_says=words)
    pointer = reading.dialect.pointer(conversation, at)
    return Noted(msgspec.structs.replace(finding, pointer=pointer), acts=False)


def _found(conversation: Conversation, reading: Reading, clauses: tuple[Clause, ...], *, taken: bool) -> list[Noted]:
    """The findings of these clauses; where the reader has `taken` the history, nothing in it is an error."""
    target, model = reading.target, reading.model
    view = View(conversation, reading.dialect.layout, reading.policy.untouched)
    foreign = bool(target.dialect) and target.dialect != reading.dialect.name
    found: list[Noted] = []
    for clause in clauses:
        severity = clause.severity_for(model)
        if severity is None or (clause.wire and foreign):
            continue
        if taken and severity == "error":
            if not clause.beyond:
                continue
            severity = "warning"
        # A clause that only might apply, because the model is not known, is told and not acted on; unless it is an
        # error even then.
        acts = clause.acts and (clause.models is None or model is not None or clause.unknown == "error")
        for finding in clause.check(view, **clause.params):
            finding = msgspec.structs.replace(finding, pointer=reading.dialect.pointer(conversation, finding.at))
            named = msgspec.structs.replace(
                finding,
                rule=clause.rule,
                clause=clause.id,
                target=target.name,
                severity=severity,
                provider_says=quote(clause, finding, conversation),
            )
            found.append(Noted(named, acts))
    return found


def quote(clause: Clause, finding: Finding, conversation: Conversation) -> str:
    """The error text that the provider would answer with, for this finding."""
    index = (finding.blamed or finding.at).message
    if 0 <= index < len(conversation.messages):
        index = max(conversation.messages[index].origin, 0)
    index = max(index, 0)
    words = clause.provider_says.replace("{i}", str(index)).replace("{i+1}", str(index + 1))
    words = words.replace("{ids}", ", ".join(finding.ids))
    for name, pattern, where in _BLANKS:
        if name in words:
            found = pattern.search(finding.pointer if where else finding.says)
            words = words.replace(name, found.group(1) if found else "0" if where else "…")
    return words


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
    """The fixes to take now: each finding's own, unless it meets one that was taken before."""
    changed: _Spots = {}
    needed: _Spots = {}
    for noted in found:
        fix = _chosen(noted, policy)
        if fix is None or not fix.edits:
            continue
        edits, needs = _touched(noted.finding, fix)
        if _meet(edits, changed) or _meet(edits, needed) or _meet(needs, changed):
            continue
        for spots, held in ((edits, changed), (needs, needed)):
            for message, part, inner in spots:
                held.setdefault(message, {}).setdefault(part, set()).add(inner)
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
    if choice is None:
        return finding.fixes[0]
    fix = offered.get(choice) or offered.get(INSTEAD.get(choice, ""))
    # What was asked for does not exist here: the default is taken only if it costs nothing that was not asked for.
    return fix or (finding.fixes[0] if finding.fixes[0].cost in ("free", "moves") else None)


def _touched(finding: Finding, fix: Fix) -> tuple[set[_Spot], set[_Spot]]:
    """What a fix changes, and what it needs."""
    changes: set[_Spot] = {
        (edit.at.message, -1, None) if isinstance(edit, Insert) else _spot(edit.at) for edit in fix.edits
    }
    if finding.at.part is not None:
        changes.add(_spot(finding.at))
    return changes, {_spot(place) for place in fix.needs}


def _spot(place: Place) -> _Spot:
    return place.message, place.part, place.inner


def _meet(spots: set[_Spot], held: _Spots) -> bool:
    """Do two fixes meet? Two inserts at a message (-1) do not; the whole of something meets all that happens to it."""
    for message, part, inner in spots:
        there = held.get(message)
        if not there:
            continue
        if part is None or None in there:
            return True
        within = there.get(part) if part != -1 else None
        if within and (inner is None or None in within or inner in within):
            return True
    return False
