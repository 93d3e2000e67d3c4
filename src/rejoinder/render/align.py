"""Which messages of two histories are the same: the runs that they share, found in n log n."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from rejoinder.render.message import compact
from rejoinder.values.loose import is_object

# Up to this many comparisons, difflib's choice is the better one to read; beyond, it would take too long.
_WORTH_MATCHING = 250_000


class Hunk(NamedTuple):
    """A stretch that became another: where it begins on both sides, and the messages of each."""

    before: int
    after: int
    old: Sequence[Any]
    new: Sequence[Any]


def hunks(old: Sequence[Any], new: Sequence[Any]) -> list[Hunk]:
    """The stretches in which two lists of messages differ."""
    left, right = [_key(message) for message in old], [_key(message) for message in new]
    found: list[Hunk] = []
    before = after = 0
    for one, other in (*_shared(left, right), (len(left), len(right))):
        if one > before or other > after:
            found.append(Hunk(before, after, old[before:one], new[after:other]))
        before, after = one + 1, other + 1
    return found


def _key(message: Any) -> str:
    """A message as text, equal where messages are equal, whatever the order of their keys."""
    return compact({key: message[key] for key in sorted(message)} if is_object(message) else message)


def _shared(left: list[str], right: list[str]) -> list[tuple[int, int]]:
    """The pairs of places that hold the same message, in rising order on both sides."""
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    ends = (len(left), len(right))
    while min(ends) > start and left[ends[0] - 1] == right[ends[1] - 1]:
        ends = (ends[0] - 1, ends[1] - 1)
    middle = _matched(left[start : ends[0]], right[start : ends[1]])
    pairs = [(place, place) for place in range(start)]
    pairs += [(start + one, start + other) for one, other in middle]
    return pairs + list(zip(range(ends[0], len(left)), range(ends[1], len(right)), strict=True))


def _matched(left: list[str], right: list[str]) -> list[tuple[int, int]]:
    if len(left) * len(right) <= _WORTH_MATCHING:
        blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
        return [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
    counts, others = Counter(left), Counter(right)
    where = {text: place for place, text in enumerate(right) if others[text] == 1}
    pairs = [(place, where[text]) for place, text in enumerate(left) if counts[text] == 1 and text in where]
    return _rising(pairs)


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest run of pairs, ordered on the left, that rises on the right as well."""
    tops: list[int] = []
    chain: list[int] = []
    back: list[int] = []
    for number, (_, place) in enumerate(pairs):
        rank = bisect_left(tops, place)
        back.append(chain[rank - 1] if rank else -1)
        tops[rank : rank + 1] = [place]
        chain[rank : rank + 1] = [number]
    kept: list[tuple[int, int]] = []
    number = chain[-1] if chain else -1
    while number >= 0:
        kept.append(pairs[number])
        number = back[number]
    return kept[::-1]
