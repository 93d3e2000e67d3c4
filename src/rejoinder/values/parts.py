"""What a message is made of: one frozen value for each kind of part."""

from __future__ import annotations

from typing import Any

import msgspec


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What all parts share.

    `source` is the very object the part was read from: whatever we do not understand of it
    is kept there and written out again. `quirks` are facts of its JSON that the fields
    cannot show (`member:name`, `input:string`). `beside` marks a part that stands in a
    field of its own (`tool_calls`, `refusal`) and not among the content. `seal` is what its
    provider put on it to know it again; nobody else can make one, or use it.
    """

    source: Any = None
    quirks: tuple[str, ...] = ()
    cache: Any = None
    beside: bool = False
    seal: str | None = None


class Text(Part, frozen=True, kw_only=True):
    """Words for a reader: a user's, a system's or a model's."""

    text: str
    citations: bool = False


class Thinking(Part, frozen=True, kw_only=True):
    """A model's reasoning; `signature` seals it, and is all there is of it where it is `redacted`."""

    text: str
    signature: str | None = None
    redacted: bool = False


class ToolCall(Part, frozen=True, kw_only=True):
    """A model asks for a tool. `kind` is `function`, `custom` or `server`; None where the JSON does not say.

    `key` is what its result is known by where ids may be left out; None where every call needs an id.
    """

    id: Any
    name: Any
    arguments: Any
    kind: str | None = "function"
    key: str | None = None


class ToolResult(Part, frozen=True, kw_only=True):
    """What a tool gave back. `kind` is `tool`, or the name of the server tool's result block; `key` is as in a call.

    `call_kind` is the kind of call it answers, for readers that write the results of each kind in another way.
    """

    call_id: Any
    parts: tuple[Part, ...] = ()
    error: bool | None = None
    name: str | None = None
    kind: str = "tool"
    key: str | None = None
    call_kind: str = "function"


class Media(Part, frozen=True, kw_only=True):
    """An `image`, `audio`, `document` or `video`.

    Inline it is base64 (`data`) or plain words (`text`); else it is elsewhere (`url`), or was handed to the
    provider before (`file_id`). `name` is the file's name, or the document's title; `detail` says how closely a
    picture is to be looked at.
    """

    kind: str
    media_type: str | None = None
    data: str | None = None
    text: str | None = None
    url: str | None = None
    file_id: str | None = None
    name: str | None = None
    detail: str | None = None


class Refusal(Part, frozen=True, kw_only=True):
    """A model declines."""

    text: str


class Opaque(Part, frozen=True, kw_only=True):
    """What only one provider understands, kept whole. `kind` is its type as written, "" when it has none."""

    kind: str


# The quirk of a cache mark that is a block of its own: it says how far to cache, and nothing else.
ALONE = ("mark:alone",)


def is_mark(part: Part) -> bool:
    """Is this a cache mark that stands alone, behind what is to be cached?"""
    return isinstance(part, Opaque) and part.quirks == ALONE


def is_sealed(part: Part) -> bool:
    """Is this thinking that its provider signed, and would refuse if one letter of it changed?"""
    return isinstance(part, Thinking) and (part.redacted or bool(part.signature))


def is_blank(part: Part) -> bool:
    """Is this a text without a single visible character?"""
    return isinstance(part, Text) and not part.text.strip()
