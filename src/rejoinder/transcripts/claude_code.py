"""Claude Code: a tree of rows, one content block each; what hangs beside the path on a call of it belongs to it.

A plain walk from the leaf to the root is wrong nearly always: parallel results hang on their calls, not on each other,
and the blocks of one answer (one `message.id`) come in several rows, with results in between. So the walk is widened:
to every row of an answer that is on the path, and to every result of a call of those rows, wherever it hangs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.transcript import Defect, Format, Transcript, Way, in_order, odd_defects, parted
from rejoinder.transcripts.tree import Tree
from rejoinder.values.loose import is_array, is_object

_TYPES = frozenset(
    "user assistant system progress attachment file-history-snapshot summary queue-operation ai-title".split()
)
_SPOKEN = frozenset({"user", "assistant"})
_INTERRUPTED = "[Request interrupted by user"


class _Row(NamedTuple):
    """A row as far as the tree and the pairs need it."""

    line: int
    value: dict[str, Any]
    kind: str
    calls: tuple[str, ...]
    results: tuple[str, ...]
    answer: str


def knows(sample: list[Any]) -> bool:
    """Do these rows look like Claude Code's?"""
    return any(
        str(row.get("type")) in _TYPES
        and ("sessionId" in row or "messageId" in row or "leafUuid" in row)
        and ("parentUuid" in row or "messageId" in row or "leafUuid" in row)
        for row in sample
        if is_object(row)
    )


def read(found: Iterable[Found]) -> Transcript:
    """The conversation of a session file, or of a sub-agent's."""
    records, oddities = parted(found)
    rows = [_row(record) for record in records]
    tree = Tree((_text(row.value, "uuid"), _text(row.value, "parentUuid")) for row in rows)
    leaf = _leaf(rows)
    way = tree.way_to(leaf).rows if leaf is not None else ()
    path = _widened(rows, way)
    messages, lines = _messages(rows, path)
    defects = [*odd_defects(oddities), *_gaps(rows, tree), *_unpaired(rows, path), *_twins(rows, tree)]
    said = [row for row in rows if row.kind in _SPOKEN]
    last = rows[leaf].value if leaf is not None else {}
    return Transcript(
        tool="claude-code",
        dialect="anthropic",
        messages=tuple(messages),
        lines=tuple(lines),
        session=_first(rows, "sessionId"),
        title=_title(rows),
        folder=_text(last, "cwd") or "",
        model=next((str(row.value["message"].get("model")) for row in reversed(said) if row.kind == "assistant"), ""),
        began=_first(rows, "timestamp"),
        ended=_text(last, "timestamp") or "",
        records=len(records),
        branches=tuple(_branches(rows, tree, path)),
        defects=in_order(defects),
        oddities=tuple(oddities),
    )


def _row(record: Record) -> _Row:
    value = record.value
    message = value.get("message")
    kind = str(value.get("type"))
    if kind not in _SPOKEN or not is_object(message):
        return _Row(record.line, value, kind if kind not in _SPOKEN else "", (), (), "")
    content = message.get("content")
    calls: list[str] = []
    results: list[str] = []
    for block in content if is_array(content) else ():
        if is_object(block):
            if block.get("type") == "tool_use":
                calls.append(str(block.get("id")))
            elif block.get("type") == "tool_result":
                results.append(str(block.get("tool_use_id")))
    answer = _text(message, "id") if kind == "assistant" else None
    return _Row(record.line, value, kind, tuple(calls), tuple(results), answer or "")


def _text(value: dict[str, Any], name: str) -> str | None:
    text = value.get(name)
    return text if isinstance(text, str) and text else None


def _first(rows: list[_Row], name: str) -> str:
    return next((text for row in rows if (text := _text(row.value, name))), "")


def _title(rows: list[_Row]) -> str:
    for name in ("customTitle", "aiTitle", "summary"):
        for row in reversed(rows):
            if _text(row.value, name):
                return str(row.value[name])
    for row in rows:
        content = row.value["message"].get("content") if row.kind == "user" and not row.value.get("isMeta") else None
        if isinstance(content, str) and not content.startswith("<"):
            return content.strip().splitlines()[0][:120] if content.strip() else ""
    return ""


def _leaf(rows: list[_Row]) -> int | None:
    """The last row of the main conversation that somebody said."""
    side = all(row.value.get("isSidechain") for row in rows if row.kind in _SPOKEN)
    for at in range(len(rows) - 1, -1, -1):
        if rows[at].kind in _SPOKEN and (side or not rows[at].value.get("isSidechain")) and rows[at].value.get("uuid"):
            return at
    return None


def _widened(rows: list[_Row], way: Iterable[int]) -> list[int]:
    """The rows of the way, with all rows of the answers on it and all results of the calls in those."""
    chosen = set(way)
    answers = {rows[at].answer for at in chosen if rows[at].answer}
    chosen.update(at for at, row in enumerate(rows) if row.answer and row.answer in answers)
    calls = {name for at in chosen for name in rows[at].calls}
    answered = {name for at in chosen for name in rows[at].results}
    for at, row in enumerate(rows):
        if at not in chosen and any(name in calls and name not in answered for name in row.results):
            chosen.add(at)
            answered.update(row.results)
    return sorted(chosen)


def _messages(rows: list[_Row], path: list[int]) -> tuple[list[dict[str, Any]], list[int]]:
    """The rows of the path as the API has them: all blocks of an answer in one message, then all results."""
    messages: list[dict[str, Any]] = []
    lines: list[int] = []
    answers: dict[str, int] = {}
    for at in path:
        row = rows[at]
        if row.kind not in _SPOKEN or row.value.get("isVisibleInTranscriptOnly"):
            continue
        message = row.value["message"]
        content = message.get("content", "")
        held = answers.get(row.answer) if row.answer else None
        if held is not None and is_array(content) and is_array(messages[held]["content"]):
            messages[held]["content"] += content
            continue
        if row.answer:
            answers[row.answer] = len(messages)
        messages.append({"role": row.kind, "content": list(content) if is_array(content) else content})
        lines.append(row.line)
    return messages, lines


def _gaps(rows: list[_Row], tree: Tree) -> Iterable[Defect]:
    """Parents that were never written. The first row of the tree may name one: a slice of a file is no damage."""
    linked = [at for at, name in enumerate(tree.ids) if name is not None]
    cut = tree.parents[linked[0]] if linked else None
    for at in linked:
        parent = tree.parents[at]
        if parent not in (None, cut) and tree.find(parent) is None:
            yield Defect(kind="gap", line=rows[at].line, says=f"its parent {parent} was never written", ids=(parent,))


def _twins(rows: list[_Row], tree: Tree) -> Iterable[Defect]:
    for name in tree.twins:
        at = tree.find(name)
        if at is not None:
            yield Defect(kind="twin", line=rows[at].line, says=f"several rows have the id {name}", ids=(name,))


def _unpaired(rows: list[_Row], path: list[int]) -> Iterable[Defect]:
    """Calls that nothing in the file answers, and results whose call is nowhere; each once, however often written."""
    answered = {name for row in rows for name in row.results}
    called = {name for row in rows for name in row.calls}
    live = set(path)
    told: set[str] = set()
    for at, row in enumerate(rows):
        for name in row.calls:
            if name not in answered and name not in told:
                told.add(name)
                kind = _why(rows, at)
                yield Defect(kind=kind, line=row.line, says=f"call {name} has no result", ids=(name,), live=at in live)
        for name in row.results:
            if name not in called and name not in told:
                told.add(name)
                yield Defect(
                    kind="orphan", line=row.line, says=f"no call has the id {name}", ids=(name,), live=at in live
                )


def _why(rows: list[_Row], call: int) -> str:
    """Why a call has no result, by what comes next in the file."""
    for row in rows[call + 1 :]:
        if row.kind == "system" and row.value.get("subtype") == "compact_boundary":
            return "cut"
        if row.value.get("isApiErrorMessage"):
            return "errored"
        if row.kind == "user" and not row.results:
            return "interrupted"
        if row.kind == "assistant" and row.answer != rows[call].answer:
            return "interrupted"
    return "pending"


def _branches(rows: list[_Row], tree: Tree, path: list[int]) -> Iterable[Way]:
    """The ways that were left: what was said there and is not on the path."""
    said = [row.kind in _SPOKEN and not row.value.get("isSidechain") for row in rows]
    beside = [bool(row.results) or not is_said for row, is_said in zip(rows, said, strict=True)]
    chosen = set(path)
    tree = Tree(zip(tree.ids, _over_boundaries(rows, tree), strict=True))
    for leaf in tree.leaves(said, beside):
        own = [at for at in tree.way_to(leaf).rows if at not in chosen and rows[at].kind in _SPOKEN]
        if leaf not in chosen and own:
            yield Way(line=rows[leaf].line, messages=len(own), ended=_text(rows[leaf].value, "timestamp") or "")


def _over_boundaries(rows: list[_Row], tree: Tree) -> Iterable[str | None]:
    """The parents, where a compaction is gone on from as if it were none: what it left behind is no branch."""
    last: str | None = None
    for row, name, parent in zip(rows, tree.ids, tree.parents, strict=True):
        if row.value.get("subtype") == "compact_boundary" and parent is None:
            logical = _text(row.value, "logicalParentUuid")
            parent = logical if logical is not None and tree.find(logical) is not None else last
        if row.kind in _SPOKEN and name is not None:
            last = name
        yield parent


FORMAT = Format(
    name="claude-code",
    says="Claude Code sessions and sub-agents",
    knows=knows,
    read=read,
    homes=("$CLAUDE_CONFIG_DIR/projects/*/*.jsonl", "~/.claude/projects/*/*.jsonl"),
)
