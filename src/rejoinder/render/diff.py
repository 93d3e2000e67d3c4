"""The difference between two histories, message by message: what is gone, what is new, what changed inside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from rejoinder.render.align import Hunk
from rejoinder.render.findings import count
from rejoinder.render.message import Portrait, compact, portrait
from rejoinder.render.terminal import Line, Span, cut, padded
from rejoinder.values.loose import is_object

_LABEL = 10


class Change(NamedTuple):
    """One message that is not as it was: -1 and None on the side where it is not."""

    before: int
    after: int
    old: Any
    new: Any


def changes(hunks: Iterable[Hunk], dialect: str) -> list[Change]:
    """The messages of the hunks: those that became another are told together, the rest alone."""
    found: list[Change] = []
    for hunk in hunks:
        partners = _partners(hunk.old, hunk.new, dialect)
        new_to = 0
        for number, old in enumerate(hunk.old):
            partner = partners.get(number, -1)
            found += [Change(-1, hunk.after + n, None, hunk.new[n]) for n in range(new_to, partner)]
            new = hunk.new[partner] if partner >= 0 else None
            found.append(Change(hunk.before + number, hunk.after + partner if partner >= 0 else -1, old, new))
            new_to = max(new_to, partner + 1)
        found += [Change(-1, hunk.after + n, None, hunk.new[n]) for n in range(new_to, len(hunk.new))]
    return found


def _partners(old: Sequence[Any], new: Sequence[Any], dialect: str) -> dict[int, int]:
    """For each old message the new one that it became: the next of its role that shares a part with it."""
    partners: dict[int, int] = {}
    seen = [portrait(dialect, message) for message in new]
    start = 0
    for number, message in enumerate(old):
        here = portrait(dialect, message)
        for place in range(start, min(len(new), start + 8)):
            alone = len(old) == len(new) == 1
            if here.role == seen[place].role and (alone or _kin(here, seen[place])):
                partners[number] = place
                start = place + 1
                break
    return partners


def _kin(one: Portrait, other: Portrait) -> bool:
    """Do two messages say something in common?"""
    return any(part in other.parts for part in one.parts) or any(
        len(mine[1]) > 16 and mine[1] in yours[1] for mine in one.parts for yours in other.parts if mine[0] == yours[0]
    )


def change_lines(change: Change, dialect: str, width: int) -> list[Line]:
    """One message that is not as it was."""
    if change.old is None:
        return _whole("+", "added", change.after, portrait(dialect, change.new), width)
    if change.new is None:
        return _whole("-", "removed", change.before, portrait(dialect, change.old), width)
    old, new = portrait(dialect, change.old), portrait(dialect, change.new)
    place = f"messages[{change.before}]"
    if change.before != change.after:
        place += f" → messages[{change.after}]"
    lines: list[Line] = [(("plain", "  "), ("place", place), ("bold", f"  {new.role}"))]
    if old.role != new.role:
        lines += [_line("-", "removed", "role", old.role, width), _line("+", "added", "role", new.role, width)]
    if old.parts == new.parts:
        return lines + field_lines(change.old, change.new, width)
    return lines + _part_lines(old, new, width)


def _whole(mark: str, style: str, index: int, seen: Portrait, width: int) -> list[Line]:
    lines: list[Line] = [((style, f"{mark} "), ("place", f"messages[{index}]"), (style, f"  {seen.role}"))]
    return lines + [_line(mark, style, label, text, width) for label, text in seen.parts]


def _part_lines(old: Portrait, new: Portrait, width: int) -> list[Line]:
    lines: list[Line] = []
    matcher = SequenceMatcher(None, old.parts, new.parts, autojunk=False)
    for what, i1, i2, j1, j2 in matcher.get_opcodes():
        if what == "equal":
            lines += [_line(" ", "dim", *part, width) for part in old.parts[i1:i2]]
            continue
        around = _first_difference(old.parts[i1:i2], new.parts[j1:j2])
        lines += [_line("-", "removed", *part, width, around) for part in old.parts[i1:i2]]
        lines += [_line("+", "added", *part, width, around) for part in new.parts[j1:j2]]
    return lines


def _first_difference(old: Sequence[tuple[str, str]], new: Sequence[tuple[str, str]]) -> int:
    """Where two parts that stand for each other begin to differ, so that a cut shows just that."""
    return _alike(old[0][1], new[0][1]) if len(old) == len(new) == 1 else 0


def _alike(one: str, other: str) -> int:
    """How many letters two texts have in common at their beginning, found by halves: texts can be long."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def field_lines(old: Any, new: Any, width: int) -> list[Line]:
    """What differs between two objects, key by key."""
    if not (is_object(old) and is_object(new)):
        return [_line("-", "removed", "", compact(old), width), _line("+", "added", "", compact(new), width)]
    lines: list[Line] = []
    for key in dict.fromkeys((*old, *new)):
        was, now = (compact(side[key]) if key in side else None for side in (old, new))
        if was != now:
            around = _alike(was or "", now or "")
            lines += [_line("-", "removed", key, was, width, around)] if was is not None else []
            lines += [_line("+", "added", key, now, width, around)] if now is not None else []
    return lines


def _line(mark: str, style: str, label: str, text: str, width: int, around: int = 0) -> Line:
    body: Span = ("dim" if style == "dim" else style, cut(text, width - _LABEL - 6, around))
    return ((style, f"{mark}   "), (style if style != "dim" else "dim", padded(cut(label, 24), _LABEL) + " "), body)


def impact_words(first: int | None, thinking: int, marks: int) -> str:
    """What a change costs: the prompt cache, and thinking that is bound to what stood in front of it."""
    if first is None:
        return "Nothing changed: every prompt cache still fits."
    if first < 0:
        words = "The system text or the tools changed: no prompt cache fits any more"
    else:
        words = f"The first change is at messages[{first}]: prompt caches fit up to there"
    if marks:
        words += f"; {count(marks, 'cache mark')} behind it {'is' if marks == 1 else 'are'} to be filled anew"
    if thinking:
        is_are = "is" if thinking == 1 else "are"
        words += f"; {count(thinking, 'signed thinking block')} behind it {is_are} bound to what was there before"
    return words + "."
