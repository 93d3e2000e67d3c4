"""The chunks of a Gemini stream as the answer that they would have been at once."""

from __future__ import annotations

import re
from typing import Any

from rejoinder.dialects.streams.codec import Joined, Unfinished
from rejoinder.dialects.streams.fields import Json, encoded, inner, number, objects, present, words
from rejoinder.dialects.streams.growing import Growing
from rejoinder.errors import StreamError
from rejoinder.values.loose import is_array, is_object

# The members of a candidate that go on; of all others the last one said counts.
_GO_ON = ("citationMetadata", "logprobsResult", "groundingMetadata")
_STEP = re.compile(r"\.([^.\[\]]+)|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]|\[(\d{1,4})\]")
_UNDERSCORE = re.compile(r"_([a-z])")


def camel(holder: Json) -> Json:
    """The members in the spelling that the API uses; SDKs write them with underscores."""
    if not any("_" in name for name in holder):
        return holder
    return {_UNDERSCORE.sub(lambda found: found[1].upper(), name): value for name, value in holder.items()}


def parts_of(candidate: Json) -> list[Json]:
    """The parts of a candidate, in the spelling of the API."""
    parts = [camel(part) for part in objects(inner(candidate, "content"), "parts")]
    for place, part in enumerate(parts):
        if is_object(part.get("functionCall")):
            parts[place] = {**part, "functionCall": camel(part["functionCall"])}
    return parts


def is_plain(part: Json) -> bool:
    """Is this text that may be joined to its like? What is signed must stay as it came."""
    return isinstance(part.get("text"), str) and part.keys() <= {"text", "thought"}


class Join:
    """Joins chunks. Only what was begun here is ever changed, never a chunk."""

    def __init__(self) -> None:
        self._body: Json = {}
        self._candidates: dict[int, Candidate] = {}
        self._error: Any = None

    def take(self, event: Json) -> bool:
        """One chunk."""
        event = camel(event)
        if event.get("error") is not None:
            self._error = event["error"]
            return True
        if not knows(event):
            return False
        for name, value in event.items():
            if name == "usageMetadata":
                self._body[name] = inner(self._body, name) | present(camel(inner(event, name)))
            elif name != "candidates" and (value is not None or name not in self._body):
                self._body[name] = value
        for place, candidate in enumerate(objects(event, "candidates")):
            index = number(candidate, "index", place) or 0
            if index not in self._candidates:
                self._candidates[index] = Candidate()
            self._candidates[index].take(camel(candidate))
        return True

    def joined(self) -> Joined:
        """The answer so far."""
        listed = [self._candidates[index] for index in sorted(self._candidates)]
        blocked = is_object(self._body.get("promptFeedback")) and self._body["promptFeedback"].get("blockReason")
        ended = self._error is None and (all(each.ended for each in listed) if listed else bool(blocked))
        body = {"candidates": [each.joined() for each in listed], **self._body} if listed else {**self._body}
        return Joined(body=body, ended=ended, unfinished=unfinished(body), error=self._error)


class Candidate:
    """One candidate that is growing."""

    def __init__(self) -> None:
        self._members: Json = {}
        self._role: str | None = None
        self._content: Json | None = None
        self._parts: list[Json] = []
        self._growing = Growing()
        self._open: Json | None = None  # a call whose arguments come in pieces
        self.ended = False

    def take(self, candidate: Json) -> None:
        """One candidate of a chunk."""
        for name, value in candidate.items():
            if name in _GO_ON and is_object(value):
                self._members[name] = _gone_on(inner(self._members, name), value)
            elif name != "content" and (value is not None or name not in self._members):
                self._members[name] = value
        reason = words(candidate, "finishReason")
        self.ended = self.ended or reason not in (None, "FINISH_REASON_UNSPECIFIED")
        if candidate.get("content") is not None:
            content = inner(candidate, "content")
            self._content = {**(self._content or {}), **content}
        for place, part in enumerate(parts_of(candidate)):
            self._part(part, first=place == 0)

    @property
    def goes_on(self) -> bool:
        """Is there a call of which more is to come?"""
        return self._open is not None

    def _part(self, part: Json, *, first: bool) -> None:
        """A part, joined to the last one where it only goes on with it."""
        last = self._parts[-1] if self._parts else None
        call = part.get("functionCall")
        if is_object(call) and (call.get("partialArgs") is not None or "willContinue" in call):
            self._piece(part, call)
        elif self._open is not None and is_object(call) and not call:
            # An empty call says that the open one is whole.
            self._open["functionCall"]["willContinue"] = False
            self._open = None
        elif first and last is not None and is_plain(part) and is_plain(last) and _thought(part) == _thought(last):
            self._growing.add(last, "text", part["text"])
        else:
            self._parts.append({**part})

    def _piece(self, part: Json, call: Json) -> None:
        """A call whose arguments come by their paths."""
        if self._open is None:
            self._open = {"functionCall": {**call, "args": {}}}
            self._open["functionCall"].pop("partialArgs", None)
            self._parts.append(self._open)
        self._open |= {name: value for name, value in part.items() if name != "functionCall"}
        held: Json = self._open["functionCall"]
        for piece in objects(call, "partialArgs"):
            self._argument(held["args"], camel(piece))
        held["willContinue"] = bool(call.get("willContinue"))
        if not held["willContinue"]:
            self._open = None

    def _argument(self, args: Json, piece: Json) -> None:
        path = words(piece, "jsonPath") or ""
        holder, key = _reached(args, path)
        if isinstance(piece.get("stringValue"), str) and is_object(holder):
            self._growing.add(holder, key, piece["stringValue"])
            return
        values = [piece[name] for name in ("stringValue", "numberValue", "boolValue") if name in piece]
        _put(holder, key, values[0] if values else None)

    def joined(self) -> Json:
        """The candidate so far."""
        self._growing.settle()
        for part in self._parts:
            call = part.get("functionCall")
            if is_object(call) and "willContinue" in call:
                if call["willContinue"]:
                    call["args"] = encoded(call["args"]).decode()
                del call["willContinue"]
        spoken = [part for part in self._parts if not (is_plain(part) and not part["text"])]
        parts = spoken or self._parts[:1]
        if self._content is None:
            return self._members
        content = {**self._content, "parts": parts} if parts or "parts" in self._content else self._content
        return {"content": content, **self._members}


def _thought(part: Json) -> bool:
    return bool(part.get("thought"))


def _gone_on(was: Json, more: Json) -> Json:
    """An object whose lists go on."""
    found = {**was}
    for name, value in more.items():
        held = found.get(name)
        found[name] = [*held, *value] if is_array(held) and is_array(value) else value
    return found


def _reached(args: Json, path: str) -> tuple[Any, Any]:
    """The object or list that a path ends in, and the last step; what is on the way is made."""
    steps = [next(step for step in found.groups() if step is not None) for found in _STEP.finditer(path)]
    signs = [found[4] is not None for found in _STEP.finditer(path)]
    if not steps or "".join(found[0] for found in _STEP.finditer(path)) != path.removeprefix("$"):
        raise StreamError(f"`jsonPath` is {path!r}, which leads nowhere")
    holder: Any = args
    for step, counts, next_counts in zip(steps, signs, signs[1:], strict=False):
        key = int(step) if counts else step
        if _held(holder, key) is None:
            _put(holder, key, [] if next_counts else {})
        holder = _held(holder, key)
    return holder, int(steps[-1]) if signs[-1] else steps[-1]


def _held(holder: Any, key: Any) -> Any:
    if is_array(holder) and isinstance(key, int):
        return holder[key] if key < len(holder) else None
    return holder.get(key) if is_object(holder) and isinstance(key, str) else None


def _put(holder: Any, key: Any, value: Any) -> None:
    if is_array(holder) and isinstance(key, int):
        holder += [None] * (key + 1 - len(holder))
        holder[key] = value
    elif is_object(holder) and isinstance(key, str):
        holder[key] = value
    else:
        raise StreamError("`jsonPath` leads through something that is neither an object nor a list")


def unfinished(body: Json) -> tuple[Unfinished, ...]:
    """The calls whose arguments did not come whole, and stayed text."""
    found: list[Unfinished] = []
    candidates: Any = body.get("candidates")
    for index, candidate in enumerate(candidates if is_array(candidates) else ()):
        content = candidate.get("content") if is_object(candidate) else None
        parts = content.get("parts") if is_object(content) else None
        for place, part in enumerate(parts if is_array(parts) else ()):
            call = part.get("functionCall") if is_object(part) else None
            if is_object(call) and isinstance(call.get("args"), str):
                pointer = f"/candidates/{index}/content/parts/{place}"
                found.append(Unfinished(pointer=pointer, id=call.get("id"), name=call.get("name"), raw=call["args"]))
    return tuple(found)


def knows(event: Json) -> bool:
    """Is this a chunk, or an error in place of one?"""
    event = camel(event)
    known = ("candidates", "promptFeedback", "usageMetadata")
    return any(name in event for name in known) or ("error" in event and "choices" not in event)
