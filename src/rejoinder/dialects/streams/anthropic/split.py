"""An Anthropic message as the events of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rejoinder.dialects.streams.codec import Joined
from rejoinder.dialects.streams.fields import Json, encoded
from rejoinder.values.loose import is_array, is_object

# Members that are known only at the end, and stand in `message_delta`.
_LATE = ("stop_reason", "stop_sequence", "stop_details", "container")


def split(answer: Joined) -> Iterator[Json]:
    """The events of a message; of one that is cut, those that came."""
    body = answer.body
    usage = body.get("usage")
    early = {"usage": {**usage, "output_tokens": 0}} if is_object(usage) and "output_tokens" in usage else {}
    late = {name: body[name] for name in _LATE if name in body}
    yield {"type": "message_start", "message": {**body, **dict.fromkeys(late), **early, "content": []}}
    content: Any = body.get("content")
    for index, block in enumerate(content if is_array(content) else ()):
        if is_object(block):
            yield from _block(index, block)
    if answer.error is not None:
        yield {"type": "error", "error": answer.error}
    if answer.ended:
        counted = {"output_tokens": usage.get("output_tokens", 0)} if is_object(usage) else {"output_tokens": 0}
        yield {"type": "message_delta", "delta": {"stop_reason": None, "stop_sequence": None, **late}, "usage": counted}
        yield {"type": "message_stop"}


def _block(index: int, block: Json) -> Iterator[Json]:
    start, deltas = _deltas(block)
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    if not isinstance(block.get("input"), str):
        yield {"type": "content_block_stop", "index": index}


def _deltas(block: Json) -> tuple[Json, list[Json]]:
    """A block as it starts, and what comes after; a kind that nobody knows comes whole."""
    match block:
        case {"type": "text", "text": str(text)}:
            cited: Any = block.get("citations")
            listed: list[Any] = list(cited) if is_array(cited) else []
            start: Json = {**block, "text": "", **({"citations": []} if listed else {})}
            citations = [{"type": "citations_delta", "citation": each} for each in listed]
            return start, [*([{"type": "text_delta", "text": text}] if text else []), *citations]
        case {"type": "thinking", "thinking": str(text)}:
            seal: Any = block.get("signature")
            signed: list[Json] = [{"type": "signature_delta", "signature": seal}] if seal else []
            start = {**block, "thinking": "", **({"signature": ""} if seal else {})}
            return start, [*([{"type": "thinking_delta", "thinking": text}] if text else []), *signed]
        case {"input": dict() | str()}:
            held: Any = block["input"]
            raw = held if isinstance(held, str) else encoded(held).decode() if held else ""
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": raw}]
        case _:
            return block, []
