"""The table of content kinds and dialects, as wide as the terminal is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejoinder.render.terminal import Line, padded

_STYLES = {"yes": "good", "note": "warning", "-": "dim"}
_GAP = 2


def matrix_lines(kinds: Sequence[str], table: Mapping[str, Mapping[str, str]], width: int) -> Iterator[Line]:
    """A row for each kind, a column for each dialect; where they do not fit side by side, in several tables."""
    first = max(len(kind) for kind in kinds) + _GAP
    names = list(table)
    while names:
        shown: list[str] = []
        room = width - first
        while names and (not shown or len(names[0]) + _GAP <= room):
            room -= len(names[0]) + _GAP
            shown.append(names.pop(0))
        yield (("plain", " " * first), *(("bold", padded(name, len(name) + _GAP)) for name in shown))
        for kind in kinds:
            cells = ((_STYLES[table[name][kind]], padded(table[name][kind], len(name) + _GAP)) for name in shown)
            yield (("plain", padded(kind, first)), *cells)
        yield ()
