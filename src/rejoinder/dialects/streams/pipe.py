"""Events of one dialect in, events of another out, as they come: read, put in order, fitted, written."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.dialects.carries import Loss
from rejoinder.dialects.streams.codec import StreamCodec
from rejoinder.dialects.streams.fields import Json, encoded
from rejoinder.dialects.streams.fitting import Fitting
from rejoinder.dialects.streams.moments import Lost, Moment
from rejoinder.dialects.streams.sequence import Sequence


def framed(codec: StreamCodec, event: Json) -> bytes:
    """An event as bytes of server-sent events."""
    name = b"event: " + str(event.get("type")).encode("utf-8", "replace") + b"\n" if codec.named else b""
    return name + b"data: " + encoded(event) + b"\n\n"


class Pipe:
    """One stream on its way to another dialect. Text and arguments are passed on piece by piece."""

    def __init__(self, source: StreamCodec, target: StreamCodec) -> None:
        self.losses: list[Loss] = []
        self.ended = False
        self._count = 0
        self._reader = source.reader()
        self._sequence = Sequence()
        self._fitting = Fitting(target)
        self._writer = target.writer()

    def take(self, event: Json) -> Iterator[Json]:
        """The events that this one becomes."""
        self._count += 1
        for moment in self._reader.take(event):
            yield from self._pass(moment)

    def close(self) -> Iterator[Json]:
        """The last events; none where the stream was cut."""
        for moment in self._reader.close():
            yield from self._pass(moment)
        for event in self._writer.close():
            self.ended = True
            yield event

    def _pass(self, moment: Moment) -> Iterator[Json]:
        for ordered in self._sequence.take(moment):
            for fitted in self._fitting.take(ordered):
                if isinstance(fitted, Lost):
                    loss = fitted.loss
                    self.losses.append(loss if loss.where else replace(loss, where=f"events[{self._count - 1}]"))
                else:
                    yield from self._writer.take(fitted)
