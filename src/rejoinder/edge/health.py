"""How a session file is: in one quick pass that keeps nothing of it, and thoroughly where that is not sure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, cast

import msgspec

from rejoinder.edge.rows import batches, records
from rejoinder.transcripts import claude_code, claude_code_scan, own, own_scan
from rejoinder.transcripts.formats import read
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.quick import Batches, Counts, surely
from rejoinder.transcripts.transcript import Defect

_OWN, _CLAUDE_CODE = "rejoinder", "claude-code"
# Of each format that has one: its quick pass.
SCANS: dict[str, Callable[[Batches], Counts]] = {_OWN: own_scan.scan, _CLAUDE_CODE: claude_code_scan.scan}
_SAMPLE = 64
_SHORT, _DEEP = 80, 2
# What the reader of Claude Code asks a row for, besides its message, when it looks for defects.
_DECIDES = (
    *("type", "subtype", "uuid", "parentUuid", "logicalParentUuid", "requestId", "message"),
    *("isSidechain", "isMeta", "isApiErrorMessage"),
)


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """A session in figures, and its defects. `said` counts rows that somebody said; `quick`: one pass was enough."""

    tool: str
    rows: int
    said: int
    calls: int = 0
    results: int = 0
    defects: tuple[Defect, ...] = ()
    quick: bool = True

    def as_dict(self) -> dict[str, Any]:
        """The health as plain data, for JSON."""
        plain = {name: getattr(self, name) for name in self.__struct_fields__}
        return plain | {"defects": [defect.as_dict() for defect in self.defects]}


def health(path: str) -> Health:
    """How a session is: quickly where that is sure, else thoroughly, with what decides in memory."""
    tool = _tool(path)
    counts = surely(SCANS[tool], batches(path)) if tool else None
    if counts is not None:
        return Health(tool=tool, rows=counts.rows, said=counts.said, calls=counts.calls, results=counts.results)
    found = read(_lighter(records(path)), tool) if tool == _CLAUDE_CODE else read(records(path))
    return Health(tool=found.tool, rows=found.records, said=len(found.messages), defects=found.defects, quick=False)


def _lighter(found: Iterable[Found]) -> Iterator[Found]:
    """Claude Code's records without what decides nothing, long texts as digests: what was alike still is."""
    once: dict[str, str] = {}
    for each in found:
        if not isinstance(each, Record):
            yield each
            continue
        value = {name: _digested(each.value[name], once) for name in _DECIDES if name in each.value}
        message = each.value.get("message")
        if isinstance(message, dict):
            said = cast(dict[str, Any], message)
            value["message"] = {name: _digested(said[name], once) for name in ("id", "content") if name in said}
        yield Record(value, b"", each.line, each.offset)


def _digested(value: Any, once: dict[str, str], depth: int = 0) -> Any:
    if isinstance(value, str):
        return once.setdefault(value, value) if len(value) <= _SHORT else f"{len(value)} {hash(value)}"
    if depth == _DEEP:
        return f"{hash(repr(cast(object, value)))}" if isinstance(value, dict | list) else value
    if isinstance(value, list):
        return [_digested(each, once, depth + 1) for each in cast(list[Any], value)]
    if isinstance(value, dict):
        return {name: _digested(each, once, depth + 1) for name, each in cast(dict[str, Any], value).items()}
    return value


def _tool(path: str) -> str:
    """Which of the formats that have a quick pass this is; nothing for any other."""
    sample = [found.value for found in islice(records(path), _SAMPLE) if isinstance(found, Record)]
    if sample and own.is_header(sample[0]):
        return _OWN
    return _CLAUDE_CODE if claude_code.knows(sample) else ""
