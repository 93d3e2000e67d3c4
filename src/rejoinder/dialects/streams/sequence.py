"""Moments put so that one part is open at a time, which is all that most dialects can say."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from rejoinder.dialects.streams.moments import Closed, Ended, Grew, Moment, Opened
from rejoinder.dialects.streams.text import Nesting
from rejoinder.errors import StreamError


class Sequence:
    """One part after another, each passed on at once.

    Where a dialect does not say when a part is whole, a text is when another part begins, and a call when its
    brackets are closed. Only a part that begins inside another, unfinished call has to wait for it.
    """

    def __init__(self) -> None:
        self._open: Opened | None = None
        self._waiting: dict[Hashable, list[Moment]] = {}
        self._known: dict[Hashable, Opened] = {}
        self._unseen: list[str] = []  # pieces of the open call in which nobody has counted brackets yet
        self._nesting = Nesting()
        self._whole = False

    def take(self, moment: Moment) -> Iterator[Moment]:
        """The moments that can be told now."""
        match moment:
            case Opened():
                yield from self._begin(moment)
            case Grew():
                yield from self._grow(moment)
            case Closed():
                yield from self._end(moment)
            case Ended():
                while self._open is not None:
                    yield from self._next()
                yield moment
            case _:
                yield moment

    def _begin(self, moment: Opened) -> Iterator[Moment]:
        self._known[moment.key] = moment
        if self._open is not None and self._open.kind == "call" and not self._is_whole():
            self._waiting[moment.key] = [moment]
            return
        if self._open is not None:
            yield Closed(self._open.key)
        yield self._start(moment)

    def _start(self, moment: Opened) -> Opened:
        self._open = moment
        self._unseen, self._nesting, self._whole = [], Nesting(), False
        return moment

    def _grow(self, moment: Grew) -> Iterator[Moment]:
        if self._open is not None and moment.key == self._open.key:
            yield moment
            if self._open.kind == "call":
                self._unseen.append(moment.text)
                if self._waiting and self._is_whole():
                    yield from self._next()
        elif moment.key in self._waiting:
            self._waiting[moment.key].append(moment)
        else:
            known = self._known.get(moment.key)
            if known is not None and known.kind != "call":
                # A text that was closed because a call began goes on as another text.
                yield from self._begin(known)
                yield from self._grow(moment)
            elif moment.text.strip():
                raise StreamError("the arguments of a call go on behind their end")

    def _end(self, moment: Closed) -> Iterator[Moment]:
        if self._open is not None and moment.key == self._open.key:
            yield from self._next()
        elif moment.key in self._waiting:
            self._waiting[moment.key].append(moment)

    def _next(self) -> Iterator[Moment]:
        """The open part is whole; those that waited for it follow, until one is open again."""
        while self._open is not None:
            yield Closed(self._open.key)
            self._open = None
            if not self._waiting:
                return
            held = self._waiting.pop(next(iter(self._waiting)))
            closed = isinstance(held[-1], Closed)
            for moment in held:
                if isinstance(moment, Opened):
                    yield self._start(moment)
                elif isinstance(moment, Grew):
                    self._unseen.append(moment.text)
                    yield moment
            if not closed and not (self._waiting and self._is_whole()):
                return

    def _is_whole(self) -> bool:
        """Are the brackets of the open call closed? Each piece is counted once."""
        for piece in self._unseen:
            self._whole = self._nesting.end(piece.encode("utf-8", "surrogatepass")) >= 0 or self._whole
        self._unseen = []
        return self._whole
