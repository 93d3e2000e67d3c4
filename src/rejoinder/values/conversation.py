"""A conversation as a value: messages, stretches known to be intact, system text and tools."""

from __future__ import annotations

from typing import Any

import msgspec

from rejoinder.values.parts import Part


class Message(msgspec.Struct, frozen=True):
    """One message. `origin` is its index in what the caller handed in, -1 for one that we made.

    `source` is the caller's own object. It comes back as it is unless `touched`, which only
    `apply` sets.
    """

    role: str
    parts: tuple[Part, ...]
    origin: int = -1
    source: Any = None
    quirks: tuple[str, ...] = ()
    touched: bool = False


class Stretch(msgspec.Struct, frozen=True):
    """A run of messages that a quick pass proved intact: nobody needs to look inside.

    It keeps what its neighbours may need to know: the caller's objects and the call ids used in it.
    """

    origin: int
    source: list[Any]
    ids: frozenset[str] = frozenset()


class Conversation(msgspec.Struct, frozen=True):
    """Everything one request says. `source` is the payload as it was handed in, a list or a body.

    `changed` holds fields of the body that are to be written anew.
    """

    dialect: str
    messages: tuple[Message | Stretch, ...]
    system: Message | None = None
    tools: Message | None = None
    source: Any = None
    changed: dict[str, Any] = {}

    def at(self, index: int) -> Message | Stretch | None:
        """The message of an index as `Place` counts them: -1 is the system text, -2 the tools."""
        if index >= 0:
            return self.messages[index]
        return self.system if index == -1 else self.tools

    def message(self, index: int) -> Message:
        """The message of an index that is known not to be a stretch."""
        found = self.at(index)
        if not isinstance(found, Message):
            raise IndexError(f"no single message at {index}")
        return found

    @property
    def settings(self) -> dict[str, Any]:
        """The request body around the messages; empty for a bare list."""
        return self.source if isinstance(self.source, dict) else {}
