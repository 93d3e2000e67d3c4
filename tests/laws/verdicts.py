"""All that is wrong with one repair of one random history, by all the laws that a plain loop can afford to ask."""

import json
import traceback
from itertools import groupby
from typing import Any, NamedTuple

import faults
import histories
import rejoinder as rj
from judges.sdk_types import refusals_by_types
from judges.structure import refusals
from laws.cases import JUDGED, calls_in, in_order, said, strings
from rejoinder.values.exchange import UNRECORDED
from test_judges import as_chat

# What the judge of OpenAI Chat can say of the pairs of a history in any dialect.
_PAIRS = ("tool-id-required", "tool-after-call", "tool-id-known", "call-answered")
ABOUT_PAIRS = {f"openai-chat/{name}" for name in _PAIRS}


class Job(NamedTuple):
    """One way of repairing: a dialect, a target that fits it, and a policy for unanswered calls."""

    dialect: str
    target: str
    policy: str


def verdicts(job: Job, messages: faults.Messages, types: bool) -> list[str]:
    """Each law that the repair of these messages breaks, in a few words; [] when it breaks none."""
    before = json.dumps(messages)
    try:
        outcome = rj.repair(messages, job.target, dialect=job.dialect, policy=job.policy)
        again = rj.repair(outcome.payload, job.target, dialect=job.dialect, policy=job.policy)
    except Exception:
        return ["raised " + traceback.format_exc()]
    found: list[str] = []
    if json.dumps(messages) != before:
        found.append("the caller's messages were changed")
    if again.changed or again.payload is not outcome.payload:
        found.append("a second repair does " + ", ".join(f"{step.rule}:{step.fix}" for step in again.steps))
    if json.dumps(outcome.undo()) != before:
        found.append("undone, it is not what it was")
    if json.dumps(outcome.patch.apply(messages)) != json.dumps(outcome.payload):
        found.append("the patch does not replay it")
    found += words(messages, outcome) + made_up(outcome) + unsealed(messages, outcome)
    return found + refused(job, outcome, types)


def words(messages: faults.Messages, outcome: rj.Repaired) -> list[str]:
    """Texts that are lost, changed or out of order."""
    out: Any = outcome.payload
    found: list[str] = []
    if said(out, "user") != said(messages, "user"):
        found.append("the users' texts are not what they were")
    before, after = said(messages, "assistant"), said(out, "assistant")
    removed = "\n".join(text for step in outcome.steps for text in strings(list(step.removed)))
    if not in_order(after, before):
        found.append("the assistants' texts are out of order")
    if any(text not in after and text not in removed for text in before):
        found.append("an assistant's text is in no step")
    return found


def made_up(outcome: rj.Repaired) -> list[str]:
    """Synthetic results that no step tells of."""
    made = sum(text == UNRECORDED for text in strings(outcome.payload))
    told = sum(len(step.ids) for step in outcome.steps if step.fix == "answer")
    return [] if made == told else [f"{made} synthetic results, {told} in the steps"]


def unsealed(messages: faults.Messages, outcome: rj.Repaired) -> list[str]:
    """Sealed thinking that was rewritten, or is left in a turn that lost one of its calls."""
    out: Any = outcome.payload
    own = {id(block) for message in messages for block in thinking_in(message)}
    kept = {id(block) for message in out for block in thinking_in(message)}
    found = [] if kept <= own else ["a thinking block is not one of the input's"]
    asked = {what(call) for call in calls_in(out)}
    for role, turn in groupby(messages, key=lambda message: message.get("role")):
        spoken = list(turn) if role in ("assistant", "model") else []
        stayed = any(id(block) in kept for message in spoken for block in thinking_in(message))
        # A copy, id and all, was never signed: each distinct call counts once.
        if stayed and any(what(call) not in asked for call in calls_in(spoken)):
            found.append("sealed thinking stayed, and a call of its turn went")
    return found


def what(call: faults.Message) -> str:
    """What a call asks for, whatever its id."""
    return str((call.get("name"), call.get("input"), call.get("args")))


def thinking_in(message: faults.Message) -> list[faults.Message]:
    """The sealed thinking of a message."""
    kinds = ("thinking", "redacted_thinking")
    if "parts" in message:
        return [part for part in histories.blocks(message) if part.get("thought") and part.get("thoughtSignature")]
    sealed = [b for b in histories.blocks(message) if b.get("type") in kinds and (b.get("signature") or b.get("data"))]
    return sealed + [block for block in histories.blocks(message) if "reasoningContent" in block]


def refused(job: Job, outcome: rj.Repaired, types: bool) -> list[str]:
    """What the independent judges say of the output."""
    out: Any = outcome.payload
    if job.dialect in JUDGED:
        rules = refusals(job.dialect, out, trailing=True)
        complaints = refusals_by_types(job.dialect, out) if types and not rules else []
        return [f"refused: {each}" for each in (*rules, *complaints)]
    told = [message for message in out if message.get("role") != "tool" or histories.results(message)]
    return [f"refused: {rule}" for rule in refusals("openai-chat", as_chat(told)) if rule in ABOUT_PAIRS]


def shrunk(job: Job, messages: faults.Messages, verdict: str) -> faults.Messages:
    """A history that is as small as can be and breaks the same law."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(messages):
            if verdict in verdicts(job, candidate, types=True):
                messages, smaller = candidate, True
                break
    return messages


def _smaller(messages: faults.Messages) -> list[faults.Messages]:
    """The history without one message, or without one block or call of one."""
    found = [messages[:at] + messages[at + 1 :] for at in range(len(messages))] if len(messages) > 1 else []
    for at, message in enumerate(messages):
        for key in ("content", "parts", "tool_calls", "toolCalls"):
            held = message.get(key)
            for number in range(len(held)) if isinstance(held, list) else ():
                less = {**message, key: [each for at_number, each in enumerate(held or ()) if at_number != number]}
                found.append([*messages[:at], less, *messages[at + 1 :]])
    return found


def counterexample(job: Job, seed: str, names: list[str], messages: faults.Messages, verdict: str) -> str:
    """What a reader needs to see a failure happen again."""
    small = shrunk(job, messages, verdict)
    outcome = rj.repair(small, job.target, dialect=job.dialect, policy=job.policy)
    return "\n".join(
        (
            f"{verdict}\n  {job}, seed {seed!r}, faults {names}",
            f"  in:    {json.dumps(small)}",
            f"  out:   {json.dumps(outcome.payload)}",
            f"  steps: {[(step.rule, step.fix, str(step.at)) for step in outcome.steps]}",
            f"  left:  {[str(finding) for finding in outcome.left]}",
        )
    )
