"""Session files in Claude Code's form, small ones made row by row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import rejoinder as rj
from rejoinder.edge.rows import records
from rejoinder.transcripts import claude_code
from rejoinder.transcripts.transcript import Transcript

SESSION = "11111111-2222-4333-8444-555555555555"


class Writer:
    """Writes rows as the tool does: each hangs on the one in front of it, if nothing else is said."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.last: str | None = None

    def row(self, kind: str, parent: str | None = "", **more: Any) -> str:
        number = len(self.rows) + 1
        name = more.pop("uuid", f"00000000-0000-4000-8000-{number:012d}")
        self.rows.append(
            {
                "parentUuid": self.last if parent == "" else parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": "/there",
                "sessionId": SESSION,
                "version": "2.1.37",
                "gitBranch": "main",
                "type": kind,
                **more,
                "uuid": name,
                "timestamp": f"2026-02-03T04:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
            }
        )
        self.last = name
        return name

    def says(self, text: str, **more: Any) -> str:
        return self.row("user", message={"role": "user", "content": text}, **more)

    def answers(self, answer: str, *blocks: dict[str, Any], **more: Any) -> str:
        message = {"model": "claude-opus-4-5", "id": answer, "type": "message", "role": "assistant"}
        message |= {"content": list(blocks), "stop_reason": None, "stop_sequence": None}
        return self.row("assistant", message=message, requestId=f"req_{answer}", **more)

    def result(self, call: str, text: str = "done", **more: Any) -> str:
        block = {"tool_use_id": call, "type": "tool_result", "content": text}
        return self.row("user", message={"role": "user", "content": [block]}, toolUseResult={"stdout": text}, **more)

    def lines(self) -> list[bytes]:
        return [json.dumps(row, separators=(",", ":")).encode() for row in self.rows]

    def write(self, path: Path) -> Path:
        path.write_bytes(b"".join(line + b"\n" for line in self.lines()))
        return path


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": arguments}


def exchange(writer: Writer, number: int, *, answered: bool = True) -> str:
    """A question, an answer with a call, its result, and what was made of it; the id of the call."""
    name = f"toolu_{number:03d}"
    writer.says(f"question {number}")
    writer.answers(f"msg_{number}a", call(name, number=number))
    if answered:
        writer.result(name)
        writer.answers(f"msg_{number}b", text(f"answer {number}"))
    return name


def read(path: Path) -> Transcript:
    return claude_code.read(records(str(path)))


def read_lines(lines: list[bytes], folder: Path) -> Transcript:
    path = folder / "mutated.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return read(path)


# --- files -----------------------------------------------------------------------------------------------------------


def whole(folder: Path) -> Path:
    writer = Writer()
    exchange(writer, 1)
    return writer.write(folder / "whole.jsonl")


def pending(folder: Path, name: str = "pending.jsonl") -> Path:
    writer = Writer()
    exchange(writer, 1)
    exchange(writer, 2, answered=False)
    return writer.write(folder / name)


def broken(folder: Path) -> Path:
    """One of everything that can be mended: three open calls, an orphan, glued rows, a torn one, a bad escape."""
    writer = Writer()
    exchange(writer, 1)
    writer.answers("msg_2", call("open_a"))
    second = writer.answers("msg_2", call("answered"))
    writer.answers("msg_2", call("open_b"))
    writer.result("answered", parent=second)
    writer.says("[Request interrupted by user for tool use]")
    writer.result("gone")
    exchange(writer, 3)
    exchange(writer, 4, answered=False)
    lines = writer.lines()
    lines[2:4] = [lines[2] + lines[3]]
    path = folder / "broken.jsonl"
    escaped = b'{"type":"summary","leafUuid":"x","summary":"a masker\\*was here"}\n'
    path.write_bytes(b"\n".join(lines) + b"\n" + escaped + lines[0][:50])
    return path


# --- what was read --------------------------------------------------------------------------------------------------

OPEN = {"pending", "cut", "interrupted", "errored"}


def found(transcript: Transcript) -> list[tuple[str, int, bool]]:
    return [(defect.kind, defect.line, defect.live) for defect in transcript.defects]


def open_calls(transcript: Transcript) -> set[str]:
    return {name for defect in transcript.defects if defect.kind in OPEN for name in defect.ids}


def called(transcript: Transcript) -> list[str]:
    return [block["id"] for block in blocks(transcript) if block["type"] == "tool_use"]


def answered(transcript: Transcript) -> list[str]:
    return [block["tool_use_id"] for block in blocks(transcript) if block["type"] == "tool_result"]


def blocks(transcript: Transcript) -> list[dict[str, Any]]:
    return [
        block for message in transcript.messages if isinstance(message["content"], list) for block in message["content"]
    ]


def pairing(transcript: Transcript) -> set[str]:
    """The rules of pairing that the API would refuse the messages by."""
    found = rj.check(list(transcript.messages), "anthropic")
    return {finding.rule for finding in found if finding.rule.startswith(("tool_pairing", "tool_ids"))}
