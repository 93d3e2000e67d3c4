"""The tree that rows with parents make: the way from a leaf to its root, gaps, and where it forks.

A parent is the nearest earlier row with its id (ids repeat in files that were copied together), else a later one.
Every walk keeps a visited set: chains with a circle in them are real, and have cost people days of processor time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal

import msgspec


class Gap(msgspec.Struct, frozen=True):
    """Where a way does not go on: the row, and the parent that it names; which was never written, or makes a circle."""

    row: int
    parent: str
    kind: Literal["missing", "circle"] = "missing"


class Way(msgspec.Struct, frozen=True):
    """The rows from a root to a leaf, and where it had to stop, or was bridged."""

    rows: tuple[int, ...]
    gaps: tuple[Gap, ...] = ()


class Tree:
    """Rows by number, each with an id and a parent, or without."""

    def __init__(self, links: Iterable[tuple[str | None, str | None]]) -> None:
        self.ids: list[str | None] = []
        self.parents: list[str | None] = []
        self._first: dict[str, int] = {}
        # Of the few ids that several rows have: all of those, in order.
        self._twins: dict[str, list[int]] = {}
        for row, (name, parent) in enumerate(links):
            self.ids.append(name)
            self.parents.append(parent)
            if name is not None and (first := self._first.setdefault(name, row)) != row:
                self._twins.setdefault(name, [first]).append(row)

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """The rows that hang on a row, for all that have some."""
        children: dict[int, list[int]] = {}
        for row in range(len(self.parents)):
            above = self.parent_of(row)
            if above is not None:
                children.setdefault(above, []).append(row)
        return children

    def find(self, name: str) -> int | None:
        """The last row with this id."""
        rows = self._twins.get(name)
        return rows[-1] if rows else self._first.get(name)

    def parent_of(self, row: int) -> int | None:
        """The row of its parent; None for a root, and for a row whose parent was never written."""
        parent = self.parents[row]
        if parent is None:
            return None
        rows = self._twins.get(parent)
        above = self._first.get(parent) if rows is None else rows[max(0, bisect_left(rows, row) - 1)]
        return None if above == row else above

    @property
    def twins(self) -> list[str]:
        """The ids that several rows have."""
        return list(self._twins)

    def way_to(self, leaf: int, bridges: Sequence[int] | None = None) -> Way:
        """The rows from the root to a leaf.

        A gap ends the way. With `bridges` (the rows that somebody said, in order) it goes on at the last one in front
        of the gap; but not where that one was gone on from elsewhere: that would bring back what was rewound.
        """
        seen: set[int] = set()
        rows: list[int] = []
        gaps: list[Gap] = []
        row: int | None = leaf
        while row is not None:
            seen.add(row)
            rows.append(row)
            parent = self.parents[row]
            above = self.parent_of(row)
            if above is not None and above in seen:
                gaps.append(Gap(row, parent or "", "circle"))
                above = None
            elif above is None and parent is not None:
                gaps.append(Gap(row, parent))
                above = self._over(row, bridges, seen) if bridges else None
            row = above
        return Way(tuple(reversed(rows)), tuple(reversed(gaps)))

    def _over(self, row: int, bridges: Sequence[int], seen: set[int]) -> int | None:
        at = bisect_left(bridges, row)
        before = bridges[at - 1] if at else None
        return None if before is None or before in seen or self.children.get(before) else before

    def leaves(self, said: Sequence[bool], beside: Sequence[bool]) -> list[int]:
        """The last rows of all branches: those that were said and that nothing that was said goes on from.

        Rows that hang beside (results of parallel calls, notes of progress) make no branch of their own.
        """
        goes_on: set[int] = set()
        for row in range(len(self.ids)):
            if not said[row] or beside[row]:
                continue
            above = self.parent_of(row)
            while above is not None and above not in goes_on:
                goes_on.add(above)
                above = self.parent_of(above)
        return [row for row in range(len(self.ids)) if said[row] and not beside[row] and row not in goes_on]

    def left(self, said: Sequence[bool], beside: Sequence[bool], path: Container[int]) -> Iterator[tuple[int, int]]:
        """The leaves of the ways that were left, each with how many of its rows that were said are not on the path."""
        own: dict[int, int] = {}
        for leaf in self.leaves(said, beside):
            rows: list[int] = []
            row: int | None = leaf
            while row is not None and row not in own and row not in path:
                # A circle ends here, too; what it counts is set right on the way back.
                own[row] = 0
                rows.append(row)
                row = self.parent_of(row)
            count = own[row] if row is not None and row in own else 0
            for each in reversed(rows):
                count += said[each]
                own[each] = count
            if leaf not in path and count:
                yield leaf, count
