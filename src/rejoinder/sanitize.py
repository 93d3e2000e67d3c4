"""The message sanitizer: incomplete exchanges go, complete ones stay, and each removal is told."""

from __future__ import annotations

import logging
from typing import Any

import msgspec

from rejoinder.dialects.anthropic import proof as anthropic
from rejoinder.dialects.openai_chat import proof as openai_chat
from rejoinder.journey import check, repair
from rejoinder.mend.policy import Policy
from rejoinder.mend.report import Step
from rejoinder.values.loose import is_object

_log = logging.getLogger("rejoinder.sanitize")
_DROP = Policy(unanswered="drop", orphan="drop")


class RemovedMessage(msgspec.Struct, frozen=True):
    """A message that was removed: its index in the input, its role, and why."""

    index: int
    role: str
    reason: str


class SanitizeResult(msgspec.Struct, frozen=True):
    """The clean messages and what it took. `steps` tells of parts that were moved or dropped, too."""

    messages: list[Any]
    sanitized: bool
    removed_count: int
    removed_messages: tuple[RemovedMessage, ...]
    steps: tuple[Step, ...] = ()


class Validation(msgspec.Struct, frozen=True):
    """Whether every call has its result and every result its call, and if not, all that is wrong."""

    valid: bool
    errors: list[str]


def sanitize_messages(messages: list[Any]) -> SanitizeResult:
    """The messages without incomplete exchanges and orphan results; the same list when nothing is wrong.

    Reads the messages of any chat dialect. A result that only stands in the wrong place is moved
    to its call and not removed. The input is not changed.
    """
    if _paired(messages):
        return SanitizeResult(messages, False, 0, ())
    mended = repair(messages, "pairs", policy=_DROP)
    if not mended.changed:
        return SanitizeResult(messages, False, 0, ())
    clean: Any = mended.payload
    removed = _removed(messages, mended.steps)
    if removed:
        details = [{"index": each.index, "role": each.role, "reason": each.reason} for each in removed]
        _log.warning("Messages sanitized %s", {"removed_count": len(removed), "details": details})
    return SanitizeResult(clean, True, len(removed), removed, mended.steps)


def _paired(messages: object) -> bool:
    """Is there surely nothing to do? The dialects that have a quick pass are asked in turn."""
    return isinstance(messages, list) and (openai_chat.paired(messages) or anthropic.paired(messages))  # pyright: ignore


def _removed(messages: list[Any], steps: tuple[Step, ...]) -> tuple[RemovedMessage, ...]:
    """The messages that are gone, each with the reason of the step that took it."""
    reasons = {index: _reason(step, index, step.at.message) for step in reversed(steps) for index in step.gone}
    return tuple(RemovedMessage(index, _role(messages[index]), reasons[index]) for index in sorted(reasons))


def _role(raw: Any) -> str:
    return str(raw.get("role", "")) if is_object(raw) else ""


def _reason(step: Step, index: int, head: int) -> str:
    ids = ", ".join(step.ids)
    if step.rule == "tool_pairing.unanswered":
        if index == head:
            return f"Missing tool responses for: {ids or 'a call without an id'}"
        return f"Associated with incomplete assistant message at index {head}"
    if step.rule == "tool_pairing.duplicate_result":
        return f"Second tool response for: {ids}"
    return (
        f"Orphaned tool message: no matching tool call for {ids}" if ids else "Orphaned tool message: no tool call id"
    )


def validate_messages(messages: list[Any]) -> Validation:
    """Looks for incomplete exchanges and orphan results, and changes nothing."""
    errors = [f"messages[{finding.at.message}]: {finding.says}" for finding in check(messages, "pairs")]
    return Validation(not errors, errors)
