"""The chunks of an OpenAI Chat stream as moments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rejoinder.dialects.streams.codec import DONE
from rejoinder.dialects.streams.fields import Json, count, inner, number, objects, words
from rejoinder.dialects.streams.moments import (
    Began,
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
from rejoinder.dialects.streams.openai_chat.calls import Calls
from rejoinder.values.loose import is_array, is_object

FINISH: dict[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "calls",
    "function_call": "calls",
    "content_filter": "filtered",
}
# The member of a delta, and the kind of part that it is a piece of.
_TEXTS: tuple[tuple[str, Kind], ...] = (
    ("reasoning_content", "thinking"),
    ("reasoning", "thinking"),
    ("content", "text"),
    ("refusal", "refusal"),
)
_KNOWN = frozenset({"role", "tool_calls", "function_call", *(name for name, _ in _TEXTS)})


def usage_of(raw: object) -> Usage | None:
    """A usage as all count it."""
    if not is_object(raw):
        return None
    return Usage(
        input=count(raw, "prompt_tokens"),
        output=count(raw, "completion_tokens"),
        cache_read=count(raw.get("prompt_tokens_details"), "cached_tokens"),
        cache_written=count(raw.get("prompt_tokens_details"), "cache_write_tokens"),
        reasoning=count(raw.get("completion_tokens_details"), "reasoning_tokens"),
    )


class Reader:
    """Reads the first choice; others, and what only OpenAI Chat has, are losses."""

    def __init__(self) -> None:
        self._began = False
        self._calls = Calls()
        self._opened: set[object] = set()
        self._ended: Ended | None = None
        self._told: set[str] = set()

    def take(self, event: Json) -> Iterator[Moment]:
        """What happens in one chunk."""
        if event is DONE:
            if self._ended is None:
                self._ended = Ended("calls" if self._calls.calls else "stop")
            return
        if event.get("error") is not None:
            yield broke(event["error"])
            return
        if not self._began and (event.get("id") or event.get("choices")):
            self._began = True
            yield Began(words(event, "id"), words(event, "model"), count(event, "created"))
        for choice in objects(event, "choices"):
            if (number(choice, "index", 0) or 0) != 0:
                yield from self._lose("choice", "an answer of another API is one")
            else:
                yield from self._choice(choice)
        usage = usage_of(event.get("usage"))
        if usage is not None:
            yield Counted(usage)

    def _choice(self, choice: Json) -> Iterator[Moment]:
        delta = inner(choice, "delta") or inner(choice, "message")
        for name, kind in _TEXTS:
            yield from self._text(kind, delta.get(name) if is_array(delta.get(name)) else words(delta, name))
        for call, new, text in self._calls.take(delta):
            if new:
                yield Opened(call.position, "call", id=call.id, name=call.name, custom=call.custom)
            if text:
                yield Grew(call.position, text)
        yield from self._old_call(delta)
        for name, value in delta.items():
            if name not in _KNOWN and value not in (None, "", [], {}):
                yield from self._lose(name, "only OpenAI Chat has it")
        if choice.get("logprobs"):
            yield from self._lose("logprobs", "only OpenAI says them so")
        said = words(choice, "finish_reason")
        if said is not None:
            finish = FINISH.get(said, "other")
            self._ended = Ended("calls" if finish == "stop" and self._calls.calls else finish, said)

    def _text(self, kind: Kind, text: Any) -> Iterator[Moment]:
        """A piece of text; content that comes as blocks holds it one deeper."""
        if is_array(text):
            for block in text:
                inner_text = block.get("text") if is_object(block) else None
                if isinstance(inner_text, str):
                    yield from self._text("text", inner_text)
                else:
                    yield from self._lose("content block", "it is no text")
        elif text:
            if kind not in self._opened:
                self._opened.add(kind)
                yield Opened(kind, kind)
            yield Grew(kind, text)

    def _old_call(self, delta: Json) -> Iterator[Moment]:
        """A call of the old form, which has no id."""
        held = inner(delta, "function_call")
        if held and "function_call" not in self._opened:
            self._opened.add("function_call")
            yield Opened("function_call", "call", name=words(held, "name"))
        text = words(held, "arguments")
        if text:
            yield Grew("function_call", text)

    def _lose(self, what: str, why: str) -> Iterator[Moment]:
        if what not in self._told:
            self._told.add(what)
            yield lost(what, why)

    def close(self) -> Iterator[Moment]:
        """Why it ended: some servers say so twice, and the last time counts."""
        if self._ended is not None:
            yield self._ended
