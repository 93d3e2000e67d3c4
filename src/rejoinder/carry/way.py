"""Both ends of a conversion, and what is told on the way."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rejoinder.dialects.carries import Carries, Loss
from rejoinder.values.ask import Fetched
from rejoinder.values.conversation import Message


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """Both ends of a conversion, and what was found on the way: the bytes that were fetched, the losses.

    `apart` are the messages that may not be joined with the one in front of them.
    """

    source: str
    target: str
    gives: Carries
    takes: Carries
    fetched: Mapping[str, Fetched] = {}
    apart: frozenset[int] = frozenset()
    losses: list[Loss] = []

    def may_join(self, one: Message, other: Message) -> bool:
        """May the second be joined with the first? Always, where both were one message."""
        return other.origin not in self.apart or other.origin == one.origin

    def lose(self, what: str, where: str, why: str, instead: str = "") -> None:
        """Tell of a loss."""
        self.losses.append(Loss(what=what, where=where, why=why, instead=instead))
