"""What was issued together and is no longer whole: what is left of it is sent without seals."""

from __future__ import annotations

from collections.abc import Iterator

from rejoinder.mend.loop import Reading, mend
from rejoinder.mend.report import Step, step_of
from rejoinder.rules import sealed_items
from rejoinder.rules.unsealing import is_thinking, unsealed
from rejoinder.values.conversation import Conversation, Message
from rejoinder.values.edit import Edit, apply
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.place import Place
from rejoinder.values.view import View


def spare_issued(before: Conversation, after: Conversation, reading: Reading) -> tuple[Conversation, list[Step]]:
    """The conversation without reasoning whose answer the repair cut or changed, and without the ids of the rest.

    Such reasoning is only taken back with all that came with it, as it came.
    """
    clause = next((each for each in reading.target.clauses if each.check is sealed_items.reasoning_followed), None)
    if clause is None:
        return after, []
    view = View(after, reading.dialect.layout)
    steps: list[Step] = []
    edits: list[Edit] = []
    for index in _cut(before, view, reading):
        fix = Fix("drop", "drops", "leave the reasoning out, and the ids of what came with it", unsealed(view, index))
        finding = Finding(
            at=Place(index),
            says="the repair changed what came with this reasoning",
            rule=clause.rule,
            clause=clause.id,
            target=reading.target.name,
            severity=clause.severity,
            pointer=reading.dialect.pointer(after, Place(index)),
        )
        steps.append(step_of(after, finding, fix))
        edits += fix.edits
    if not edits:
        return after, []
    mended, more, _ = mend(apply(after, edits), reading)
    return mended, [*steps, *more]


def _cut(before: Conversation, view: View, reading: Reading) -> Iterator[int]:
    """The indexes, after the repair, of reasoning that lost something that came with it."""
    now = {message.origin: (index, message) for index, message in view.messages if message.origin >= 0}
    was = View(before, reading.dialect.layout)
    for group in dict.fromkeys(was.issued.values()):
        thinking = before.message(group[0])
        held = now.get(thinking.origin)
        if held is None or not is_thinking(held[1].parts):
            continue
        if any(_changed(before.message(index), now.get(before.message(index).origin)) for index in group):
            yield held[0]


def _changed(message: Message, now: tuple[int, Message] | None) -> bool:
    """Is the item gone, or does it say something else? (A member that its API does not know is no word.)"""
    return now is None or (now[1].touched and now[1].parts != message.parts)
