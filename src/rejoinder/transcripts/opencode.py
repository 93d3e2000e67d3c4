"""OpenCode: messages made of parts, a call and its result in one part; from its database, its folders, or an export.

A compaction is a user's message that an answer marked as summary follows: the conversation begins there, or at the
message that it keeps from. `revert` hides what follows a message, until the user goes on. Messages are Anthropic's:
each step of an answer is a message, and behind it stand the results of its calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rejoinder.transcripts.fields import inner, items, text, time_of, title_of, words
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.opencode_parts import as_message
from rejoinder.transcripts.pairs import Step, unit_of, unpaired
from rejoinder.transcripts.transcript import Defect, Format, Transcript, Way, in_order, odd_defects, parted
from rejoinder.values.loose import is_array, is_object

# The tables of its database, and the folders of its storage, as the records of one name them.
SESSION, MESSAGE, PART, SESSION_MESSAGE = (
    f"opencode.{name}" for name in ("session", "message", "part", "session_message")
)
_NOTHING: dict[str, Any] = {}
_DONE = frozenset({"completed", "error"})
_DATA = re.compile(r"data:([^;,]*)[^,]*;base64,")


class _Message(NamedTuple):
    """A message with its parts, and the line or the row where it stands."""

    line: int
    info: dict[str, Any]
    parts: list[dict[str, Any]]


def knows(sample: list[Any]) -> bool:
    """Are these rows of its database, or messages with their parts?"""
    return any(
        row.get("table") == SESSION
        or (is_object(row.get("info")) and is_array(row.get("parts")))
        or (is_object(row.get("info")) and is_array(row.get("messages")) and "directory" in row["info"])
        for row in sample
        if is_object(row)
    )


def read(found: Iterable[Found]) -> Transcript:
    """The conversation of a session, as OpenCode would go on with it."""
    records, oddities = parted(found)
    session, messages, lost = _gathered(records)
    shown = _shown(messages, inner(session, "revert"))
    begin = _begin(shown)
    live = shown[begin:]
    said = [(message.line, each) for message in live for each in _contents(message)]
    steps = list(_steps([*shown, *messages[len(shown) :]], begin, len(shown)))
    defects = [*odd_defects(oddities), *lost, *unpaired(steps, unit=unit_of(records))]
    last = next((each.info for each in reversed(messages) if text(each.info, "modelID")), _NOTHING)
    first = messages[0].info if messages else _NOTHING
    times = inner(session, "time")
    return Transcript(
        tool="opencode",
        dialect="anthropic",
        messages=tuple(each for _, each in said),
        lines=tuple(line for line, _ in said),
        session=text(session, "id") or text(first, "sessionID"),
        title=text(session, "title") or _title(messages),
        folder=text(session, "directory") or text(inner(last, "path"), "cwd"),
        model=text(last, "modelID"),
        began=time_of(session.get("time_created") or times.get("created")) or _time(messages[:1]),
        ended=time_of(session.get("time_updated") or times.get("updated")) or _time(messages[-1:]),
        records=len(records),
        branches=tuple(_hidden(messages, len(shown))),
        defects=in_order(defects),
        oddities=tuple(oddities),
    )


def _gathered(records: list[Record]) -> tuple[dict[str, Any], list[_Message], list[Defect]]:
    """The session, its messages in order, and parts whose message is not there."""
    session: dict[str, Any] = {}
    messages: list[_Message] = []
    rows: dict[str, list[tuple[int, dict[str, Any]]]] = {MESSAGE: [], PART: [], SESSION_MESSAGE: []}
    for record in records:
        row = record.value
        table = text(row, "table")
        if table in rows:
            rows[table].append((record.line, row))
        elif table == SESSION:
            session = session or inner(row, "data") or row
        elif is_object(row.get("info")) and is_array(row.get("parts")):
            messages.append(_Message(record.line, row["info"], items(row, "parts")))
        elif is_object(row.get("info")):
            session = session or row["info"]
            told = enumerate(items(row, "messages"), 1)
            messages += [_Message(number, inner(each, "info"), items(each, "parts")) for number, each in told]
    if rows[MESSAGE]:
        stored, lost = _joined(rows[MESSAGE], rows[PART])
        return session, [*messages, *stored], lost
    rows[SESSION_MESSAGE].sort(key=lambda each: _number(each[1].get("seq")))
    events = (_Message(line, *as_message(row)) for line, row in rows[SESSION_MESSAGE])
    return session, [*messages, *(each for each in events if each.parts)], []


def _joined(
    rows: list[tuple[int, dict[str, Any]]], parts: list[tuple[int, dict[str, Any]]]
) -> tuple[list[_Message], list[Defect]]:
    """Messages with their parts, both in the order of their time and their ids."""
    messages: dict[str, _Message] = {}
    for line, row in rows:
        info = inner(row, "data") | {name: row[name] for name in ("id", "time_created") if name in row}
        messages.setdefault(text(info, "id"), _Message(line, info, []))
    lost: list[Defect] = []
    told: set[str] = set()
    for line, row in sorted(parts, key=lambda each: text(each[1], "id") or text(inner(each[1], "data"), "id")):
        data = inner(row, "data")
        name = text(row, "message_id") or text(data, "messageID")
        if name in messages:
            messages[name].parts.append(data)
        elif name not in told:
            told.add(name)
            says = f"its message {name} was never written"
            lost.append(Defect(kind="gap", line=line, says=says, ids=(name,), live=False))
    return sorted(messages.values(), key=_order), lost


def _order(message: _Message) -> tuple[float, str]:
    created = message.info.get("time_created")
    return _number(inner(message.info, "time").get("created") if created is None else created), text(message.info, "id")


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and abs(value) < 1e18 else 0.0


def _shown(messages: list[_Message], revert: dict[str, Any]) -> list[_Message]:
    """The messages that are not reverted. One that is reverted from a part on keeps what is before."""
    name, part = text(revert, "messageID"), text(revert, "partID")
    for at, message in enumerate(messages) if name else ():
        if text(message.info, "id") == name:
            kept = next((n for n, each in enumerate(message.parts) if part and text(each, "id") == part), 0)
            rest = [message._replace(parts=message.parts[:kept])] if kept else []
            return [*messages[:at], *rest]
    return messages


def _begin(messages: list[_Message]) -> int:
    """Where the conversation begins: at the last compaction that was completed, or at the message it keeps from."""
    done: set[str] = set()
    for at in range(len(messages) - 1, -1, -1):
        info = messages[at].info
        if info.get("boundary") is True:
            return at
        if info.get("role") == "assistant" and info.get("summary") is True and info.get("finish") and not _wrong(info):
            done.add(text(info, "parentID"))
        elif info.get("role") == "user" and text(info, "id") in done - {""}:
            cut = next((part for part in messages[at].parts if part.get("type") == "compaction"), None)
            if cut is not None:
                tail = text(cut, "tail_start_id")
                kept = (number for number in range(at) if tail and text(messages[number].info, "id") == tail)
                return next(kept, at)
    return 0


def _wrong(info: dict[str, Any]) -> str:
    """The name of the error that ended an answer."""
    error = info.get("error")
    return (text(error, "name", "type") or "error") if error else ""


def _contents(message: _Message) -> Iterator[dict[str, Any]]:
    """A message as the API has it: an answer of several steps as several messages, with the results in between."""
    if message.info.get("role") != "assistant":
        blocks = [block for part in message.parts if (block := _asked(part))]
        if blocks:
            yield {"role": "user", "content": blocks}
        return
    blocks: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for part in message.parts:
        if part.get("type") == "tool":
            blocks.append(_call(part))
            results += _result(part)
        elif (block := _said(part)) or part.get("type") == "step-start":
            if results:
                yield {"role": "assistant", "content": blocks}
                yield {"role": "user", "content": results}
                blocks, results = [], []
            blocks += [block] if block else []
    # What was thought in an answer that broke off, before it said anything, led nowhere.
    if _wrong(message.info) and all(block["type"] == "thinking" for block in blocks):
        blocks = []
    if blocks:
        yield {"role": "assistant", "content": blocks}
    if results:
        yield {"role": "user", "content": results}


def _asked(part: dict[str, Any]) -> dict[str, Any] | None:
    """What a part of the user's message says to the model."""
    kind = part.get("type")
    if kind == "text" and part.get("ignored") is not True and text(part, "text"):
        return {"type": "text", "text": part["text"]}
    if kind == "file" and text(part, "mime") not in ("text/plain", "application/x-directory"):
        return _file(part)
    if kind == "compaction":
        return {"type": "text", "text": "What did we do so far?"}
    if kind == "subtask":
        return {"type": "text", "text": "The following tool was executed by the user"}
    return None


def _said(part: dict[str, Any]) -> dict[str, Any] | None:
    kind = part.get("type")
    if kind == "text" and text(part, "text"):
        return {"type": "text", "text": part["text"]}
    signature = text(inner(part, "metadata", "anthropic"), "signature")
    if kind == "reasoning" and (signature or text(part, "text")):
        thinking = {"type": "thinking", "thinking": text(part, "text")}
        return thinking | {"signature": signature} if signature else thinking
    return None


def _file(part: dict[str, Any]) -> dict[str, Any]:
    """A file: a picture or a document where its bytes or its address are there, else its name."""
    url, mime = text(part, "url"), text(part, "mime")
    kind = "image" if mime.startswith("image/") else "document"
    inline = _DATA.match(url)
    if inline and (kind == "image" or mime == "application/pdf"):
        source = {"type": "base64", "media_type": mime or inline.group(1), "data": url[inline.end() :]}
        return {"type": kind, "source": source}
    if kind == "image" and url.startswith(("http://", "https://")):
        return {"type": kind, "source": {"type": "url", "url": url}}
    return {"type": "text", "text": f"[Attached {mime}: {text(part, 'filename') or 'file'}]"}


def _name(part: dict[str, Any]) -> str:
    return text(part, "callID", "id")


def _call(part: dict[str, Any]) -> dict[str, Any]:
    given = inner(part, "state").get("input")
    return {"type": "tool_use", "id": _name(part), "name": part.get("tool"), "input": {} if given is None else given}


def _result(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The result that a part holds; none as long as its tool waits or runs."""
    state = inner(part, "state")
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": _name(part)}
    if state.get("status") == "completed":
        files = [_file(each) for each in items(state, "attachments")]
        output = text(state, "output")
        content = [*([{"type": "text", "text": output}] if output else []), *files] if files else output
        yield block | {"content": content}
    elif state.get("status") == "error":
        kept = text(inner(state, "metadata"), "output") if inner(state, "metadata").get("interrupted") is True else ""
        yield block | {"content": kept or text(state, "error"), "is_error": True}


def _steps(messages: list[_Message], begin: int, end: int) -> Iterator[Step]:
    for at, (line, info, parts) in enumerate(messages):
        live = begin <= at < end
        if at == begin and begin:
            yield Step("cut", line)
        yield Step("turn", line)
        error = _wrong(info)
        why = "interrupted" if "Abort" in error else "errored" if error else ""
        for part in parts if info.get("role") == "assistant" else ():
            if part.get("type") != "tool":
                continue
            state = inner(part, "state")
            yield Step("call", line, _name(part), [part.get("tool"), state.get("input")], live, why)
            if text(state, "status") in _DONE:
                yield Step("result", line, _name(part), live=live)


def _hidden(messages: list[_Message], shown: int) -> Iterator[Way]:
    """What was reverted, as a way that was left."""
    if shown < len(messages):
        last = messages[-1]
        yield Way(line=last.line, messages=len(messages) - shown, ended=_time([last]))


def _time(messages: list[_Message]) -> str:
    times = inner(messages[0].info, "time") if messages else {}
    return time_of(times.get("completed") or times.get("created"))


def _title(messages: list[_Message]) -> str:
    asked = (words(each.parts) for each in messages if each.info.get("role") == "user")
    return next((title for each in asked if (title := title_of(each))), "")


FORMAT = Format(
    name="opencode",
    says="OpenCode sessions: its database, its storage folders, and exports",
    knows=knows,
    read=read,
    homes=(
        "$XDG_DATA_HOME/opencode/opencode*.db",
        "$XDG_DATA_HOME/opencode/storage/session/*/*.json",
        "~/.local/share/opencode/opencode*.db",
        "~/.local/share/opencode/storage/session/*/*.json",
        "~/.local/share/opencode/project/*/storage/session/info/*.json",
    ),
)
