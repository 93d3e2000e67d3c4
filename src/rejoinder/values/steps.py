"""The steps of a message that holds results too: several answers of a model, each with its calls and what they gave."""

from __future__ import annotations

from rejoinder.values.parts import Media, Opaque, Part, Refusal, Text, Thinking, ToolResult

# A part with this quirk says nothing itself: with it a step begins.
STEP = "step"


def is_mark(part: Part) -> bool:
    """Does the part only say that a step begins?"""
    return isinstance(part, Opaque) and STEP in part.quirks


def steps(parts: tuple[Part, ...]) -> list[range]:
    """The steps in order. One begins with its mark, and with what is said behind results."""
    starts = [0]
    answered = False
    for index, part in enumerate(parts):
        if is_mark(part) or (answered and isinstance(part, Text | Thinking | Refusal | Media)):
            answered = False
            if index:
                starts.append(index)
        answered = answered or (isinstance(part, ToolResult) and part.kind == "tool")
    return [range(start, stop) for start, stop in zip(starts, [*starts[1:], len(parts)], strict=True)]
