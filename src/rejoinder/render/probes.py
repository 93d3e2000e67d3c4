"""What a chat template was seen to take and refuse, as lines of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rejoinder.render.terminal import Line, cells, padded, wrapped

# A row: what was played, how it went, and what the template said or left out.
Row = tuple[str, str, str]
_STYLES = {"accepted": "good", "refused": "error", "lost": "warning", "garbled": "warning"}


def probe_lines(rows: Iterable[Row], width: int) -> Iterator[Line]:
    """The table: demand, verdict, words."""
    held = list(rows)
    first = max((cells(says) for says, _, _ in held), default=0) + 2
    for says, verdict, words in held:
        told = wrapped(words, max(width - first - 10, 20)) if words else [""]
        yield (("plain", padded(says, first)), (_STYLES.get(verdict, "plain"), padded(verdict, 10)), ("dim", told[0]))
        yield from ((("dim", " " * (first + 10) + more),) for more in told[1:])
