"""What pure code may ask of the world: it yields the question and is sent the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import TypeVar

import msgspec

Outcome = TypeVar("Outcome")


class Fetch(msgspec.Struct, frozen=True):
    """The bytes behind a URL are wanted, because a reader takes media inline only. `kind` is what they should be."""

    url: str
    kind: str


class Fetched(msgspec.Struct, frozen=True):
    """The answer to a `Fetch`: base64, and the media type that was found."""

    data: str
    media_type: str


Work = Generator[Fetch, Fetched | None, Outcome]


def drive(work: Work[Outcome], answer: Callable[[Fetch], Fetched | None] | None = None) -> Outcome:
    """Do the work, with each question put to `answer`; without one, nothing is to be had."""
    try:
        ask = next(work)
        while True:
            ask = work.send(answer(ask) if answer else None)
    except StopIteration as done:
        return done.value


async def drive_async(work: Work[Outcome], answer: Callable[[Fetch], Awaitable[Fetched | None]]) -> Outcome:
    """Do the work, with each answer awaited."""
    try:
        ask = next(work)
        while True:
            ask = work.send(await answer(ask))
    except StopIteration as done:
        return done.value
