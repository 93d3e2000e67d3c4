"""The events of an OpenAI Responses stream as moments."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from rejoinder.dialects.streams.fields import Json, count, inner, number, words
from rejoinder.dialects.streams.moments import (
    Began,
    Closed,
    Counted,
    Ended,
    Finish,
    Grew,
    Kind,
    Moment,
    Opened,
    Usage,
    broke,
    lost,
)
from rejoinder.dialects.streams.openai_responses.tables import CALLS, DONE, ENDS, GROWS, INCOMPLETE, Text
from rejoinder.values.loose import is_array, is_object

# The texts that grow, as parts; others are of items that only OpenAI understands.
_KINDS: dict[str, Kind] = {
    "output_text": "text",
    "refusal": "refusal",
    "reasoning_text": "thinking",
    "reasoning_summary_text": "thinking",
    "function_call_arguments": "call",
    "custom_tool_call_input": "call",
}
_ONLY = "only OpenAI understands it"


def finish_of(response: Json) -> Finish | None:
    """Why a response ended; None where it has not."""
    output: Any = response.get("output")
    items = output if is_array(output) else []
    status = response.get("status")
    if status == "incomplete":
        details = response.get("incomplete_details")
        return INCOMPLETE.get(str(details.get("reason")) if is_object(details) else "", "other")
    if status in ("failed", "cancelled"):
        return "failed"
    if status != "completed":
        return None
    return "calls" if any(is_object(item) and str(item.get("type")) in CALLS for item in items) else "stop"


def usage_of(raw: object) -> Usage | None:
    """A usage as all count it."""
    if not is_object(raw):
        return None
    return Usage(
        input=count(raw, "input_tokens"),
        output=count(raw, "output_tokens"),
        cache_read=count(raw.get("input_tokens_details"), "cached_tokens"),
        cache_written=count(raw.get("input_tokens_details"), "cache_write_tokens"),
        reasoning=count(raw.get("output_tokens_details"), "reasoning_tokens"),
    )


class Reader:
    """Reads events. What was said whole and never grew is told when it is whole."""

    def __init__(self) -> None:
        self._began = False
        self._opened: dict[Hashable, bool] = {}  # and whether anything came of it
        self._called = False
        self._items = -1
        self._sealed: set[int] = set()

    def take(self, event: Json) -> Iterator[Moment]:
        """What happens in one event."""
        kind = words(event, "type") or ""
        if kind in GROWS:
            yield from self._grow(event, GROWS[kind], words(event, "delta"))
        elif kind in DONE:
            yield from self._done(event, DONE[kind])
        elif kind in ("response.output_item.added", "response.output_item.done"):
            yield from self._item(event, added=kind.endswith("added"))
        elif kind == "response.output_text.annotation.added":
            yield lost("annotations", "only OpenAI's sources can be cited so")
        elif kind == "error":
            yield broke(event)
        elif kind.startswith("response.") and "response" in event:
            yield from self._life(kind, inner(event, "response"))

    def close(self) -> Iterator[Moment]:
        """Nothing is left to say."""
        yield from ()

    def _life(self, kind: str, response: Json) -> Iterator[Moment]:
        if not self._began:
            self._began = True
            yield Began(words(response, "id"), words(response, "model"), count(response, "created_at"))
        if kind not in ENDS:
            return
        usage = usage_of(response.get("usage"))
        if usage is not None:
            yield Counted(usage)
        if kind == "response.failed":
            yield broke(response.get("error") or {"message": "the response failed"})
            return
        finish = finish_of(response) or ("other" if kind != "response.completed" else "stop")
        yield Ended("calls" if finish == "stop" and self._called else finish, words(response, "status"))

    def _grow(self, event: Json, text: Text, piece: str | None) -> Iterator[Moment]:
        kind, key = _KINDS.get(text.name), self._key(event, text)
        if kind is None or not piece:
            return
        if key not in self._opened:
            if kind == "call":
                return
            yield Opened(key, kind)
        self._opened[key] = True
        yield Grew(key, piece)

    def _done(self, event: Json, text: Text) -> Iterator[Moment]:
        key = self._key(event, text)
        if not self._opened.get(key):
            yield from self._grow(event, text, words(event, text.done))
        if key in self._opened and _KINDS.get(text.name) != "call":
            yield Closed(key)

    def _key(self, event: Json, text: Text) -> Hashable:
        place = number(event, "output_index", max(self._items, 0))
        return (place, text.within, number(event, text.index, 0)) if text.within else (place, "", 0)

    def _item(self, event: Json, *, added: bool) -> Iterator[Moment]:
        item = inner(event, "item")
        kind = words(item, "type") or ""
        self._items = number(event, "output_index", self._items + added) or 0
        key = (self._items, "", 0)
        if kind in CALLS:
            if key not in self._opened:
                self._called = True
                self._opened[key] = False
                custom = kind == "custom_tool_call"
                yield Opened(key, "call", id=words(item, "call_id"), name=words(item, "name"), custom=custom)
            if not added:
                given = words(item, CALLS[kind])
                if given and not self._opened[key]:
                    yield Grew(key, given)
                yield Closed(key)
        elif kind == "reasoning":
            if not added and item.get("encrypted_content"):
                yield lost("encrypted_content", _ONLY)
        elif kind == "message":
            if not added:
                yield from self._said(item)
        elif not added:
            yield lost(kind, _ONLY)

    def _said(self, item: Json) -> Iterator[Moment]:
        """The parts of a message whose pieces never came."""
        listed: Any = item.get("content")
        for place, part in enumerate(listed if is_array(listed) else ()):
            key = (self._items, "content", place)
            kind: Kind = "refusal" if is_object(part) and part.get("type") == "refusal" else "text"
            text = words(part, "refusal" if kind == "refusal" else "text") if is_object(part) else None
            if text and not self._opened.get(key):
                self._opened[key] = True
                yield Opened(key, kind)
                yield Grew(key, text)
                yield Closed(key)
