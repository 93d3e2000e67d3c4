"""Check and repair, on one page: read, look, mend, write."""

from __future__ import annotations

from typing import Any

import msgspec

from rejoinder.dialects.clause import Target
from rejoinder.dialects.detect import detect, find_dialect
from rejoinder.dialects.dialect import Dialect, Payload
from rejoinder.dialects.shape import kind_of
from rejoinder.errors import DialectError, PayloadError
from rejoinder.repair.loop import look, mend
from rejoinder.repair.policy import Policy, policy_of
from rejoinder.repair.report import Repaired, patch_of
from rejoinder.repair.spoiled import spare_spoiled
from rejoinder.targets import find_target
from rejoinder.values.finding import Finding


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
    reader, wants = _readers(payload, target, dialect)
    conversation = reader.decode(payload)
    found = look(conversation, reader, wants, model or _model_of(payload), policy_of(policy).paused)
    return sorted((finding for _, finding in found), key=lambda finding: finding.at.message)


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
    reader, wants = _readers(payload, target, dialect)
    model = model or _model_of(payload)
    choices = policy_of(policy)
    before = reader.decode(payload)
    after, steps, left = mend(before, reader, wants, model, choices)
    if not after.messages and before.messages and any(f.rule == "message_order.nonempty" for f in left):
        choices = _gentler(choices)
        after, steps, left = mend(before, reader, wants, model, choices)
    if not steps:
        return Repaired(payload=payload, left=tuple(left), dialect=reader.name, target=wants.name)
    after, more, left = spare_spoiled(before, after, left, reader, wants, model, choices)
    mended = reader.encode(after)
    return Repaired(
        payload=mended,
        steps=(*steps, *more),
        left=tuple(left),
        patch=patch_of(before, after, mended),
        dialect=reader.name,
        target=wants.name,
    )


def _gentler(policy: Policy) -> Policy:
    """The policy where what is broken is all there is: to drop it would leave nothing to send."""
    keep = {"empty_content.content_required": "fill", "empty_content.empty_turn": "placeholder"}
    return msgspec.structs.replace(policy, unanswered="answer", orphan="as_text", rules={**keep, **policy.rules})


def _readers(payload: Payload, target: str | None, dialect: str | None) -> tuple[Dialect, Target]:
    """How the payload is read, and against what it is held."""
    _must_be_conversation(payload)
    wants = find_target(target) if target is not None else None
    if dialect is not None:
        name = find_dialect(dialect).name
    elif wants is None or not wants.dialect:
        name = detect(payload).dialect
    else:
        name = _own_dialect(payload) or wants.dialect
    if wants is None:
        wants = find_target(name if name in ("openai-chat", "anthropic") else "openai-chat")
    return find_dialect(name), wants


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
    if isinstance(payload, list):
        return
    if not isinstance(payload, dict):
        raise PayloadError(
            f"a conversation is a list of messages or a request body that holds one; this is {kind_of(payload)}"
        )
    if not isinstance(payload.get("messages"), list):
        found = kind_of(payload["messages"]) if "messages" in payload else "missing"
        raise PayloadError(f"the body wants a list `messages`; it is {found}")


def _model_of(payload: Payload) -> str | None:
    model = payload.get("model") if isinstance(payload, dict) else None
    return model if isinstance(model, str) else None
