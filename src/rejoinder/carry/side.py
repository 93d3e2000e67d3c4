"""The side table: what a target could not hold, and the way back to the original with it.

Both lists are cut where nothing crosses: each segment is a run of messages that were written, and the run of
messages they were made of. Where a segment converts back to what it was by itself, only that is noted; any
other is kept whole. On the way back each run that is still as it was written gives its original again.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import msgspec

from rejoinder.values.loose import is_array, is_object, without_bytes

FORMAT = 1

Json = dict[str, Any]


# The one member of an object that stands for bytes: JSON has none, and some SDKs take media in no other form.
_BYTES = "rejoinder:bytes"
_DEEPEST = 210


def packed(value: Any) -> Any:
    """The value as plain JSON."""
    return without_bytes(value, lambda data: {_BYTES: base64.b64encode(data).decode()})


def unpacked(value: Any, depth: int = 0) -> Any:
    """The value as it was before it was packed."""
    if depth > _DEEPEST:
        return value
    if is_object(value):
        if len(value) == 1 and isinstance(value.get(_BYTES), str):
            return base64.b64decode(value[_BYTES])
        return {key: unpacked(each, depth + 1) for key, each in value.items()}
    return [unpacked(each, depth + 1) for each in value] if is_array(value) else value


def _spelled(value: Any) -> str:
    """What JSON cannot hold, for a digest: bytes are the same as their base64."""
    return base64.b64encode(value).decode() if isinstance(value, bytes | bytearray) else repr(value)


class Match(msgspec.Struct, frozen=True):
    """A run of written messages that are as they were: where it stands, and what it was made of (None: convert it)."""

    start: int
    stop: int
    original: list[Any] | None


def digest(value: Any) -> str:
    """A short name for a JSON value, whatever order its members stand in."""
    words = json.dumps(value, sort_keys=True, separators=(",", ":"), default=_spelled)
    return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def exact(value: Any) -> str:
    """The JSON of a value, to be compared letter by letter."""
    return json.dumps(value, separators=(",", ":"), default=repr)


def segments(total: int, origins: list[int]) -> list[tuple[int, int, int, int]]:
    """Where the lists can be cut: (start and stop of what was written, start and stop of what it was made of).

    `origins` gives for each written message the index of the first message it was made of, -1 where it was made of
    none; `total` is the number of those. What was made of none belongs to what stands in front of it.
    """
    lowest = [total] * (len(origins) + 1)
    for at in range(len(origins) - 1, -1, -1):
        lowest[at] = min(lowest[at + 1], origins[at] if origins[at] >= 0 else total)
    starts: list[int] = []
    highest = -1
    for at, origin in enumerate(origins):
        if origin >= 0 and (not starts or (origin > highest and lowest[at] == origin)):
            starts.append(at)
        highest = max(highest, origin)
    begins = [lowest[start] for start in starts]
    if origins and (not starts or starts[0]):
        starts, begins = [0, *starts], [0, *begins]
    ends = zip(starts, [*starts[1:], len(origins)], begins, [*begins[1:], total], strict=False)
    return list(ends)


def matched(kept: list[list[Any]], written: list[Any]) -> list[Match]:
    """The runs of messages that still are what was written, in order."""
    names = [digest(message) for message in written]
    where: dict[str, list[int]] = {}
    for number, (digests, *_) in enumerate(kept):
        where.setdefault(digests[0], []).append(number)
    found: list[Match] = []
    at = following = 0
    while at < len(names):
        candidates = where.get(names[at], [])
        number = next((each for each in candidates if each >= following), None) if candidates else None
        if number is not None and names[at : at + len(kept[number][0])] == kept[number][0]:
            length = len(kept[number][0])
            original = kept[number][1]
            found.append(Match(at, at + length, original))
            at, following = at + length, number + 1
        else:
            at += 1
    return found


def seams(matches: list[Match], total: int) -> frozenset[int]:
    """The messages that may not be joined with the one in front of them: there an original begins or ends, or what
    was said since.
    """
    kinds: list[object] = [None] * total
    for number, match in enumerate(matches):
        # Runs that convert back by themselves did so side by side; an original stands for itself alone.
        kinds[match.start : match.stop] = [number if match.original is not None else "same"] * (
            match.stop - match.start
        )
    return frozenset(index for index in range(1, total) if kinds[index] != kinds[index - 1])


def rebuilt(matches: list[Match], written: list[Any], back: list[Any], origins: list[int]) -> list[Any]:
    """What was converted back, with the originals where they are known."""
    held = by_origin(back, origins, len(written))
    kept = {match.start: match for match in matches if match.original is not None}
    out: list[Any] = list(held[-1])
    at = 0
    while at < len(written):
        match = kept.get(at)
        if match is None:
            out += held[at]
            at += 1
        elif match.stop < len(written) and match.stop not in kept and not held[match.stop]:
            # What was said behind it went into it: then it is no longer what it was.
            out += [message for index in range(at, match.stop) for message in held[index]]
            at = match.stop
        else:
            out += match.original or []
            at = match.stop
    return out


def by_origin(back: list[Any], origins: list[int], total: int) -> dict[int, list[Any]]:
    """For each written message, what was made of it; -1 for what stands in front of all."""
    held: dict[int, list[Any]] = {index: [] for index in range(-1, total)}
    at = -1
    for message, origin in zip(back, origins, strict=True):
        at = origin if origin >= 0 else at
        held[at].append(message)
    return held


def leading(back: list[Any], origins: list[int]) -> list[Any]:
    """The messages that were made of no message, in front of all others."""
    count = next((at for at, origin in enumerate(origins) if origin >= 0), len(origins))
    return back[:count]


def merged_head(original: Json, then: Json, now: Json) -> Json:
    """The members of a body: as they were, but for those that would now be written otherwise than then."""
    head = {name: value for name, value in original.items() if name not in then or name in now}
    anew = {name: value for name, value in now.items() if name not in then or exact(then[name]) != exact(value)}
    return {**head, **anew}


def without(body: Json, holder: str) -> Json:
    """A body without its messages."""
    return {name: value for name, value in body.items() if name != holder}


def ordered(body: Json, keys: list[str]) -> Json:
    """The members in the order in which they stood, new ones behind them."""
    return {name: body[name] for name in _once([*keys, *body]) if name in body}


def _once(names: list[str]) -> Iterator[str]:
    yield from dict.fromkeys(names)
