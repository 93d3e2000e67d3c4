"""Cline and Roo: a list of Anthropic messages, rewritten whole; in the newer SDK a document with a manifest beside it.

A folder of the older kind also has what the screen showed (`ui_messages.json`): its last rows tell which messages were
cut away, and whether a call waits for a person. Of the newer kind a compaction may lie beside the messages: if it is
younger, it is what the model goes on with.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rejoinder.transcripts.conversations import told
from rejoinder.transcripts.fields import inner, text, time_of, words
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.members import array, first_words, objects, spelled
from rejoinder.transcripts.transcript import Format, Transcript, Way, parted
from rejoinder.values.loose import is_array, is_object

_TOOL = "cline"
_WORDS = ("<task>", "<environment_details>", "<user_message>", "<feedback>")
_Numbered = tuple[int, dict[str, Any]]


def knows(sample: list[Any]) -> bool:
    """A document of messages with a session's id, a manifest, or a list of messages with Cline's words or times?"""
    rows = list(objects(sample))
    if any(_is_document(row) or _is_manifest(row) for row in rows):
        return True
    if not all(_is_message(row) or _is_shown(row) for row in rows):
        return False
    return any("ts" in row or any(word in words(row.get("content")) for word in _WORDS) for row in rows)


def _is_document(row: dict[str, Any]) -> bool:
    return is_array(row.get("messages")) and "sessionId" in row and bool(row.keys() & {"system_prompt", "agent"})


def _is_manifest(row: dict[str, Any]) -> bool:
    signs = {"messages_path", "exit_code", "workspace_root"}
    return isinstance(row.get("session_id"), str) and bool(row.keys() & signs)


def _is_message(row: dict[str, Any]) -> bool:
    return row.get("role") in ("user", "assistant") and "content" in row and "uuid" not in row


def _is_shown(row: dict[str, Any]) -> bool:
    """Is it a row of the screen?"""
    return row.get("type") in ("ask", "say") and "ts" in row


def read(found: Iterable[Found]) -> Transcript:
    """The conversation of a task or a session; that of the compaction, where that is what it goes on with."""
    records, oddities = parted(found)
    documents = [record.value for record in records if _is_document(record.value)]
    manifests = [record.value for record in records if _is_manifest(record.value)]
    manifest = manifests[0] if manifests else {}
    shown = [record.value for record in records if _is_shown(record.value)]
    document = max(documents, key=_age) if documents else {}
    if documents:
        rows = [(number, raw) for number, raw in enumerate(array(document, "messages"), 1) if is_object(raw)]
    else:
        rows = [(record.line, record.value) for record in records if _is_message(record.value)]
        rows = _left(rows, shown)
    rows = [(number, raw) for number, raw in rows if raw.get("role") in ("user", "assistant")]
    messages = [_message(raw) for _, raw in rows]
    waits = "paused" if shown and _waits(shown[-1]) else "pending"
    beside = [each for each in documents if each is not document]
    return told(
        _TOOL,
        "anthropic",
        messages,
        [number for number, _ in rows],
        last=waits,
        oddities=oddities,
        system=text(document, "system_prompt") or None,
        title=text(inner(manifest, "metadata"), "title") or _task(messages),
        session=text(document, "sessionId") or text(manifest, "session_id"),
        folder=text(manifest, "cwd", "workspace_root"),
        model=_model([raw for _, raw in rows]) or text(manifest, "model"),
        began=text(manifest, "started_at") or _time(rows[:1]),
        ended=text(manifest, "ended_at") or _time(rows[-1:]) or text(document, "updated_at"),
        records=len(records),
        branches=tuple(Way(line=1, messages=len(array(each, "messages")), ended=_age(each)) for each in beside),
    )


def _age(document: dict[str, Any]) -> str:
    return text(document, "updated_at")


def _left(rows: list[_Numbered], shown: list[dict[str, Any]]) -> list[_Numbered]:
    """The messages without those that were cut away, which the screen's last word on it names from one to another."""
    for row in reversed(shown):
        cut = row.get("conversationHistoryDeletedRange")
        if is_array(cut) and len(cut) == 2 and all(isinstance(end, int) for end in cut):
            return [*rows[: max(0, cut[0])], *rows[max(0, cut[1] + 1) :]]
    return rows


def _waits(row: dict[str, Any]) -> bool:
    return row.get("type") == "ask" and row.get("ask") in ("tool", "command", "use_mcp_server", "browser_action_launch")


def _message(raw: dict[str, Any]) -> dict[str, Any]:
    """A message as the API has it, without what Cline notes beside it."""
    content = raw.get("content")
    if is_array(content):
        content = [_block(block) for block in content if is_object(block)]
    elif not isinstance(content, str):
        content = spelled(content)
    return {"role": raw["role"], "content": content}


def _block(block: dict[str, Any]) -> dict[str, Any]:
    kind = block.get("type")
    if kind == "file":
        path, held = text(block, "path"), spelled(block.get("content", ""))
        return {"type": "text", "text": f'<file_content path="{path}">\n{held}\n</file_content>'}
    if kind != "tool_result":
        return block
    kept = {name: value for name, value in block.items() if name != "name"}
    content = block.get("content")
    if is_array(content) and not all(is_object(each) and isinstance(each.get("type"), str) for each in content):
        kept["content"] = spelled(list(content))
    return kept


def _task(messages: list[dict[str, Any]]) -> str:
    """The title: the task itself, where it stands in the mark that Cline puts around it."""
    said = words(messages[0].get("content")) if messages else ""
    _, _, task = said.partition("<task>")
    return first_words([{"role": "user", "content": task.partition("</task>")[0]}]) or first_words(messages)


def _model(rows: list[dict[str, Any]]) -> str:
    made = (text(inner(raw, "modelInfo"), "id", "modelId") for raw in reversed(rows))
    return next(filter(None, made), "")


def _time(rows: list[_Numbered]) -> str:
    return time_of(rows[0][1].get("ts")) if rows else ""


FORMAT = Format(
    name=_TOOL,
    says="Cline and Roo tasks, and sessions of Cline's SDK",
    knows=knows,
    read=read,
    homes=(
        "~/.cline/data/sessions/*",
        "~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/*",
        "~/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/*",
    ),
)
