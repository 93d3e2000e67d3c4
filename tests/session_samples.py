"""Small sessions of other agents, made after their formats: each one intact, with a call and its result."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from rejoinder.edge.session_files import open_session
from rejoinder.transcripts.transcript import Transcript

Rows = list[dict[str, Any]]


def lines(path: Path, rows: Rows, end: bytes = b"\n") -> Path:
    path.write_bytes(b"\n".join(json.dumps(row).encode() for row in rows) + end)
    return path


def document(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, indent=2), "utf-8")
    return path


def opened(path: Path, session: str | None = None) -> Transcript:
    return open_session(str(path), session)


def kinds(found: Transcript) -> list[tuple[str, int, tuple[str, ...], bool]]:
    return [(defect.kind, defect.line, defect.ids, defect.live) for defect in found.defects]


# --- Codex -----------------------------------------------------------------------------------------------------------


def meta(name: str = "5973b6c0", **more: Any) -> dict[str, Any]:
    payload = {"id": name, "timestamp": "2026-01-01T10:00:00.000Z", "cwd": "/app", "cli_version": "0.80.0", **more}
    return {"timestamp": "2026-01-01T10:00:00.000Z", "type": "session_meta", "payload": payload}


def item(kind: str, **more: Any) -> dict[str, Any]:
    return {"timestamp": "2026-01-01T10:00:01.000Z", "type": "response_item", "payload": {"type": kind, **more}}


def event(kind: str, **more: Any) -> dict[str, Any]:
    return {"timestamp": "2026-01-01T10:00:02.000Z", "type": "event_msg", "payload": {"type": kind, **more}}


def user(text: str) -> dict[str, Any]:
    return item("message", role="user", content=[{"type": "input_text", "text": text}])


def assistant(text: str) -> dict[str, Any]:
    return item("message", role="assistant", content=[{"type": "output_text", "text": text}])


def call(name: str, arguments: str = "{}") -> dict[str, Any]:
    return item("function_call", name="shell", arguments=arguments, call_id=name)


def output(name: str) -> dict[str, Any]:
    return item("function_call_output", call_id=name, output="done")


def codex_rows() -> Rows:
    context = {"cwd": "/app", "model": "gpt-5-codex", "approval_policy": "never"}
    return [
        meta(base_instructions={"text": "You are an agent."}),
        user("<environment_context>\n<cwd>/app</cwd>\n</environment_context>"),
        {"timestamp": "2026-01-01T10:00:01.000Z", "type": "turn_context", "payload": context},
        user("Run the tests"),
        event("user_message", message="Run the tests"),
        item("reasoning", summary=[], content=None, encrypted_content="gAAAA"),
        call("call_1"),
        output("call_1"),
        item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="call_2", status="completed"),
        item("custom_tool_call_output", call_id="call_2", output="Success"),
        item("local_shell_call", id="lsh_3", call_id=None, status="completed", action={"type": "exec"}),
        item("function_call_output", call_id="lsh_3", output="ok"),
        item("tool_search_call", call_id="call_4", status="completed", execution="client", arguments={"query": "x"}),
        item("tool_search_output", call_id="call_4", status="completed", execution="client", tools=[]),
        item("web_search_call", status="completed", action={"type": "search", "query": "x"}),
        item("ghost_snapshot", ghost_commit={"id": "c"}),
        assistant("All pass."),
    ]


# --- Gemini CLI ------------------------------------------------------------------------------------------------------


def gemini_call(name: str, **more: Any) -> dict[str, Any]:
    response = {"functionResponse": {"id": name, "name": "read_file", "response": {"output": "text"}}}
    return {"id": name, "name": "read_file", "args": {"path": "a"}, "status": "success", "result": [response]} | more


def gemini_message(name: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": "2026-01-01T10:00:00.000Z", "type": kind, "content": content, **more}


def gemini_rows() -> Rows:
    thought = {"subject": "Reading", "description": "I read the file."}
    return [
        {"sessionId": "s-1", "projectHash": "ab12", "startTime": "2026-01-01T10:00:00.000Z", "directories": ["/app"]},
        gemini_message("m1", "user", [{"text": "What is in a?"}]),
        gemini_message("m2", "gemini", "I look", model="gemini-3-pro", toolCalls=[]),
        {"$set": {"lastUpdated": "2026-01-01T10:05:00.000Z"}},
        gemini_message(
            "m2", "gemini", "I look.", model="gemini-3-pro", thoughts=[thought], toolCalls=[gemini_call("c1")]
        ),
        gemini_message("m3", "info", "An update is available"),
        gemini_message("m4", "gemini", "Text.", model="gemini-3-pro"),
        gemini_message("m5", "user", "/help"),
    ]


# --- pi --------------------------------------------------------------------------------------------------------------


def pi_row(name: str, parent: str | None, kind: str = "message", **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": name, "parentId": parent, "timestamp": "2026-01-01T10:00:00.000Z", **more}


def pi_said(name: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    return pi_row(name, parent, message={"role": role, "content": content, "timestamp": 1767261600000, **more})


def pi_call(name: str) -> dict[str, Any]:
    return {"type": "toolCall", "id": name, "name": "read", "arguments": {"path": name}}


def pi_result(name: str, parent: str, answers: str, *, error: bool = False) -> dict[str, Any]:
    content = [{"type": "text", "text": "text"}]
    return pi_said(name, parent, "toolResult", content, toolCallId=answers, toolName="read", isError=error)


def pi_rows() -> Rows:
    thinking = {"type": "thinking", "thinking": "I read.", "thinkingSignature": "c2ln"}
    return [
        {"type": "session", "version": 3, "id": "pi-1", "timestamp": "2026-01-01T10:00:00.000Z", "cwd": "/app"},
        pi_row("0", None, "model_change", provider="anthropic", modelId="claude-opus-4-5"),
        pi_said("1", "0", "user", [{"type": "text", "text": "Read a and b"}]),
        pi_said(
            "2", "1", "assistant", [thinking, pi_call("a"), pi_call("b")], model="claude-opus-4-5", stopReason="toolUse"
        ),
        pi_result("3", "2", "a"),
        pi_result("4", "3", "b", error=True),
        pi_said("5", "4", "assistant", [{"type": "text", "text": "Done."}], model="claude-opus-4-5", stopReason="stop"),
        pi_said("6", "5", "bashExecution", None, command="ls", output="a"),
    ]


# --- neovate ---------------------------------------------------------------------------------------------------------


def neovate_row(name: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    row = {"type": "message", "uuid": name, "parentUuid": parent, "timestamp": "2026-01-01T10:00:00.000Z"}
    return row | {"sessionId": "neo", "role": role, "content": content, **more}


def neovate_call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "read", "input": {"file": name}, "displayName": "Read"}


def neovate_result(name: str) -> dict[str, Any]:
    result = {"llmContent": "text", "isError": False}
    return {"type": "tool-result", "toolCallId": name, "toolName": "read", "input": {}, "result": result}


def neovate_rows() -> Rows:
    return [
        {"type": "config", "config": {"approvalMode": "default", "approvalTools": [], "summary": "Reading two files"}},
        neovate_row("1", None, "user", "Read a and b", uiContent="Read"),
        neovate_row("2", "1", "assistant", [neovate_call("a"), neovate_call("b")], model="m-1", text=""),
        neovate_row("3", "2", "tool", [neovate_result("a")]),
        neovate_row("4", "2", "tool", [neovate_result("b")]),
        neovate_row("5", "4", "assistant", [{"type": "text", "text": "Done."}], model="m-1", text="Done."),
    ]


# --- OpenCode --------------------------------------------------------------------------------------------------------


def opencode_tool(name: str, status: str = "completed", **more: Any) -> dict[str, Any]:
    state = {"status": status, "input": {"path": name}} | ({"output": "text"} if status == "completed" else {}) | more
    return {"type": "tool", "callID": name, "tool": "read", "state": state}


def opencode_message(name: str, role: str, parts: Rows, **more: Any) -> dict[str, Any]:
    info = {"id": name, "sessionID": "ses_1", "role": role, "time": {"created": 1767261600000 + int(name[4:])}}
    info |= {"modelID": "claude-opus-4-5", "providerID": "anthropic"} if role == "assistant" else {}
    return {"info": info | more, "parts": [{"id": f"prt_{name}_{at}"} | part for at, part in enumerate(parts)]}


def opencode_messages() -> Rows:
    reasoning = {"type": "reasoning", "text": "I read.", "metadata": {"anthropic": {"signature": "c2ln"}}}
    step = {"type": "step-start"}
    return [
        opencode_message("msg_1", "user", [{"type": "text", "text": "Read a and b"}]),
        opencode_message(
            "msg_2",
            "assistant",
            [
                *(step, reasoning, opencode_tool("a"), {"type": "step-finish", "reason": "tool-calls"}),
                *(step, opencode_tool("b", "error", error="no such file"), step, {"type": "text", "text": "Done."}),
            ],
            parentID="msg_1",
            finish="stop",
            path={"cwd": "/app", "root": "/"},
        ),
    ]


OPENCODE_SESSION = {"id": "ses_1", "projectID": "p", "directory": "/app", "title": "Reading", "version": "1.0"}


def opencode_database(path: Path, messages: Rows, *, revert: Any = None) -> Path:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT, title TEXT, revert TEXT, time_updated INTEGER);"
            "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);"
            "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);"
        )
        told = json.dumps(revert) if revert else None
        database.execute("INSERT INTO session VALUES ('ses_0', '/old', 'Older', NULL, 1)")
        database.execute("INSERT INTO session VALUES ('ses_1', '/app', 'Reading', ?, 2)", (told,))
        for number, message in enumerate(messages):
            data = {name: value for name, value in message["info"].items() if name not in ("id", "sessionID")}
            name = message["info"]["id"]
            database.execute("INSERT INTO message VALUES (?, 'ses_1', ?, ?)", (name, number, json.dumps(data)))
            for part in message["parts"]:
                rest = {key: value for key, value in part.items() if key != "id"}
                database.execute(
                    "INSERT INTO part VALUES (?, ?, 'ses_1', ?)", (f"{name}{part['id']}", name, json.dumps(rest))
                )
        database.commit()
    return path


def opencode_storage(root: Path, messages: Rows) -> Path:
    file = root / "session" / "p" / "ses_1.json"
    for path, value in [
        (file, OPENCODE_SESSION),
        *((root / "message" / "ses_1" / f"{m['info']['id']}.json", m["info"]) for m in messages),
    ]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), "utf-8")
    for message in messages:
        folder = root / "part" / message["info"]["id"]
        folder.mkdir(parents=True)
        for number, part in enumerate(message["parts"]):
            held = part | {"messageID": message["info"]["id"], "id": f"prt_{number:03d}"}
            (folder / f"prt_{number:03d}.json").write_text(json.dumps(held), "utf-8")
    return file


# --- Goose -----------------------------------------------------------------------------------------------------------


def goose_message(role: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": None, "role": role, "created": 1767261600, "content": list(content), **more}


def goose_request(name: str) -> dict[str, Any]:
    value = {"name": "developer__shell", "arguments": {"command": name}}
    return {"type": "toolRequest", "id": name, "toolCall": {"status": "success", "value": value}}


def goose_response(name: str) -> dict[str, Any]:
    value = {"content": [{"type": "text", "text": "text"}], "isError": False}
    return {"type": "toolResponse", "id": name, "toolResult": {"status": "success", "value": value}}


def goose_rows() -> Rows:
    header = {"working_dir": "/app", "description": "Reading", "message_count": 4, "total_tokens": 9}
    return [
        header,
        goose_message("user", {"type": "text", "text": "Read a and b"}),
        goose_message("assistant", {"type": "text", "text": "Yes."}, goose_request("a"), goose_request("b")),
        goose_message("user", goose_response("a"), goose_response("b")),
        goose_message("assistant", {"type": "text", "text": "Done."}, {"type": "systemNotification", "msg": "x"}),
    ]


def goose_database(path: Path, rows: Rows) -> Path:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT NOT NULL, created_at TIMESTAMP,"
            " updated_at TIMESTAMP, model_config_json TEXT);"
            "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT, role TEXT,"
            " content_json TEXT, created_timestamp INTEGER, metadata_json TEXT);"
        )
        database.execute(
            "INSERT INTO sessions VALUES ('20260101_1', 'Reading', '/app', '2026-01-01 10:00', '2026-01-01 11:00', ?)",
            (json.dumps({"model_name": "claude-opus-4-5"}),),
        )
        for row in rows:
            values = (row["role"], json.dumps(row["content"]), row["created"], json.dumps(row.get("metadata", {})))
            database.execute(
                "INSERT INTO messages (session_id, role, content_json, created_timestamp, metadata_json)"
                " VALUES ('20260101_1', ?, ?, ?, ?)",
                values,
            )
        database.commit()
    return path


# Of each form of file that a tool writes, one that is intact.
INTACT: dict[str, Callable[[Path], Path]] = {
    "codex": lambda folder: lines(folder / "rollout.jsonl", codex_rows()),
    "gemini-cli rows": lambda folder: lines(folder / "session.jsonl", gemini_rows()),
    "gemini-cli document": lambda folder: document(
        folder / "session.json", gemini_rows()[0] | {"messages": [gemini_rows()[1], *gemini_rows()[4:]]}
    ),
    "pi": lambda folder: lines(folder / "pi.jsonl", pi_rows()),
    "neovate": lambda folder: lines(folder / "neo.jsonl", neovate_rows()),
    "opencode export": lambda folder: document(
        folder / "export.json", {"info": OPENCODE_SESSION, "messages": opencode_messages()}
    ),
    "opencode list": lambda folder: document(folder / "list.json", opencode_messages()),
    "opencode storage": lambda folder: opencode_storage(folder / "storage", opencode_messages()),
    "opencode database": lambda folder: opencode_database(folder / "opencode.db", opencode_messages()),
    "goose lines": lambda folder: lines(folder / "goose.jsonl", goose_rows()),
    "goose database": lambda folder: goose_database(folder / "sessions.db", goose_rows()[1:]),
}
