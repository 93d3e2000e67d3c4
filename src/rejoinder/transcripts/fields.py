"""What rows have in their fields: texts, objects, lists, times. Whatever is of another type is as if it were absent."""

from __future__ import annotations

from typing import Any

from rejoinder.values.loose import is_array, is_object

_TITLE = 120
# The last second of the year 9999: what lies behind it is no time.
_LAST = 253_402_300_799


def text(value: object, *names: str) -> str:
    """The first of these members that is a text with something in it; an empty one where there is none."""
    if is_object(value):
        for name in names:
            held = value.get(name)
            if isinstance(held, str) and held:
                return held
    return ""


def inner(value: object, *path: str) -> dict[str, Any]:
    """The object that a path leads to; an empty one where there is none."""
    for name in path:
        value = value.get(name) if is_object(value) else None
    return value if is_object(value) else {}


def items(value: object, name: str) -> list[dict[str, Any]]:
    """The objects in a list that a member holds."""
    held = value.get(name) if is_object(value) else None
    return [each for each in held if is_object(each)] if is_array(held) else []


def words(content: object) -> str:
    """The text of a content: itself, or that of its parts."""
    if isinstance(content, str):
        return content
    if is_object(content):
        return text(content, "text")
    return "\n".join(filter(None, (words(part) for part in content if not is_array(part)))) if is_array(content) else ""


def title_of(said: str) -> str:
    """The first line of what somebody said, cut to the length of a title."""
    return next((line.strip()[:_TITLE] for line in said.splitlines() if line.strip()), "")


def time_of(value: object) -> str:
    """A time as `2026-01-31T12:00:00.000Z`: of seconds or milliseconds since 1970; a text stays as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _LAST * 1000:
        return ""
    # Nobody had an agent in 1970: a number this small counts seconds.
    milliseconds = int(value if value > _LAST else value * 1000)
    if milliseconds > _LAST * 1000:
        return ""
    days, rest = divmod(milliseconds, 86_400_000)
    year, month, day = _date(days)
    hour, minute, second = rest // 3_600_000, rest // 60_000 % 60, rest // 1000 % 60
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}.{rest % 1000:03d}Z"


def _date(days: int) -> tuple[int, int, int]:
    """The date of a day since 1970, counted in years that begin in March, so that leap days come last."""
    era, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    return year + era * 400 + (month >= 10), month + 3 if month < 10 else month - 9, day - (153 * month + 2) // 5 + 1
