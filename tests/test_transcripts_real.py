"""Real sessions of other agents: every defect that is there is found, none is invented, nothing is lost."""

import json
from collections import Counter
from pathlib import Path

import pytest

import rejoinder as rj
from rejoinder.dialects.detect import DIALECTS
from rejoinder.errors import SessionError
from rejoinder.transcripts import formats, pi
from rejoinder.transcripts.lines import Record
from session_samples import opened

GEMINI = ("cancelled-tool", "error-turn", "info-error", "long", "only-warning")


@pytest.fixture(scope="module")
def sessions(evidence: Path) -> Path:
    return evidence / "data" / "sessions"


def test_a_codex_rollout_of_the_first_form(sessions: Path):
    """Rows without an envelope, and rows of state between them: every item is there, in order, and all is paired."""
    path = next((sessions / "openai-codex").glob("*.jsonl"))
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    found = opened(path)
    assert found.messages == tuple(row for row in rows[1:] if "type" in row)
    assert [rows[line - 1] for line in found.lines] == list(found.messages)
    assert (found.tool, found.session, found.defects, found.branches) == ("codex", rows[0]["id"], (), ())
    assert found.began == "2025-08-06T18:02:11.653Z"
    assert found.system == rows[0]["instructions"]
    if found.dialect in DIALECTS:
        assert rj.check(list(found.messages), "pairs", dialect=found.dialect) == []


@pytest.mark.parametrize("name", GEMINI)
def test_a_gemini_session(sessions: Path, name: str):
    """Each call has its result behind it, under the same id; what the model said stays as it was."""
    path = sessions / "entireio-cli" / "gemini-cli" / f"{name}.json"
    kept = json.loads(path.read_text("utf-8"))
    found = opened(path)
    assert (found.tool, found.defects, found.oddities) == ("gemini-cli", (), ())
    assert (found.session, found.began, found.ended) == (kept["sessionId"], kept["startTime"], kept["lastUpdated"])
    parts = [part for content in found.messages for part in content["parts"]]
    calls = [part["functionCall"]["id"] for part in parts if "functionCall" in part]
    assert calls == [call["id"] for message in kept["messages"] for call in message.get("toolCalls", ())]
    assert calls == [part["functionResponse"]["id"] for part in parts if "functionResponse" in part]
    said = [part["text"] for part in parts if "text" in part and not part.get("thought")]
    assert said == [
        each["content"] for each in kept["messages"] if each["type"] in ("user", "gemini") and each["content"]
    ]
    if found.dialect in DIALECTS and found.messages:
        assert rj.check(list(found.messages), "pairs", dialect=found.dialect) == []


def test_a_large_pi_session(sessions: Path):
    """Eighteen calls without a result, all of turns that broke off; what a check of the messages finds are those."""
    path = sessions / "pi-mono" / "large-session.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    found = opened(path)
    assert Counter(defect.kind for defect in found.defects) == {"errored": 18}
    broken = {
        part["id"]
        for row in rows
        if row.get("message", {}).get("stopReason") in ("error", "aborted")
        for part in row["message"]["content"]
        if part["type"] == "toolCall"
    }
    named = [name for defect in found.defects for name in defect.ids]
    assert sorted(named) == sorted(broken)
    told = rj.check(list(found.messages), "pairs", dialect=found.dialect)
    assert sorted(name for finding in told for name in finding.ids) == sorted(broken)
    blocks = [block for message in found.messages for block in message["content"]]
    assert sum(block["type"] == "tool_use" for block in blocks) == 391
    assert sum(block["type"] == "tool_result" for block in blocks) == 373
    mended = rj.repair(list(found.messages), "pairs", dialect=found.dialect).payload
    assert rj.check(mended, "pairs", dialect=found.dialect) == []


def test_a_pi_session_that_a_masker_broke(sessions: Path):
    """The one line whose escape is broken is mended, and nothing is missing; without that line, three calls are."""
    path = sessions / "pinion05-agent-complex-task" / "masking-broke-json.jsonl"
    found = opened(path)
    assert (found.tool, found.defects) == ("pi", ())
    assert [(odd.kind, odd.line) for odd in found.oddities] == [("broken escape", 118)]
    assert rj.check(list(found.messages), "pairs", dialect=found.dialect) == []
    kept: list[Record] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if line and number != 118:
            kept.append(Record(json.loads(line), line, number, 0))
    without = formats.read(kept)
    assert without.tool == pi.FORMAT.name
    assert Counter(defect.kind for defect in without.defects) == {"orphan": 3, "gap": 1}
    assert without.messages == found.messages[-len(without.messages) :]


def test_every_file_is_read_or_refused_in_one_line(sessions: Path):
    """By what is in it: no file of another tool is taken for one of these."""
    own = {"openai-codex": "codex", "pi-mono": "pi", "pinion05-agent-complex-task": "pi", "gemini-cli": "gemini-cli"}
    seen: Counter[str] = Counter()
    refused: dict[Path, str] = {}
    for path in sorted(each for each in sessions.rglob("*") if each.is_file()):
        try:
            found = opened(path)
        except SessionError as error:
            refused[path] = str(error)
            continue
        seen[found.tool] += 1
        assert found.tool == own.get(path.parent.name, found.tool)
        assert found.tool not in own.values() or path.parent.name in own, path
    assert [says for says in refused.values() if "\n" in says] == []
    assert [path for path in refused if path.parent.name in own] == []
    assert seen["gemini-cli"] == 5
    assert seen["pi"] == 2
    assert seen["codex"] == 1
