"""Rows with the wrong types everywhere: told or passed over, never a traceback, and in time that fits the input."""

import copy
import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rejoinder as rj
from rejoinder.dialects.detect import DIALECTS
from rejoinder.edge.session_files import session_records
from rejoinder.errors import SessionError
from rejoinder.transcripts import formats
from rejoinder.transcripts.lines import Record
from rejoinder.transcripts.transcript import KINDS, Transcript
from session_samples import (
    INTACT,
    assistant,
    call,
    event,
    gemini_call,
    gemini_message,
    goose_message,
    goose_request,
    goose_response,
    lines,
    meta,
    neovate_call,
    neovate_result,
    neovate_row,
    opencode_message,
    opencode_tool,
    opened,
    output,
    pi_call,
    pi_result,
    pi_row,
    pi_rows,
    pi_said,
    user,
)


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 10**30, "", "x", "\ud800", "a\0b", nested(80)),
    *([], {}, [[]], [None], [{}], {"type": []}, {"type": {}}, {"id": {}}, [{"type": "text"}], {"": None}),
)
ROUNDS = 400


def records(form: str, folder: Path) -> list[dict[str, Any]]:
    path = str(INTACT[form](folder))
    return [each.value for each in session_records(path) if isinstance(each, Record)]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every member and item within a value, as its holder and its key."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(pairs):
        yield value, key
        yield from places(inner)


def mutated(rows: list[Any], rng: random.Random) -> list[Any]:
    """The rows with up to three things wrong: another type, nothing, or rows that repeat or change places."""
    rows = copy.deepcopy(rows)
    for _ in range(rng.randint(1, 3)):
        holder, key = rng.choice(list(places(rows)))
        match rng.randrange(6):
            case 0 if isinstance(holder, dict):
                del holder[key]
            case 1:
                rows.insert(rng.randrange(len(rows) + 1), copy.deepcopy(rng.choice(rows)))
            case 2:
                rng.shuffle(rows)
            case _:
                holder[key] = copy.deepcopy(rng.choice(ODD))
    return rows


def sound(found: Transcript) -> None:
    """Whatever the rows were, this holds of what was made of them."""
    assert len(found.lines) == len(found.messages)
    assert all(isinstance(message, dict) for message in found.messages)
    assert all(isinstance(line, int) for line in found.lines)
    assert {defect.kind for defect in found.defects} <= KINDS.keys()
    for name in ("session", "title", "folder", "model", "began", "ended"):
        assert isinstance(getattr(found, name), str), name
    assert all(isinstance(name, str) for defect in found.defects for name in (defect.says, *defect.ids))
    json.dumps(found.as_dict())
    if found.dialect in DIALECTS and found.messages:
        rj.check(list(found.messages), "pairs", dialect=found.dialect)


def refused(read: Callable[[], Transcript]) -> str:
    """Why it could not be read; what could be is sound, and there was no session to be refused."""
    try:
        sound(read())
    except SessionError as error:
        return str(error)
    return "no session was refused"


@pytest.mark.parametrize("form", INTACT)
def test_wrong_types_are_no_tracebacks(form: str, tmp_path: Path):
    """Read by the reader of their tool, and by whichever finds itself in them."""
    rows = records(form, tmp_path)
    rng = random.Random(form)
    for _ in range(ROUNDS):
        odd = [row for row in mutated(rows, rng) if isinstance(row, dict)]
        numbered = [Record(row, b"", number, 0) for number, row in enumerate(odd, 1)]
        sound(formats.read(numbered, form.split()[0]))
        assert "no session" in refused(lambda rows=numbered: formats.read(rows))


@pytest.mark.parametrize("form", INTACT)
def test_depth_is_no_traceback(form: str, tmp_path: Path):
    """As deep as a line can be read, in the place of each member; calls whose arguments nobody can compare."""
    rows = records(form, tmp_path)
    for number in range(len(list(places(rows)))):
        odd = copy.deepcopy(rows)
        holder, key = list(places(odd))[number]
        holder[key] = nested(900)
        deep = [row for row in (*odd, *odd) if isinstance(row, dict)]
        found = formats.read([Record(row, b"", at, 0) for at, row in enumerate(deep, 1)], form.split()[0])
        assert len(found.lines) == len(found.messages)


@pytest.mark.parametrize("form", [form for form in INTACT if "storage" not in form])
def test_wrong_bytes_are_no_tracebacks(form: str, tmp_path: Path):
    """Flipped, cut out, doubled: read, or refused in one line."""
    path = INTACT[form](tmp_path)
    data = path.read_bytes()
    rng = random.Random(form)
    for _ in range(ROUNDS // 4):
        at, stop = sorted(rng.randrange(len(data)) for _ in range(2))
        match rng.randrange(3):
            case 0:
                odd = data[:at] + bytes((data[at] ^ 1 << rng.randrange(8),)) + data[at + 1 :]
            case 1:
                odd = data[:at] + data[stop:]
            case _:
                odd = data[:stop] + data[at:]
        path.write_bytes(odd)
        assert "\n" not in refused(lambda: opened(path))


@pytest.mark.parametrize(
    "folder", ["openai-codex", "pi-mono", "pinion05-agent-complex-task", "entireio-cli/gemini-cli"]
)
def test_real_sessions_with_wrong_types_are_no_tracebacks(folder: str, evidence: Path):
    """A few rows of each, for the members that no example has."""
    for file in sorted((evidence / "data" / "sessions" / folder).iterdir()):
        found = session_records(str(file))
        rows = [each.value for each in found if isinstance(each, Record)][:40]
        rng = random.Random(file.name)
        for _ in range(20):
            numbered = [Record(row, b"", 1, 0) for row in mutated(rows, rng) if isinstance(row, dict)]
            sound(formats.read(numbered, opened(file).tool))


# --- time ------------------------------------------------------------------------------------------------------------


def codex_rollbacks(size: int) -> Iterator[dict[str, Any]]:
    yield meta()
    yield from (user(f"{number}") for number in range(size))
    yield from (event("thread_rolled_back", num_turns=1) for _ in range(size))


def codex_compactions(size: int) -> Iterator[dict[str, Any]]:
    yield meta()
    for number in range(size):
        yield user("")
        yield call(f"{number}")
        yield {"type": "compacted", "timestamp": "t", "payload": {"message": "x"}}


def codex_open_calls(size: int) -> Iterator[dict[str, Any]]:
    yield meta()
    for number in range(size):
        yield call("same" if number % 2 else f"{number}", f"{number}")
        yield output("other")
        yield assistant("x")


def gemini_rewinds(size: int) -> Iterator[dict[str, Any]]:
    yield {"sessionId": "s", "projectHash": "p"}
    yield from (gemini_message(f"{n}", "gemini", "", toolCalls=[gemini_call(f"{n}", result=None)]) for n in range(size))
    yield from ({"$rewindTo": f"{number}"} for number in reversed(range(size)))


def pi_leaves(size: int) -> Iterator[dict[str, Any]]:
    """A long way, and from its end as many that go on for one row."""
    yield pi_rows()[0]
    for number in range(size):
        yield pi_said(f"{number}", f"{number - 1}" if number else None, "assistant", [pi_call("a")])
    for number in range(size):
        yield pi_result(f"r{number}", f"{size - 1}", "a")
    yield pi_row("last", "0", "custom")


def neovate_results(size: int) -> Iterator[dict[str, Any]]:
    yield neovate_row("call", None, "assistant", [neovate_call(f"{number}") for number in range(size)])
    for number in range(size):
        yield neovate_row(f"{number}", "call", "tool", [neovate_result(f"{number}")])


def opencode_lost(size: int) -> Iterator[dict[str, Any]]:
    for number in range(size):
        ask = opencode_message(f"msg_{2 * number}", "user", [{"type": "compaction"}])
        made = [opencode_tool(f"{number}", "running"), {"type": "step-start"}] * 4
        yield ask
        yield opencode_message(f"msg_{2 * number + 1}", "assistant", made, parentID="none", summary=True, finish="stop")


def goose_open(size: int) -> Iterator[dict[str, Any]]:
    yield {"working_dir": "/app", "message_count": 1}
    for number in range(size):
        yield goose_message("assistant", goose_request(f"{number}"))
        yield goose_message("user", goose_response("none"))


@pytest.mark.parametrize(
    "rows",
    [
        codex_rollbacks,
        codex_compactions,
        codex_open_calls,
        gemini_rewinds,
        pi_leaves,
        neovate_results,
        opencode_lost,
        goose_open,
    ],
    ids=lambda rows: rows.__name__,
)
def test_time_grows_with_the_input(rows: Callable[[int], Iterator[dict[str, Any]]], tmp_path: Path):
    """What is worst for each reader: eight times as much takes at most a few times eight times as long."""
    took: list[float] = []
    for size in (500, 4000):
        path = lines(tmp_path / "rows.jsonl", list(rows(size)))
        best = float("inf")
        for _ in range(3):
            began = time.process_time()
            opened(path)
            best = min(best, time.process_time() - began)
        took.append(best)
    assert took[1] < 8 * 3 * took[0] + 0.05, took
