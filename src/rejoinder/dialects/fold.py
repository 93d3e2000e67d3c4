"""Leaving proven stretches of a history unread.

A quick pass names the spans it is not sure of. Those are read into values with a turn on each
side for company, and so are the first and the last turns, where rules look at who begins and
who ends; what lies between is one `Stretch` each, and nobody looks inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from rejoinder.values.loose import is_object

Span = tuple[int, int]
Unproven = Callable[[list[Any]], Iterator[Span]]

# A gap of fewer messages than this is read with its neighbours.
_SHORTEST = 12


class Proof(NamedTuple):
    """What a dialect proves without reading: which spans it is not sure of; and where there are none, whether nothing
    that a rule asks of both ends is open either. (It is asked of bare lists only: a body can demand more.)"""

    unproven: Unproven
    ends_well: Callable[[list[Any]], bool]


def open_spans(messages: list[Any], unproven: Iterable[Span]) -> list[Span]:
    """The spans to read: the unproven ones with a turn on each side, and both ends."""
    total = len(messages)
    spans: list[Span] = [(0, _turn_from(messages, 1))]
    for start, stop in (*unproven, (_turn_before(messages, total, 0), total)):
        if stop <= spans[-1][1]:
            continue
        start = _turn_before(messages, start, spans[-1][1])
        stop = _turn_from(messages, stop)
        if start - spans[-1][1] < _SHORTEST:
            spans[-1] = (spans[-1][0], max(stop, spans[-1][1]))
        else:
            spans.append((start, stop))
    return spans


def _turn_before(messages: list[Any], index: int, floor: int) -> int:
    """The beginning of the last assistant turn in front of an index, but not below the floor."""
    index -= 1
    while index > floor and not opens_turn(messages, index):
        index -= 1
    return max(index, floor)


def _turn_from(messages: list[Any], index: int) -> int:
    """The beginning of the first assistant turn at or behind an index."""
    while index < len(messages) and not opens_turn(messages, index):
        index += 1
    return index


def opens_turn(messages: list[Any], index: int) -> bool:
    """Does an assistant turn begin here?"""
    return _role(messages[index]) == "assistant" and (index == 0 or _role(messages[index - 1]) != "assistant")


def _role(message: Any) -> Any:
    return message.get("role") if is_object(message) else None
