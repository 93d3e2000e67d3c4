"""Check and repair, on one page: read, look, mend, write."""

from __future__ import annotations

from typing import Any

import msgspec

from rejoinder.dialects.clause import Target
from rejoinder.dialects.detect import DIALECTS, detect, find_dialect, shows
from rejoinder.dialects.fold import open_spans
from rejoinder.errors import DialectError, PayloadError
from rejoinder.mend.issued import spare_issued
from rejoinder.mend.loop import Reading, look, mend
from rejoinder.mend.policy import Policy, policy_of
from rejoinder.mend.report import Repaired, patch_of
from rejoinder.mend.settle import is_proven, placed, settled, unproven_spans
from rejoinder.mend.spoiled import spare_spoiled
from rejoinder.targets import TARGETS, find_target
from rejoinder.values.conversation import Conversation, Message
from rejoinder.values.finding import Finding
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.payload import Payload, messages_of, model_of

_STORED = frozenset(name for name, dialect in DIALECTS.items() if dialect.stored)
_ANTHROPIC = ("tool_use", "tool_result", "thinking")


def check(
    payload: Payload,
    target: str | None = None,
    *,
    dialect: str | None = None,
    model: str | None = None,
    policy: Policy | str | None = None,
) -> list[Finding]:
    """All that the target would refuse, in the order of the messages; [] when it would be accepted.

    `payload` is a list of messages or a whole request body; it is not changed. Without a target, the
    payload is held against the API whose dialect it is in. `model` (or the body's own) narrows the
    target; of `policy`, only `paused` matters here.
    """
    conversation, reading = _read(payload, target, dialect, model, policy)
    if conversation is None:
        return []
    found = placed(conversation, [noted.finding for noted in look(conversation, reading)])
    return sorted(found, key=lambda finding: finding.at.message)


def repair(
    payload: Payload,
    target: str | None = None,
    *,
    dialect: str | None = None,
    model: str | None = None,
    policy: Policy | str | None = None,
) -> Repaired:
    """The payload as the target accepts it, each step accounted for, and what could not be mended.

    `payload` is not changed. When there is nothing to do, `.payload` is the very same object.
    """
    before, reading = _read(payload, target, dialect, model, policy)
    if before is None:
        return Repaired(payload=payload, dialect=reading.dialect.name, target=reading.target.name)
    outcome = _mended(payload, before, reading, dialect is None)
    if outcome.steps and messages_of(payload) and not messages_of(outcome.payload) and _nothing(outcome):
        gentler = msgspec.structs.replace(reading, policy=reading.policy.gentler())
        outcome = _mended(payload, before, gentler, dialect is None)
    return outcome


def _mended(payload: Payload, before: Conversation, reading: Reading, guessed: bool) -> Repaired:
    """The payload as this policy mends it; `guessed` if nobody said which dialect it is in."""
    names = reading.dialect.name, reading.target.name
    after, steps, left = mend(before, reading)
    whole = not left and all(step.cost == "free" for step in steps)
    if steps and guessed and not whole and _is_foreign(payload, before, reading):
        # Another provider's history is not mended but converted: what would be taken away here is what it says.
        steps, left = [], [noted.finding for noted in look(before, reading)]
    if not steps:
        return Repaired(payload=payload, left=tuple(placed(before, left)), dialect=names[0], target=names[1])
    after, spared = spare_issued(before, after, reading)
    after, more = spare_spoiled(before, after, reading)
    more = [*spared, *more]
    mended, rest, left, _ = settled(after, reading)
    return Repaired(
        payload=mended,
        steps=(*steps, *more, *rest),
        left=tuple(left),
        patch=patch_of(payload, mended),
        dialect=names[0],
        target=names[1],
    )


def _nothing(outcome: Repaired) -> bool:
    """Is it told that nothing is left to send? (Who only asks for pairs does not mind.)"""
    return any(finding.rule == "message_order.nonempty" for finding in outcome.left)


def _read(
    payload: Payload, target: str | None, dialect: str | None, model: str | None, policy: Policy | str | None
) -> tuple[Conversation | None, Reading]:
    """The payload as a value, and what it is held against. Stretches that are surely intact stay folded.

    None of a list that is surely intact from end to end: there is nothing to read.
    """
    _must_be_conversation(payload)
    messages = messages_of(payload)
    wants = find_target(target) if target is not None else None
    reader = find_dialect(dialect) if dialect is not None else None
    guess = reader.name if reader else wants.dialect if wants and wants.dialect else _guess(messages)
    unproven = unproven_spans(messages, wants.name if wants else guess, guess)
    if reader is None:
        # What is proven is proven in the dialect of the guess; anything else is looked at for signs.
        odd = payload if unproven is None else [raw for start, stop in unproven for raw in messages[start:stop]]
        reader = find_dialect(guess if odd == [] and messages else _dialect_of(payload, odd, wants, guess))
    reader = reader.in_form_of(payload)
    if wants is None:
        wants = find_target(reader.name if reader.name in TARGETS else "openai-chat")
    unproven = unproven if reader.name == guess else None
    reading = Reading(reader, wants, str(model) if model else model_of(payload), policy_of(policy))
    if is_proven(payload, unproven, reading):
        return None, reading
    conversation = reader.decode(payload, None if unproven is None else open_spans(messages, unproven))
    return conversation, msgspec.structs.replace(reading, policy=reading.policy.sparing(conversation.waiting()))


def _guess(messages: list[Any]) -> str:
    """The provider's dialect that the first messages look like. A proof, or a closer look, will tell."""
    for message in messages[:8]:
        content = message.get("content") if is_object(message) else None
        if is_array(content) and any(is_object(block) and block.get("type") in _ANTHROPIC for block in content):
            return "anthropic"
    return "openai-chat"


def _dialect_of(payload: Payload, odd: Payload, wants: Target | None, guess: str) -> str:
    """The dialect of the target, unless the payload is surely in an application's own.

    What is handed over for a provider is read as that provider would read it: what it does not know,
    it refuses. Where nobody is named, what was proven is in the dialect of the guess, and if all that
    is odd can be read in it too, there is nothing more to ask.
    """
    if wants is None or not wants.dialect:
        proven = odd is not payload and not is_object(payload)
        return guess if proven and _fits(odd, guess) else detect(payload).dialect
    if _sure(odd) in _STORED:
        found = _sure(payload)
        if found in _STORED and shows(payload, found, wants.dialect):
            return found
    return wants.dialect


def _fits(payload: Payload, dialect: str) -> bool:
    """Could the payload be in this dialect?"""
    try:
        return dialect in detect(payload).candidates
    except DialectError:
        return False


def _sure(payload: Payload) -> str | None:
    """The one dialect that a payload can be in; None where there are several or none."""
    try:
        found = detect(payload)
    except DialectError:
        return None
    return found.dialect if len(found.candidates) == 1 else None


def _is_foreign(payload: Payload, conversation: Conversation, reading: Reading) -> bool:
    """Is the payload surely in the shape of another provider than the one it is read for?"""
    if reading.dialect.name != reading.target.dialect:
        return False
    dialect = reading.dialect
    kin = {name for name, each in DIALECTS.items() if each.family and each.family == dialect.family}
    ours = {dialect.name, *kin, *_STORED}
    # What stayed folded was proven to be in the shape it is read in; the rest can tell without it.
    read = [message.source for message in conversation.messages if isinstance(message, Message)]
    return all(_is_elsewhere(each, ours) for each in (read, payload))


def _is_elsewhere(payload: Payload, ours: set[str]) -> bool:
    """Can the payload be in none of these dialects? One that is torn between several may be in any."""
    try:
        return ours.isdisjoint(detect(payload).candidates)
    except DialectError:
        return False


def _must_be_conversation(payload: Any) -> None:
    if not is_array(payload) and not is_object(payload):
        raise PayloadError(
            f"a conversation is a list of messages or a request body that holds one; this is {kind_of(payload)}"
        )
