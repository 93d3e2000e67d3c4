"""The events of an Anthropic stream as the message that it would have been at once."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.streams.codec import Joined, Unfinished
from rejoinder.dialects.streams.fields import Json, encoded, inner, number, present, whole_object, words
from rejoinder.dialects.streams.growing import Growing
from rejoinder.errors import StreamError
from rejoinder.values.loose import is_array, is_object

# For each kind of delta: its member, and the member of the block that grows with it.
GROWS = {"text_delta": ("text", "text"), "thinking_delta": ("thinking", "thinking")}
# What a block must have been where a server leaves its start out.
_IMPLIED = {
    "text_delta": {"type": "text", "text": ""},
    "thinking_delta": {"type": "thinking", "thinking": "", "signature": ""},
}
# Where the JSON of a call gathers until the block stops; no block has a member of this name.
_RAW = "\0raw"


class Join:
    """Joins events. Only what was begun here is ever changed, never an event."""

    def __init__(self) -> None:
        self._message: Json = {}
        self._blocks: dict[int, Json] = {}
        self._stopped: set[int] = set()
        self._growing = Growing()
        self._ended = False
        self._error: Any = None

    def take(self, event: Json) -> bool:
        """One event."""
        match event.get("type"):
            case "message_start":
                self._message = {**inner(event, "message")}
            case "content_block_start":
                self._blocks[number(event, "index", len(self._blocks)) or 0] = {**inner(event, "content_block")}
            case "content_block_delta":
                self._delta(number(event, "index", len(self._blocks) - 1) or 0, inner(event, "delta"))
            case "content_block_stop":
                self._stopped.add(number(event, "index", len(self._blocks) - 1) or 0)
            case "message_delta":
                self._message_delta(event)
            case "message_stop":
                self._ended = True
            case "error":
                self._error = event.get("error", event)
            case "ping":
                pass
            case _:
                return False
        return True

    def _message_delta(self, event: Json) -> None:
        delta = inner(event, "delta")
        others = {name: value for name, value in event.items() if name not in ("type", "delta", "usage")}
        self._message |= {**delta, **others}
        usage = inner(self._message, "usage") | present(inner(event, "usage"))
        if usage or "usage" in self._message:
            self._message["usage"] = usage
        self._ended = self._ended or delta.get("stop_reason") is not None

    def _delta(self, index: int, delta: Json) -> None:
        kind = words(delta, "type") or ""
        block = self._blocks.get(index)
        if block is None:
            if kind not in _IMPLIED:
                raise StreamError(f"a `{kind}` came for the block {index}, which never began")
            block = self._blocks[index] = {**_IMPLIED[kind]}
        if kind in GROWS:
            source, key = GROWS[kind]
            self._growing.add(block, key, words(delta, source) or "")
        elif kind == "input_json_delta":
            self._growing.add(block, _RAW, words(delta, "partial_json") or "")
        elif kind == "citations_delta":
            held = block.get("citations")
            block["citations"] = [*(held if is_array(held) else []), delta.get("citation")]
        else:
            self._other(block, delta)

    def _other(self, block: Json, delta: Json) -> None:
        """A delta that we do not know, or a signature: a member that is there is said anew."""
        block |= {name: value for name, value in delta.items() if name != "type" and value is not None}

    def joined(self) -> Joined:
        """The message so far."""
        self._growing.settle()
        content: list[Json] = []
        for index in sorted(self._blocks):
            block = self._blocks[index]
            raw = block.pop(_RAW, "")
            if is_object(block.get("input")):
                block["input"] = _input(block["input"], raw, stopped=index in self._stopped or self._ended)
            content.append(block)
        body = {**self._message, "content": content} if self._message or content else {}
        return Joined(body=body, ended=self._ended, unfinished=unfinished(body), error=self._error)


def _input(given: Json, raw: str, *, stopped: bool) -> Json | str:
    """The input of a call, or the text that came where it is not whole."""
    if not stopped:
        return raw or (encoded(given).decode() if given else "")
    whole = whole_object(raw) if raw else given
    return raw if whole is None else whole


def unfinished(body: Json) -> tuple[Unfinished, ...]:
    """The calls of a message whose input is still the text that came."""
    content: Any = body.get("content")
    return tuple(
        Unfinished(
            pointer=f"/content/{index}",
            id=block.get("id") if isinstance(block.get("id"), str) else None,
            name=block.get("name") if isinstance(block.get("name"), str) else None,
            raw=block["input"],
        )
        for index, block in enumerate(content if is_array(content) else ())
        if is_object(block) and isinstance(block.get("input"), str)
    )
