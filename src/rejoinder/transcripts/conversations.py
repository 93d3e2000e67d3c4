"""Files whose records are not rows of one session: a conversation a record, a message an item, many in one file.

A JSON list is as many records as it has items, whether it came as one document or line by line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from rejoinder.transcripts.health import unpaired
from rejoinder.transcripts.lines import Found, Oddity, Record
from rejoinder.transcripts.members import first_words
from rejoinder.transcripts.transcript import Defect, Transcript, in_order, odd_defects
from rejoinder.values.loose import is_array, is_object, kind_of


def flat(found: Iterable[Found]) -> Iterator[Found]:
    """The records, with the items of a list in its place; what is no object is told."""
    for each in found:
        value: Any = each.value if isinstance(each, Record) else None
        if isinstance(each, Oddity) or is_object(value):
            yield each
            continue
        for number, item in enumerate(value if is_array(value) else (value,), 1):
            if is_object(item):
                yield Record(item, b"", number, 0)
            else:
                yield Oddity(kind=f"{kind_of(item)}, no record", line=number, offset=0, length=0, done="set aside")


def told(
    tool: str,
    dialect: str,
    messages: Sequence[Any],
    lines: Sequence[int],
    *,
    unit: str = "message",
    why: Mapping[int, str] | None = None,
    last: str = "pending",
    defects: Iterable[Defect] = (),
    oddities: Sequence[Oddity] = (),
    title: str = "",
    **facts: Any,
) -> Transcript:
    """One conversation, with what is the matter with it; `why` and `last` are for `unpaired`."""
    found = [*defects, *odd_defects(oddities), *unpaired(messages, lines, dialect, unit=unit, why=why, last=last)]
    return Transcript(
        tool=tool,
        dialect=dialect,
        messages=tuple(messages),
        lines=tuple(lines),
        title=title or first_words(messages),
        defects=in_order(found),
        oddities=tuple(oddities),
        **facts,
    )


def several(
    found: Iterable[Found],
    made: Callable[[dict[str, Any], int], Iterable[Transcript]],
    empty: Transcript,
    *,
    heads: Callable[[dict[str, Any]], bool] | None = None,
) -> Iterator[Transcript]:
    """The conversations that `made` finds in each record, one after the other; `empty` where there is none at all.

    A record that holds none is a defect, but for those that are `heads`: what they say is of all the others.

    What is odd about the lines is told with the conversation behind it, or with the last one.
    """
    held: Transcript | None = None
    odd: list[Oddity] = []
    lost: list[Defect] = []
    for each in found:
        if isinstance(each, Oddity):
            odd.append(each)
            continue
        before = held
        for transcript in made(each.value, each.line):
            if held is not None:
                yield held
            held = _with(transcript, odd, lost)
            odd, lost = [], []
        if held is before and not (heads and heads(each.value)):
            lost.append(Defect(kind="unreadable", line=each.line, says="this record holds no conversation"))
    yield _with(held or empty, odd, lost)


def _with(transcript: Transcript, odd: list[Oddity], lost: list[Defect]) -> Transcript:
    if not odd and not lost:
        return transcript
    defects = in_order([*transcript.defects, *odd_defects(odd), *lost])
    return replace(transcript, defects=defects, oddities=(*transcript.oddities, *odd))
