"""The methods of an object to be awaited: one small door, and no second implementation of anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any


class Aio:
    """Each method of `thing` as a coroutine function; the work is done in a thread."""

    __slots__ = ("_thing",)

    def __init__(self, thing: object) -> None:
        self._thing = thing

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        return partial(asyncio.to_thread, getattr(self._thing, name))
