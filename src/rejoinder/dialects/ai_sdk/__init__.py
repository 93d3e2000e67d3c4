"""Vercel's AI SDK: ModelMessages, as they are sent, and in the form `ui` UIMessages, as they are stored and shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from rejoinder.dialects.ai_sdk import model, ui
from rejoinder.dialects.carries import Carries
from rejoinder.dialects.dialect import Dialect, carried_alike, listed_dialect
from rejoinder.dialects.listed import Listing
from rejoinder.values.conversation import Message
from rejoinder.values.loose import is_object
from rejoinder.values.payload import Payload, messages_of
from rejoinder.values.place import Place
from rejoinder.values.view import Layout

_MEDIA = frozenset({"image", "audio", "video", "document"})
_CALL = "type toolCallId toolName input args providerExecuted state output errorText rawInput result toolInvocation"
CARRIES = Carries(
    results="messages",
    media=_MEDIA,
    in_results=frozenset({"image", "document"}),
    by_url=_MEDIA,
    error_flag=True,
    result_names=True,
    known={
        # What identifies a message, and what says its parts again, is nothing that a target could lack.
        "message": frozenset({"id", "role", "content", "parts", "toolInvocations", "createdAt"}),
        "text": frozenset({"type", "text", "state"}),
        "call": frozenset(f"{_CALL} preliminary".split()),
        "result": frozenset(f"{_CALL} isError approval callProviderMetadata toolMetadata preliminary".split()),
    },
)
# What only some dialects write (see `detect`).
SIGNS = frozenset(
    (
        "holds:messages content:string content:array key:parts key:providerOptions key:toolInvocations "
        "block:text/text block:image block:file block:reasoning block:tool-call block:tool-result "
        "block:tool-approval-request block:tool-approval-response block:redacted-reasoning "
        "part:text part:text/text part:reasoning part:reasoning/text part:file part:file/url part:step-start "
        "part:tool-* part:data-* part:dynamic-tool part:tool-invocation part:source-url part:source-document"
    ).split()
)
_MARKS = "key:toolInvocations block:tool-call part:step-start part:tool-* part:dynamic-tool part:source-url"
# Blocks of the same type that others write.
_STRANGE = frozenset({"block:file/file", "block:image/source", "block:tool_use"})


def _read(raw: Any, origin: int) -> Message:
    return ui.read(raw, origin) if ui.is_ui(raw) else model.read(raw, origin)


def _point(message: Message, place: Place) -> str:
    return ui.point(message, place) if ui.is_ui(message.source) else model.point(message, place)


def _write_model(message: Message) -> Any:
    return ui.write(message) if ui.is_ui(message.source) else model.write(message)


def _write_ui(message: Message) -> Any:
    return model.write(message) if is_object(message.source) and not ui.is_ui(message.source) else ui.write(message)


def _shows_ui(payload: Payload) -> bool:
    return any(ui.is_ui(raw) for raw in messages_of(payload))


def _dialect(layout: Layout, write: Callable[[Message], Any], carries: Carries, **facts: Any) -> Dialect:
    return listed_dialect(
        Listing(name="ai-sdk", read=_read, write=write, point=_point),
        says="the AI SDK's ModelMessages, and its UIMessages",
        layout=layout,
        signs=SIGNS,
        strange=_STRANGE,
        marks=frozenset(_MARKS.split()),
        stored=True,
        carries=carried_alike(carries),
        **facts,
    )


_INLINE = replace(CARRIES, results="inline", in_results=frozenset(), empty=False)
_UI = _dialect("inline", _write_ui, _INLINE, form="ui", shown=_shows_ui)
DIALECT = _dialect("run", _write_model, CARRIES, forms=(_UI,))
