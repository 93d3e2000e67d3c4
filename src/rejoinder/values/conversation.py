"""A conversation as a value: messages, stretches known to be intact, system text and tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from rejoinder.values.loose import is_object
from rejoinder.values.parts import Part

# Other words for who speaks, as some stores write them.
SPEAKERS = {"human": "user", "ai": "assistant", "model": "assistant"}


class Message(msgspec.Struct, frozen=True):
    """One message. `origin` is its index in what the caller handed in, -1 for one that we made.

    `source` is the caller's own object. It comes back as it is unless `touched`, which only
    `apply` sets. `seal` is the name its provider gave it and knows it by; nobody else can make one.
    """

    role: str
    parts: tuple[Part, ...]
    origin: int = -1
    source: Any = None
    quirks: tuple[str, ...] = ()
    touched: bool = False
    seal: str | None = None


class Stretch(msgspec.Struct, frozen=True):
    """A run of messages that a quick pass proved intact: nobody needs to look inside.

    Should somebody have to after all, `read` makes a message of one of the caller's objects.
    """

    origin: int
    source: list[Any]
    read: Callable[[Any, int], Message]

    def messages(self) -> Iterator[Message]:
        """What is inside."""
        for index, raw in enumerate(self.source, self.origin):
            yield self.read(raw, index)


class Conversation(msgspec.Struct, frozen=True):
    """Everything one request says. `source` is the payload as it was handed in, a list or a body.

    `changed` holds fields of the body that are to be written anew. `quirks` are facts about a body
    whose messages are not where, or not what, its dialect has them (`input:missing`).
    """

    dialect: str
    messages: tuple[Message | Stretch, ...]
    system: Message | None = None
    tools: Message | None = None
    source: Any = None
    changed: dict[str, Any] = {}
    quirks: tuple[str, ...] = ()

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

    def indexes(self) -> list[int]:
        """For each of `messages`, the index of its first message when all stretches are counted out."""
        found: list[int] = []
        count = 0
        for message in self.messages:
            found.append(count)
            count += len(message.source) if isinstance(message, Stretch) else 1
        return found

    def origins(self) -> list[int]:
        """For each message of the payload this is written as, the index it had when it was read; -1 for a new one."""
        found: list[int] = []
        for message in self.messages:
            count = len(message.source) if isinstance(message, Stretch) else 1
            found += range(message.origin, message.origin + count)
        return found

    @property
    def settings(self) -> dict[str, Any]:
        """The request body around the messages; empty for a bare list."""
        return self.source if is_object(self.source) else {}
