"""Resuming a session: its conversation as the target takes it, with the stored rows as they were."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from rejoinder.crossing import convert
from rejoinder.dialects.carries import Loss
from rejoinder.dialects.detect import detect
from rejoinder.journey import repair
from rejoinder.mend.policy import Policy, policy_of
from rejoinder.mend.report import Step
from rejoinder.targets import find_target
from rejoinder.values.finding import Finding

if TYPE_CHECKING:
    from rejoinder.edge.sessions import Session


class Resumed(msgspec.Struct, frozen=True, kw_only=True):
    """A session that can go on: `payload` is its conversation as the target takes it, the rest is what that took."""

    session: Any
    payload: Any
    target: str
    steps: tuple[Step, ...] = ()
    losses: tuple[Loss, ...] = ()
    left: tuple[Finding, ...] = ()
    paused: frozenset[str] = frozenset()

    def as_dict(self) -> dict[str, Any]:
        """What it took, as plain data for JSON."""
        return {
            "session": self.session.id,
            "target": self.target,
            "payload": self.payload,
            "steps": [step.as_dict() for step in self.steps],
            "losses": [loss.as_dict() for loss in self.losses],
            "left": [finding.as_dict() for finding in self.left],
            "paused": sorted(self.paused),
            "oddities": [odd.as_dict() for odd in self.session.oddities],
        }


def resumed(session: Session, target: str | None, model: str | None, policy: Policy | str | None) -> Resumed:
    """The conversation of an open session for a target; the repair is appended as a row, if it is a new one."""
    messages = session.messages()
    waiting = session.paused
    chosen = policy_of(policy)
    chosen = replace(chosen, paused=frozenset(chosen.paused) | waiting)
    stored = detect(messages).dialect if messages else "openai-chat"
    wants = find_target(target) if target is not None else None
    if wants is None or wants.dialect in ("", stored):
        done = repair(messages, target, dialect=stored, model=model, policy=chosen)
        losses: tuple[Loss, ...] = ()
    else:
        done = convert(messages, wants.name, dialect=stored, model=model, policy=chosen)
        losses = done.losses
    if done.steps:
        _record(session, done.target, done.steps)
    return Resumed(
        session=session,
        payload=done.payload,
        target=done.target,
        steps=done.steps,
        losses=losses,
        left=done.left,
        paused=waiting,
    )


def _record(session: Session, target: str, steps: tuple[Step, ...]) -> None:
    """Write down what was mended; to resume twice writes it once."""
    told = [step.as_dict() for step in steps]
    # Escaped, for what was mended may be half a character, which UTF-8 does not have.
    digest = hashlib.sha256(json.dumps(told).encode("ascii")).hexdigest()[:16]
    row = {"type": "repair", "target": target, "digest": digest, "steps": told}
    known = {(each.get("target"), each.get("digest")) for each in session.rows() if each.get("type") == "repair"}
    if (target, digest) not in known:
        session.append_row(row)
