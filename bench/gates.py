"""The figures that must hold, asked of one run's measurements."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from contest import BARE

PAIRS_ONLY = 4.0
ALL_CLAUSES = 30.0
ONE_DEFECT = 200.0
TWICE_THE_MESSAGES = 2.3
LITELLM_PAIRS = "sanitize_messages_for_tool_calling"
MANY = "a defect per 50 messages"


class Gate(NamedTuple):
    """A figure, what it may be at most (None: told, and no gate), and what it is of."""

    says: str
    figure: float
    most: float | None

    @property
    def held(self) -> bool:
        return self.most is None or self.figure <= self.most


def times(seconds: Mapping[str, float]) -> dict[str, float]:
    """Each measurement as so many bare loops over the same list."""
    return {name: took / _bare(seconds, name) for name, took in seconds.items()}


def _bare(seconds: Mapping[str, float], name: str) -> float:
    dialect = name.partition(": ")[0] if ": " in name else ""
    return seconds[f"{dialect}: {BARE}" if dialect else BARE]


def gates(ratios: Mapping[str, float], litellm: Mapping[str, float] | None) -> list[Gate]:
    """The gates on 1,000 messages."""
    pairs = ratios["sanitize_messages, intact"]
    found = [Gate("sanitize_messages on an intact history (bare loops)", pairs, PAIRS_ONLY)]
    rival = litellm[LITELLM_PAIRS] if litellm else None
    for dialect in ("openai-chat", "anthropic"):
        intact = max(ratios[f"{dialect}: check, intact"], ratios[f"{dialect}: repair, intact"])
        worst = max(
            ratio
            for name, ratio in ratios.items()
            if name.startswith(f"{dialect}: repair, ") and not name.endswith(("intact", MANY))
        )
        found += [
            Gate(f"check and repair of an intact {dialect} history (bare loops)", intact, ALL_CLAUSES),
            Gate(f"repair of the worst single defect, {dialect} (bare loops)", worst, ONE_DEFECT),
        ]
    says = "repair of an intact openai-chat history against litellm's pair-only pass (bare loops of each)"
    return [*found, Gate(says, ratios["openai-chat: repair, intact"], rival)]


def doublings(took: Sequence[float]) -> list[float]:
    """How many times as long each size took as the one half as large."""
    return [later / sooner for sooner, later in pairwise(took)]


def growth_gates(sizes: Sequence[int], seconds: Mapping[str, Sequence[float]]) -> list[Gate]:
    """One gate for each use: its worst doubling.

    Where a history outgrows the processor's caches even the bare loop takes more than twice as long, and what is nearly
    as fast as that loop waits for the same memory: the pair-only pass is told beside the loop, and is no gate.
    """
    found: list[Gate] = []
    for name, took in seconds.items():
        if name.endswith(BARE):
            continue
        figures = doublings(took)
        at = figures.index(max(figures))
        says = f"{name}: {sizes[at + 1]:,} messages against {sizes[at]:,} (times)"
        most: float | None = TWICE_THE_MESSAGES
        if "sanitize" in name:
            bare = doublings(seconds[f"{name.partition(': ')[0]}: {BARE}"])
            says, most = f"{says}; the worst of the bare loop: {max(bare):.2f}", None
        found.append(Gate(says, figures[at], most))
    return found
