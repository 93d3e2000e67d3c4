"""Check and repair, on one page: read, look, mend, write."""

from __future__ import annotations

from typing import Any

import msgspec

from rejoinder.dialects.clause import Target
from rejoinder.dialects.detect import detect, find_dialect
from rejoinder.dialects.dialect import Payload
from rejoinder.dialects.fold import open_spans
from rejoinder.dialects.shape import kind_of
from rejoinder.errors import DialectError, PayloadError
from rejoinder.mend.loop import Reading, look, mend
from rejoinder.mend.policy import Policy, policy_of
from rejoinder.mend.report import Repaired, messages_of, patch_of
from rejoinder.mend.spoiled import spare_spoiled
from rejoinder.targets import PROOFS, TARGETS, find_target
from rejoinder.values.conversation import Conversation
from rejoinder.values.finding import Finding
from rejoinder.values.loose import is_array, is_object

# Below this many messages, reading all of them is quicker than asking which can be left folded.
_WORTH_FOLDING = 24


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
    found = _placed(conversation, [noted.finding for noted in look(conversation, reading)])
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
    after, steps, left = mend(before, reading)
    if not after.messages and before.messages and any(f.rule == "message_order.nonempty" for f in left):
        reading = msgspec.structs.replace(reading, policy=_gentler(reading.policy))
        after, steps, left = mend(before, reading)
    if not steps:
        left = _placed(before, left)
        return Repaired(payload=payload, left=tuple(left), dialect=reading.dialect.name, target=reading.target.name)
    after, more, left = spare_spoiled(before, after, left, reading)
    mended = reading.dialect.encode(after)
    if left:
        left = [noted.finding for noted in look(reading.dialect.decode(mended), reading)]
    return Repaired(
        payload=mended,
        steps=(*steps, *more),
        left=tuple(left),
        patch=patch_of(payload, mended),
        dialect=reading.dialect.name,
        target=reading.target.name,
    )


def _placed(conversation: Conversation, findings: list[Finding]) -> list[Finding]:
    """The findings with places that count in the payload, where stretches were left folded."""
    if len(conversation.messages) == len(messages_of(conversation.source)):
        return findings
    indexes = conversation.indexes()
    return [
        msgspec.structs.replace(finding, at=msgspec.structs.replace(finding.at, message=indexes[finding.at.message]))
        if 0 <= finding.at.message < len(indexes)
        else finding
        for finding in findings
    ]


def _gentler(policy: Policy) -> Policy:
    """The policy where what is broken is all there is: to drop it would leave nothing to send."""
    rules = {"message_order.nonempty": "placeholder", **policy.rules}
    return msgspec.structs.replace(policy, unanswered="answer", orphan="as_text", rules=rules)


def _read(
    payload: Payload, target: str | None, dialect: str | None, model: str | None, policy: Policy | str | None
) -> tuple[Conversation, Reading]:
    """The payload as a value, and what it is held against. Stretches that are surely intact stay folded."""
    _must_be_conversation(payload)
    messages = messages_of(payload)
    wants = find_target(target) if target is not None else None
    reader = find_dialect(dialect) if dialect is not None else None
    guess = reader.name if reader else wants.dialect if wants and wants.dialect else "openai-chat"
    proof = PROOFS.get((wants.name if wants else guess, guess)) if len(messages) >= _WORTH_FOLDING else None
    unproven = list(proof(messages)) if proof else None
    if reader is None:
        # What is proven is proven in the dialect of the guess; anything else is looked at for signs.
        odd = payload if unproven is None else [raw for start, stop in unproven for raw in messages[start:stop]]
        reader = find_dialect(guess if odd == [] and messages else _dialect_of(payload, odd, wants))
    if wants is None:
        wants = find_target(reader.name if reader.name in TARGETS else "openai-chat")
    spans = open_spans(messages, unproven) if unproven is not None and reader.name == guess else None
    reading = Reading(reader, wants, model or _model_of(payload), policy_of(policy))
    return reader.decode(payload, spans), reading


def _dialect_of(payload: Payload, odd: Payload, wants: Target | None) -> str:
    if wants is None or not wants.dialect:
        return detect(payload).dialect
    return (_own_dialect(odd) and _own_dialect(payload)) or wants.dialect


def _own_dialect(payload: Payload) -> str | None:
    """An application's own dialect, where the payload is surely in one.

    What is handed over for a provider is otherwise read as that provider would read it: what it
    does not know, it refuses.
    """
    try:
        found = detect(payload)
    except DialectError:
        return None
    return found.dialect if found.dialect in ("app", "neovate") else None


def _must_be_conversation(payload: Any) -> None:
    if is_array(payload):
        return
    if not is_object(payload):
        raise PayloadError(
            f"a conversation is a list of messages or a request body that holds one; this is {kind_of(payload)}"
        )
    if not is_array(payload.get("messages")):
        found = kind_of(payload["messages"]) if "messages" in payload else "missing"
        raise PayloadError(f"the body wants a list `messages`; it is {found}")


def _model_of(payload: Payload) -> str | None:
    model = payload.get("model") if is_object(payload) else None
    return model if isinstance(model, str) else None
