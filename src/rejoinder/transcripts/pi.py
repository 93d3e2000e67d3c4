"""pi and its descendants: a tree of rows in one file, the last row its leaf; files of version 1 are a plain list.

A compaction names the first row that is kept: the summary stands in front of that one, what was before it is gone.
Turns that ended in an error or were aborted stay in the file with the calls that they began; nobody ran those.
Messages are Anthropic's: it alone knows thinking with a signature, and results that are errors. Of pi's results only
the name of the tool and the details for its screen have no place there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rejoinder.transcripts import tree as trees
from rejoinder.transcripts.fields import inner, items, text, time_of, title_of, words
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.links import link_defects
from rejoinder.transcripts.pairs import Step, unpaired
from rejoinder.transcripts.transcript import Format, Transcript, Way, in_order, odd_defects, parted
from rejoinder.transcripts.tree import Tree
from rejoinder.values.loose import is_array, is_object

_NOTHING: dict[str, Any] = {}
_UNSAID = frozenset({"error", "aborted"})


def knows(sample: list[Any]) -> bool:
    """Is there pi's header, or are there rows with its message in them?"""
    return any(
        (row.get("type") == "session" and "format" not in row and "cwd" in row and isinstance(row.get("id"), str))
        or (row.get("type") == "message" and "uuid" not in row and "role" in inner(row, "message"))
        for row in sample
        if is_object(row)
    )


def read(found: Iterable[Found]) -> Transcript:
    """The conversation of a session file, as pi itself would go on with it."""
    records, oddities = parted(found)
    header = next((each.value for each in records if each.value.get("type") == "session"), _NOTHING)
    rows = [each for each in records if each.value.get("type") != "session"]
    tree = Tree(_links(rows))
    way = _way(rows, tree)
    path = list(way.rows)
    kept = _kept(records, rows, path)
    said = [(rows[at].line, message) for at in kept for message in _messages(rows[at].value)]
    links = link_defects(tree, [row.line for row in rows], way)
    defects = [*odd_defects(oddities), *links, *unpaired(list(_steps(rows, path, kept)), forks=True)]
    return Transcript(
        tool="pi",
        dialect="anthropic",
        messages=tuple(message for _, message in said),
        lines=tuple(line for line, _ in said),
        session=text(header, "id"),
        title=_title(rows),
        folder=text(header, "cwd"),
        model=_model(rows, path, header),
        began=text(header, "timestamp") or _time(rows[0] if rows else None),
        ended=_time(rows[-1] if rows else None),
        records=len(records),
        branches=tuple(_branches(rows, tree, path)),
        defects=in_order(defects),
        oddities=tuple(oddities),
    )


def _links(rows: list[Record]) -> Iterator[tuple[str | None, str | None]]:
    """Each row's id and parent. Rows of version 1 have none: each stands on the one in front of it."""
    linear = not any(text(row.value, "id") for row in rows)
    for at, row in enumerate(rows):
        if linear:
            yield str(at), str(at - 1) if at else None
        else:
            yield text(row.value, "id") or None, text(row.value, "parentId") or None


def _way(rows: list[Record], tree: Tree) -> trees.Way:
    """From the root to the last row. A parent on a line that could not be read is a gap: there the path begins."""
    last = next((at for at in range(len(rows) - 1, -1, -1) if tree.ids[at] is not None), None)
    return tree.way_to(last) if last is not None else trees.Way(())


def _kept(records: list[Record], rows: list[Record], path: list[int]) -> list[int]:
    """The rows of the path that are the conversation: the last compaction, what it kept, and what came behind it."""
    cut = next((at for at in range(len(path) - 1, -1, -1) if rows[path[at]].value.get("type") == "compaction"), None)
    if cut is None:
        return path
    row = rows[path[cut]].value
    first = text(row, "firstKeptEntryId")
    number = row.get("firstKeptEntryIndex")
    if not first and isinstance(number, int) and 0 <= number < len(records):
        # Version 1 counts all rows of the file, the header too.
        kept = [at for at in path[:cut] if rows[at].line >= records[number].line]
    else:
        begin = next((at for at in range(cut) if first and rows[path[at]].value.get("id") == first), cut)
        kept = path[begin:cut]
    return [path[cut], *(at for at in kept if rows[at].value.get("type") != "compaction"), *path[cut + 1 :]]


def _messages(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What a row says; nothing, or one message."""
    kind = row.get("type")
    message = inner(row, "message") if kind == "message" else {}
    role = message.get("role")
    content: Any = None
    if role == "assistant":
        content = _answer(message)
    elif role == "toolResult":
        content = [_result(message)]
    elif role == "bashExecution":
        content = _ran(message)
    elif role in ("user", "custom", "hookMessage"):
        content = _content(message.get("content"))
    elif role in ("branchSummary", "compactionSummary") or kind in ("branch_summary", "compaction"):
        summary = text(message or row, "summary")
        content = f"<summary>\n{summary}\n</summary>" if summary else None
    elif kind == "custom_message":
        content = _content(row.get("content"))
    if content:
        yield {"role": "assistant" if role == "assistant" else "user", "content": content}


def _answer(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of an answer. What was thought in one that broke off, before it said anything, led nowhere."""
    blocks = [block for part in items(message, "content") if (block := _spoken(part))]
    broke = text(message, "stopReason") in _UNSAID and all("thinking" in str(block.get("type")) for block in blocks)
    return [] if broke else blocks


def _spoken(part: dict[str, Any]) -> dict[str, Any] | None:
    """A part of an answer as a block."""
    kind = part.get("type")
    if kind == "toolCall":
        return {"type": "tool_use", "id": part.get("id"), "name": part.get("name"), "input": part.get("arguments")}
    if kind == "thinking":
        if part.get("redacted") is True:
            return {"type": "redacted_thinking", "data": part.get("thinkingSignature")}
        thinking = {"type": "thinking", "thinking": part.get("thinking")}
        signature = text(part, "thinkingSignature")
        return thinking | {"signature": signature} if signature else thinking if text(part, "thinking") else None
    return _block(part)


def _block(part: dict[str, Any]) -> dict[str, Any] | None:
    kind = part.get("type")
    if kind == "text":
        # A text of nothing is what streaming leaves of an answer that was all calls.
        return {"type": "text", "text": part["text"]} if text(part, "text") else None
    if kind == "image":
        source = {"type": "base64", "media_type": part.get("mimeType"), "data": part.get("data")}
        return {"type": "image", "source": source}
    return part


def _content(content: Any) -> Any:
    if not is_array(content):
        return content if isinstance(content, str) else None
    return [block for part in content if is_object(part) and (block := _block(part))]


def _result(message: dict[str, Any]) -> dict[str, Any]:
    content = _content(message.get("content")) or ""
    block = {"type": "tool_result", "tool_use_id": message.get("toolCallId"), "content": content}
    return block | {"is_error": True} if message.get("isError") is True else block


def _ran(message: dict[str, Any]) -> str | None:
    """A command that the user ran, told to the model; unless it was run beside the conversation."""
    if message.get("excludeFromContext") is True:
        return None
    return f"Ran `{text(message, 'command')}`\n```\n{text(message, 'output')}\n```"


def _steps(rows: list[Record], path: list[int], kept: list[int]) -> Iterator[Step]:
    on_path, live = set(path), set(kept)
    for at, record in enumerate(rows):
        line = record.line
        message = inner(record.value, "message")
        role = message.get("role")
        if record.value.get("type") == "compaction" and at in on_path:
            yield Step("cut", line)
        elif role == "assistant":
            why = "errored" if text(message, "stopReason") in _UNSAID else ""
            yield Step("turn", line)
            for part in items(message, "content"):
                name = text(part, "id")
                if part.get("type") == "toolCall" and name:
                    what = [part.get("name"), part.get("arguments")]
                    yield Step("call", line, name, what, live=at in live, why=why)
        elif role == "toolResult" and text(message, "toolCallId"):
            yield Step("result", line, message["toolCallId"], live=at in live)
        elif role == "user":
            yield Step("turn", line)


def _branches(rows: list[Record], tree: Tree, path: list[int]) -> Iterator[Way]:
    """The ways that were left: what was said there and is not on the path."""
    said = [bool(inner(row.value, "message").get("role")) for row in rows]
    for leaf, messages in tree.left(said, [False] * len(rows), set(path)):
        yield Way(line=rows[leaf].line, messages=messages, ended=_time(rows[leaf]))


def _title(rows: list[Record]) -> str:
    for row in reversed(rows):
        if row.value.get("type") == "session_info" and text(row.value, "name"):
            return text(row.value, "name")
    messages = (inner(row.value, "message") for row in rows)
    return next((title_of(words(each.get("content"))) for each in messages if each.get("role") == "user"), "")


def _model(rows: list[Record], path: list[int], header: dict[str, Any]) -> str:
    """The model of the last turn, or the one that was chosen since."""
    for at in reversed(path):
        row = rows[at].value
        if row.get("type") == "model_change":
            return text(row, "modelId", "model")
        message = inner(row, "message")
        if message.get("role") == "assistant" and text(message, "model"):
            return text(message, "model")
    return text(header, "modelId")


def _time(record: Record | None) -> str:
    return time_of(record.value.get("timestamp")) if record else ""


FORMAT = Format(
    name="pi",
    says="pi sessions, and those of agents made from it",
    knows=knows,
    read=read,
    homes=("$PI_CODING_AGENT_DIR/sessions/*/*.jsonl", "~/.pi/agent/sessions/*/*.jsonl"),
)
