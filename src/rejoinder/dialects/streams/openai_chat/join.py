"""The chunks of an OpenAI Chat stream as the completion that they would have been at once."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.streams.codec import DONE, Joined, Unfinished
from rejoinder.dialects.streams.fields import Json, inner, number, objects, present, whole_object
from rejoinder.dialects.streams.growing import Growing
from rejoinder.dialects.streams.openai_chat.calls import Call, Calls
from rejoinder.values.loose import is_array, is_object

# Said once, however often they are sent.
_ONCE = frozenset({"role", "type", "id", "name", "index", "format", "signature"})
_TOP_ONCE = frozenset({"id", "created", "model"})


class Join:
    """Joins chunks. Only what was begun here is ever changed, never a chunk."""

    def __init__(self) -> None:
        self._body: Json = {}
        self._choices: dict[int, Choice] = {}
        self._done = False
        self._error: Any = None

    def take(self, event: Json) -> bool:
        """One chunk."""
        if event is DONE:
            self._done = True
            return True
        if event.get("error") is not None:
            self._error = event["error"]
        elif not knows(event):
            return False
        for name, value in event.items():
            if name in ("choices", "object", "obfuscation", "error"):
                continue
            again = value not in (None, "") and name not in _TOP_ONCE
            if again or self._body.get(name) in (None, "", 0):
                self._body[name] = value
        for choice in objects(event, "choices"):
            index = number(choice, "index", 0) or 0
            if index not in self._choices:
                self._choices[index] = Choice()
            self._choices[index].take(choice)
        return True

    def joined(self) -> Joined:
        """The completion so far."""
        ended = bool(self._choices) and all(choice.ended for choice in self._choices.values())
        ended = self._error is None and (ended or self._done)
        choices = [{"index": index, **self._choices[index].joined()} for index in sorted(self._choices)]
        body = {"object": "chat.completion", **self._body, "choices": choices} if self._body or choices else {}
        open_calls = {
            (index, position)
            for index, choice in self._choices.items()
            for position in choice.open_calls(ended=choice.ended or (self._done and self._error is None))
        }
        return Joined(body=body, ended=ended, unfinished=_unfinished(body, open_calls), error=self._error)


class Choice:
    """One choice that is growing."""

    def __init__(self) -> None:
        self._message: Json = {}
        self._others: Json = {}
        self._logprobs: Json | None = None
        self._calls = Calls()
        self._growing = Growing()
        self._pieces: list[Json] = []  # of a content that comes as blocks
        self.ended = False

    def take(self, choice: Json) -> None:
        """One choice of a chunk."""
        for name, value in choice.items():
            if name == "finish_reason":
                self.ended = self.ended or value is not None
            if name in ("index", "delta", "message", "logprobs"):
                continue
            if value is not None or name not in self._others:
                self._others[name] = value
        delta = inner(choice, "delta") or inner(choice, "message")
        for _ in self._calls.take(delta):
            pass
        for name, value in delta.items():
            if name == "content" and is_array(value):
                self._blocks(value)
            elif name != "tool_calls":
                self._member(self._message, name, value)
        self._take_logprobs(choice)

    def _member(self, holder: Json, name: str, value: Any) -> None:
        """A member of a message: a text grows, a list goes on, an object is merged, all else is said anew."""
        was = holder.get(name)
        if value is None or (name in _ONCE and was not in (None, "")):
            holder.setdefault(name, None)
        elif isinstance(value, str) and name not in _ONCE:
            if was is None:
                holder[name] = ""
            self._growing.add(holder, name, value)
        elif is_object(value):
            held = holder[name] = was if is_object(was) else {}
            for inner_name, inner_value in value.items():
                self._member(held, inner_name, inner_value)
        elif is_array(value):
            held = holder[name] = was if is_array(was) else []
            for entry in value:
                self._entry(held, entry)
        else:
            holder[name] = value

    def _entry(self, held: list[Any], entry: Any) -> None:
        """An entry of a list: one with the number of the last one goes on with it."""
        last = held[-1] if held else None
        if not is_object(entry):
            held.append(entry)
            return
        same = is_object(last) and "index" in entry and last.get("index") == entry["index"]
        if not is_object(last) or not same or last.get("type") != entry.get("type", last.get("type")):
            last = {}
            held.append(last)
        for name, value in entry.items():
            self._member(last, name, value)

    def _blocks(self, blocks: list[Any]) -> None:
        """Content that comes as blocks: neighbours of one kind are one."""
        held: Any = self._message.get("content")
        if not is_array(held):
            text = self._growing.text(self._message, "content")
            self._growing.forget(self._message, "content")
            held = self._message["content"] = [{"type": "text", "text": text}] if text else []
        for block in blocks:
            last = held[-1] if held else None
            text = block.get("text") if is_object(block) and set(block) == {"type", "text"} else None
            if isinstance(text, str) and is_object(last) and last.get("type") == block["type"]:
                self._growing.add(last, "text", text)
            else:
                held.append({**block} if is_object(block) else block)

    def _take_logprobs(self, choice: Json) -> None:
        if "logprobs" not in choice:
            return
        for name, value in inner(choice, "logprobs").items():
            if self._logprobs is None:
                self._logprobs = {}
            was = self._logprobs.get(name)
            if is_array(value) and is_array(was):
                was.extend(value)
            elif value is not None or name not in self._logprobs:
                self._logprobs[name] = [*value] if is_array(value) else value
        self._others.setdefault("logprobs", None)

    def open_calls(self, *, ended: bool) -> list[int]:
        """The calls that are not whole: the last one where the stream broke off, and any that is no object."""
        calls = self._calls.calls
        last = len(calls) - 1
        return [
            call.position
            for call in calls
            if (not ended and (call.position == last or not call.whole)) or not _is_whole(call)
        ]

    def joined(self) -> Json:
        """The choice so far."""
        self._growing.settle()
        message = {**self._message}
        message.setdefault("content", None)
        if self._calls.calls:
            message["tool_calls"] = [_written(call) for call in self._calls.calls]
        others = {**self._others} if self._logprobs is None else {**self._others, "logprobs": self._logprobs}
        return {"finish_reason": None, **others, "message": message}


def _is_whole(call: Call) -> bool:
    return call.custom or not call.arguments.strip() or whole_object(call.arguments) is not None


def _written(call: Call) -> Json:
    kind, words = ("custom", "input") if call.custom else ("function", "arguments")
    members = {name: value for name, value in call.members.items() if name != "\0body"}
    body = {"name": call.name, words: call.arguments, **call.members.get("\0body", {})}
    return {**present({"id": call.id}), "type": kind, kind: body, **members}


def _unfinished(body: Json, open_calls: set[tuple[int, int]]) -> tuple[Unfinished, ...]:
    found: list[Unfinished] = []
    for place, choice in enumerate(body.get("choices", ())):
        for position, call in enumerate(choice["message"].get("tool_calls") or ()):
            if (choice["index"], position) in open_calls:
                held = call[call["type"]]
                pointer = f"/choices/{place}/message/tool_calls/{position}"
                raw = held.get("arguments", held.get("input"))
                found.append(Unfinished(pointer=pointer, id=call.get("id"), name=held["name"], raw=raw))
    return tuple(found)


def unfinished(body: Json) -> tuple[Unfinished, ...]:
    """The calls of a completion that was given at once whose arguments are no whole object."""
    found: list[Unfinished] = []
    choices: Any = body.get("choices")
    for place, choice in enumerate(choices if is_array(choices) else ()):
        message = choice.get("message") if is_object(choice) else None
        calls = message.get("tool_calls") if is_object(message) else None
        for position, call in enumerate(calls if is_array(calls) else ()):
            held = call.get("function") if is_object(call) else None
            raw = held.get("arguments") if is_object(held) else None
            if is_object(held) and isinstance(raw, str) and raw.strip() and whole_object(raw) is None:
                pointer = f"/choices/{place}/message/tool_calls/{position}"
                found.append(Unfinished(pointer=pointer, id=call.get("id"), name=held.get("name"), raw=raw))
    return tuple(found)


def knows(event: Json) -> bool:
    """Is this a chunk, or an error in place of one?"""
    return "choices" in event or event.get("object") == "chat.completion.chunk" or event.get("error") is not None
