"""What becomes of broken histories: the tests' faults break them, and the tests' judge judges all contestants alike."""

import random
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from faults import broken, history, user_texts
from judges.structure import refusals

Messages = list[dict[str, Any]]
MOST_TURNS = 6
MOST_FAULTS = 4


def broken_histories(dialect: str, count: int) -> list[Messages]:
    """Histories that a provider would refuse, the same ones on every run."""
    rng = random.Random(f"broken {dialect}")
    found: list[Messages] = []
    while len(found) < count:
        intact = history(rng, dialect, rng.randint(1, MOST_TURNS))
        messages, _ = broken(rng, intact, dialect, MOST_FAULTS)
        if refusals(dialect, messages):
            found.append(messages)
    return found


@dataclass
class Verdict:
    """How many histories a contestant leaves refusable, robs of a user's text, or crashes on; `spoiled`: any of it."""

    refusable: int = 0
    text_lost: int = 0
    crashed: int = 0
    spoiled: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    crashes: Counter[str] = field(default_factory=Counter)


def verdict(given: Iterable[Messages], made: Iterable[dict[str, Any]], dialect: str) -> Verdict:
    """The count over all histories; `made` is what `contest` wrote for each of them."""
    count = Verdict()
    for before, outcome in zip(given, made, strict=True):
        if "crashed" in outcome:
            count.crashed += 1
            count.spoiled += 1
            count.crashes[outcome["crashed"]] += 1
            continue
        after = outcome["messages"]
        rules = refusals(dialect, after)
        said = user_texts(after["messages"] if isinstance(after, dict) else after)
        lost = not in_order(user_texts(before), "\0".join(said))
        count.rules.update(rules)
        count.refusable += bool(rules)
        count.text_lost += lost
        count.spoiled += bool(rules) or lost
    return count


def in_order(texts: Iterable[str], said: str) -> bool:
    """Whether each text is still there, behind the one before it; it may have been joined with others."""
    at = 0
    for text in texts:
        found = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)").search(said, at)
        if found is None:
            return False
        at = found.end()
    return True
