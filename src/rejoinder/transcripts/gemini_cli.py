"""Gemini CLI: messages with their calls and results in one, as one document or as rows that change it.

Among rows a message that comes again takes the place of the first, `$set` changes what is known of the session (with
`messages`: all of them), `$rewindTo` takes a message and all behind it away. What `/chat save` and trajectories hold is
the API's own contents. Commands to the program (`/help`) were never sent, and stay out, as when it resumes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rejoinder.transcripts.fields import inner, items, text, title_of, words
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.pairs import Step, unit_of, unpaired
from rejoinder.transcripts.transcript import Format, Transcript, Way, in_order, odd_defects, parted
from rejoinder.values.loose import is_array, is_object

Content = dict[str, Any]

_COMMANDS = ("/", "?", "<session_context>", "<hook_context>")
# What the state of a call without a result says about it.
_STATES = {"awaiting_approval": "paused", "cancelled": "interrupted"}


class _Said(NamedTuple):
    """A content, and what is to be told of it: the line, whether it counts, and why calls in it have no result."""

    line: int
    content: Content
    live: bool = True
    why: dict[str, str] | None = None


class _Messages:
    """The messages by id, as the rows change them."""

    def __init__(self) -> None:
        self.meta: dict[str, Any] = {}
        self.now: dict[str, tuple[int, dict[str, Any]]] = {}
        self.gone: list[tuple[int, dict[str, Any]]] = []
        self.branches: list[Way] = []

    def take(self, record: Record) -> None:
        """One row: a message, a change, or what is known of the session."""
        row = record.value
        change = inner(row, "$set")
        if text(row, "$rewindTo"):
            self._rewind(row["$rewindTo"])
        elif "type" in row and text(row, "id"):
            # A message that was begun again keeps its place.
            self.now[row["id"]] = (record.line, row)
        elif change or text(row, "sessionId", "projectHash"):
            self.meta |= change or row
            self._replace(record.line, items(change or row, "messages"), in_document="$set" not in row)

    def _rewind(self, name: str) -> None:
        # An id that is not known takes all away, as in the tool itself.
        lost: list[tuple[int, dict[str, Any]]] = []
        known = name in self.now
        while self.now and (name in self.now or not known):
            lost.append(self.now.popitem()[1])
        lost.reverse()
        self.gone += lost
        if lost:
            line, last = lost[-1]
            self.branches.append(Way(line=line, messages=len(lost), ended=text(last, "timestamp")))

    def _replace(self, line: int, messages: list[dict[str, Any]], *, in_document: bool) -> None:
        """All messages anew. Those of a document count as its items."""
        if messages:
            kept = {text(each, "id") for each in messages}
            self.gone += [held for name, held in self.now.items() if name not in kept]
            self.now = {}
        for number, each in enumerate(messages, 1):
            self.now[text(each, "id") or f"#{number}"] = (number if in_document else line, each)


def knows(sample: list[Any]) -> bool:
    """Are these its sessions, or contents of Gemini?"""
    rows = [row for row in sample if is_object(row)]
    if any("projectHash" in row and "sessionId" in row for row in rows):
        return True
    if any("$rewindTo" in row or "$set" in row for row in rows):
        return True
    first = items(rows[0], "history") if len(rows) == 1 else rows
    return bool(first) and all(map(_is_content, first))


def _is_content(row: dict[str, Any]) -> bool:
    """Is it a content of the API? Its parts have no type, other than those of stores with parts."""
    parts = row.get("parts")
    return (
        row.get("role") in ("user", "model")
        and is_array(parts)
        and not any("type" in part for part in items(row, "parts"))
    )


def read(found: Iterable[Found]) -> Transcript:
    """The conversation of a session, of a checkpoint, or of a trajectory."""
    records, oddities = parted(found)
    messages = _Messages()
    said: list[_Said] = []
    for record in records:
        saved = items(record.value, "history")
        if saved and "sessionId" not in record.value:
            said += [_Said(number, content) for number, content in enumerate(saved, 1)]
        elif is_array(record.value.get("parts")) and "role" in record.value:
            said.append(_Said(record.line, record.value))
        else:
            messages.take(record)
    now = list(messages.now.values())
    said += _contents(now, live=True)
    # What was rewound was left: nothing of it is still to come.
    gone = [*_steps(_contents(messages.gone, live=False)), Step("turn", 0)]
    live = [each for each in said if each.content.get("parts")]
    meta, unit = messages.meta, unit_of(records)
    odd = [*odd_defects(oddities), *unpaired(list(_steps(said)), unit=unit), *unpaired(gone, unit=unit)]
    return Transcript(
        tool="gemini-cli",
        dialect="gemini",
        messages=tuple(each.content for each in live),
        lines=tuple(each.line for each in live),
        session=text(meta, "sessionId"),
        title=text(meta, "summary") or _title(said),
        folder=_folder(meta),
        model=next((name for _, each in reversed(now) if (name := text(each, "model"))), ""),
        began=text(meta, "startTime") or (text(now[0][1], "timestamp") if now else ""),
        ended=text(meta, "lastUpdated") or (text(now[-1][1], "timestamp") if now else ""),
        records=len(records),
        branches=tuple(messages.branches),
        defects=in_order(odd),
        oddities=tuple(oddities),
    )


def _contents(messages: list[tuple[int, dict[str, Any]]], *, live: bool) -> Iterator[_Said]:
    """Messages as contents: those of the model with their calls, behind each its results."""
    # Later versions write the results down as a message, too.
    written = {
        text(inner(part, "functionResponse"), "id")
        for _, message in messages
        if message.get("type") == "user"
        for part in items(message, "content")
    } - {""}
    for line, message in messages:
        kind = message.get("type")
        if kind == "user" and not words(message.get("content")).lstrip().startswith(_COMMANDS):
            yield _Said(line, {"role": "user", "parts": _parts(message.get("content"))}, live)
        elif kind == "gemini":
            calls = items(message, "toolCalls")
            why = {text(call, "id"): _STATES.get(text(call, "status"), "") for call in calls}
            yield _Said(line, {"role": "model", "parts": _answer(message, calls)}, live, why)
            results = [part for call in calls if text(call, "id") not in written for part in _result(call)]
            if results:
                yield _Said(line, {"role": "user", "parts": results}, live)
        elif kind == "error":
            yield _Said(line, {"role": "errored"}, live)
        elif kind == "info" and words(message.get("content")).startswith("Request cancelled"):
            yield _Said(line, {"role": "interrupted"}, live)


def _parts(content: Any) -> list[Any]:
    """A content as a list of parts."""
    parts = content if is_array(content) else [content] if content else []
    return [{"text": part} if isinstance(part, str) else part for part in parts if is_object(part) or part]


def _answer(message: dict[str, Any], calls: list[dict[str, Any]]) -> list[Any]:
    """The parts of an answer: where its content has calls or thoughts in it, those are all; else they stand beside."""
    parts = _parts(message.get("content"))
    if any(is_object(part) and ("functionCall" in part or part.get("thought")) for part in parts):
        return parts
    thoughts = [{"text": _thought(each), "thought": True} for each in items(message, "thoughts") if _thought(each)]
    made = [
        {"functionCall": {name: call[key] for name, key in _CALL if call.get(key) is not None}}
        | ({"thoughtSignature": call["thoughtSignature"]} if text(call, "thoughtSignature") else {})
        for call in calls
    ]
    return [*thoughts, *parts, *made]


_CALL = (("id", "id"), ("name", "name"), ("args", "args"))


def _thought(thought: dict[str, Any]) -> str:
    subject, description = text(thought, "subject"), text(thought, "description")
    return f"**{subject}** {description}".strip() if subject else description


def _result(call: dict[str, Any]) -> list[Any]:
    """What a call's record holds as its result: nothing, parts, or something to be wrapped as the API wants it."""
    result = call.get("result")
    if is_array(result):
        parts = [{"text": part} if isinstance(part, str) else part for part in result if part]
        if any(is_object(part) and "functionResponse" in part for part in parts):
            return parts
        result = words(parts) if parts else None
    elif is_object(result) and "functionResponse" in result:
        return [result]
    if result is None:
        return []
    response = result if is_object(result) else {"output": result}
    return [{"functionResponse": {"id": call.get("id"), "name": call.get("name"), "response": response}}]


def _steps(said: Iterable[_Said]) -> Iterator[Step]:
    """Calls and results. Those without an id are told apart by the name of their function, the oldest first."""
    waiting: dict[str, deque[str]] = {}
    count = 0
    for line, content, live, why in said:
        role = content.get("role")
        if role == "model":
            yield Step("turn", line)
        for part in items(content, "parts"):
            call, result = inner(part, "functionCall"), inner(part, "functionResponse")
            name = text(call or result, "name")
            key = text(call or result, "id")
            if call:
                count += 1
                if not key:
                    waiting.setdefault(name, deque()).append(f"#{count}")
                known = (why or {}).get(key, "")
                yield Step("call", line, key or f"#{count}", [name, call.get("args")], live, known, key or name)
            elif result:
                open_calls = waiting.get(name)
                key = key or (open_calls.popleft() if open_calls else f"#{name}")
                yield Step("result", line, key, None, live, "", text(result, "id") or name)
        if role == "errored" or role == "interrupted":
            yield Step("errored" if role == "errored" else "interrupted", line)
        elif role != "model" and not any("functionResponse" in part for part in items(content, "parts")):
            yield Step("turn", line)


def _folder(meta: dict[str, Any]) -> str:
    folders = meta.get("directories")
    return next((each for each in folders if isinstance(each, str)), "") if is_array(folders) else ""


def _title(said: list[_Said]) -> str:
    asked = (words(each.content.get("parts")) for each in said if each.content.get("role") == "user")
    return next((title for each in asked if (title := title_of(each))), "")


FORMAT = Format(
    name="gemini-cli",
    says="Gemini CLI sessions, checkpoints and trajectories",
    knows=knows,
    read=read,
    homes=(
        "$GEMINI_CLI_HOME/.gemini/tmp/*/chats/*.json*",
        "$GEMINI_CLI_HOME/.gemini/tmp/*/chats/*/*.jsonl",
        "~/.gemini/tmp/*/chats/*.json*",
        "~/.gemini/tmp/*/chats/*/*.jsonl",
        "~/.gemini/tmp/*/checkpoint-*.json",
    ),
)
