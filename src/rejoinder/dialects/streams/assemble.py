"""A stream as the answer that it would have been at once; an answer as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from rejoinder.dialects.streams.answer import Answer, answer_of, joined_of
from rejoinder.dialects.streams.codec import DONE, Joined, StreamCodec
from rejoinder.dialects.streams.codecs import find_codec
from rejoinder.dialects.streams.fields import Json
from rejoinder.dialects.streams.intake import Chunk, Intake
from rejoinder.dialects.streams.pipe import Pipe, framed
from rejoinder.dialects.streams.text import LIMIT
from rejoinder.errors import StreamError
from rejoinder.values.loose import is_object

# So many events that nobody knows are kept; a stream that is made of nothing else does not fill the memory.
_STRANGE = 1000


class Assembler:
    """Makes an answer of a stream: feed what the network gives, in any pieces, or the events of an SDK as dicts.

    ```python
    assembler = rj.Assembler("anthropic")
    for chunk in response.iter_bytes():
        assembler.feed(chunk)
    answer = assembler.close()
    ```

    What cannot be read is a `StreamError`; `close` then gives what came in front of it, marked as cut. `limit` is the
    size that one event may have. Nothing that is fed is changed.
    """

    def __init__(self, dialect: str, *, limit: int = LIMIT) -> None:
        self._codec = find_codec(dialect)
        self._intake = Intake(self._codec, limit)
        self._join = self._codec.join()
        self._whole: Json | None = None
        self._strange: list[Json] = []
        self._answer: Answer | None = None
        self._broken: StreamError | None = None

    def feed(self, chunk: Chunk) -> None:
        """The next piece of the stream."""
        if self._answer is not None:
            raise StreamError("the stream was closed; a new one needs a new Assembler")
        if self._broken is not None:
            raise self._broken
        try:
            for event in self._intake.events(chunk):
                self._take(event)
        except StreamError as error:
            self._broken = error
            raise

    def close(self) -> Answer:
        """The answer, as far as it came."""
        if self._answer is None:
            self._answer = self._closed()
        return self._answer

    def _take(self, event: Json) -> None:
        if self._whole is not None:
            raise StreamError("behind a whole answer, more events came")
        if self._intake.count == 1 and self._codec.whole(event):
            self._whole = event
            return
        try:
            known = self._join.take(event)
        except StreamError as error:
            number = self._intake.count
            raise StreamError(f"event {number} of this stream of {self._codec.name}: {error}") from None
        except RecursionError:
            raise StreamError(f"event {self._intake.count} is nested too deep") from None
        if not known and event is not DONE and len(self._strange) < _STRANGE:
            self._strange.append(event)

    def _closed(self) -> Answer:
        if self._whole is not None:
            answer = read_answer(self._whole, self._codec.name)
            return answer if self._broken is None else replace(answer, cut=True)
        joined = self._join.joined()
        if self._broken is not None:
            joined = Joined(body=joined.body, ended=False, unfinished=joined.unfinished, error=joined.error)
        return answer_of(self._codec, joined, strange=tuple(self._strange))


def read_answer(body: dict[str, Any], dialect: str) -> Answer:
    """An answer that the provider gave at once, as `Assembler` gives a streamed one."""
    codec = find_codec(dialect)
    if not is_object(body) or not (codec.whole(body) or codec.knows(body)):
        raise StreamError(f"this is no answer of {codec.name}")
    if not codec.whole(body) and body.get("error") is not None:
        return answer_of(codec, Joined(body={}, ended=False, error=body["error"]))
    ended = codec.finish(body) != "failed"
    error = None if ended else body.get("error")
    return answer_of(codec, Joined(body=body, ended=ended, unfinished=tuple(codec.unfinished(body)), error=error))


def converted(answer: Answer, dialect: str) -> Answer:
    """The answer as another API would have given it; `losses` is what it could not carry."""
    source, target = find_codec(answer.dialect), find_codec(dialect)
    if source is target:
        return answer
    pipe, join = Pipe(source, target), target.join()
    for event in _translated(pipe, source, answer):
        join.take(event)
    return answer_of(target, join.joined(), losses=tuple(pipe.losses))


def stream(answer: Answer, dialect: str | None = None) -> Iterator[bytes]:
    """The answer as server-sent events of its own or of another dialect, as its API would have streamed them.

    Of an answer that is cut, only what came: no event says that it ended.
    """
    source = find_codec(answer.dialect)
    target = source if dialect is None else find_codec(dialect)
    if source is target:
        events = source.split(joined_of(answer))
    else:
        events = _translated(Pipe(source, target), source, answer)
    for event in events:
        yield framed(target, event)
    if target.last and not answer.cut:
        yield target.last


def _translated(pipe: Pipe, source: StreamCodec, answer: Answer) -> Iterator[Json]:
    for event in source.split(joined_of(answer)):
        yield from pipe.take(event)
    yield from pipe.close()
