"""Writers that are killed at random moments: no acknowledged row is lost, and every session can be gone on with."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from crash.sessions_under_fire import TIMES, lost_after_kills
from rejoinder.edge.journal import Journal
from rejoinder.transcripts import lines


@pytest.mark.skipif(not hasattr(os, "fork"), reason="NOT CHECKED: this system cannot fork")
@pytest.mark.parametrize(("size", "share"), [(2_000, 0.7), (2_000_000, 0.3)])
def test_no_acknowledged_row_is_lost_to_a_kill(size: int, share: float, tmp_path: Path, capsys: Any):
    """Small rows and rows so large that a kill tears them."""
    lost, torn = lost_after_kills(str(tmp_path), int(TIMES * share), size, seed=1)
    with capsys.disabled():
        told = f"{int(TIMES * share)} kills, rows of {size} bytes: {torn} torn tails, {lost} acknowledged rows lost"
        sys.stdout.write(f"\n{told}\n")
    assert lost == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="NOT CHECKED: this system cannot fork")
def test_without_its_guard_rows_are_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The loop above can fail: a writer that appends straight behind a torn tail loses what it acknowledged.

    (A reader that takes glued rows apart finds most of them again, so it must not.)
    """
    monkeypatch.setattr(Journal, "_ends_torn", lambda _self: False)
    monkeypatch.setattr(lines, "_record_behind", lambda text, _at: (len(text), None))
    lost, torn = lost_after_kills(str(tmp_path), 120, 2_000_000, seed=2)
    assert torn > 0
    assert lost > 0
