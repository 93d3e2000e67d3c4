"""What every dialect offers: read, write, point, and a quick look."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import msgspec

from rejoinder.dialects import listed
from rejoinder.dialects.fold import Span
from rejoinder.dialects.listed import Listing
from rejoinder.values.conversation import Conversation, Message
from rejoinder.values.payload import Payload
from rejoinder.values.place import Place
from rejoinder.values.view import Layout


class Decode(Protocol):
    """Reads a payload; where spans are given, only those, and the rest stays folded."""

    def __call__(self, payload: Payload, spans: list[Span] | None = None) -> Conversation: ...


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """One wire shape: `encode(decode(x)) == x`, and untouched messages come back as the same objects."""

    name: str
    says: str
    layout: Layout
    holds: str = "messages"
    decode: Decode
    encode: Callable[[Conversation], Payload]
    write: Callable[[Message], Any]
    pointer: Callable[[Conversation, Place], str]


def listed_dialect(listing: Listing, says: str, layout: Layout) -> Dialect:
    """The dialect of a listing."""
    return Dialect(
        name=listing.name,
        says=says,
        layout=layout,
        holds=listing.holds,
        decode=partial(listed.decode, listing),
        encode=partial(listed.encode, listing),
        write=listing.write,
        pointer=partial(listed.pointer, listing),
    )
