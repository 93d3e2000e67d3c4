"""The quick look at a session never calls one sound that the thorough look finds fault with, and takes little room."""

import copy
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rejoinder.edge.health import health
from rejoinder.edge.rows import batches, records
from rejoinder.edge.sessions import Session
from rejoinder.transcripts import claude_code_scan
from rejoinder.transcripts.formats import read
from rejoinder.transcripts.quick import surely

Rows = list[dict[str, Any]]


def row(number: int, kind: str, *blocks: Any, parent: int | None = None, **more: Any) -> dict[str, Any]:
    above = number - 1 if parent is None else parent
    message = {"role": kind, "content": list(blocks) or "words"}
    if kind == "assistant":
        message["id"] = f"msg-{number}"
    return {
        "parentUuid": f"u{above}" if above else None,
        "sessionId": "s",
        "type": kind,
        "message": message,
        "uuid": f"u{number}",
        **more,
    }


def call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {}}


def result(name: str) -> dict[str, Any]:
    return {"tool_use_id": name, "type": "tool_result", "content": "done"}


def sound() -> Rows:
    """A question, two calls at once with their results beside each other, a note of progress, an answer; twice."""
    made: Rows = [{"type": "summary", "summary": "before", "leafUuid": "none"}]
    for at in (0, 10):
        made += [
            row(at + 1, "user", parent=at - 2 if at else 0),
            row(at + 2, "assistant", {"type": "text", "text": "Ünd"}),
            row(at + 3, "assistant", call(f"a{at}")),
            row(at + 4, "assistant", call(f"b{at}")),
            {**row(at + 5, "progress", parent=at + 3), "message": None},
            row(at + 6, "user", result(f"a{at}"), parent=at + 3),
            row(at + 7, "user", result(f"b{at}"), parent=at + 4),
            row(at + 8, "assistant", {"type": "fallback_of_tomorrow", "id": "x"}),
        ]
    return made


def written(folder: Path, rows: Rows) -> str:
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows), "utf-8")
    return str(path)


def test_a_sound_session_is_told_at_once(tmp_path: Path):
    """With what it counts; blocks of a kind that is not known are no reason to look twice."""
    seen = health(written(tmp_path, sound()))
    assert (seen.tool, seen.quick, seen.defects) == ("claude-code", True, ())
    assert (seen.rows, seen.said, seen.calls, seen.results) == (17, 14, 4, 4)
    assert json.dumps(seen.as_dict())


def _without(rows: Rows, at: int) -> None:
    del rows[at]


FAULTS: dict[str, Callable[[Rows], None]] = {
    "gap": lambda rows: rows[9].update(parentUuid="nowhere"),
    "later parent": lambda rows: rows[2].update(parentUuid="u14"),
    "own parent": lambda rows: rows[2].update(parentUuid="u2"),
    "twin": lambda rows: rows[9].update(uuid="u3"),
    "open": lambda rows: rows[15]["message"].update(content="never mind"),
    "orphan": lambda rows: _without(rows, 3),
    "two results": lambda rows: rows.append({**rows[6], "uuid": "again"}),
    "one id twice": lambda rows: rows[11]["message"]["content"].append(call("a0")),
    "a number for an id": lambda rows: rows[3]["message"]["content"][0].update(id=7),
    "no id": lambda rows: rows[3]["message"]["content"][0].pop("id"),
    "not said": lambda rows: rows[6].update(type="progress"),
    "a text for a block": lambda rows: rows[3]["message"]["content"].append("text"),
    "no message": lambda rows: rows[3].update(message="text"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_is_told_as_the_thorough_reading_tells_it(fault: str, tmp_path: Path):
    """All of it, and with the same words."""
    rows = sound()
    FAULTS[fault](rows)
    path = written(tmp_path, rows)
    assert health(path).defects == read(records(path)).defects


def test_a_pass_that_believes_everything_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The tests here can fail."""
    monkeypatch.setattr("rejoinder.transcripts.quick.Calls.end", lambda _self: None)
    rows = sound()
    FAULTS["open"](rows)
    path = written(tmp_path, rows)
    assert health(path).defects != read(records(path)).defects


def test_real_sessions_are_told_as_the_thorough_reading_tells_them(evidence: Path, tmp_path: Path):
    """As they are, and with a few of their lines gone, twice, swapped, cut or spoiled."""
    rng = random.Random(5)
    quick = 0
    samples = sorted((evidence / "data" / "sessions").glob("**/claude-code/*.jsonl"))
    assert len(samples) >= 10
    path = tmp_path / "mutated.jsonl"
    for sample in samples:
        lines = sample.read_bytes().splitlines(keepends=True)
        for turn in range(25):
            mutated = list(lines) if turn == 0 else _mutated(rng, lines)
            path.write_bytes(b"".join(mutated))
            seen = health(str(path))
            assert seen.defects == read(records(str(path))).defects, (sample.name, turn)
            quick += seen.quick
    assert quick > len(samples), "the quick pass was hardly ever sure"


def _mutated(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    made = list(lines[: rng.randrange(2, len(lines) + 1)])
    for _ in range(rng.randrange(3)):
        at, other = rng.randrange(len(made)), rng.randrange(len(made))
        what = rng.randrange(5)
        if what == 0 and len(made) > 2:
            del made[at]
        elif what == 1:
            made.insert(at, made[other])
        elif what == 2:
            made[at], made[other] = made[other], made[at]
        elif what == 3:
            cut = rng.randrange(len(made[at]))
            made[at] = made[at][:cut] + b"\n"
        else:
            cut = rng.randrange(len(made[at]))
            made[at] = made[at][:cut] + bytes((rng.randrange(256),)) + made[at][cut + 1 :]
    return made


FUNCTION = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
OPENAI: Rows = [
    {"role": "user", "content": "Ünd"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c", **FUNCTION}, {"id": "d", **FUNCTION}]},
    {"role": "tool", "tool_call_id": "c", "content": "done"},
    {"role": "tool", "tool_call_id": "d", "content": "done"},
    {"role": "assistant", "content": "done"},
]
ANTHROPIC: Rows = [
    {"role": "user", "content": "Ünd"},
    {"role": "assistant", "content": [{"type": "text", "text": "a"}, call("c"), call("d")]},
    {"role": "user", "content": [result("c"), result("d")]},
    {"role": "assistant", "content": "done"},
]


def flip(session: Session, _names: list[str]) -> None:
    data = bytearray(Path(session.path).read_bytes())
    data[len(data) // 2] ^= 1
    Path(session.path).write_bytes(data)


CHANGES: dict[str, tuple[bool, Callable[[Session, list[str]], object]]] = {
    "none": (True, lambda _session, _names: None),
    "label": (True, lambda session, _names: session.append_row({"type": "label", "label": "x"})),
    "flip": (False, flip),
    "open call": (False, lambda session, _names: session.append({"role": "assistant", "content": [call("e")]})),
    "open call in a member": (False, lambda session, _names: session.append({**OPENAI[1], "content": "again"})),
    "orphan": (False, lambda session, _names: session.append({**OPENAI[2], "tool_call_id": "z"})),
    "orphan in a block": (False, lambda session, _names: session.append({"role": "user", "content": [result("z")]})),
    "rewind": (False, lambda session, names: session.rewind(names[0])),
    "summary": (False, lambda session, names: session.compact("short", names[:2])),
    "both dialects": (False, lambda session, _names: session.extend([*OPENAI[:4], *ANTHROPIC])),
    "another dialect": (False, lambda session, _names: session.append({"role": "user", "parts": [{"text": "x"}]})),
}


@pytest.mark.parametrize("messages", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
@pytest.mark.parametrize("change", CHANGES)
def test_our_own_sessions_are_surely_sound_or_not_called_so(change: str, messages: Rows, tmp_path: Path):
    """A flipped bit, an open call, a branch or a summary is not for the quick pass; what it says, the thorough says."""
    sure, made = CHANGES[change]
    with Session.create(folder=str(tmp_path)) as session:
        made(session, session.extend(messages))
    seen = health(session.path)
    assert seen.quick == sure
    assert seen.defects == read(records(session.path)).defects
    if sure:
        assert (seen.said, seen.calls, seen.results) == (len(messages), 2, 2)


@pytest.mark.skipif(sys.platform == "win32", reason="NOT CHECKED: no resource on Windows")
def test_the_pass_keeps_ids_alone(tmp_path: Path):
    """Ten times the words take no more room."""
    import tracemalloc

    rows = sound()
    for each in rows:
        if each.get("type") == "assistant":
            each["message"]["content"] = [
                *copy.deepcopy(each["message"]["content"]),
                {"type": "text", "text": "x" * 50_000},
            ]
    path = written(tmp_path, rows)
    surely(claude_code_scan.scan, batches(path))
    tracemalloc.start()
    assert surely(claude_code_scan.scan, batches(path)) is not None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000_000
