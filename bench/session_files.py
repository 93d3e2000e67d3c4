"""Session files of any size, the same on every run: Claude Code's as real ones look, and our own."""

import json
import random
from collections.abc import Iterator
from typing import Any, BinaryIO
from zlib import crc32

from corpus import FOREIGN, WORDS

BLOCKS = 400
_TEMPLATES = 200


def claude_code(path: str, size: int, *, open_calls: int = 0) -> int:
    """A session of about so many bytes; how many rows it has. The last `open_calls` calls have no result."""
    rng = random.Random("claude code")
    rows = _claude_code_rows(rng)
    count = 0
    with open(path, "wb", 1 << 20) as file:
        while file.tell() < size:
            file.writelines(next(rows))
            count += 1
        if open_calls:
            _turn_left_open(file, open_calls)
    return sum(1 for _ in open(path, "rb"))


def _turn_left_open(file: BinaryIO, calls: int) -> None:
    for at in range(calls):
        blocks = [{"type": "tool_use", "id": f"toolu_open_{at}", "name": "Bash", "input": {}}]
        message = {"id": "msg_open", "type": "message", "role": "assistant", "content": blocks}
        file.write(_line(f"open-{at}", f"open-{at - 1}" if at else None, "assistant", message=message))


def _claude_code_rows(rng: random.Random) -> Iterator[list[bytes]]:
    """Turns for ever: a question, then answers with one to four calls, their progress, and their results."""
    texts = [_words(rng, rng.choice((80, 300, 900, 2_000, 7_000))) for _ in range(_TEMPLATES)]
    number, last = 0, None

    def row(kind: str, parent: str | None, **more: Any) -> tuple[str, bytes]:
        nonlocal number
        number += 1
        name = f"{rng.getrandbits(32):08x}-0000-4000-8000-{number:012x}"
        return name, _line(name, parent, kind, **more)

    while True:
        lines: list[bytes] = []
        last, line = row("user", last, message={"role": "user", "content": rng.choice(texts)})
        lines.append(line)
        for _ in range(rng.choice((1, 3, 6))):
            answer = f"msg_{rng.getrandbits(96):024x}"
            said = {"id": answer, "type": "message", "role": "assistant", "model": "claude-x"}
            block = {"type": "text", "text": rng.choice(texts)}
            last, line = row("assistant", last, message={**said, "content": [block]}, requestId=answer)
            lines.append(line)
            asked: list[tuple[str, str]] = []
            for _ in range(rng.choice((1, 1, 1, 2, 4))):
                call = f"toolu_{rng.getrandbits(96):024x}"
                block = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": rng.choice(texts)[:300]}}
                last, line = row("assistant", last, message={**said, "content": [block]}, requestId=answer)
                asked.append((call, last))
                lines.append(line)
            for call, parent in asked:
                if rng.random() < 0.3:
                    _, line = row("progress", parent, data={"type": "bash_progress", "output": ""}, toolUseID=call)
                    lines.append(line)
                output = rng.choice(texts)
                block = {"type": "tool_result", "tool_use_id": call, "content": output}
                message = {"role": "user", "content": [block]}
                last, line = row("user", parent, message=message, toolUseResult={"stdout": output, "stderr": ""})
                lines.append(line)
        yield lines


def _line(name: str, parent: str | None, kind: str, **more: Any) -> bytes:
    head = {"parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/work", "sessionId": "s-1"}
    times = {"uuid": name, "timestamp": "2026-01-19T02:24:46.503Z"}
    return json.dumps({**head, "version": "2.1.12", "type": kind, **more, **times}, ensure_ascii=False).encode() + b"\n"


def own(path: str, size: int, *, giant: int = 0) -> int:
    """One of our own files, of about so many bytes; a line of `giant` bytes stands ten turns from its end."""
    rng = random.Random("own")
    texts = [_words(rng, rng.choice((80, 300, 900, 2_000, 7_000))) for _ in range(_TEMPLATES)]
    head = {"type": "session", "format": "rejoinder-session", "version": 1, "uuid": "bench", "timestamp": "2026"}
    number = 0
    last: str | None = None

    def row(message: dict[str, Any]) -> bytes:
        nonlocal number, last
        number += 1
        name = f"{number:08x}-0000-4000-8000-000000000000"
        line = _sealed({"type": "message", "uuid": name, "parentUuid": last, "timestamp": "2026", **message})
        last = name
        return line

    with open(path, "wb", 1 << 20) as file:
        file.write(_sealed(head))
        while file.tell() < size:
            file.writelines(row(message) for message in _turn(rng, texts))
        if giant:
            file.write(row({"role": "user", "content": "x" * giant}))
            for _ in range(10):
                file.writelines(row(message) for message in _turn(rng, texts))
    return number


def _turn(rng: random.Random, texts: list[str]) -> Iterator[dict[str, Any]]:
    call = f"call_{rng.getrandbits(96):024x}"
    function = {"name": "run", "arguments": json.dumps({"command": rng.choice(texts)[:300]})}
    yield {"role": "user", "content": rng.choice(texts)}
    yield {"role": "assistant", "content": None, "tool_calls": [{"id": call, "type": "function", "function": function}]}
    yield {"role": "tool", "tool_call_id": call, "content": rng.choice(texts)}
    yield {"role": "assistant", "content": rng.choice(texts)}


def _sealed(row: dict[str, Any]) -> bytes:
    """Written here a second time, so that a change of the format is noticed."""
    line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()[:-1]
    return line + b',"check":"%08x"}\n' % crc32(line)


def _words(rng: random.Random, length: int) -> str:
    stock = rng.choices(WORDS + FOREIGN if rng.random() < 1 / 6 else WORDS, k=40)
    text = ' "'.join(stock[:4]) + "\n" + " ".join(stock)
    return (text * (length // len(text) + 1))[:length]
