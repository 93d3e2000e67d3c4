"""Long text for a terminal: its own lines kept, broken where they are too wide, and what is too long folded."""

from __future__ import annotations

from collections.abc import Iterator

from rejoinder.render.findings import count
from rejoinder.render.terminal import cells, in_a_line

_TAB = 4


def folded(text: str, width: int, limit: int = 0) -> tuple[list[str], str]:
    """The first `limit` rows of a text (0: all), and in words how much more there is."""
    text = text.strip("\n")
    rows: list[str] = []
    at = 0
    for line_end in _line_ends(text):
        # A line that fills the room alone is not broken to its end: it may be a megabyte.
        line = text[at:line_end] if not limit else text[at : min(line_end, at + width * (limit + 1))]
        for row in broken(line.rstrip("\r"), width):
            if limit and len(rows) == limit:
                return rows, _more(text, at, line_end)
            rows.append(row)
        at = line_end + 1
    return rows, ""


def _line_ends(text: str) -> Iterator[int]:
    at = text.find("\n")
    while at >= 0:
        yield at
        at = text.find("\n", at + 1)
    yield len(text)


def _more(text: str, begin: int, stop: int) -> str:
    """How much stands behind the rows that are shown."""
    lines = text.count("\n", stop) + 1 if stop < len(text) else 0
    return f"… {count(lines, 'more line')}" if lines else f"… more of {count(stop - begin, 'letter')}"


def broken(line: str, width: int) -> Iterator[str]:
    """One line as rows that fit, broken at blanks where there are any; its indentation stays on the first."""
    width = max(width, 16)
    line = in_a_line(line.expandtabs(_TAB))
    at = 0
    while True:
        stop = _fits(line, at, width)
        if stop >= len(line):
            yield line[at:]
            return
        blank = line.rfind(" ", at + width // 3, stop + 1)
        if blank > 0 and line[at:blank].strip():
            stop = blank
        yield line[at:stop]
        at = stop
        while at < len(line) and line[at] == " ":
            at += 1


def _fits(line: str, at: int, width: int) -> int:
    """Up to where a line fits into a width."""
    piece = line[at : at + width]
    if piece.isascii():
        return at + len(piece)
    used = 0
    for offset, character in enumerate(piece):
        used += cells(character)
        if used > width:
            return at + max(offset, 1)
    return at + len(piece)
