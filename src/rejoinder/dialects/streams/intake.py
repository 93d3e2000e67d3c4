"""Whatever a stream is handed over as, bytes, text or events, as the events of one dialect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rejoinder.dialects.streams.codec import DONE, StreamCodec
from rejoinder.dialects.streams.codecs import who_knows
from rejoinder.dialects.streams.fields import Json, decoded
from rejoinder.dialects.streams.text import LIMIT, Block, Blocks
from rejoinder.errors import StreamError
from rejoinder.values.loose import is_object, kind_of

Chunk = bytes | bytearray | memoryview | str | dict[str, Any]

# A large chunk is read in pieces, so that it is not held twice.
_WINDOW = 2**20


class Intake:
    """Counts events, and tells the first that is none of this dialect."""

    def __init__(self, codec: StreamCodec, limit: int = LIMIT) -> None:
        self.count = 0
        self._codec = codec
        self._blocks = Blocks(limit)
        self._known = False

    def events(self, chunk: Chunk) -> Iterator[Json]:
        """The events that this chunk completes, each as soon as it is read."""
        if is_object(chunk):
            yield self._checked(chunk)
        else:
            for _name, data in self._texts(chunk):
                yield DONE if data.strip() == b"[DONE]" else self._checked(self._read(data))

    def _texts(self, chunk: Any) -> Iterator[Block]:
        view = memoryview(_bytes(chunk)).cast("B")
        for start in range(0, len(view), _WINDOW):
            yield from self._blocks.feed(bytes(view[start : start + _WINDOW]))

    def _read(self, data: bytes) -> Json:
        try:
            return decoded(data)
        except StreamError as error:
            raise StreamError(f"event {self.count + 1} of this stream of {self._codec.name}: {error}") from None

    def _checked(self, event: Json) -> Json:
        self.count += 1
        if self._codec.knows(event) or self._codec.whole(event):
            self._known = True
            return event
        other = who_knows(event)
        if other is not None:
            raise StreamError(f"event {self.count} is of a stream of {other}; this was to be one of {self._codec.name}")
        if not self._known:
            members = ", ".join(str(name)[:40] for name in list(event)[:5]) or "none"
            raise StreamError(
                f"the stream begins with an event that no stream of {self._codec.name} has (members: {members}); "
                "is it a stream of this API at all?"
            )
        return event


def _bytes(chunk: object) -> Any:
    if isinstance(chunk, str):
        try:
            return chunk.encode()
        except UnicodeEncodeError as error:
            raise StreamError(f"the text of the stream holds half a character ({error.reason})") from None
    if isinstance(chunk, bytes | bytearray | memoryview):
        return chunk  # pyright: ignore[reportUnknownVariableType]
    raise StreamError(f"a stream is fed with bytes, text or events; this is {kind_of(chunk)}")
