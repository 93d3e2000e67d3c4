"""Moments as a dialect can hold them; what it cannot is a loss."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.dialects.streams.codec import StreamCodec
from rejoinder.dialects.streams.fields import whole_object
from rejoinder.dialects.streams.growing import joined
from rejoinder.dialects.streams.moments import Began, Broke, Closed, Ended, Grew, Lost, Moment, Opened, lost


class Fitting:
    """Fits moments, of which one part is open at a time, to what the streams of a dialect can say."""

    def __init__(self, codec: StreamCodec) -> None:
        self._codec = codec
        self._began = False
        self._left_out = False  # the open part is
        self._held: Opened | None = None  # a call that has to be whole before it can be told
        self._pieces: list[str] = []

    def take(self, moment: Moment) -> Iterator[Moment]:
        """The moments that say the same, as far as they can."""
        if not self._began and not isinstance(moment, Lost | Broke):
            self._began = True
            if not isinstance(moment, Began):
                yield Began(None, None)
        match moment:
            case Opened():
                yield from self._open(moment)
            case Grew():
                if self._held is not None:
                    self._pieces.append(moment.text)
                elif not self._left_out:
                    yield moment
            case Closed():
                yield from self._whole(moment)
                if not self._left_out:
                    yield moment
            case Ended():
                if moment.finish not in self._codec.ends:
                    yield lost("finish reason", f"{self._codec.name} has no word for {moment.said or moment.finish}")
                yield moment
            case _:
                yield moment

    def _open(self, part: Opened) -> Iterator[Moment]:
        takes, name = self._codec.takes, self._codec.name
        self._left_out = part.kind == "thinking"
        if self._left_out:
            yield lost("thinking", f"{name} takes no thinking but its own, and nobody can seal it for another")
            return
        if part.kind == "refusal" and "refusal" not in takes:
            yield lost("refusal marker", f"{name} has no refusals", "its words as text")
            part = replace(part, kind="text")
        if part.custom and "custom" not in takes:
            yield lost("custom call", f"{name} has calls with JSON arguments only", '{"input": ...}')
        if part.kind == "call" and "pieces" not in takes:
            self._held, self._pieces = part, []
        else:
            yield part

    def _whole(self, moment: Closed) -> Iterator[Moment]:
        """A call that was held back, if it is one that can be told."""
        held, self._held = self._held, None
        if held is None:
            return
        text = joined(self._pieces)
        self._left_out = not held.custom and bool(text.strip()) and whole_object(text) is None
        if self._left_out:
            why = f"its arguments are no whole JSON object, and {self._codec.name} has no others"
            yield lost(f"call of {held.name}", why)
            return
        yield held
        if text.strip():
            yield Grew(moment.key, text)
