"""Nothing that is handed to the command makes it fall over: it ends in time, with a code and one clear line."""

from __future__ import annotations

import base64
import json
import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from console import CLEAN, OBEYED, RUN, USER, call, result, run
from rejoinder.edge.cli import check, repair
from rejoinder.edge.cli.group import rejoinder

AREAS = ("jsonl", "json-value", "terminal", "conversation")


def survives(path: Path, out: Path, *, within: float = 5.0) -> None:
    """Check and repair end by themselves, in time, with a code and harmless words, and write all or nothing."""
    for arguments in (["check", path], ["check", path, "-t", "anthropic", "--json"], ["repair", path, "-o", out]):
        out.unlink(missing_ok=True)
        began = time.perf_counter()
        done = run(*arguments)
        assert time.perf_counter() - began < within
        assert done.exit_code in (0, 1, 2)
        assert not OBEYED.search(done.output)
        if done.exit_code == 2:
            assert done.stderr
            assert all(
                line.startswith("rejoinder: ") for line in done.stderr.splitlines() if "read as" not in line and line
            )
            assert not out.exists()
    assert sorted(os.listdir(path.parent)) == sorted({path.name, *([out.name] if out.exists() else [])})


def content(case: dict[str, Any]) -> bytes:
    if "input_b64" in case:
        return base64.b64decode(case["input_b64"])
    return b"".join(base64.b64decode(unit) * times for unit, times in case.get("gen", []))


def test_every_hostile_case_ends_well(evidence: Path, tmp_path: Path):
    lines = (evidence / "cases" / "hostile-cases.jsonl").read_text("utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["area"] in AREAS]
    assert len(cases) > 80
    path, out = tmp_path / "case.json", tmp_path / "out.json"
    for case in cases:
        path.write_bytes(content(case))
        survives(path, out)
        text = content(case).decode("utf-8", "replace")
        if case["area"] == "terminal":
            path.write_text(json.dumps([{"role": text, "content": text, "name": text}, call(text)]), "utf-8")
            survives(path, out)


def test_deep_nesting_is_refused_in_no_time(tmp_path: Path):
    path = tmp_path / "deep.json"
    for text in ("[" * 100_000, '[{"role":"user","content":' + "[" * 100_000 + "]" * 100_000 + "}]", '{"a":' * 100_000):
        path.write_text(text)
        began = time.perf_counter()
        done = run("check", path)
        assert time.perf_counter() - began < 0.25  # 50 ms on a machine that does nothing else
        assert done.exit_code == 2
        assert "200 levels" in done.stderr


ODD: list[Any] = [None, True, -1, 1.5, "", "\ud83d", [], {}, [[]], {"type": 7}, {"type": "text"}, 2**70, "tool_use"]
KEYS = ["role", "content", "tool_calls", "tool_call_id", "name", "refusal", "audio", "type", "toolCalls", "toolCallId"]


def odd_message(rng: random.Random) -> dict[str, Any]:
    message: dict[str, Any] = {"role": rng.choice(["user", "assistant", "tool", "system", "developer"])}
    for _ in range(rng.randrange(4)):
        value = rng.choice(ODD)
        message[rng.choice(KEYS)] = value if rng.random() < 0.6 else [value, rng.choice(ODD)]
    return message


def test_odd_messages_end_well(tmp_path: Path):
    rng = random.Random(7)
    path, out = tmp_path / "odd.json", tmp_path / "out.json"
    for _ in range(150):
        messages = [odd_message(rng) for _ in range(rng.randrange(5))]
        path.write_text(
            json.dumps(
                messages
                if rng.random() < 0.5
                else {"messages": messages, "system": rng.choice(ODD), "tools": rng.choice(ODD)}
            )
        )
        survives(path, out)


def test_a_fault_of_our_own_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def fail(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("on\npurpose\x1b[2J")

    clean = tmp_path / "clean.json"
    clean.write_text(json.dumps(CLEAN))
    monkeypatch.setattr(check, "check", fail)
    monkeypatch.setattr(repair, "repair", fail)
    for command in ("check", "repair"):
        done = CliRunner().invoke(rejoinder, [command, str(clean)])
        assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
        assert "ZeroDivisionError" in done.stderr
        assert not OBEYED.search(done.stderr)


# --- as a process ---------------------------------------------------------------------------------


def start(*arguments: object, stdin: int | None = None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", RUN, *(str(each) for each in arguments)]
    # Whoever was started in the background of a shell ignores this signal, and hands that down.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=stdin, preexec_fn=heard)


def test_a_reader_that_goes_away_is_no_trouble(tmp_path: Path):
    path = tmp_path / "long.json"
    path.write_text(json.dumps([message for n in range(3000) for message in (USER, call(f"call_{n}"))]))
    with start("check", path, "--limit", "0") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read().decode()
    assert "Error" not in said
    assert "Exception" not in said
    assert process.returncode == 1


def test_standard_output_may_be_closed_or_full(tmp_path: Path):
    path = tmp_path / "clean.json"
    path.write_text(json.dumps(CLEAN))
    for redirect, command, code in ((">&-", "check", 0), (">&-", "repair -o -", 2), (">/dev/full", "repair -o -", 2)):
        shell = f'exec {sys.executable} -c "{RUN}" {command} {path} -t openai-chat {redirect}'
        done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        assert "fault of rejoinder" not in done.stderr
        assert "Exception ignored" not in done.stderr


def test_being_interrupted_is_one_line():
    with start("check", "-", stdin=subprocess.PIPE) as process:
        assert process.stderr is not None
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read().decode()
    assert said.strip() == "rejoinder: stopped; nothing is half written"
    assert process.returncode == 130


def test_a_hundred_thousand_messages_take_seconds(tmp_path: Path):
    path = tmp_path / "big.json"
    turns = (([USER, call(f"c{n}"), result(f"c{n}")] if n % 50 else [USER, call(f"c{n}"), USER]) for n in range(33_334))
    path.write_text(json.dumps([message for turn in turns for message in turn]))
    began = time.perf_counter()
    assert run("check", path).exit_code == 1
    assert run("repair", path, "-o", tmp_path / "out.json").exit_code == 0
    assert time.perf_counter() - began < 30
