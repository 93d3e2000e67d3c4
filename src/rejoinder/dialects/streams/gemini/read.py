"""The chunks of a Gemini stream as moments."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from rejoinder.dialects.streams.fields import Json, count, encoded, objects, words
from rejoinder.dialects.streams.gemini.join import Candidate, camel, parts_of
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
from rejoinder.values.loose import is_object

FINISH: dict[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "MALFORMED_FUNCTION_CALL": "malformed",
    "UNEXPECTED_TOOL_CALL": "malformed",
    "MALFORMED_RESPONSE": "malformed",
    **dict.fromkeys(
        (
            *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
            *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
        ),
        "filtered",
    ),
}
_ONLY = "only Gemini understands it"
_PLAIN = frozenset({"text", "thought", "thoughtSignature", "functionCall"})


def usage_of(raw: object) -> Usage | None:
    """A usage as all count it: here thoughts are not part of what the candidates count."""
    if not is_object(raw):
        return None
    raw = camel(raw)
    said, thought = count(raw, "candidatesTokenCount"), count(raw, "thoughtsTokenCount")
    given, tools = count(raw, "promptTokenCount"), count(raw, "toolUsePromptTokenCount")
    return Usage(
        input=None if given is None else given + (tools or 0),
        output=None if said is None and thought is None else (said or 0) + (thought or 0),
        cache_read=count(raw, "cachedContentTokenCount"),
        reasoning=thought,
    )


class Reader:
    """Reads the first candidate. A call without an id gets one, the same for the same answer."""

    def __init__(self) -> None:
        self._id = ""
        self._began = False
        self._part = 0
        self._kind: Kind | None = None
        self._called = 0
        self._usage: Usage | None = None
        self._ended: Ended | None = None
        self._told: set[str] = set()
        self._growing: Candidate | None = None  # a call whose arguments come in pieces

    def take(self, event: Json) -> Iterator[Moment]:
        """What happens in one chunk."""
        event = camel(event)
        if event.get("error") is not None:
            yield broke(event["error"])
            return
        if not self._began:
            self._began = True
            self._id = words(event, "responseId") or ""
            yield Began(self._id or None, words(event, "modelVersion"))
        self._usage = usage_of(event.get("usageMetadata")) or self._usage
        feedback = event.get("promptFeedback")
        if is_object(feedback) and feedback.get("blockReason"):
            self._ended = Ended("filtered", str(feedback["blockReason"]))
        for place, candidate in enumerate(objects(event, "candidates")):
            candidate = camel(candidate)
            if candidate.get("index", place) in (0, None):
                yield from self._candidate(candidate)
            else:
                yield from self._lose("candidate", "an answer of another API is one")

    def _candidate(self, candidate: Json) -> Iterator[Moment]:
        for part in parts_of(candidate):
            yield from self._said(part)
        for name in ("citationMetadata", "groundingMetadata", "logprobsResult", "urlContextMetadata"):
            if candidate.get(name):
                yield from self._lose(name, _ONLY)
        said = words(candidate, "finishReason")
        if said is not None and said != "FINISH_REASON_UNSPECIFIED":
            finish = FINISH.get(said, "other")
            self._ended = Ended("calls" if finish == "stop" and self._called else finish, said)

    def _said(self, part: Json) -> Iterator[Moment]:
        if part.get("thoughtSignature"):
            yield from self._lose("thought signature", "only Gemini can read it")
        call: Any = part.get("functionCall")
        if is_object(call):
            # Arguments that come by their paths are passed on when the last one is there.
            by_path = self._growing is not None or call.get("partialArgs") is not None or call.get("willContinue")
            whole = self._pieces(part) if by_path else call
            yield from self._call(whole) if whole is not None else ()
        elif isinstance(part.get("text"), str):
            kind: Kind = "thinking" if part.get("thought") else "text"
            if not part["text"]:
                return
            if kind != self._kind:
                self._part, self._kind = self._part + 1, kind
                yield Opened(self._part, kind)
            yield Grew(self._part, part["text"])
        else:
            self._kind = None
            yield lost(next((name for name in part if name not in _PLAIN), "part"), _ONLY)

    def _pieces(self, part: Json) -> Json | None:
        """The call that this part of one makes whole; None while more of it is to come."""
        self._growing = self._growing or Candidate()
        self._growing.take({"content": {"parts": [part]}})
        if self._growing.goes_on:
            return None
        joined, self._growing = self._growing.joined(), None
        return joined["content"]["parts"][0]["functionCall"]

    def _call(self, call: Json) -> Iterator[Moment]:
        """A whole call."""
        self._part, self._kind, self._called = self._part + 1, None, self._called + 1
        name, id_ = words(call, "name"), words(call, "id")
        yield Opened(self._part, "call", id=id_ or self._minted(name or ""), name=name)
        args: Any = call.get("args")
        if args is not None:
            yield Grew(self._part, args if isinstance(args, str) else encoded(args).decode())
        yield Closed(self._part)

    def _minted(self, name: str) -> str:
        return "call_" + sha256(f"{self._id}/{self._called}/{name}".encode("utf-8", "replace")).hexdigest()[:24]

    def _lose(self, what: str, why: str) -> Iterator[Moment]:
        if what not in self._told:
            self._told.add(what)
            yield lost(what, why)

    def close(self) -> Iterator[Moment]:
        """The tokens, which each chunk counts anew, and why it ended."""
        if self._usage is not None:
            yield Counted(self._usage)
        if self._ended is not None:
            yield self._ended
