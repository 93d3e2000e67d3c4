"""The smallest change after which Claude Code resumes a session of its own without an error.

A call without a result gets one that says that none was recorded, as a row of the shape that the tool writes for an
error. Records that were glued are put on lines of their own, what cannot be read is set aside, and a result whose call
is gone is taken away. What is off the active path stays: to resume does not meet it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from rejoinder.transcripts.change import Change, Line
from rejoinder.transcripts.claude_code import laid_out
from rejoinder.transcripts.claude_code_health import defects_of
from rejoinder.transcripts.claude_code_rows import Row
from rejoinder.transcripts.lines import Oddity, Record
from rejoinder.transcripts.transcript import Defect
from rejoinder.values.exchange import UNRECORDED
from rejoinder.values.loose import is_object

# What a row of a result has in common with the row of its call.
_SHARED = (
    "isSidechain userType entrypoint cwd sessionId version gitBranch agentId slug teamName agentName promptId".split()
)
_CALLS = frozenset({"pending", "interrupted", "errored", "cut"})
_LINES = frozenset({"glued", "unreadable", "torn"})
# How often it is looked again at what leads the conversation, before all results without a call go.
_ROUNDS = 20
_MILLISECONDS = re.compile(r"\.(\d{3})Z\Z")


def mends(defect: Defect) -> bool:
    """Is there a change for this defect?"""
    if defect.kind in _LINES:
        return True
    return defect.live and (defect.kind in _CALLS or defect.kind == "orphan" or _is_second_result(defect))


def _is_second_result(defect: Defect) -> bool:
    return defect.kind == "duplicate" and "two results" in defect.says


def changes(lines: Sequence[Line]) -> list[Change]:
    """The changes that mend what can be mended, in the order of the file."""
    plan = _Plan([record for line in lines for record in line.records])
    plan.settle()
    made: list[Change] = []
    at = 0
    for line in lines:
        count = len(line.records)
        change = _of_line(line, plan, range(at, at + count))
        at += count
        if change is not None:
            made.append(change)
    return made


class _Plan:
    """What is to become of each record: other bytes, nothing, or a row behind it."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.now: list[Record | None] = list(records)
        self.instead: set[int] = set()
        self.behind: dict[int, list[bytes]] = {}
        self.says: dict[int, list[str]] = {}

    def settle(self) -> None:
        """Take away what answers nothing, then give each call that is left open its result.

        What leads a conversation can be a result that goes; then it is led by another row, and looked at again.
        """
        rounds = 0
        while True:
            numbers = [at for at, record in enumerate(self.now) if record is not None]
            rows, tree, leaf, path = laid_out([record for record in self.now if record is not None])
            everywhere = rounds >= _ROUNDS
            found = list(defects_of(rows, tree, leaf, path))
            held = [each for each in found if mends(each) or (everywhere and each.kind == "orphan")]
            orphans = {name for each in held if each.kind == "orphan" for name in each.ids}
            seconds = {name for each in held if _is_second_result(each) for name in each.ids}
            if not orphans and not seconds:
                wanted = {name for each in held if each.kind in _CALLS for name in each.ids}
                self._answer([(numbers[at], rows[at]) for at in path], wanted)
                return
            self._drop(rows, numbers, range(len(rows)) if everywhere else path, orphans, seconds)
            rounds += 1

    def _answer(self, path: Iterable[tuple[int, Row]], calls: set[str]) -> None:
        """A result behind each of these calls."""
        for at, row in path:
            for name in (name for name in row.calls if name in calls):
                calls.discard(name)
                self.behind.setdefault(at, []).append(_written(_result_row(row, name)))
                self._note(at, f"a result for call {name}: none was recorded")

    def _drop(
        self, rows: list[Row], numbers: list[int], path: Iterable[int], orphans: set[str], seconds: set[str]
    ) -> None:
        """Take away the results of calls that are gone, and all but the first of a call that has several."""
        seen: set[str] = set()
        gone_rows: dict[str, Any] = {}
        for at in path:
            row = rows[at]
            gone = {name for name in row.results if name in orphans or (name in seconds and name in seen)}
            seen.update(row.results)
            if not gone:
                continue
            message = row.value["message"]
            kept = [block for block in message["content"] if not _answers(block, gone)]
            if kept:
                value = {**row.value, "message": {**message, "content": kept}}
                self._change(numbers[at], value, _written(value))
            else:
                self.now[numbers[at]] = None
                gone_rows |= {row.name: row.value.get("parentUuid")} if row.name is not None else {}
            self._note(numbers[at], f"the result {', '.join(sorted(gone))} taken away: {_reason(gone, orphans)}")
        self._relink(gone_rows)

    def _relink(self, gone: dict[str, Any]) -> None:
        """What hung on a row that goes hangs on what that row hung on."""
        for at, record in enumerate(self.now):
            parent = record.value.get("parentUuid") if record is not None else None
            if record is None or not isinstance(parent, str) or parent not in gone:
                continue
            seen = set[str]()
            while isinstance(parent, str) and parent in gone and parent not in seen:
                seen.add(parent)
                parent = gone[parent]
            value = {**record.value, "parentUuid": parent}
            self._change(at, value, _with_parent(record, value))
            self._note(at, f"hangs on {parent} now")

    def _change(self, at: int, value: dict[str, Any], raw: bytes) -> None:
        record = self.now[at]
        if record is not None:
            self.now[at] = Record(value, raw, record.line, record.offset)
            self.instead.add(at)

    def _note(self, at: int, says: str) -> None:
        self.says.setdefault(at, []).append(says)


def _reason(gone: set[str], orphans: set[str]) -> str:
    return "its call is gone" if gone & orphans else "its call has another"


def _answers(block: Any, names: set[str]) -> bool:
    return is_object(block) and block.get("type") == "tool_result" and str(block.get("tool_use_id")) in names


def _result_row(row: Row, call: str) -> dict[str, Any]:
    """The row that the tool writes for a result that is an error, with the text that claims nothing."""
    value = row.value
    block = {"type": "tool_result", "content": UNRECORDED, "is_error": True, "tool_use_id": call}
    seed = f"{value.get('sessionId')} {row.name} {call}".encode("utf-8", "backslashreplace").decode()
    return {
        "parentUuid": row.name,
        **{name: value[name] for name in value if name in _SHARED},
        "type": "user",
        "message": {"role": "user", "content": [block]},
        "uuid": str(uuid5(NAMESPACE_OID, seed)),
        **({"timestamp": _later(value["timestamp"])} if isinstance(value.get("timestamp"), str) else {}),
        "toolUseResult": f"Error: {UNRECORDED}",
        "sourceToolAssistantUUID": row.name,
    }


def _later(timestamp: str) -> str:
    """A thousandth of a second later, so that readers who go by time have the result behind its call."""
    found = _MILLISECONDS.search(timestamp)
    if found is None or found[1] == "999":
        return timestamp
    return f"{timestamp[: found.start()]}.{int(found[1]) + 1:03d}Z"


def _written(value: dict[str, Any]) -> bytes:
    """A row as the tool writes it: compact, in UTF-8; a lone surrogate as its escape."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def _with_parent(record: Record, value: dict[str, Any]) -> bytes:
    """The row with another parent, and nothing else in it changed, if its parent is found where the tool writes it."""
    old = re.compile(rb'"parentUuid"\s*:\s*' + re.escape(json.dumps(record.value["parentUuid"]).encode()))
    if len(old.findall(record.raw)) == 1:
        return old.sub(lambda _found: b'"parentUuid":' + json.dumps(value["parentUuid"]).encode(), record.raw)
    return _written(value)


def _of_line(line: Line, plan: _Plan, numbers: range) -> Change | None:
    """The change of one line: all records on it that stay, each on a line of its own, and what comes behind them."""
    odd = [each for each in line.found if isinstance(each, Oddity) and _is_bad(each)]
    says = [words for at in numbers for words in plan.says.get(at, ())]
    aside = tuple(_raw(line, each) for each in odd if "glued" not in each.kind)
    says += [f"{each.kind}: {_done(each)}" for each in odd]
    if not says:
        return None
    behind = [row + b"\n" for at in numbers for row in plan.behind.get(at, ())]
    if not odd and all(plan.now[at] is not None and at not in plan.instead for at in numbers):
        # The line stays; something is put behind it.
        new = b"".join((b"" if line.raw.endswith(b"\n") else b"\n", *behind))
        return Change(line=line.number, start=line.stop, stop=line.stop, old=b"", new=new, says=tuple(says))
    escaped = {each.offset for each in odd if each.kind == "broken escape"}
    rows: list[bytes] = []
    for at in numbers:
        record = plan.now[at]
        if record is not None:
            mended = record.offset in escaped and at not in plan.instead
            rows.append(_written(record.value) if mended else record.raw.rstrip(b"\r"))
        rows += plan.behind.get(at, [])
    new = b"".join(row + b"\n" for row in rows)
    return Change(
        line=line.number, start=line.start, stop=line.stop, old=line.raw, new=new, says=tuple(says), aside=aside
    )


def _is_bad(odd: Oddity) -> bool:
    return "glued" in odd.kind or odd.kind == "broken escape" or odd.loses


def _done(odd: Oddity) -> str:
    if "glued" in odd.kind:
        return "one record a line"
    return "its backslash taken away, the old line set aside" if odd.kind == "broken escape" else "set aside"


def _raw(line: Line, odd: Oddity) -> bytes:
    start = odd.offset - line.start
    return line.raw[start : start + odd.length]
