"""inspect_ai: an evaluation log with a conversation a sample, in one document, or a header and a record a sample.

Texts may lie apart from where they are said, as attachments; in newer logs messages lie in a pool, and events name
them by ranges. A log whose run was interrupted has no status, or says `started`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rejoinder.transcripts import chat
from rejoinder.transcripts.conversations import several, told
from rejoinder.transcripts.fields import inner, items, text
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.members import array, named, objects, spelled
from rejoinder.transcripts.transcript import Format, Transcript
from rejoinder.values.loose import is_array, is_object

_TOOL = "inspect-ai"
_LINKS = ("attachment://", "tc://")


def knows(sample: list[Any]) -> bool:
    """Is there the head of a log, or a sample of one?"""
    return any(_is_head(row) or _is_sample(row) for row in objects(sample))


def _is_head(row: dict[str, Any]) -> bool:
    return "task" in inner(row, "eval") and bool(row.keys() & {"plan", "status", "samples", "version"})


def _is_sample(row: dict[str, Any]) -> bool:
    return "epoch" in row and is_array(row.get("messages")) and bool(row.keys() & {"target", "input", "scores"})


def read(found: Iterable[Found]) -> Iterator[Transcript]:
    """A conversation for each sample."""
    empty = Transcript(tool=_TOOL, dialect=chat.DIALECT, messages=())
    return several(found, _Log().conversations, empty, heads=_is_head)


class _Log:
    """What the head said, for the samples behind it."""

    def __init__(self) -> None:
        self.model = ""
        self.task = ""
        self.began = ""
        self.ended = ""
        self.runs = True

    def conversations(self, row: dict[str, Any], line: int) -> Iterator[Transcript]:
        """The samples of a record: all of a document's, or the one that it is."""
        if _is_head(row):
            made, stats = inner(row, "eval"), inner(row, "stats")
            self.model, self.task = text(made, "model"), text(made, "task")
            self.began, self.ended = text(stats, "started_at") or text(made, "created"), text(stats, "completed_at")
            self.runs = text(row, "status") in ("", "started")
            for number, sample in enumerate(items(row, "samples"), 1):
                yield self.conversation(sample, number)
        elif _is_sample(row):
            yield self.conversation(row, line)

    def conversation(self, sample: dict[str, Any], line: int) -> Transcript:
        """The conversation of a sample."""
        held = _Held(sample)
        numbered = list(enumerate(held.messages, 1))
        made = [(number, held.message(raw)) for number, raw in numbered if isinstance(raw.get("role"), str)]
        why = "errored" if inner(sample, "error") else "interrupted"
        names = (self.task, named(sample, "id") or str(line), named(sample, "epoch"))
        return told(
            _TOOL,
            chat.DIALECT,
            [message for _, message in made],
            [number for number, _ in made],
            last="pending" if self.runs and why != "errored" else why,
            session=" ".join(filter(None, names)),
            model=self.model,
            began=text(sample, "started_at") or self.began,
            ended=text(sample, "completed_at") or self.ended,
            records=1,
            lossy=held.lossy,
        )


class _Held:
    """A sample whose texts and messages may lie apart."""

    def __init__(self, sample: dict[str, Any]) -> None:
        older = inner(inner(sample, "transcript"), "content")
        self.texts = {**older, **inner(sample, "attachments")}
        self.lossy = ""
        self.messages = items(sample, "messages") or self._last_asked(sample)

    def _last_asked(self, sample: dict[str, Any]) -> list[dict[str, Any]]:
        """What the model was asked last, and its answer: of a sample that keeps its messages with the events alone."""
        pool = array(inner(sample, "events_data"), "messages") or array(sample, "message_pool")
        asked = [each for each in items(sample, "events") if each.get("event") == "model"]
        if not asked:
            return []
        ranges = (each for each in array(asked[-1], "input_refs") if is_array(each) and len(each) == 2)
        ends = ((start, stop) for start, stop in ranges if isinstance(start, int) and isinstance(stop, int))
        named_by = [message for start, stop in ends for message in pool[max(start, 0) : max(stop, 0)]]
        answers = [inner(choice, "message") for choice in items(inner(asked[-1], "output"), "choices")[:1]]
        said = array(asked[-1], "input") or named_by
        return [message for message in (*said, *answers) if is_object(message) and message]

    def _resolved(self, value: Any) -> Any:
        """A text, or the one that it links to."""
        if isinstance(value, str):
            for link in _LINKS:
                if value.startswith(link):
                    held = self.texts.get(value.removeprefix(link))
                    return held if isinstance(held, str) else value
        return value

    def message(self, raw: dict[str, Any]) -> dict[str, Any]:
        """A message of the log as an API has it."""
        content = self._content(raw.get("content"))
        if raw["role"] == "tool":
            failed = self._resolved(text(inner(raw, "error"), "message"))
            return chat.result(raw.get("tool_call_id"), content or failed)
        if raw["role"] == "assistant":
            calls = [self._call(each) for each in items(raw, "tool_calls")]
            return chat.assistant(content, calls)
        return chat.said(raw["role"], content)

    def _call(self, raw: dict[str, Any]) -> dict[str, Any]:
        """A call; older logs name its tool as an API does."""
        function = raw.get("function")
        held = function if is_object(function) else raw
        name = held.get("name") if is_object(function) else function
        arguments = held.get("arguments")
        if is_object(arguments):
            arguments = {key: self._resolved(value) for key, value in arguments.items()}
        return chat.call(name, arguments, raw.get("id"))

    def _content(self, content: Any) -> Any:
        if not is_array(content):
            return self._resolved(content)
        return [made for block in objects([content]) if (made := self._block(block)) is not None]

    def _block(self, block: dict[str, Any]) -> dict[str, Any] | None:
        kind = text(block, "type")
        if kind == "text":
            return {"type": "text", "text": spelled(self._resolved(block.get("text")))}
        if kind == "image":
            shown = {"url": self._resolved(block.get("image"))}
            detail = text(block, "detail")
            return {"type": "image_url", "image_url": {**shown, "detail": detail} if detail else shown}
        self.lossy = "reasoning, other media than pictures and what tools of the provider did are in the log alone"
        return None


FORMAT = Format(name=_TOOL, says="inspect_ai evaluation logs (.eval and .json)", knows=knows, read=read)
