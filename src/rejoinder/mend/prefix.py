"""What an edit does to everything behind it: sealed thinking and prompt caches.

A provider reads a request from its beginning. Whatever it has cached, or signed, holds for
the exact text in front: one changed letter, and all that stands behind it is another prefix.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from rejoinder.dialects.detect import detect, find_dialect
from rejoinder.values.conversation import Conversation, Message, Stretch
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Opaque, Part, ToolResult, is_sealed
from rejoinder.values.payload import Payload
from rejoinder.values.place import SYSTEM, TOOLS, Place


class PrefixImpact(msgspec.Struct, frozen=True):
    """The first place that changed, and what stands behind it.

    `first_changed` is an index into the messages of both sides (-1: system text or tools; None:
    nothing changed). `thinking` and `cache_marks` are JSON pointers into `after`: the sealed
    thinking that is now bound to a prefix that is gone, and the marks whose caches are lost.
    """

    first_changed: int | None = None
    thinking: tuple[str, ...] = ()
    cache_marks: tuple[str, ...] = ()


def prefix_impact(before: Payload, after: Payload, *, dialect: str | None = None) -> PrefixImpact:
    """What the way from `before` to `after` spoils: thinking blocks, and cache marks."""
    shape = find_dialect(dialect or detect(before).dialect)
    left, right = shape.decode(before), shape.decode(after)
    first = first_difference(left, right)
    if first is None:
        return PrefixImpact()
    thinking: list[str] = []
    marks: list[str] = []
    for place, part in _parts(right):
        if (place.message, place.part or 0) < first:
            continue
        if is_sealed(part):
            thinking.append(shape.pointer(right, place))
        if part.cache is not None:
            marks.append(shape.pointer(right, place))
    return PrefixImpact(max(first[0], SYSTEM), tuple(thinking), tuple(marks))


def first_difference(left: Conversation, right: Conversation) -> tuple[int, int] | None:
    """The first message and part that a model reads differently: tools, then system text, then the messages.

    A cache mark is no text: to move one changes nothing that is read.
    """
    for index, name in ((TOOLS, "tools"), (SYSTEM, "system")):
        part = _first_part(getattr(left, name), getattr(right, name))
        if part is not None:
            return index, part
    for index, (one, other) in enumerate(zip(left.messages, right.messages, strict=False)):
        part = None if one.source is other.source and not getattr(other, "touched", False) else _first_part(one, other)
        if part is not None:
            return index, part
    count = min(len(left.messages), len(right.messages))
    return None if len(left.messages) == len(right.messages) else (count, 0)


def _first_part(one: Message | Stretch | None, other: Message | Stretch | None) -> int | None:
    """The number of the first part that differs; None where none does."""
    if not isinstance(one, Message) or not isinstance(other, Message):
        return None if one is other else 0
    if one.role != other.role:
        return 0
    for number, (old, new) in enumerate(zip(one.parts, other.parts, strict=False)):
        if old is not new and _read(old) != _read(new):
            return number
    return None if len(one.parts) == len(other.parts) else min(len(one.parts), len(other.parts))


def _read(part: Part) -> Part:
    """The part without what no model reads: its mark, and how it was written."""
    source = part.source if isinstance(part, Opaque) else None
    if is_object(source):
        source = {key: value for key, value in source.items() if key != "cache_control"}
    inner = {"parts": tuple(_read(each) for each in part.parts)} if isinstance(part, ToolResult) else {}
    return replace(part, source=source, cache=None, quirks=(), **inner)


def _parts(conversation: Conversation) -> Iterator[tuple[Place, Part]]:
    """All parts in the order in which a provider reads them, those inside results too."""
    heads = [(TOOLS, conversation.tools), (SYSTEM, conversation.system)]
    for index, message in (*heads, *enumerate(conversation.messages)):
        for number, part in enumerate(message.parts if isinstance(message, Message) else ()):
            yield Place(index, number), part
            for inner, each in enumerate(part.parts if isinstance(part, ToolResult) else ()):
                yield Place(index, number, inner), each
