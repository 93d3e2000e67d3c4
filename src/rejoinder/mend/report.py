"""What a repair did: steps that explain themselves, and a patch that can be taken back."""

from __future__ import annotations

import json
from bisect import bisect_left
from functools import cached_property
from hashlib import blake2b
from typing import Any

import msgspec

from rejoinder.mend.prefix import PrefixImpact, prefix_impact
from rejoinder.values.conversation import Conversation, Message
from rejoinder.values.edit import Drop, Insert, Replace
from rejoinder.values.finding import Cost, Finding, Fix
from rejoinder.values.loose import as_json, is_array, is_object
from rejoinder.values.parts import Part, Text, ToolCall, ToolResult
from rejoinder.values.payload import Payload, holder_of, messages_of
from rejoinder.values.place import Place


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One fix that was applied. `at` counts in what the caller handed in; `removed` is what is gone, whole.

    `gone` are the indexes of the messages that are no longer there, `renamed` the new and the old id of each call
    that has another id now.
    """

    rule: str
    clause: str
    at: Place
    pointer: str
    fix: str
    cost: Cost
    says: str
    ids: tuple[str, ...]
    removed: tuple[Any, ...]
    gone: tuple[int, ...]
    before: str
    after: str
    renamed: tuple[tuple[str, str], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The step as plain data, for JSON."""
        data = {name: getattr(self, name) for name in ("rule", "clause", "pointer", "fix", "cost", "says")}
        return {
            **data,
            "at": str(self.at),
            "ids": list(self.ids),
            "removed": [as_json(each) for each in self.removed],
            "gone": list(self.gone),
            "renamed": [list(pair) for pair in self.renamed],
            "before": self.before,
            "after": self.after,
        }


class Hunk(msgspec.Struct, frozen=True):
    """A stretch of messages that became another: `at` counts in what was handed in."""

    at: int
    removed: list[Any]
    inserted: list[Any]


class Patch(msgspec.Struct, frozen=True):
    """All that changed. Applied to the input it gives the output; taken back it gives the input again.

    `hunks` are the messages, `fields` the other members of a body, `keys` the order its members stood in.
    """

    hunks: tuple[Hunk, ...] = ()
    fields: dict[str, tuple[Any, Any]] = {}
    keys: tuple[str, ...] = ()

    def apply(self, payload: Payload) -> Payload:
        """The payload after the repair."""
        return self._over(payload, [(h.at, len(h.removed), h.inserted) for h in self.hunks], 1)

    def undo(self, payload: Payload) -> Payload:
        """The payload before the repair."""
        spans: list[tuple[int, int, list[Any]]] = []
        shift = 0
        for hunk in self.hunks:
            spans.append((hunk.at + shift, len(hunk.inserted), hunk.removed))
            shift += len(hunk.inserted) - len(hunk.removed)
        return self._over(payload, spans, 0)

    def _over(self, payload: Payload, spans: list[tuple[int, int, list[Any]]], side: int) -> Payload:
        if not spans and not self.fields:
            return payload
        old = messages_of(payload)
        new: list[Any] = []
        kept_to = 0
        for start, length, put in spans:
            new += old[kept_to:start]
            new += put
            kept_to = start + length
        new += old[kept_to:]
        if not is_object(payload):
            return new
        body = {**payload, holder_of(payload): new} if spans else dict(payload)
        for name, change in self.fields.items():
            if change[side] is msgspec.UNSET:
                body.pop(name, None)
            else:
                body[name] = change[side]
        if side == 0:
            # What came back stands where it stood.
            return {name: body[name] for name in (*self.keys, *body) if name in body}
        return body


class Repaired(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The outcome of a repair.

    `payload` is the very object that was handed in when nothing had to be done. `left` holds the
    findings that remain: what the policy keeps, and what nobody can mend.
    """

    payload: Any
    steps: tuple[Step, ...] = ()
    left: tuple[Finding, ...] = ()
    patch: Patch = Patch()
    dialect: str = ""
    target: str = ""

    @property
    def changed(self) -> bool:
        """Was anything done?"""
        return bool(self.steps)

    def undo(self) -> Any:
        """What was handed in, again."""
        return self.patch.undo(self.payload)

    @property
    def first_changed(self) -> int | None:
        """The index of the first message that is not as it was; -1 for the system text or the tools."""
        return self.impact.first_changed

    @cached_property
    def impact(self) -> PrefixImpact:
        """What the repair does to sealed thinking and to prompt caches."""
        if not self.steps:
            return PrefixImpact()
        return prefix_impact(self.undo(), self.payload, dialect=self.dialect)

    def as_dict(self) -> dict[str, Any]:
        """The outcome as plain data, for JSON."""
        fields = {name: [_set(each) for each in change] for name, change in self.patch.fields.items()}
        return {
            "changed": self.changed,
            "target": self.target,
            "dialect": self.dialect,
            "steps": [step.as_dict() for step in self.steps],
            "left": [finding.as_dict() for finding in self.left],
            "patch": as_json({"hunks": [msgspec.structs.asdict(hunk) for hunk in self.patch.hunks], "fields": fields}),
            "impact": msgspec.structs.asdict(self.impact),
        }


def _set(value: Any) -> Any:
    return None if value is msgspec.UNSET else value


def step_of(conversation: Conversation, finding: Finding, fix: Fix) -> Step:
    """The record of a fix that is about to be applied to a conversation."""
    removed = _removed(conversation, fix)
    put = [_raw(edit.value) for edit in fix.edits if isinstance(edit, Replace | Insert)]
    message = conversation.at(finding.at.message) if finding.at.message < len(conversation.messages) else None
    at = finding.at
    if isinstance(message, Message) and at.message >= 0 and message.origin >= 0:
        part = None if message.touched else at.part
        at = Place(message.origin, part, at.inner if part is not None else None, at.field)
    return Step(
        rule=finding.rule,
        clause=finding.clause,
        at=at,
        pointer=finding.pointer,
        fix=fix.name,
        cost=fix.cost,
        says=f"{finding.says}: {fix.says}",
        ids=finding.ids,
        removed=tuple(removed),
        gone=_gone(conversation, fix),
        before=digest(removed),
        after=digest(put),
        renamed=_renamed(conversation, fix),
    )


def _renamed(conversation: Conversation, fix: Fix) -> tuple[tuple[str, str], ...]:
    """The new and the old id of each call that the fix gives another id."""
    pairs: list[tuple[str, str]] = []
    for edit in fix.edits:
        if isinstance(edit, Replace) and isinstance(edit.value, ToolCall) and edit.at.message >= 0:
            old = conversation.message(edit.at.message).parts[edit.at.part or 0]
            if isinstance(old, ToolCall) and isinstance(old.id, str) and old.id != edit.value.id:
                pairs.append((str(edit.value.id), old.id))
    return tuple(pairs)


def _gone(conversation: Conversation, fix: Fix) -> tuple[int, ...]:
    """The indexes, in what the caller handed in, of the messages that the fix takes away."""
    moved = {id(edit.value) for edit in fix.edits if isinstance(edit, Insert)}
    parts: dict[int, int] = {}
    whole: list[int] = []
    for edit in fix.edits:
        message = conversation.at(edit.at.message) if isinstance(edit, Drop) and edit.at.message >= 0 else None
        if not isinstance(message, Message) or edit.at.inner is not None:
            continue
        parts[edit.at.message] = parts.get(edit.at.message, 0) + 1
        last = edit.at.part is None or parts[edit.at.message] == len(message.parts)
        held = message.parts[edit.at.part] if edit.at.part is not None else None
        if last and message.origin >= 0 and id(message) not in moved and id(held) not in moved:
            whole.append(message.origin)
    return tuple(whole)


def _removed(conversation: Conversation, fix: Fix) -> list[Any]:
    """The raw objects that are no longer there as they were; what is only moved is not among them."""
    moved = {id(edit.value) for edit in fix.edits if isinstance(edit, Insert)}
    removed: list[Any] = []
    for edit in fix.edits:
        if isinstance(edit, Insert):
            continue
        message = conversation.at(edit.at.message)
        if not isinstance(message, Message):
            continue
        held = _held(message, edit.at)
        whole = edit.at.inner is None and isinstance(edit, Drop) and len(message.parts) == 1
        gone = message if held is None or whole else held
        if id(gone) not in moved and id(held) not in moved:
            removed.append(_raw(gone))
    return removed


def _held(message: Message, place: Place) -> Part | None:
    """The part of a message at a place, or the part inside it; None where the whole message is meant."""
    part = message.parts[place.part] if place.part is not None else None
    return part.parts[place.inner] if isinstance(part, ToolResult) and place.inner is not None else part


def _raw(value: Message | Part) -> Any:
    """The caller's object behind a value, or the nearest thing to it."""
    if value.source is not None and value.source != {"type": "text"}:
        return value.source
    if isinstance(value, Text):
        return value.text
    if isinstance(value, Message):
        return {"role": value.role, "content": [_raw(part) for part in value.parts]}
    return {"id": value.id} if isinstance(value, ToolCall) else {"text": str(getattr(value, "text", ""))}


def digest(objects: list[Any]) -> str:
    """A short name for some JSON values, equal wherever they are equal."""
    try:
        words = json.dumps(objects, separators=(",", ":"), default=str)
    except (RecursionError, ValueError):
        words = f"{len(objects)} values that are nested too deep"
    return "b2:" + blake2b(words.encode(), digest_size=8).hexdigest()


def patch_of(source: Payload, payload: Payload) -> Patch:
    """What changed between the payload that was handed in and the one that is handed back."""
    old, new = messages_of(source), messages_of(payload)
    fields: dict[str, tuple[Any, Any]] = {}
    if is_object(payload) and is_object(source):
        holder = holder_of(source) if is_array(source.get(holder_of(source))) else ""
        for name in dict.fromkeys((*source, *payload)):
            was, now = source.get(name, msgspec.UNSET), payload.get(name, msgspec.UNSET)
            if name != holder and was is not now:
                fields[name] = (was, now)
    return Patch(tuple(_hunks(old, new)), fields, tuple(source) if fields and is_object(source) else ())


def _hunks(old: list[Any], new: list[Any]) -> list[Hunk]:
    """The stretches that differ, between the objects that are the very same on both sides."""
    where = {id(raw): index for index, raw in enumerate(old)}
    places = [where.get(id(raw), -1) for raw in new]
    kept = _rising(places)
    hunks: list[Hunk] = []
    old_to = new_to = 0
    for position in (*kept, len(new)):
        index = places[position] if position < len(new) else len(old)
        if index > old_to or position > new_to:
            hunks.append(Hunk(old_to, old[old_to:index], new[new_to:position]))
        old_to, new_to = index + 1, position + 1
    return hunks


def _rising(places: list[int]) -> list[int]:
    """The positions of a longest run of rising places: what stayed in order. (-1 is nowhere.)"""
    tops: list[int] = []
    chain: list[int] = []
    back: list[int] = []
    for position, place in enumerate(places):
        if place < 0:
            back.append(-1)
            continue
        rank = bisect_left(tops, place)
        back.append(chain[rank - 1] if rank else -1)
        if rank == len(tops):
            tops.append(place)
            chain.append(position)
        else:
            tops[rank], chain[rank] = place, position
    kept: list[int] = []
    position = chain[-1] if chain else -1
    while position >= 0:
        kept.append(position)
        position = back[position]
    return kept[::-1]
