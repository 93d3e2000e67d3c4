"""Many thousand random broken histories, repaired and judged: none is refused, and nothing that anybody said is lost.

`REJOINDER_FUZZ=100000` says how many for each dialect and policy (that is `make fuzz`).
"""

import os
import random

import pytest

import faults
from laws.cases import JUDGED, POLICIES
from laws.verdicts import Job, counterexample, verdicts

# For each job, all parts together.
HISTORIES = int(os.environ.get("REJOINDER_FUZZ", "900"))
PARTS = 2
MOST_TURNS, LONG, MOST_FAULTS = 6, 30, 4
SHOWN = 3
# The SDKs' types are slow to ask: one history in so many is shown to them. Every so often one is long enough to fold.
TYPES_EVERY, LONG_EVERY = 20, 50

JOBS = [Job(dialect, dialect, policy) for dialect in JUDGED for policy in POLICIES]
JOBS += [Job(dialect, "pairs", policy) for dialect in ("app", "neovate") for policy in POLICIES]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("job", JOBS, ids="-".join)
def test_random_broken_histories_are_mended(job: Job, part: int):
    """Repaired, each is accepted by the judges, says what it said, can be undone, and needs no second repair."""
    failed: dict[str, int] = {}
    examples: list[str] = []
    for number in range(part, HISTORIES, PARTS):
        seed = f"{job.dialect} {number}"
        messages, names = broken(job.dialect, number, random.Random(seed))
        for verdict in verdicts(job, messages, types=number // PARTS % TYPES_EVERY == 0):
            failed[verdict] = failed.get(verdict, 0) + 1
            if failed[verdict] == 1 and len(examples) < SHOWN:
                examples.append(counterexample(job, seed, names, messages, verdict))
    assert not failed, f"of {HISTORIES // PARTS} histories: {failed}\n" + "\n".join(examples)


def broken(dialect: str, number: int, rng: random.Random) -> tuple[faults.Messages, list[str]]:
    """The broken history of a number, and the faults in it."""
    turns = LONG if number // PARTS % LONG_EVERY == 0 else 1 + number % MOST_TURNS
    return faults.broken(rng, faults.history(rng, dialect, turns), dialect, MOST_FAULTS)


def test_the_laws_notice_a_repair_that_does_nothing(monkeypatch: pytest.MonkeyPatch):
    """The loop above can fail: with the repair switched off, most broken histories are refused."""
    monkeypatch.setattr("rejoinder.mend.loop.ROUNDS", 0)
    for dialect in JUDGED:
        job = Job(dialect, dialect, "drop")
        told = [verdicts(job, broken(dialect, number, random.Random(number))[0], types=False) for number in range(200)]
        assert sum(any(each.startswith("refused") for each in found) for found in told) > 120
