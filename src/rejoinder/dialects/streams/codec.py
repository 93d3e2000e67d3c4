"""What a dialect gives so that its streams can be joined, split, read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import msgspec

from rejoinder.dialects.streams.fields import Json
from rejoinder.dialects.streams.moments import Finish, Moment, Usage

# The end of a stream of OpenAI Chat, which is no JSON. An event, so that all events go one way; known by identity.
DONE: Json = {"done": True}


class Unfinished(msgspec.Struct, frozen=True, kw_only=True):
    """A call whose arguments did not come whole. `raw` is what came: it is never completed, and must not be run.

    `pointer` leads to the call in the answer's body.
    """

    pointer: str
    id: str | None
    name: str | None
    raw: str


class Joined(msgspec.Struct, frozen=True, kw_only=True):
    """What the events of a stream made so far. `ended` says that the answer is whole."""

    body: Json
    ended: bool
    unfinished: tuple[Unfinished, ...] = ()
    error: Any = None


class Join(Protocol):
    """Events of one dialect on their way to the answer that it would have given at once."""

    def take(self, event: Json) -> bool:
        """One event; False where it is of a kind that this dialect does not know."""
        ...

    def joined(self) -> Joined:
        """The answer so far. Nothing may be taken afterwards."""
        ...


class Reader(Protocol):
    """Events of one dialect as moments."""

    def take(self, event: Json) -> Iterator[Moment]:
        """What happens in one event."""
        ...

    def close(self) -> Iterator[Moment]:
        """What is known only when nothing more comes."""
        ...


class Writer(Protocol):
    """Moments, of which one part is open at a time, as events of one dialect."""

    def take(self, moment: Moment) -> Iterator[Json]:
        """The events that say so."""
        ...

    def close(self) -> Iterator[Json]:
        """The last events; none where the answer did not come to its end."""
        ...


class StreamCodec(msgspec.Struct, frozen=True, kw_only=True):
    """A dialect's streams.

    `knows` tells its events from others', `whole` an answer that was given at once. `split` writes an answer as
    events, without the last ones where it is cut. `turn` is the answer as messages of a history. `takes` is what the
    dialect can write besides text and whole calls: `refusal`, calls of free text (`custom`), and arguments that come in
    `pieces`; `ends` are the reasons to end that it has a word for. `named` says that server-sent events have a name,
    `last` stands behind all events.
    """

    name: str
    knows: Callable[[Json], bool]
    whole: Callable[[Json], bool]
    join: Callable[[], Join]
    split: Callable[[Joined], Iterator[Json]]
    reader: Callable[[], Reader]
    writer: Callable[[], Writer]
    turn: Callable[[Json], list[Any]]
    finish: Callable[[Json], Finish | None]
    usage: Callable[[Json], Usage | None]
    unfinished: Callable[[Json], Sequence[Unfinished]]
    takes: frozenset[str] = frozenset()
    ends: frozenset[str]
    named: bool = False
    last: bytes = b""
