"""The grammar of `histories` and `faults` as Hypothesis strategies, whose examples shrink."""

from hypothesis import note
from hypothesis import strategies as st

import faults

_MOST_TURNS = 6


@st.composite
def histories(draw: st.DrawFn, dialect: str) -> faults.Messages:
    """Intact histories of a dialect; they shrink to one user text."""
    turns = draw(st.integers(1, _MOST_TURNS))
    return faults.history(draw(st.randoms(use_true_random=False)), dialect, turns)


@st.composite
def broken_histories(draw: st.DrawFn, dialect: str, depth: int = 4) -> faults.Messages:
    """Histories with one to `depth` faults in them; a failing example notes which."""
    turns, rng = draw(st.integers(1, _MOST_TURNS)), draw(st.randoms(use_true_random=False))
    messages, names = faults.broken(rng, faults.history(rng, dialect, turns), dialect, depth)
    note(f"faults, in order: {', '.join(names)}")
    return messages
