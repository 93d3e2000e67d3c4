"""What a repair did, step by step, and what it could not do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from rejoinder.render.findings import count
from rejoinder.render.terminal import Line, wrapped
from rejoinder.values.finding import Cost, Finding
from rejoinder.values.place import Place


class Step(Protocol):
    """What is shown of a step. (The record itself is made in a layer beside this one.)"""

    @property
    def rule(self) -> str: ...
    @property
    def at(self) -> Place: ...
    @property
    def fix(self) -> str: ...
    @property
    def cost(self) -> Cost: ...
    @property
    def says(self) -> str: ...


_STYLES = {"free": "good", "moves": "warning", "drops": "error", "invents": "error"}


def step_lines(steps: Sequence[Step], width: int, limit: int) -> Iterator[Line]:
    """The steps with their numbers: where, what, at what cost."""
    digits = len(str(len(steps)))
    indent = " " * (digits + 4)
    for number, step in enumerate(steps[:limit], 1):
        yield (
            ("dim", f"  {number:>{digits}}  "),
            ("place", str(step.at)),
            ("plain", "  "),
            ("bold", step.fix),
            (_STYLES[step.cost], f" ({step.cost})"),
            ("dim", f"  {step.rule}"),
        )
        for words in wrapped(step.says, width - len(indent)):
            yield (("plain", indent + words),)
    if len(steps) > limit:
        yield (("dim", f"{indent}… {count(len(steps) - limit, 'more step')}; --limit 0 shows all"),)


def left_lines(left: Sequence[Finding], width: int, limit: int) -> Iterator[Line]:
    """The findings that remain, one after another."""
    for finding in left[:limit]:
        yield (
            ("plain", "  "),
            (finding.severity, finding.severity),
            ("place", f"  {finding.at}"),
            ("dim", f"  {finding.rule}"),
        )
        choices = ", ".join(fix.name for fix in finding.fixes)
        for words in wrapped(finding.says, width - 6):
            yield (("plain", "      " + words),)
        if choices:
            yield (("dim", f"      choose with --policy {finding.rule}=…: {choices}"),)
    if len(left) > limit:
        yield (("dim", f"      … {count(len(left) - limit, 'more finding')}; --limit 0 shows all"),)
