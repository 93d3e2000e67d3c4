"""What every dialect offers: read, write, point, and a quick look."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import msgspec

from rejoinder.dialects import shape as chat
from rejoinder.dialects.fold import Span
from rejoinder.values.conversation import Conversation
from rejoinder.values.place import Place
from rejoinder.values.view import Layout

Payload = list[Any] | dict[str, Any]


class Decode(Protocol):
    """Reads a payload; where spans are given, only those, and the rest stays folded."""

    def __call__(self, payload: Payload, spans: list[Span] | None = None) -> Conversation: ...


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """One wire shape: `encode(decode(x)) == x`, and untouched messages come back as the same objects."""

    name: str
    says: str
    layout: Layout
    decode: Decode
    encode: Callable[[Conversation], Payload]
    pointer: Callable[[Conversation, Place], str]


def of_shape(shape: chat.Shape, says: str) -> Dialect:
    """The dialect of a shape of the chat family."""
    return Dialect(
        name=shape.name,
        says=says,
        layout=shape.layout,
        decode=partial(chat.decode, shape),
        encode=partial(chat.encode, shape),
        pointer=partial(chat.pointer, shape),
    )
