"""An answer: what a stream, or a provider at once, said; how it ended; and what of it is not whole."""

from __future__ import annotations

from typing import Any

import msgspec

from rejoinder.dialects.carries import Loss
from rejoinder.dialects.streams.codec import Joined, StreamCodec, Unfinished
from rejoinder.dialects.streams.codecs import find_codec
from rejoinder.dialects.streams.fields import Json
from rejoinder.dialects.streams.moments import Finish, Usage
from rejoinder.values.loose import is_array, is_object


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of a model, in the dialect of its provider.

    `body` is the answer as the API gives it without streaming. `cut` says that the stream broke off before its end.
    `unfinished` are the calls whose arguments did not come whole: in `body` they stay the text that came, and nothing
    completes them. `finish` and `usage` are in words of no provider. `error` is what the provider said in the middle
    of the stream, `strange` are events that nobody knows. `losses` is what a conversion could not carry.
    """

    dialect: str
    body: Json
    cut: bool = False
    unfinished: tuple[Unfinished, ...] = ()
    finish: Finish | None = None
    usage: Usage | None = None
    error: Any = None
    strange: tuple[Json, ...] = ()
    losses: tuple[Loss, ...] = ()

    def messages(self, *, unfinished: bool = False) -> list[Any]:
        """The answer as it goes into a history of its dialect: one message, or several items; none if it says nothing.

        Calls whose arguments did not come whole are left out; with `unfinished` they are kept, as the text that came.
        """
        body = self.body if unfinished else without(self.body, [call.pointer for call in self.unfinished])
        return find_codec(self.dialect).turn(body)

    def converted(self, dialect: str) -> Answer:
        """The answer as another API would have given it; its `losses` say what could not be carried."""
        from rejoinder.dialects.streams.assemble import converted

        return converted(self, dialect)


def answer_of(codec: StreamCodec, joined: Joined, **more: Any) -> Answer:
    """The answer that events made."""
    return Answer(
        dialect=codec.name,
        body=joined.body,
        cut=not joined.ended,
        unfinished=joined.unfinished,
        finish=codec.finish(joined.body),
        usage=codec.usage(joined.body),
        error=joined.error,
        **more,
    )


def joined_of(answer: Answer) -> Joined:
    """The answer as its dialect's own functions take it."""
    return Joined(body=answer.body, ended=not answer.cut, unfinished=answer.unfinished, error=answer.error)


def without(body: Json, pointers: list[str]) -> Json:
    """The body without what the pointers lead to; what is not on their way is not copied."""
    found: Any = body
    for pointer in sorted(pointers, key=lambda pointer: int(pointer.rpartition("/")[2]), reverse=True):
        found = _taken_out(found, pointer.strip("/").split("/"))
    return found


def _taken_out(holder: Any, path: list[str]) -> Any:
    if is_array(holder):
        place = int(path[0])
        inside = [] if len(path) == 1 else [_taken_out(holder[place], path[1:])]
        return [*holder[:place], *inside, *holder[place + 1 :]]
    return {**holder, path[0]: _taken_out(holder[path[0]], path[1:])} if is_object(holder) else holder
