"""Small sessions that tests keep: a home with one of our own in it, and one of another agent."""

from __future__ import annotations

from typing import Any

from rejoinder.edge.sessions import Session

USER = {"role": "user", "content": "When is the next train?"}
ANSWER = {"role": "assistant", "content": "At 10:04."}


def call(name: str = "call_1", arguments: str = '{"from": "Bern"}') -> dict[str, Any]:
    function = {"name": "next_train", "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": name, "type": "function", "function": function}],
    }


def result(text: str, name: str = "call_1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": text}


def claude_rows(turns: int) -> list[dict[str, Any]]:
    """A session as Claude Code writes it: a question and an answer for each turn."""
    rows: list[dict[str, Any]] = []
    for number in range(turns):
        for role in ("user", "assistant"):
            above = rows[-1]["uuid"] if rows else None
            row = {"type": role, "uuid": f"{role}-{number}", "parentUuid": above, "sessionId": "s-1", "cwd": "/here"}
            message = {"role": role, "content": f"{role} says {number}"}
            rows.append({**row, "timestamp": "2026-11-01T10:00:00.000Z", "message": message})
    return rows


def keep_trains() -> None:
    """One session of our own, with a branch and a long result."""
    with Session.create("trains-1", cwd="/here") as session:
        first = session.append(USER)
        session.append({"role": "assistant", "content": "No idea."})
        session.rewind(first)
        session.append(call())
        session.append(result("\n".join(f"10:{n:02d}" for n in range(30))))
        session.append(ANSWER)
