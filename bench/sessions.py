"""What sessions on disk cost: an append, the health of 300 MB, the last turns of 1 GB. `python bench/sessions.py`."""

import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import report
import session_files
from gates import Gate
from race import clock

from rejoinder.edge.health import health
from rejoinder.edge.sessions import Session

HERE = Path(__file__).resolve().parent
ROUNDS = 5
APPEND = 1.5
# 0.8 of the speed.
SCAN = 1.25
SCAN_ROOM, LONGEST_LINES = 64, 4
TAIL_MILLISECONDS, TAIL_ROOM, TURNS = 50, 32, 100
SCANNED, TAILED, GIANT = 300_000_000, 1_000_000_000, 64_000_000
# Bytes of a row, and how many are written a round.
SIZES = {300: 300, 2_000: 300, 20_000: 100, 200_000: 20}
MEMORY = Path("/dev/shm")
_MEGABYTE = 1 << 20

_encode_into = msgspec.json.Encoder().encode_into


class _Block(msgspec.Struct, gc=False):
    type: str = ""
    id: str = ""
    tool_use_id: str = ""


class _Message(msgspec.Struct, gc=False):
    role: str = ""
    content: str | list[_Block] = ""


class _Row(msgspec.Struct, gc=False):
    """The least that a look at the pairs of a session has to decode."""

    type: str
    message: _Message | None = None


class _ToolCall(msgspec.Struct, gc=False):
    id: str = ""


class _OwnRow(msgspec.Struct, gc=False):
    type: str
    role: str = ""
    tool_call_id: str | None = None
    tool_calls: list[_ToolCall] | None = None


def measure(rounds: int = ROUNDS) -> list[Gate]:
    """Print the tables, and give the figures that must hold."""
    with tempfile.TemporaryDirectory() as folder:
        return [*_appends(folder, rounds), *_scans(folder, rounds), *_tails(folder, rounds)]


# --- append -----------------------------------------------------------------------------------------------------------


def _appends(folder: str, rounds: int) -> list[Gate]:
    print("Session.append, level flush, in times of os.write of the same bytes to a file opened to append")
    print("(and what of that is encoding, check value and write alone)")
    found: list[Gate] = []
    for name, place in _places(folder):
        for size in SIZES:
            bare, floor, append = _append(place, size, rounds)
            says = f"append of {size:,} bytes on {name} (times os.write)"
            print(f"  {name:8}{size:>10,} bytes{append / bare:>8.2f}{floor / bare:>8.2f}{append * 1e6:>10.2f} µs")
            found.append(Gate(says, append / bare, APPEND))
    print()
    return found


def _places(folder: str) -> Iterator[tuple[str, str]]:
    yield "disk", folder
    if MEMORY.is_dir():
        with tempfile.TemporaryDirectory(dir=MEMORY) as memory:
            yield "memory", memory


def _append(folder: str, size: int, rounds: int) -> tuple[float, float, float]:
    """Seconds of a bare write, of the least that makes a row and writes it, and of an append: the best of many."""
    session = Session.create(folder=folder)
    message = {"role": "user", "content": "x" * (size - 170)}
    session.append(message)
    line = Path(session.path).read_bytes().splitlines(keepends=True)[1]
    row = msgspec.json.decode(line)
    del row["check"]
    buffer = bytearray()
    handle = os.open(session.path + ".bare", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)

    def bare() -> None:
        os.write(handle, line)

    def floor() -> None:
        _encode_into(row, buffer)
        del buffer[-1]
        buffer.extend(b',"check":"%08x"}\n' % crc32(buffer))
        os.write(handle, buffer)

    best = [9.0, 9.0, 9.0]
    for turn in range(rounds * 20):
        for at, work in enumerate((bare, floor, lambda: session.append(message))):
            best[at] = min(best[at], _seconds(work, SIZES[size]))
        if turn % 10 == 9:
            os.truncate(session.path + ".bare", 0)
    os.close(handle)
    session.close()
    os.unlink(session.path)
    os.unlink(session.path + ".bare")
    return best[0], best[1], best[2]


def _seconds(work: Callable[[], object], times: int) -> float:
    with _without_collections():
        began = clock()
        for _ in range(times):
            work()
        return (clock() - began) / times


@contextmanager
def _without_collections() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


# --- scan and health --------------------------------------------------------------------------------------------------


def _scans(folder: str, rounds: int) -> list[Gate]:
    path = os.path.join(folder, "session.jsonl")
    found: list[Gate] = []
    print(f"health of {SCANNED / 1e6:,.0f} MB, in times of msgspec decoding a minimal struct a line, and what it keeps")
    makers = (
        ("Claude Code", lambda: session_files.claude_code(path, SCANNED), _Row),
        ("Claude Code, a call open", lambda: session_files.claude_code(path, SCANNED, open_calls=1), None),
        ("our own, check values held", lambda: session_files.own(path, SCANNED), _OwnRow),
    )
    for name, make, struct in makers:
        count = make()
        room = _process("health", path)
        longest = room["longest"] / _MEGABYTE
        most = SCAN_ROOM + LONGEST_LINES * longest
        says = f"health of {count:,} rows, {name}"
        print(f"  {name:28}{room['megabytes']:>8.0f} MB, {room['defects']} defects, quick: {room['quick']}")
        found.append(Gate(f"{says} (MB)", room["megabytes"], most))
        if struct is not None:
            least, scan, plain = _scan(path, struct, rounds)
            print(
                f"  {'':28}{scan / least:>8.2f} times a minimal struct; {plain / scan:.1f} times as fast as json.loads"
            )
            found.append(Gate(f"{says} (times a minimal struct)", scan / least, SCAN))
    print()
    os.unlink(path)
    return found


def _scan(path: str, struct: Any, rounds: int) -> tuple[float, float, float]:
    """Seconds of decoding a minimal struct, of the health, and of json.loads: the best of some."""
    decode = msgspec.json.Decoder(struct).decode

    def each(work: Callable[[bytes], object]) -> Callable[[], None]:
        def run() -> None:
            with open(path, "rb", _MEGABYTE) as file:
                for line in file:
                    work(line)

        return run

    best = [99.0, 99.0, 99.0]
    for turn in range(rounds):
        for at, work in enumerate((each(decode), lambda: health(path), each(json.loads))):
            if at < 2 or turn == 0:
                best[at] = min(best[at], _seconds(work, 1))
    return best[0], best[1], best[2]


# --- the last turns ---------------------------------------------------------------------------------------------------


def _tails(folder: str, rounds: int) -> list[Gate]:
    path = os.path.join(folder, "session.jsonl")
    found: list[Gate] = []
    print(f"the last {TURNS} turns of {TAILED / 1e9:.0f} GB, in a process of their own")
    for name, giant in (("plain", 0), (f"a line of {GIANT / 1e6:.0f} MB ten turns from its end", GIANT)):
        session_files.own(path, TAILED, giant=giant)
        answers = [_process("tail", path) for _ in range(rounds)]
        milliseconds = min(answer["seconds"] for answer in answers) * 1e3
        megabytes = min(answer["megabytes"] for answer in answers)
        print(f"  {name:48}{milliseconds:>8.1f} ms{megabytes:>8.0f} MB, {answers[0]['messages']} messages")
        # A line that is on the way has to be read: that is told, and is no gate.
        found.append(Gate(f"last {TURNS} turns, {name} (ms)", milliseconds, None if giant else TAIL_MILLISECONDS))
        found.append(Gate(f"last {TURNS} turns, {name} (MB)", megabytes, None if giant else TAIL_ROOM))
    print()
    os.unlink(path)
    return found


def _process(what: str, path: str) -> dict[str, Any]:
    command = [sys.executable, str(HERE / "session_room.py"), what, path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    return json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


if __name__ == "__main__":
    sys.exit(0 if report.gates(measure()) else 1)
