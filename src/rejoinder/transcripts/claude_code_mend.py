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
_MILLISECONDS = re.compile(r"\.(\d{3})Z\Z")


def mends(defect: Defect) -> bool:
    """Is there a change for this defect?"""
    if defect.kind in _LINES:
        return True
    return defect.live and (defect.kind in _CALLS or defect.kind == "orphan" or _is_second_result(defect))


def _is_second_result(defect: Defect) -> bool:
    return defect.kind == "duplicate" and "two results" in defect.says


def changes(lines: Sequence[Line], defects: Iterable[Defect]) -> list[Change]:
    """The changes that mend what can be mended, in the order of the file."""
    held = [defect for defect in defects if mends(defect)]
    records = [record for line in lines for record in line.records]
    plan = _Plan(records)
    plan.answer({name for defect in held if defect.kind in _CALLS for name in defect.ids})
    plan.drop(
        orphans={name for defect in held if defect.kind == "orphan" for name in defect.ids},
        seconds={name for defect in held if _is_second_result(defect) for name in defect.ids},
    )
    plan.relink()
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
        self.rows, _, _, self._path = laid_out(records)
        self.records = records
        self.instead: dict[int, bytes | None] = {}
        self.behind: dict[int, list[bytes]] = {}
        self.says: dict[int, list[str]] = {}

    def answer(self, calls: set[str]) -> None:
        """A result behind each of these calls."""
        for at in self._path:
            row = self.rows[at]
            for name in (name for name in row.calls if name in calls):
                calls.discard(name)
                self.behind.setdefault(at, []).append(_written(_result_row(row, name)))
                self._note(at, f"a result for call {name}: none was recorded")

    def drop(self, orphans: set[str], seconds: set[str]) -> None:
        """Take away the results of calls that are gone, and all but the first of a call that has several."""
        seen: set[str] = set()
        for at in self._path:
            row = self.rows[at]
            gone = {name for name in row.results if name in orphans or (name in seconds and name in seen)}
            seen.update(row.results)
            if not gone:
                continue
            message = row.value["message"]
            kept = [block for block in message["content"] if not _answers(block, gone)]
            value = {**row.value, "message": {**message, "content": kept}}
            self.instead[at] = _written(value) if kept else None
            self._note(at, f"the result {', '.join(sorted(gone))} taken away: {_reason(gone, orphans)}")

    def relink(self) -> None:
        """What hung on a row that goes hangs on what that row hung on."""
        gone = {
            self.rows[at].name: self.rows[at].value.get("parentUuid") for at, new in self.instead.items() if not new
        }
        for at, row in enumerate(self.rows):
            if row.parent not in gone or self.instead.get(at, b"") is None:
                continue
            parent, seen = row.parent, set[Any]()
            while parent in gone and parent not in seen:
                seen.add(parent)
                parent = gone[parent]
            old = self.instead.get(at) or self.records[at].raw
            self.instead[at] = _with_parent(old, row, parent)
            self._note(at, f"hangs on {parent} now")

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


def _with_parent(raw: bytes, row: Row, parent: Any) -> bytes:
    """The row with another parent, and nothing else in it changed, if its parent is found where the tool writes it."""
    old = re.compile(rb'"parentUuid"\s*:\s*' + re.escape(json.dumps(row.parent).encode()))
    if len(old.findall(raw)) == 1:
        return old.sub(lambda _found: b'"parentUuid":' + json.dumps(parent).encode(), raw)
    return _written({**row.value, "parentUuid": parent})


def _of_line(line: Line, plan: _Plan, numbers: range) -> Change | None:
    """The change of one line: all records on it that stay, each on a line of its own, and what comes behind them."""
    odd = [each for each in line.found if isinstance(each, Oddity) and _is_bad(each)]
    says = [words for at in numbers for words in plan.says.get(at, ())]
    aside = tuple(_raw(line, each) for each in odd if "glued" not in each.kind)
    says += [f"{each.kind}: {_done(each)}" for each in odd]
    if not says:
        return None
    if not odd and all(at not in plan.instead for at in numbers):
        # The line stays; something is put behind it.
        new = [row + b"\n" for at in numbers for row in plan.behind.get(at, ())]
        start = b"" if line.raw.endswith(b"\n") else b"\n"
        new_bytes = start + b"".join(new)
        return Change(line=line.number, start=line.stop, stop=line.stop, old=b"", new=new_bytes, says=tuple(says))
    rows: list[bytes] = []
    for at, record in zip(numbers, line.records, strict=True):
        mended = any(each.kind == "broken escape" and each.offset == record.offset for each in odd)
        raw = plan.instead.get(at, _written(record.value) if mended else record.raw.rstrip(b"\r"))
        rows += ([raw] if raw is not None else []) + plan.behind.get(at, [])
    new_bytes = b"".join(row + b"\n" for row in rows)
    return Change(
        line=line.number, start=line.start, stop=line.stop, old=line.raw, new=new_bytes, says=tuple(says), aside=aside
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
