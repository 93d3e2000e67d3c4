"""What all tests share: how hard Hypothesis tries, and where the recorded evidence lies."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# `ci` draws the same examples on every machine, so a red run can be run again; `long` is for `make fuzz`.
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def evidence() -> Path:
    """The folder of recorded traffic and verdicts; it is not part of the repository, so its absence is told loudly."""
    named = os.environ.get("REJOINDER_EVIDENCE")
    if not named:
        pytest.skip("NOT CHECKED against recorded evidence: REJOINDER_EVIDENCE names no folder")
    folder = Path(named)
    if not folder.is_dir():
        pytest.fail(f"REJOINDER_EVIDENCE is {named!r}, which is no folder: unset it or name one that exists")
    return folder
