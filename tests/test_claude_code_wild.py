"""Claude Code's session files as people have them, and what is left of them when something is taken out."""

from __future__ import annotations

import json
import os
import random
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest

from claude_code_files import OPEN, answered, called, found, open_calls, pairing, read, read_lines

REAL = Path("data") / "sessions" / "entireio-cli" / "claude-code"
# What is wrong with each of the real files, read by hand: the kind, the line, whether it is on the active path.
KNOWN: dict[str, list[tuple[str, int, bool]]] = {
    "glued-records": [("glued", 128, True)],
    "head-cut-slice": [],
    "orphan-result-head-cut": [("orphan", 1, False)],
    "parallel-tools-heavy": [],
    "parallel-tools-small": [],
    "pending-call-at-end": [("pending", 4, True)],
    "pending-call-before-compaction": [("cut", 441, False), ("gap", 442, False)],
    "phantom-parent-progress": [("gap", 51, False)],
    "resume-fork-a": [],
    "resume-fork-b": [],
    "split-message-id": [],
    "split-message-id-small": [],
}


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def holds(line: bytes, kind: str) -> list[str]:
    """The ids of the blocks of a kind in a line."""
    try:
        message = json.loads(line).get("message")
    except ValueError:
        return []
    content = message.get("content") if isinstance(message, dict) else None
    name = "id" if kind == "tool_use" else "tool_use_id"
    return [block[name] for block in content if block.get("type") == kind] if isinstance(content, list) else []


@pytest.fixture(params=sorted(KNOWN))
def real(request: pytest.FixtureRequest, evidence: Path) -> Path:
    return evidence / REAL / f"{request.param}.jsonl"


def test_exactly_what_is_wrong_with_a_real_file_is_found(real: Path):
    assert found(read(real)) == KNOWN[real.stem]


def test_the_messages_of_a_real_file_pair_but_for_what_its_defects_explain(real: Path):
    transcript = read(real)
    explained = {defect.kind for defect in transcript.defects if defect.live} & (OPEN | {"orphan"})
    assert bool(pairing(transcript)) == bool(explained)


def test_no_call_of_a_real_file_is_lost(real: Path):
    """What was called behind the last compaction is in the messages, once, unless it is on a way that was left."""
    transcript = read(real)
    lines = lines_of(real)
    begins = max((at for at, line in enumerate(lines) if b'"subtype":"compact_boundary"' in line), default=0)
    wanted = [name for line in lines[begins:] for name in holds(line, "tool_use")]
    assert called(transcript) == list(dict.fromkeys(wanted))


def test_a_result_taken_out_of_a_real_file_leaves_exactly_its_call_open(real: Path, tmp_path: Path):
    lines = lines_of(real)
    before = open_calls(read(real))
    orphans = {name for defect in read(real).defects if defect.kind == "orphan" for name in defect.ids}
    places = [at for at, line in enumerate(lines) if set(holds(line, "tool_result")) - orphans]
    for at in places[:: max(1, len(places) // 8)]:
        # The rows behind it hang on the row in front of it now, as if it had never been written.
        gone = json.loads(lines[at])
        mark = json.dumps(gone["uuid"]).encode()
        rest = [
            line.replace(b'"parentUuid":' + mark, b'"parentUuid":' + json.dumps(gone["parentUuid"]).encode())
            for line in (*lines[:at], *lines[at + 1 :])
        ]
        assert open_calls(read_lines(rest, tmp_path)) == before | set(holds(lines[at], "tool_result"))


def test_a_real_file_without_its_head_has_no_gap_that_it_had_not_before(real: Path, tmp_path: Path):
    lines = lines_of(real)
    before = {name for defect in read(real).defects if defect.kind == "gap" for name in defect.ids}
    for cut in range(1, len(lines), max(1, len(lines) // 40)):
        after = read_lines(lines[cut:], tmp_path)
        assert {name for defect in after.defects if defect.kind == "gap" for name in defect.ids} <= before
        assert open_calls(after) <= open_calls(read(real))


def test_a_branch_of_progress_changes_nothing(real: Path, tmp_path: Path):
    lines = lines_of(real)
    before = read(real)
    named = [row for line in lines if b'"uuid"' in line and (row := _row(line)).get("uuid")]
    for at in range(0, len(named), max(1, len(named) // 10)):
        more = [named[at] | {"type": kind, "uuid": f"more-{kind}", "parentUuid": named[at]["uuid"]} for kind in BESIDE]
        for row in more:
            row.pop("message", None)
        after = read_lines([*lines, *(json.dumps(row).encode() for row in more)], tmp_path)
        assert after.messages == before.messages
        assert found(after) == found(before)
        assert after.branches == before.branches


BESIDE = ("progress", "attachment", "system")


def _row(line: bytes) -> dict[str, Any]:
    try:
        return json.loads(line)
    except ValueError:
        return {}


@pytest.mark.parametrize("name", ["split-message-id", "parallel-tools-small"])
def test_the_rows_of_an_answer_may_be_one_or_many(name: str, evidence: Path, tmp_path: Path):
    """Rows of one `message.id` joined to one row: the same messages."""
    lines = lines_of(evidence / REAL / f"{name}.jsonl")
    before = read_lines(lines, tmp_path)
    joined: list[dict[str, Any]] = []
    stands_for: dict[str, str] = {}
    answers: dict[str, dict[str, Any]] = {}
    for row in map(_row, lines):
        row["parentUuid"] = stands_for.get(str(row.get("parentUuid")), row.get("parentUuid"))
        answer = row["message"]["id"] if row.get("type") == "assistant" else None
        if answer in answers:
            answers[answer]["message"]["content"] += row["message"]["content"]
            stands_for[row["uuid"]] = answers[answer]["uuid"]
            continue
        if answer:
            answers[answer] = row
        joined.append(row)
    after = read_lines([json.dumps(row).encode() for row in joined], tmp_path)
    assert len(joined) < len(lines)
    assert after.messages == before.messages


def test_the_tools_own_reader_sees_the_same_calls_and_results(evidence: Path, tmp_path: Path):
    """claude-agent-sdk, on the real files and on pieces of them: cut at the front, and cut at the end."""
    python = os.environ.get("REJOINDER_CLAUDE_SDK")
    if not python:
        pytest.skip("NOT CHECKED against claude-agent-sdk: REJOINDER_CLAUDE_SDK names no Python that has it")
    folder = tmp_path / "projects" / "-there"
    folder.mkdir(parents=True)
    chance = random.Random(3)
    paths: list[Path] = []
    for name in KNOWN:
        lines = lines_of(evidence / REAL / f"{name}.jsonl")
        cuts = [chance.randrange(1, len(lines)) for _ in range(8)]
        for piece in (lines, *(lines[cut:] for cut in cuts[:4]), *(lines[:cut] for cut in cuts[4:])):
            paths.append(folder / f"{uuid.uuid5(uuid.NAMESPACE_OID, str(len(paths)))}.jsonl")
            paths[-1].write_bytes(b"\n".join(piece) + b"\n")
    judge = Path(__file__).parent / "judges" / "claude_sdk_reader.py"
    done = subprocess.run([python, judge, tmp_path, *(path.stem for path in paths)], capture_output=True, check=True)
    told = json.loads(done.stdout)
    for path in paths:
        theirs = [json.dumps({"message": message}).encode() for _, _, message in told[path.stem]]
        transcript = read(path)
        assert {name for each in theirs for name in holds(each, "tool_use")} == set(called(transcript))
        assert {name for each in theirs for name in holds(each, "tool_result")} == set(answered(transcript))
