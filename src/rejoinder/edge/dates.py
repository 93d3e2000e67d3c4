"""Dates as people say and read them: `--since 2d`, `3 hours ago`."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

from rejoinder.errors import SessionError

_SPAN = re.compile(r"([0-9]{1,6})\s*(s|min|m|h|d|w)")
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
_DAY = 86_400
# Up to how many seconds a date is told in which unit, and how long that is.
_AGO = ((60, 1, "second"), (3600, 60, "minute"), (_DAY, 3600, "hour"), (14 * _DAY, _DAY, "day"))


def since(words: str, now: float | None = None) -> float:
    """The moment that `2d`, `3h`, `2026-11-01` or `2026-11-01T10:00` means, in seconds since 1970."""
    now = time.time() if now is None else now
    span = _SPAN.fullmatch(words.strip().lower())
    if span:
        return now - int(span[1]) * _SECONDS[span[2]]
    found = _date(words.strip())
    if found is None:
        raise SessionError(f"--since {words!r}: say a span as 30min, 3h, 2d, 1w, or a date as 2026-11-01")
    return found


def moment(timestamp: str) -> float | None:
    """When a timestamp of a row was; None where it is no date."""
    return _date(timestamp)


def _date(words: str) -> float | None:
    """A date in local time, unless it says another."""
    try:
        found = datetime.fromisoformat(words)
        return found.timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def ago(when: float | None, now: float | None = None) -> str:
    """A moment as it is said: `just now`, `3 hours ago`, `2026-11-01`."""
    if when is None:
        return "?"
    past = (time.time() if now is None else now) - when
    if -60 < past < 5:
        return "just now"
    for limit, unit, name in _AGO:
        if 0 <= past < limit:
            number = int(past // unit)
            return f"{number} {name}{'' if number == 1 else 's'} ago"
    return datetime.fromtimestamp(when).strftime("%Y-%m-%d")


def clock(timestamp: str) -> str:
    """A timestamp as it stands beside a message: `2026-11-01 10:04` in local time; what is no date, as it is."""
    when = moment(timestamp)
    return datetime.fromtimestamp(when).strftime("%Y-%m-%d %H:%M") if when is not None else timestamp


def of_seconds(when: float) -> str:
    """A moment as a timestamp."""
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
