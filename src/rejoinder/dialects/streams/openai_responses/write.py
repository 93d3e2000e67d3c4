"""Moments as the events of an OpenAI Responses stream."""

from __future__ import annotations

from collections.abc import Iterator

from rejoinder.dialects.streams.fields import Json
from rejoinder.dialects.streams.growing import joined
from rejoinder.dialects.streams.moments import Began, Broke, Closed, Counted, Ended, Grew, Moment, Opened, Usage
from rejoinder.dialects.streams.openai_responses.tables import INCOMPLETE
from rejoinder.dialects.streams.spelling import Spelling

# The word for a reason to be incomplete.
_REASONS = {finish: reason for reason, finish in INCOMPLETE.items()} | {"refused": "content_filter"}
ENDS: frozenset[str] = frozenset({"stop", "calls", *INCOMPLETE.values()})


def usage_as(usage: Usage) -> Json:
    """A usage as OpenAI Responses counts it."""
    given, made = usage.input or 0, usage.output or 0
    written = {} if usage.cache_written is None else {"cache_write_tokens": usage.cache_written}
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": usage.cache_read or 0, **written},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning or 0},
        "total_tokens": given + made,
    }


class Writer:
    """Writes one item after another, and all of them once more at the end."""

    def __init__(self) -> None:
        self._response: Json = {}
        self._output: list[Json] = []
        self._number = -1
        self._spelling: Spelling | None = None
        self._pieces: list[str] = []
        self._usage = Usage()
        self._ended: Ended | None = None

    def take(self, moment: Moment) -> Iterator[Json]:
        """The events that say so."""
        match moment:
            case Began():
                self._response = _response(moment)
                yield self._event("response.created", response=self._response)
                yield self._event("response.in_progress", response=self._response)
            case Opened():
                yield from self._open(moment)
            case Grew():
                yield from self._piece(self._spelling.piece(moment.text) if self._spelling else moment.text)
            case Closed():
                yield from self._close()
            case Counted():
                self._usage = moment.usage
            case Ended():
                self._ended = moment
            case Broke():
                yield self._event("error", code=moment.kind, message=moment.message, param=None)
            case _:
                pass

    def close(self) -> Iterator[Json]:
        """The whole response."""
        if self._ended is None:
            return
        reason = _REASONS.get(self._ended.finish)
        ended: Json = {"status": "incomplete" if reason else "completed"}
        if reason:
            ended["incomplete_details"] = {"reason": reason}
        response = {**self._response, **ended, "output": self._output, "usage": usage_as(self._usage)}
        yield self._event("response.incomplete" if reason else "response.completed", response=response)

    def _event(self, kind: str, **members: object) -> Json:
        self._number += 1
        return {"type": kind, **members, "sequence_number": self._number}

    def _open(self, part: Opened) -> Iterator[Json]:
        self._spelling, self._pieces = Spelling(part, takes_custom=True), []
        place = len(self._output)
        item = self._item(place, "in_progress", "")
        yield self._event("response.output_item.added", output_index=place, item=item)
        if part.kind != "call":
            started = {**_part(part, "")}
            yield self._event("response.content_part.added", **self._at(), part=started)

    def _piece(self, text: str) -> Iterator[Json]:
        if not text or self._spelling is None:
            return
        self._pieces.append(text)
        kind = _event_of(self._spelling.part)
        logged: Json = {"logprobs": []} if kind == "output_text" else {}
        yield self._event(f"response.{kind}.delta", **self._at(), delta=text, **logged)

    def _close(self) -> Iterator[Json]:
        if self._spelling is None:
            return
        yield from self._piece(self._spelling.rest())
        part, text, place = self._spelling.part, joined(self._pieces), len(self._output)
        item, at, kind = self._item(place, "completed", text), self._at(), _event_of(part)
        if part.kind == "call":
            said: Json = {"input": text} if part.custom else {"arguments": text, "name": part.name}
            yield self._event(f"response.{kind}.done", **at, **said)
        else:
            said = {"refusal": text} if part.kind == "refusal" else {"text": text, "logprobs": []}
            yield self._event(f"response.{kind}.done", **at, **said)
            yield self._event("response.content_part.done", **at, part=_part(part, text))
        yield self._event("response.output_item.done", output_index=place, item=item)
        self._output.append(item)
        self._spelling = None

    def _id(self, place: int) -> str:
        prefix = "msg" if self._spelling is None or self._spelling.part.kind != "call" else "fc"
        return f"{prefix}_{self._response.get('id') or 'answer'}_{place}"

    def _at(self) -> Json:
        place = len(self._output)
        at: Json = {"item_id": self._id(place), "output_index": place}
        called = self._spelling is not None and self._spelling.part.kind == "call"
        return at if called else {**at, "content_index": 0}

    def _item(self, place: int, status: str, text: str) -> Json:
        part = self._spelling.part if self._spelling else Opened(None, "text")
        if part.kind == "call":
            kind, member = ("custom_tool_call", "input") if part.custom else ("function_call", "arguments")
            item = {"id": self._id(place), "type": kind, "call_id": part.id, "name": part.name, member: text}
            return {**item, "status": status}
        content = [_part(part, text)] if status == "completed" else []
        return {"id": self._id(place), "type": "message", "role": "assistant", "status": status, "content": content}


def _event_of(part: Opened) -> str:
    if part.kind == "call":
        return "custom_tool_call_input" if part.custom else "function_call_arguments"
    return "refusal" if part.kind == "refusal" else "output_text"


def _part(part: Opened, text: str) -> Json:
    if part.kind == "refusal":
        return {"type": "refusal", "refusal": text}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _response(moment: Began) -> Json:
    return {
        "id": moment.id or "",
        "object": "response",
        "created_at": moment.created or 0,
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": moment.model or "",
        "output": [],
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": None,
    }
