"""Which results of a session answer which calls: by order first, then by id; and why a call has none.

A reader tells what happened as steps, in the order of the file; the defects follow from those, alike for all tools.
An id may come again: a call that is written twice while it waits waits once; else these are two calls with one id.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from rejoinder.transcripts.lines import Record
from rejoinder.transcripts.transcript import Defect

# turn: somebody goes on, a user or a later answer of the model. said: the model speaks, maybe in the same answer still.
Kind = Literal["call", "result", "turn", "said", "cut", "interrupted", "errored"]
_ENDS: dict[str, str] = {"turn": "interrupted", "cut": "cut", "interrupted": "interrupted", "errored": "errored"}


class Step(NamedTuple):
    """One thing that happened. Of a call: `what` it does, and `why` it can have no result, where that is known.

    `name` is what is told of a call that has no id of its own; its `id` is then the reader's.
    """

    kind: Kind
    line: int
    id: str = ""
    what: Any = None
    live: bool = True
    why: str = ""
    name: str = ""


def unit_of(records: Iterable[Record]) -> str:
    """What the `line` of records counts: lines; where there are none, rows of a table, or messages."""
    first = next(iter(records), None)
    return "line" if first is None or first.raw else "row" if "table" in first.value else "message"


def unpaired(steps: Sequence[Step], *, forks: bool = False, unit: str = "line") -> Iterator[Defect]:
    """The defects of calls and results. `forks`: what is not live is of several ways, which may share their ids."""
    for defect in _unpaired(steps, forks):
        yield defect if unit == "line" else msgspec.structs.replace(defect, unit=unit)


def _unpaired(steps: Sequence[Step], forks: bool) -> Iterator[Defect]:
    calls = [at for at, step in enumerate(steps) if step.kind == "call"]
    answered, odd = _paired(steps, forks)
    yield from odd
    ends = _ends(steps)
    for at in calls:
        if at not in answered:
            call = steps[at]
            why = call.why or ends.get(at, "pending")
            says = f"call {_shown(call)} has no result"
            yield Defect(kind=why, line=call.line, says=says, ids=(_shown(call),), live=call.live)


def _paired(steps: Sequence[Step], forks: bool) -> tuple[set[int], list[Defect]]:
    """The calls that have a result, or are another one written again; and what is odd about results and ids."""
    open_calls: dict[tuple[bool, str], deque[int]] = {}
    seen: dict[tuple[bool, str], int] = {}
    answered: set[int] = set()
    odd: list[Defect] = []
    left: list[int] = []
    for at, step in enumerate(steps):
        key = (step.live, step.id)
        if step.kind == "call":
            waiting = open_calls.setdefault(key, deque())
            again = bool(waiting) and _is_same(steps[waiting[-1]], step)
            if key in seen and (step.live or not forks):
                says = f"call {_shown(step)} is written twice" if again else f"two calls have the id {_shown(step)}"
                odd.append(_defect("duplicate", step, says))
            seen[key] = at
            if again:
                answered.add(at)
            else:
                waiting.append(at)
        elif step.kind == "result":
            if waiting := open_calls.get(key):
                answered.add(waiting.popleft())
            else:
                left.append(at)
    odd += _left_over(steps, left, open_calls, seen, answered, forks)
    return answered, odd


def _left_over(
    steps: Sequence[Step],
    left: list[int],
    open_calls: dict[tuple[bool, str], deque[int]],
    seen: dict[tuple[bool, str], int],
    answered: set[int],
    forks: bool,
) -> Iterator[Defect]:
    """Results that answer no call in front of them on their own way."""
    for at in left:
        step = steps[at]
        key, beside = (step.live, step.id), (not step.live, step.id)
        later = open_calls.get(key)
        if later and later[-1] > at:
            answered.add(later.popleft())
            yield _defect("early", step, f"the result stands in front of its call {_shown(step)}")
        elif key in seen:
            if step.live or not forks:
                yield _defect("duplicate", step, f"call {_shown(step)} has two results")
        elif beside in seen:
            if not step.live:
                continue
            # Its call is on a way that was left, or was cut away: there is nothing that it could answer.
            answered.update(open_calls.get(beside, ()))
            yield _defect("orphan", step, f"its call {_shown(step)} is not on the active path")
        else:
            yield _defect("orphan", step, f"no call has the id {_shown(step)}")


def _is_same(one: Step, other: Step) -> bool:
    """Is it the same call, written again? Values that are nested too deep to be compared are two calls."""
    try:
        return one.what is not None and bool(one.what == other.what)
    except RecursionError:
        return False


def _shown(step: Step) -> str:
    return step.name or step.id


def _defect(kind: str, step: Step, says: str) -> Defect:
    return Defect(kind=kind, line=step.line, says=says, ids=(_shown(step),), live=step.live)


def _ends(steps: Iterable[Step]) -> dict[int, str]:
    """For each call what came next that leaves it without a result, if it has none."""
    ends: dict[int, str] = {}
    # Calls of the answer that is being given, and those of answers to which results have come.
    fresh: list[int] = []
    stale: list[int] = []
    for at, step in enumerate(steps):
        if step.kind in _ENDS:
            ends.update(dict.fromkeys((*stale, *fresh), _ENDS[step.kind]))
            stale, fresh = [], []
        elif step.kind == "result":
            stale += fresh
            fresh = []
        else:
            ends.update(dict.fromkeys(stale, "interrupted"))
            stale = []
        if step.kind == "call":
            fresh.append(at)
    return ends
