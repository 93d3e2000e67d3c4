"""What an edit does to everything behind it: sealed thinking and prompt caches.

A provider reads a request from its beginning. Whatever it has cached, or signed, holds for
the exact text in front: one changed letter, and all that stands behind it is another prefix.
"""

from __future__ import annotations

import msgspec

from rejoinder.dialects.detect import detect, find_dialect
from rejoinder.dialects.dialect import Payload
from rejoinder.values.conversation import Conversation, Message
from rejoinder.values.parts import is_sealed
from rejoinder.values.place import SYSTEM, Place


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
    for index, message in _heads_and_messages(right):
        for number, part in enumerate(message.parts):
            if index < first:
                continue
            if is_sealed(part):
                thinking.append(shape.pointer(right, Place(index, number)))
            if part.cache is not None:
                marks.append(shape.pointer(right, Place(index, number)))
    return PrefixImpact(first, tuple(thinking), tuple(marks))


def first_difference(left: Conversation, right: Conversation) -> int | None:
    """The index of the first message that differs; -1 for system text or tools; None where none does."""
    for name in ("tools", "system"):
        if _source(getattr(left, name)) != _source(getattr(right, name)):
            return SYSTEM
    for index, (one, other) in enumerate(zip(left.messages, right.messages, strict=False)):
        if one.source is not other.source and one.source != other.source:
            return index
    if len(left.messages) == len(right.messages):
        return None
    return min(len(left.messages), len(right.messages))


def _source(message: Message | None) -> object:
    return None if message is None else message.source


def _heads_and_messages(conversation: Conversation) -> list[tuple[int, Message]]:
    heads = [(SYSTEM, head) for head in (conversation.tools, conversation.system) if head is not None]
    return heads + [(index, m) for index, m in enumerate(conversation.messages) if isinstance(m, Message)]
