"""What a conversion could not carry, and what it made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rejoinder.dialects.carries import Loss
from rejoinder.render.findings import count
from rejoinder.render.terminal import Line, wrapped
from rejoinder.values.finding import Finding

_INDENT = " " * 6


def outcome_line(
    where: str, source: str, target: str, losses: Sequence[Loss], steps: Sequence[Any], left: Sequence[Finding]
) -> Line:
    """The outcome of one conversion in one line."""
    lost = "nothing lost" if not losses else "1 loss" if len(losses) == 1 else f"{len(losses):,} losses"
    words = f"{source} to {target}, {lost}" + (f", {count(len(steps), 'step')} of repair" if steps else "")
    errors = sum(finding.severity == "error" for finding in left)
    refused: Line = (("error", f"; {target} would still refuse it ({count(errors, 'error')})"),) if errors else ()
    return (("bold", f"{where}: "), ("warning" if losses else "good", words), *refused)


def loss_lines(losses: Sequence[Loss], width: int) -> Iterator[Line]:
    """Each loss: what, where, why, and what stands in its place."""
    for loss in losses:
        yield (("plain", "  "), ("warning", loss.what), ("dim", f"  {loss.where or '(the whole)'}"))
        instead = f"; in its place: {loss.instead}" if loss.instead else ""
        for words in wrapped(loss.why + instead, width - len(_INDENT)):
            yield (("plain", _INDENT + words),)


def need_lines(needs: Sequence[str], target: str) -> Iterator[Line]:
    """The settings that the API asks for, and nobody gave."""
    if needs:
        yield (("warning", f"  {target} also wants: "), ("plain", ", ".join(needs)))
