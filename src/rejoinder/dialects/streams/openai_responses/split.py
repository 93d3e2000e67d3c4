"""An OpenAI response as the events of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rejoinder.dialects.streams.codec import Joined
from rejoinder.dialects.streams.fields import Json
from rejoinder.dialects.streams.openai_responses.tables import OF_ITEM, TEXTS, Text
from rejoinder.values.loose import is_array, is_object

_BY_NAME = {text.name: text for text in TEXTS}
_BY_PART = {(text.within, text.part): text for text in TEXTS if text.within}
# The members that list parts, and the events that bring one of them.
_LISTS = (("summary", "reasoning_summary_part"), ("content", "content_part"))
# What is not known yet when a response begins.
_LATE = ("output", "usage", "error", "incomplete_details", "completed_at")


def split(answer: Joined) -> Iterator[Json]:
    """The events of a response, numbered; of one that is cut, those that came."""
    for place, event in enumerate(_events(answer)):
        yield {**event, "sequence_number": place}


def _events(answer: Joined) -> Iterator[Json]:
    body = answer.body
    late = {name: None for name in _LATE if name in body}
    begun: Json = {**body, **late, "output": [], "status": "in_progress"}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    output: Any = body.get("output")
    for index, item in enumerate(output if is_array(output) else ()):
        if is_object(item):
            yield from _item(index, item, whole=answer.ended or item.get("status") != "incomplete")
    if answer.ended:
        kind = "response.incomplete" if body.get("status") == "incomplete" else "response.completed"
        yield {"type": kind, "response": body}
    elif body.get("status") == "failed":
        yield {"type": "response.failed", "response": body}
    elif is_object(answer.error):
        yield {"code": None, "message": "", "param": None, **answer.error, "type": "error"}


def _item(index: int, item: Json, *, whole: bool) -> Iterator[Json]:
    """An item as it is added, its texts as they grow, and the item when it is whole."""
    about = {"item_id": item.get("id"), "output_index": index}
    own = _BY_NAME.get(OF_ITEM.get(str(item.get("type")), ""))
    lists = [name for name, _ in _LISTS if is_array(item.get(name))]
    start: Json = {**item, **{name: [] for name in lists}}
    if "status" in item:
        start["status"] = "in_progress"
    if own is not None and isinstance(item.get(own.member), str):
        start[own.member] = ""
    yield {"type": "response.output_item.added", "output_index": index, "item": start}
    if own is not None and isinstance(item.get(own.member), str):
        yield from _text(own, item, about, whole=whole)
    for name, event in _LISTS:
        for place, part in enumerate(item[name] if name in lists else ()):
            if is_object(part):
                yield from _part(name, event, place, part, about, whole=whole)
    if whole:
        yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _part(name: str, event: str, place: int, part: Json, about: Json, *, whole: bool) -> Iterator[Json]:
    text = _BY_PART.get((name, str(part.get("type"))))
    at = {**about, "summary_index" if name == "summary" else "content_index": place}
    known = text is not None and isinstance(part.get(text.member), str)
    start: Json = {**part, text.member: ""} if text is not None and known else part
    annotations: Any = start.get("annotations")
    if is_array(annotations):
        start = {**start, "annotations": []}
    yield {"type": f"response.{event}.added", **at, "part": start}
    if text is not None and known:
        yield from _text(text, part, at, whole=whole)
    for number, annotation in enumerate(annotations if is_array(annotations) else ()):
        kind = "response.output_text.annotation.added"
        yield {"type": kind, **at, "annotation_index": number, "annotation": annotation}
    if whole:
        yield {"type": f"response.{event}.done", **at, "part": part}


def _text(text: Text, holder: Json, at: Json, *, whole: bool) -> Iterator[Json]:
    logged: Json = {"logprobs": []} if text.name == "output_text" else {}
    if holder[text.member]:
        yield {"type": f"response.{text.name}.delta", **at, "delta": holder[text.member], **logged}
    if whole:
        named = {"name": holder.get("name")} if text.name == "function_call_arguments" else {}
        yield {"type": f"response.{text.name}.done", **at, text.done: holder[text.member], **logged, **named}
