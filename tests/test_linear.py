"""Twice the messages, at most about twice the work: counted in lines of Python that run, not timed.

The histories are in `laws.large`: each is one that somebody's repair was quadratic on.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import rejoinder as rj
from laws.large import ANTHROPIC, HISTORIES, OPENAI_CHAT, History

# Large enough that a loop in a loop shows: with 400 messages it would run 160,000 times.
SIZE = 200
MOST = 2.3

READERS = (
    *(("openai-chat", "openai-chat", history) for history in (HISTORIES | OPENAI_CHAT).values()),
    *(("anthropic", "anthropic", history) for history in (HISTORIES | ANTHROPIC).values()),
    *(("openai-chat", "strict", history) for history in HISTORIES.values()),
)
each_history = pytest.mark.parametrize(
    ("dialect", "target", "history"), READERS, ids=[f"{target}-{history.__name__}" for _, target, history in READERS]
)


def work(task: Callable[[], object]) -> int:
    """How many lines of Python the task runs; a loop on one line counts each time round."""
    lines = 0

    def count(_frame: FrameType, event: str, _about: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        task()
    finally:
        sys.settrace(before)
    return lines


@each_history
def test_a_check_is_linear(dialect: str, target: str, history: History):
    """To check twice the history is about twice the work."""
    once, twice = history(dialect, SIZE), history(dialect, 2 * SIZE)
    effort = work(lambda: rj.check(once, target, dialect=dialect))
    assert work(lambda: rj.check(twice, target, dialect=dialect)) <= MOST * effort


@each_history
@pytest.mark.parametrize("policy", ["drop", "answer"])
def test_a_repair_is_linear(dialect: str, target: str, policy: str, history: History):
    """To repair twice the history, and to undo that, is about twice the work."""
    once, twice = history(dialect, SIZE), history(dialect, 2 * SIZE)
    effort = work(lambda: rj.repair(once, target, dialect=dialect, policy=policy).undo())
    assert work(lambda: rj.repair(twice, target, dialect=dialect, policy=policy).undo()) <= MOST * effort


@pytest.mark.parametrize("name", HISTORIES)
def test_the_sanitizer_is_linear(name: str):
    """To sanitize twice the history is about twice the work."""
    once, twice = (HISTORIES[name]("openai-chat", size) for size in (SIZE, 2 * SIZE))
    effort = work(lambda: rj.sanitize_messages(once))
    # A glance at an intact history is a few lines in all: there the shape of the code counts, not the history.
    assert work(lambda: rj.sanitize_messages(twice)) <= MOST * effort + SIZE


def test_a_loop_in_a_loop_would_be_seen():
    """The counting above can fail: looking at each pair of messages is four times the work."""

    def pairs(count: int) -> int:
        return sum(1 for one in range(count) for other in range(count) if one == other)

    assert work(lambda: pairs(200)) > 3 * work(lambda: pairs(100))
