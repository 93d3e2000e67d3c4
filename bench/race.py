"""Timing that survives a noisy machine: candidates run in turns, and of each the best round counts.

Only ratios of two candidates of the same process mean anything; absolute times are the machine's business.
"""

import gc
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

ROUND_SECONDS = 0.006
LEAST_ROUNDS = 7
# The process's own time, where it is told finely enough: what other programs take from the machine is not counted.
FINE = 1e-6
clock = time.process_time if time.get_clock_info("process_time").resolution <= FINE else time.perf_counter
Name = TypeVar("Name", bound=Hashable)


def race(candidates: Mapping[Name, Callable[[], object]], rounds: int = 11) -> dict[Name, float]:
    """The best seconds of each candidate. Every round runs all of them, so that noise hits all alike."""
    if rounds < LEAST_ROUNDS:
        raise ValueError(f"{rounds} rounds: wanted at least {LEAST_ROUNDS}, or the best is an accident")
    return _race(candidates, rounds)


def race_few(candidates: Mapping[Name, Callable[[], object]], rounds: int = 4) -> dict[Name, float]:
    """For candidates that run so long that few rounds tell enough."""
    return _race(candidates, rounds)


def bare_loop(messages: list[dict[str, object]]) -> None:
    """The unit of all ratios: the least that a check can do is to look at every message once."""
    for message in messages:
        message.get("role")


def _race(candidates: Mapping[Name, Callable[[], object]], rounds: int) -> dict[Name, float]:
    repeats = {name: _repeats(candidate) for name, candidate in candidates.items()}
    best = dict.fromkeys(candidates, float("inf"))
    gc.collect()
    gc.disable()  # a collection in one candidate's round is not that candidate's doing
    try:
        for _ in range(rounds):
            for name, candidate in candidates.items():
                best[name] = min(best[name], _seconds(candidate, repeats[name]))
            gc.collect()
    finally:
        gc.enable()
    return best


def _seconds(candidate: Callable[[], object], repeats: int) -> float:
    candidate()  # the cache holds what the candidate needs, not what the one before it needed
    began = clock()
    for _ in range(repeats):
        candidate()
    return (clock() - began) / repeats


def _repeats(candidate: Callable[[], object]) -> int:
    """As many calls as fill a round: a clock read costs as much as ten messages of the bare loop."""
    candidate()
    began = clock()
    candidate()
    return max(1, int(ROUND_SECONDS / max(clock() - began, 1e-9)))
