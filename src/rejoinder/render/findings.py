"""What a target would refuse: the message in view, the finding under it, the fixes beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rejoinder.render.message import Portrait
from rejoinder.render.terminal import Line, Span, cells, cut, padded, wrapped
from rejoinder.values.finding import Finding, Fix

# A message of a hundred blocks is not shown whole; what stands beside the part at fault is.
_PARTS = 8
_LABEL = 10


class Seen(NamedTuple):
    """The findings of one message, and the message: where it stands and what it looks like."""

    place: str
    where: str
    portrait: Portrait | None
    findings: Sequence[Finding]


def count(number: int, word: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def tally(errors: int, warnings: int) -> str:
    """How much was found, in words."""
    words = [count(errors, "error")] if errors or not warnings else []
    return ", ".join([*words, count(warnings, "warning")] if warnings else words)


def message_lines(seen: Seen, width: int) -> list[Line]:
    """One message and all that was found in it."""
    role = f"  {seen.portrait.role}" if seen.portrait else ""
    lines: list[Line] = [(("plain", "  "), ("place", seen.place), ("bold", role), ("dim", f"  {seen.where}"))]
    blamed = {finding.at.part for finding in seen.findings if finding.at.part is not None}
    lines += portrait_lines(seen.portrait, width, blamed) if seen.portrait else []
    for finding in seen.findings:
        lines += _finding(finding, width)
    return [*lines, ()]


def portrait_lines(portrait: Portrait, width: int, blamed: set[int]) -> list[Line]:
    """The parts of a message, each on a line; those to blame are marked."""
    lines: list[Line] = []
    numbers = _worth_showing(len(portrait.parts), blamed)
    previous = -1
    for number in (*numbers, len(portrait.parts)):
        if number > previous + 1:
            lines.append((("dim", f"  |  … {count(number - previous - 1, 'more part')}"),))
        previous = number
        if number < len(portrait.parts):
            lines.append(_part(portrait, number, width, number in blamed))
    return lines


def _worth_showing(parts: int, blamed: set[int]) -> list[int]:
    if parts <= _PARTS:
        return list(range(parts))
    near = {number + step for number in sorted(blamed)[: _PARTS // 2] for step in (-1, 0, 1)}
    near.update(range(2 if blamed else _PARTS - 1))
    return sorted(number for number in near if 0 <= number < parts)


def _part(portrait: Portrait, number: int, width: int, blamed: bool) -> Line:
    label, text = portrait.parts[number]
    mark: Span = ("error", "  >  ") if blamed else ("dim", "  |  ")
    return (mark, ("name", padded(cut(label, 24), _LABEL) + " "), ("plain", cut(text, width - _LABEL - 6)))


def _finding(finding: Finding, width: int) -> list[Line]:
    indent = " " * 11
    says = wrapped(finding.says, width - len(indent))
    lines: list[Line] = [((finding.severity, padded(f"  {finding.severity}", len(indent))), ("bold", says[0]))]
    lines += [(("bold", indent + words),) for words in says[1:]]
    lines += _labelled("rule", f"{finding.rule}  ({finding.clause})", width)
    if finding.provider_says:
        lines += _labelled("api says", finding.provider_says, width)
    if not finding.fixes:
        return [*lines, *_labelled("fix", "none by rejoinder: this is yours to decide", width)]
    names = max(len(fix.name) for fix in finding.fixes) + 2
    for number, fix in enumerate(finding.fixes):
        lines += _fix(padded(fix.name, names), fix, "fix" if number == 0 else "", width)
    return lines


def _fix(name: str, fix: Fix, label: str, width: int) -> list[Line]:
    room = width - 13 - len(name)
    says = wrapped(fix.says, room)
    lines: list[Line] = [(_lead(label), ("good", name), ("plain", says[0]))]
    lines += [(("plain", " " * (13 + len(name)) + words),) for words in says[1:]]
    cost: Span = ("dim", f"  ({fix.cost})")
    if cells(says[-1]) + len(cost[1]) <= room:
        return [*lines[:-1], (*lines[-1], cost)]
    return [*lines, (("plain", " " * (11 + len(name))), cost)]


def _lead(label: str) -> Span:
    return ("dim", f"    {label:<9}")


def _labelled(label: str, text: str, width: int) -> list[Line]:
    """What is told below a finding, with its name in front."""
    lines = wrapped(text, width - 13)
    first: Line = (_lead(label), ("plain", lines[0]))
    return [first, *[(("plain", " " * 13 + words),) for words in lines[1:]]]
