"""What was mended is written, read again as its reader will read it, and has to hold."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rejoinder.dialects.fold import Span, open_spans
from rejoinder.mend.loop import Reading, look, mend
from rejoinder.mend.report import Step
from rejoinder.targets import PROOFS
from rejoinder.values.conversation import Conversation
from rejoinder.values.finding import Finding
from rejoinder.values.loose import is_array
from rejoinder.values.payload import Payload, messages_of
from rejoinder.values.place import Place

# Below this many messages, reading all of them is quicker than asking which can be left folded.
_WORTH_FOLDING = 24
# How often a mended payload is read again, at most. A second time is rare, a third was never seen.
_READINGS = 4

# The payload, the steps it still took, what is left, and for each message the index it was read from.
Settled = tuple[Payload, list[Step], list[Finding], list[int]]


def settled(conversation: Conversation, reading: Reading) -> Settled:
    """What was mended, written, read again and found to be clean; mended further where it is not.

    What is written is what a provider reads, so it is what has to hold. A second reading sees what a
    mended message only shows then: calls under a role that was not known, a block that lost its type.
    """
    steps: list[Step] = []
    origins = conversation.origins()
    written = reading.dialect.encode(conversation)
    for _ in range(_READINGS):
        again = reading.dialect.decode(written, _spans(messages_of(written), reading))
        after, more, left = mend(again, reading)
        if not more:
            return written, steps, placed(again, left), origins
        steps += [_at_origin(step, origins) for step in more]
        origins = [origins[index] if index >= 0 else -1 for index in after.origins()]
        written = reading.dialect.encode(after)
    conversation = reading.dialect.decode(written)
    return written, steps, [noted.finding for noted in look(conversation, reading)], origins


def unproven_spans(messages: list[Any], target: str, dialect: str) -> list[Span] | None:
    """The spans that a quick pass is not sure of; None where there is no such pass, or no use for it."""
    proof = PROOFS.get((target, dialect)) if len(messages) >= _WORTH_FOLDING else None
    return list(proof.unproven(messages)) if proof else None


def _spans(messages: list[Any], reading: Reading) -> list[Span] | None:
    """The spans to read of a payload whose dialect is known."""
    unproven = unproven_spans(messages, reading.target.name, reading.dialect.name)
    return None if unproven is None else open_spans(messages, unproven)


def is_proven(payload: Payload, unproven: list[Span] | None, reading: Reading) -> bool:
    """Is a bare list of messages surely what the target takes, from end to end, whatever the model?"""
    if unproven != [] or reading.model is not None or not is_array(payload):
        return False
    return PROOFS[reading.target.name, reading.dialect.name].ends_well(payload)


def _at_origin(step: Step, origins: list[int]) -> Step:
    """A step of a later reading, with its place counted in what the caller handed in."""
    index = step.at.message
    if not 0 <= index < len(origins) or origins[index] < 0:
        return step
    return replace(step, at=Place(origins[index]), pointer="")


def placed(conversation: Conversation, findings: list[Finding]) -> list[Finding]:
    """The findings with places that count in the payload, where stretches were left folded."""
    if len(conversation.messages) == len(messages_of(conversation.source)):
        return findings
    indexes = conversation.indexes()
    return [
        replace(finding, at=replace(finding.at, message=indexes[finding.at.message]))
        if 0 <= finding.at.message < len(indexes)
        else finding
        for finding in findings
    ]
