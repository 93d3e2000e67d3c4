"""A row of Claude Code, as far as the tree, the messages and the pairs need it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rejoinder.transcripts.lines import Record
from rejoinder.transcripts.tree import Tree
from rejoinder.values.loose import is_array, is_object

SPOKEN = frozenset({"user", "assistant"})


class Row(NamedTuple):
    """One row. `kind` is who speaks, or nothing; `copy_of` is an earlier row that it is word for word."""

    line: int
    value: dict[str, Any]
    kind: str
    name: str | None
    parent: str | None
    calls: tuple[str, ...]
    results: tuple[str, ...]
    only_results: bool
    answer: str
    copy_of: int | None

    @property
    def side(self) -> bool:
        """Is it a sub-agent's?"""
        return bool(self.value.get("isSidechain"))

    @property
    def meta(self) -> bool:
        """Did the tool say it in the user's name?"""
        return bool(self.value.get("isMeta"))

    @property
    def failed(self) -> bool:
        """Does it stand for an answer that never came?"""
        return bool(self.value.get("isApiErrorMessage"))

    @property
    def compacts(self) -> bool:
        """Does the live conversation begin anew here?"""
        return self.value.get("type") == "system" and self.value.get("subtype") == "compact_boundary"

    def says(self) -> str:
        """Its content as a text, to find it again; what is nested too deep to be written is like nothing else."""
        try:
            return repr(self.value["message"].get("content"))
        except RecursionError:
            return f"row {self.name} on line {self.line}"


def rows_of(records: Sequence[Record]) -> list[Row]:
    """All rows, in the order of the file."""
    answers = _answers(records)
    rows: list[Row] = []
    first: dict[str, int] = {}
    for at, record in enumerate(records):
        value = record.value
        name, message = text_of(value, "uuid"), value.get("message")
        kind = str(value.get("type"))
        kind = kind if kind in SPOKEN and is_object(message) else ""
        before = first.setdefault(name, at) if name is not None else at
        twin = before if before != at and _is_copy(rows[before].value, value) else None
        calls, results, only = _pairs(message) if kind else ((), (), False)
        answer = answers[at] if kind == "assistant" else ""
        rows.append(Row(record.line, value, kind, name, _parent(value), calls, results, only, answer, twin))
    return rows


def text_of(value: dict[str, Any], name: str) -> str | None:
    """A member that is a text, and says something."""
    text = value.get(name)
    return text if isinstance(text, str) and text else None


def alike(one: Any, other: Any) -> bool:
    """Are they the same? What is nested too deep to be compared is not."""
    try:
        return bool(one == other)
    except RecursionError:
        return False


def _is_copy(one: dict[str, Any], other: dict[str, Any]) -> bool:
    said, again = one.get("message"), other.get("message")
    if is_object(said) and is_object(again):
        # What an answer cost is counted on while it is streamed.
        said, again = said.get("content"), again.get("content")
    return one.get("type") == other.get("type") and alike(said, again)


def _parent(value: dict[str, Any]) -> str | None:
    """What it hangs on. Behind a compaction the conversation begins anew; another system row only leaves a mark."""
    parent = text_of(value, "parentUuid")
    if parent is None and value.get("subtype") != "compact_boundary":
        return text_of(value, "logicalParentUuid")
    return parent


def _pairs(message: Any) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """The ids of its calls and of its results, and whether it has results and nothing else."""
    content = message.get("content")
    blocks = content if is_array(content) else []
    calls = [str(each.get("id")) for each in blocks if is_object(each) and each.get("type") == "tool_use"]
    results = [str(each.get("tool_use_id")) for each in blocks if is_object(each) and each.get("type") == "tool_result"]
    return tuple(calls), tuple(results), bool(results) and len(results) == len(blocks)


def _answers(records: Sequence[Record]) -> list[str]:
    """For each row the answer of the model that it is a part of.

    That is `message.id`; and where a go-between gives many answers one id, the request too. A row that has no id is an
    answer of its own.
    """
    requests: dict[str, set[str]] = {}
    named: list[tuple[str, str]] = []
    for record in records:
        message = record.value.get("message")
        name = text_of(message, "id") if is_object(message) else None
        request = text_of(record.value, "requestId") or ""
        named.append((name or "", request))
        if name and request:
            requests.setdefault(name, set()).add(request)
    return [
        f"row {at}" if not name else f"{name} {request}" if len(requests.get(name, ())) > 1 else name
        for at, (name, request) in enumerate(named)
    ]


def cut_of(rows: list[Row], tree: Tree) -> int:
    """How far the cut reaches where a file is a slice: up to there, rows may hang on what was left behind. Else 0.

    Slices are made on purpose, and are no damage. One is told by its first row that hangs on nothing that is there;
    and when the second answer begins, all that hung on the conversation before the cut has been said.
    """
    first = next((row for row in rows if row.name is not None), None)
    if first is None:
        return 0
    hangs_on = text_of(first.value, "logicalParentUuid") if first.compacts else first.parent
    if hangs_on is None or tree.find(hangs_on) is not None:
        return 0
    begun: str | None = None
    for at, row in enumerate(rows):
        if row.kind == "assistant" and not row.side and begun not in (None, row.answer):
            return at
        begun = row.answer if row.kind == "assistant" and not row.side else begun
    return len(rows)
