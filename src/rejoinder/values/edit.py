"""The three edits, and `apply`: the only function that changes a conversation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from rejoinder.values.conversation import Conversation, Message, Stretch
from rejoinder.values.parts import Part, ToolResult
from rejoinder.values.place import SYSTEM, TOOLS, Place


class Drop(msgspec.Struct, frozen=True, tag=True):
    """Take a message or a part away, or a part inside a result. A message whose last part is dropped goes with it."""

    at: Place


class Replace(msgspec.Struct, frozen=True, tag=True):
    """Put another value where a message or a part is, or a part inside a result."""

    at: Place
    value: Message | Part


class Insert(msgspec.Struct, frozen=True, tag=True):
    """Put a message in front of a message, or a part in front of a part (or behind the last)."""

    at: Place
    value: Message | Part


Edit = Drop | Replace | Insert


def without_source(part: Part) -> Part:
    """The part as new: nothing of the JSON it was read from is written again."""
    return msgspec.structs.replace(part, source=None, quirks=())


class _Changes:
    """The edits of one message, sorted out."""

    def __init__(self) -> None:
        self.dropped = False
        self.replaced: Message | None = None
        self.before: list[Message] = []
        self.drops: set[int] = set()
        self.swaps: dict[int, Part] = {}
        self.inner: defaultdict[int, dict[int, Part | None]] = defaultdict(dict)
        self.inserts: defaultdict[int, list[Part]] = defaultdict(list)

    def add(self, edit: Edit) -> None:
        """Sort one edit in."""
        part, inner = edit.at.part or 0, edit.at.inner
        match edit:
            case Drop() if edit.at.part is None:
                self.dropped = True
            case Drop() if inner is not None:
                self.inner[part][inner] = None
            case Drop():
                self.drops.add(part)
            case Replace(value=Message() as value):
                self.replaced = value
            case Insert(value=Message() as value):
                self.before.append(value)
            case Replace(value=Part() as value) if inner is not None:
                self.inner[part][inner] = value
            case Replace(value=Part() as value):
                self.swaps[part] = value
            case Insert(value=Part() as value):
                self.inserts[part].append(value)
            case _:
                raise TypeError(f"{edit!r} puts neither a message nor a part")

    def on(self, message: Message) -> Message | None:
        """The message as the edits leave it; None when nothing of it is left."""
        if self.dropped:
            return None
        if self.replaced is not None:
            message = msgspec.structs.replace(self.replaced, touched=True)
        if not self.alters:
            return message
        parts: list[Part] = []
        for index, part in enumerate(message.parts):
            parts += self.inserts.get(index, ())
            if index not in self.drops:
                parts.append(self._inside(index, self.swaps.get(index, part)))
        parts += [part for index, new in self.inserts.items() if index >= len(message.parts) for part in new]
        if not parts and self.drops:
            return None
        return msgspec.structs.replace(message, parts=tuple(parts), touched=True)

    @property
    def alters(self) -> bool:
        """Do the edits touch parts of the message?"""
        return bool(self.drops or self.swaps or self.inserts or self.inner)

    def _inside(self, index: int, part: Part) -> Part:
        """The part, with what happens to the parts inside it where it is a result."""
        edits = self.inner.get(index)
        if not edits or not isinstance(part, ToolResult):
            return part
        after = (edits.get(number, each) for number, each in enumerate(part.parts))
        return msgspec.structs.replace(part, parts=tuple(each for each in after if each is not None))


def apply(conversation: Conversation, edits: Iterable[Edit]) -> Conversation:
    """The conversation after the edits. All places count in the conversation as it is now."""
    changes: defaultdict[int, _Changes] = defaultdict(_Changes)
    for edit in edits:
        changes[edit.at.message].add(edit)
    messages: list[Message | Stretch] = []
    kept_to = 0
    for index in sorted(i for i in changes if i >= 0):
        messages += conversation.messages[kept_to:index]
        messages += changes[index].before
        if index < len(conversation.messages):
            after = changes[index].on(conversation.message(index)) if _edits_itself(changes[index]) else None
            if after is not None:
                messages.append(after)
            elif not _edits_itself(changes[index]):
                messages.append(conversation.messages[index])
        kept_to = index + 1
    messages += conversation.messages[kept_to:]
    heads = {"system": conversation.system, "tools": conversation.tools}
    for name, index in (("system", SYSTEM), ("tools", TOOLS)):
        if index in changes:
            heads[name] = changes[index].on(heads[name] or Message("system", ()))
    return msgspec.structs.replace(conversation, messages=tuple(messages), **heads)


def _edits_itself(changes: _Changes) -> bool:
    """Do the edits touch the message, or do they only put others in front of it?"""
    return bool(changes.dropped or changes.replaced or changes.alters)
