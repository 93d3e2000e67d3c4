"""OpenCode's newer table of one row a message, put in the terms of the older two: a message, and its parts."""

from __future__ import annotations

from typing import Any

from rejoinder.transcripts.fields import inner, items, text, words

Part = dict[str, Any]

# The rows that the model reads as words of the user.
_TOLD = frozenset({"user", "synthetic", "shell", "compaction"})


def as_message(row: dict[str, Any]) -> tuple[dict[str, Any], list[Part]]:
    """What a row says: who, and in which parts; no parts where it is a note for the screen."""
    data = inner(row, "data")
    kind = text(row, "type")
    times = inner(data, "time") or {"created": row.get("time_created")}
    info: dict[str, Any] = {"id": text(row, "id"), "role": "user", "time": times, "sessionID": text(row, "session_id")}
    if kind == "assistant":
        info |= {"role": "assistant", "error": data.get("error"), "modelID": text(inner(data, "model"), "id")}
        return info, [_part(part) for part in items(data, "content")]
    if kind not in _TOLD:
        return info, []
    said = text(data, "text", "summary")
    if kind == "shell":
        said = f"Shell command: {text(data, 'command')}\n{text(data, 'output')}"
    if kind == "compaction" and said:
        said = f"<summary>\n{said}\n</summary>"
        info["boundary"] = True
    parts = [{"type": "text", "text": said}] if said else []
    return info, [*parts, *(_file(each) for each in items(data, "files"))]


def _file(file: Part) -> Part:
    return {"type": "file", "mime": text(file, "mime"), "url": text(file, "uri", "url")}


def _part(part: Part) -> Part:
    if part.get("type") != "tool":
        return part
    state = inner(part, "state")
    error = state.get("error")
    told = {
        "status": state.get("status"),
        "input": state.get("input"),
        "output": words(state.get("content")) or text(state, "output"),
        "error": error if isinstance(error, str) else text(error, "message"),
    }
    return {"type": "tool", "callID": text(part, "callID", "id"), "tool": text(part, "name", "tool"), "state": told}
