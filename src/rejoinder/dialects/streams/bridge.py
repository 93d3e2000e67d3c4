"""A stream of one dialect as a stream of another, while it runs."""

from __future__ import annotations

from rejoinder.dialects.carries import Loss
from rejoinder.dialects.streams.codec import DONE
from rejoinder.dialects.streams.codecs import find_codec
from rejoinder.dialects.streams.fields import Json
from rejoinder.dialects.streams.intake import Chunk, Intake
from rejoinder.dialects.streams.pipe import Pipe, framed
from rejoinder.dialects.streams.text import LIMIT
from rejoinder.errors import StreamError


class Bridge:
    """Passes a stream on in another dialect, piece by piece as it comes, as bytes of server-sent events.

    `feed` takes what `Assembler.feed` takes, and gives the bytes to send on; `close` gives the last ones. A stream
    that breaks off is passed on as one that breaks off: no event says that it ended. `losses` grows as parts come
    that the other dialect cannot hold. What cannot be read is a `StreamError`, once all in front of it
    was given.
    """

    def __init__(self, source: str, target: str, *, limit: int = LIMIT) -> None:
        self._source, self._target = find_codec(source), find_codec(target)
        self._intake = Intake(self._source, limit)
        self._pipe = None if self._source is self._target else Pipe(self._source, self._target)
        self._broken: StreamError | None = None
        self._told = False

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What could not be passed on so far."""
        return () if self._pipe is None else tuple(self._pipe.losses)

    def feed(self, chunk: Chunk) -> bytes:
        """The bytes to send on for this piece; often none."""
        self._tell()
        out: list[bytes] = []
        try:
            for event in self._intake.events(chunk):
                out += self._passed(event)
        except (StreamError, RecursionError) as error:
            self._broken = StreamError(f"event {self._intake.count} cannot be passed on: {error}")
            if not out:
                self._tell()
        return b"".join(out)

    def close(self) -> bytes:
        """The last bytes; none where the stream broke off."""
        if not self._told:
            self._tell()
        if self._pipe is None or self._broken is not None:
            return b""
        out = [framed(self._target, event) for event in self._pipe.close()]
        return b"".join([*out, self._target.last]) if self._pipe.ended else b""

    def _tell(self) -> None:
        if self._broken is not None:
            self._told = True
            raise self._broken from None

    def _passed(self, event: Json) -> list[bytes]:
        if self._pipe is not None:
            return [framed(self._target, new) for new in self._pipe.take(event)]
        return [self._source.last if event is DONE else framed(self._source, event)]
