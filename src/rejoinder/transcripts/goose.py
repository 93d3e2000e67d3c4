"""Goose: messages in a row, from its database or from a file of lines; what the agent no longer sees is marked so.

Messages are Anthropic's, which Goose's own are made like. A request that could not be read as a call is kept as a call
of a tool that there is not, for its response names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rejoinder.transcripts.fields import inner, items, text, time_of, title_of, words
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.pairs import Step, unit_of, unpaired
from rejoinder.transcripts.transcript import Format, Transcript, in_order, odd_defects, parted
from rejoinder.values.loose import is_array, is_object

# The tables of its database, as the records of one name them.
SESSIONS, MESSAGES = "goose.sessions", "goose.messages"
_REQUESTS = frozenset({"toolRequest", "frontendToolRequest"})
_ASKS = frozenset({"toolConfirmationRequest", "actionRequired"})
_UNREADABLE = "unreadable_request"


def knows(sample: list[Any]) -> bool:
    """Are these rows of its database, its header, or its messages?"""
    return any(
        row.get("table") == SESSIONS
        or ("working_dir" in row and "message_count" in row)
        or ("created" in row and row.get("role") in ("user", "assistant") and is_array(row.get("content")))
        for row in sample
        if is_object(row)
    )


def read(found: Iterable[Found]) -> Transcript:
    """The conversation of a session, as the agent sees it."""
    records, oddities = parted(found)
    header: dict[str, Any] = {}
    rows: list[tuple[int, dict[str, Any]]] = []
    for record in records:
        if is_array(_content(record.value)) and "role" in record.value:
            rows.append((record.line, record.value))
        else:
            header = header or record.value
    said = [(line, message) for line, row in rows if _is_seen(row) and (message := _message(row))]
    times = [time for _, row in rows if (time := _time(row))]
    return Transcript(
        tool="goose",
        dialect="anthropic",
        messages=tuple(message for _, message in said),
        lines=tuple(line for line, _ in said),
        session=text(header, "id", "session_id"),
        title=text(header, "name", "description") or _title(rows),
        folder=text(header, "working_dir"),
        model=text(inner(header, "model_config_json"), "model_name"),
        began=time_of(header.get("created_at")) or (times[0] if times else ""),
        ended=time_of(header.get("updated_at")) or (times[-1] if times else ""),
        records=len(records),
        defects=in_order([*odd_defects(oddities), *unpaired(list(_steps(rows)), unit=unit_of(records))]),
        oddities=tuple(oddities),
    )


def _content(row: dict[str, Any]) -> Any:
    """What a message holds, under the name of the column or of the member."""
    return row.get("content_json") if "content_json" in row else row.get("content")


def _parts(row: dict[str, Any]) -> list[dict[str, Any]]:
    return items({"parts": _content(row)}, "parts")


def _is_seen(row: dict[str, Any]) -> bool:
    """Does the agent see it? A compaction leaves what was before it to the user alone."""
    seen = inner(row, "metadata_json") or inner(row, "metadata")
    return seen.get("agentVisible") is not False


def _time(row: dict[str, Any]) -> str:
    return time_of(row.get("created_timestamp") or row.get("created"))


def _message(row: dict[str, Any]) -> dict[str, Any] | None:
    blocks = [block for part in _parts(row) if (block := _block(part))]
    role = "assistant" if row.get("role") == "assistant" else "user"
    return {"role": role, "content": blocks} if blocks else None


def _block(part: dict[str, Any]) -> dict[str, Any] | None:
    """A part as a block; None of what is not sent to the model."""
    kind = text(part, "type")
    if kind == "text":
        return {"type": "text", "text": part["text"]} if text(part, "text") else None
    if kind == "image":
        return _image(part)
    if kind in _REQUESTS:
        return _call(part)
    if kind == "toolResponse":
        return _result(part)
    if kind == "thinking":
        return {"type": "thinking"} | {name: part[name] for name in ("thinking", "signature") if name in part}
    if kind == "redactedThinking":
        return {"type": "redacted_thinking", "data": part.get("data")}
    return None


def _image(part: dict[str, Any]) -> dict[str, Any]:
    source = {"type": "base64", "media_type": part.get("mimeType"), "data": part.get("data")}
    return {"type": "image", "source": source}


def _call(part: dict[str, Any]) -> dict[str, Any]:
    made = inner(part, "toolCall")
    value = inner(made, "value")
    if not text(value, "name"):
        wrong = {"error": made.get("error")} if "error" in made else {}
        return {"type": "tool_use", "id": part.get("id"), "name": _UNREADABLE, "input": wrong}
    call = {"type": "tool_use", "id": part.get("id"), "name": value["name"], "input": value.get("arguments")}
    return call if call["input"] is not None else call | {"input": {}}


def _result(part: dict[str, Any]) -> dict[str, Any]:
    """A response: what the tool gave, in the form of either version of its protocol, or an error."""
    held = inner(part, "toolResult")
    value = held.get("value")
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": part.get("id")}
    if "error" in held:
        return block | {"content": str(held["error"]) if isinstance(held["error"], str) else "", "is_error": True}
    given = items({"parts": value}, "parts") if is_array(value) else items(value, "content")
    block["content"] = [each for part in given if (each := _given(part))]
    return block | {"is_error": True} if is_object(value) and value.get("isError") is True else block


def _given(part: dict[str, Any]) -> dict[str, Any] | None:
    """A part of a result. A resource is its text."""
    resource = inner(part, "resource")
    if resource:
        return {"type": "text", "text": text(resource, "text", "uri")}
    return _image(part) if part.get("type") == "image" else _block(part)


def _steps(rows: list[tuple[int, dict[str, Any]]]) -> Iterator[Step]:
    # A question that stands at the end was not answered yet.
    last = _parts(rows[-1][1]) if rows else []
    asked = {text(part, "id") or text(inner(part, "data"), "id") for part in last if _asks(part)}
    hidden = False
    for line, row in rows:
        live = _is_seen(row)
        if hidden and live:
            yield Step("cut", line)
        hidden = not live
        parts = _parts(row)
        answers = False
        for part in parts:
            kind, name = text(part, "type"), text(part, "id")
            if kind in _REQUESTS and name:
                what = inner(part, "toolCall").get("value")
                yield Step("call", line, name, what, live, "paused" if name in asked else "")
            elif kind == "toolResponse" and name:
                answers = True
                yield Step("result", line, name, live=live)
        if row.get("role") == "assistant":
            yield Step("said", line)
        elif not answers and not any(_asks(part) for part in parts):
            yield Step("turn", line)


def _asks(part: dict[str, Any]) -> bool:
    return text(part, "type") in _ASKS


def _title(rows: list[tuple[int, dict[str, Any]]]) -> str:
    asked = (words(_parts(row)) for _, row in rows if row.get("role") == "user")
    return next((title for each in asked if (title := title_of(each))), "")


FORMAT = Format(
    name="goose",
    says="Goose sessions, in its database or as lines",
    knows=knows,
    read=read,
    homes=(
        "$GOOSE_PATH_ROOT/data/sessions/sessions.db",
        "$GOOSE_PATH_ROOT/data/sessions/*.jsonl",
        "$XDG_DATA_HOME/goose/sessions/sessions.db",
        "$XDG_DATA_HOME/goose/sessions/*.jsonl",
        "~/.local/share/goose/sessions/sessions.db",
        "~/.local/share/goose/sessions/*.jsonl",
    ),
)
