"""What happens in a stream, in words of no provider."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal

import msgspec

from rejoinder.dialects.carries import Loss
from rejoinder.values.loose import is_object

# Why an answer ended. `sequence` is a stop sequence, `filtered` the provider's doing, `refused` the model's own,
# `paused` means that the same model is to go on, `malformed` that it wrote a call that is none.
Finish = Literal["stop", "length", "calls", "sequence", "filtered", "refused", "paused", "malformed", "failed", "other"]
Kind = Literal["text", "thinking", "refusal", "call"]


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of one answer, counted alike for all: `input` holds what was cached, `output` the reasoning."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_written: int | None = None
    reasoning: int | None = None


class Began(msgspec.Struct, frozen=True):
    """The answer begins."""

    id: str | None
    model: str | None
    created: int | None = None


class Opened(msgspec.Struct, frozen=True):
    """A part begins. A call has an id and a name; a `custom` one has words where others have JSON."""

    key: Hashable
    kind: Kind
    id: str | None = None
    name: str | None = None
    custom: bool = False


class Grew(msgspec.Struct, frozen=True):
    """A part goes on."""

    key: Hashable
    text: str


class Closed(msgspec.Struct, frozen=True):
    """A part is whole."""

    key: Hashable


class Counted(msgspec.Struct, frozen=True):
    """The tokens, as far as they are known."""

    usage: Usage


class Ended(msgspec.Struct, frozen=True):
    """The answer came to its end. `said` is the dialect's own word for why."""

    finish: Finish
    said: str | None = None


class Broke(msgspec.Struct, frozen=True):
    """The provider gave up, and said so."""

    kind: str
    message: str
    source: Any = None


class Lost(msgspec.Struct, frozen=True):
    """Something that no other dialect can hold."""

    loss: Loss


Moment = Began | Opened | Grew | Closed | Counted | Ended | Broke | Lost


def lost(what: str, why: str, instead: str = "", where: str = "") -> Lost:
    """A loss as a moment."""
    return Lost(Loss(what=what, where=where, why=why, instead=instead))


def broke(error: Any) -> Broke:
    """A provider's error, in whichever shape."""
    if is_object(error):
        held = error.get("error", error)
        found: dict[str, Any] = held if is_object(held) else {"message": held}
        kind = found.get("type") or found.get("status") or found.get("code") or "error"
        return Broke(str(kind), str(found.get("message") or kind), error)
    return Broke("error", str(error), error)
