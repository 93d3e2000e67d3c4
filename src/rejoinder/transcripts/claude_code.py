"""Claude Code: a tree of rows, one content block each; what hangs beside the path on a call of it belongs to it.

A plain walk from the leaf to the root is wrong nearly always: parallel results hang on their calls, not on each other,
and the blocks of one answer (one `message.id`) come in several rows, with results in between. So the walk is widened:
to every row of an answer that is on the path, and to every result of a call of those rows, wherever it hangs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rejoinder.transcripts.claude_code_health import defects_of
from rejoinder.transcripts.claude_code_messages import messages_of
from rejoinder.transcripts.claude_code_rows import Row, rows_of, text_of
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.transcript import Format, Transcript, Way, in_order, odd_defects, parted
from rejoinder.transcripts.tree import Tree
from rejoinder.values.loose import is_object

_TYPES = frozenset(
    "user assistant system progress attachment file-history-snapshot summary queue-operation ai-title custom-title"
    " last-prompt pr-link".split()
)
_MARKS = ("parentUuid", "messageId", "leafUuid")
_SYNTHETIC = "<synthetic>"


def knows(sample: list[Any]) -> bool:
    """Do these rows look like Claude Code's?"""
    return any(
        str(row.get("type")) in _TYPES
        and ("sessionId" in row or "messageId" in row or "leafUuid" in row)
        and any(mark in row for mark in _MARKS)
        for row in sample
        if is_object(row)
    )


def read(found: Iterable[Found]) -> Transcript:
    """The conversation of a session file, or of a sub-agent's."""
    records, oddities = parted(found)
    rows, tree, leaf, path = laid_out(records)
    messages, lines = messages_of(rows, path)
    last = rows[leaf].value if leaf is not None else {}
    return Transcript(
        tool="claude-code",
        dialect="anthropic",
        messages=tuple(messages),
        lines=tuple(lines),
        session=_first(rows, "sessionId"),
        title=_title(rows),
        folder=text_of(last, "cwd") or "",
        model=_model(rows),
        began=_first(rows, "timestamp"),
        ended=text_of(last, "timestamp") or "",
        records=len(records),
        branches=tuple(_branches(rows, tree, leaf, path)),
        defects=in_order([*odd_defects(oddities), *defects_of(rows, tree, leaf, path)]),
        oddities=tuple(oddities),
    )


def laid_out(records: Sequence[Record]) -> tuple[list[Row], Tree, int | None, list[int]]:
    """The rows, the tree that they make, its leaf, and the numbers of the rows that are the live conversation."""
    rows = rows_of(records)
    tree = Tree((row.name, row.parent) for row in rows)
    leaf = _leaf(rows)
    return rows, tree, leaf, _path(rows, tree, leaf)


def _first(rows: list[Row], name: str) -> str:
    return next((text for row in rows if (text := text_of(row.value, name))), "")


def _model(rows: list[Row]) -> str:
    """The model that answered last; what the tool itself said in its place has a name that is none."""
    named = (text_of(row.value["message"], "model") for row in reversed(rows) if row.kind == "assistant")
    return next((name for name in named if name and name != _SYNTHETIC), "")


def _title(rows: list[Row]) -> str:
    for name in ("customTitle", "aiTitle", "summary"):
        for row in reversed(rows):
            if text_of(row.value, name):
                return str(row.value[name])
    for row in rows:
        content = row.value["message"].get("content") if row.kind == "user" and not row.value.get("isMeta") else None
        if isinstance(content, str) and content.strip() and not content.startswith("<"):
            return content.strip().splitlines()[0][:120]
    return ""


# --- the path --------------------------------------------------------------------------------------------------------


def _leaf(rows: list[Row]) -> int | None:
    """The last row of the main conversation that somebody said.

    A result does not lead: that of a call in the background may come late, long after the conversation went on from
    elsewhere, and the results of the last answer's calls are on the path wherever they hang. Where its call is nowhere
    to be found, nothing else leads to it.
    """
    side = all(row.side for row in rows if row.kind)
    called = {name for row in rows for name in row.calls}
    fallback: int | None = None
    for at in range(len(rows) - 1, -1, -1):
        row = rows[at]
        if not row.kind or row.name is None or (row.side and not side):
            continue
        if not row.only_results or not called.issuperset(row.results):
            return at
        fallback = at if fallback is None else fallback
    return fallback


def _path(rows: list[Row], tree: Tree, leaf: int | None) -> list[int]:
    return _widened(rows, tree.way_to(leaf).rows) if leaf is not None else []


def _widened(rows: list[Row], way: Iterable[int]) -> list[int]:
    """The rows of the way, with all rows of the answers on it and all results of the calls in those."""
    chosen = set(way)
    answers = {rows[at].answer for at in chosen if rows[at].answer}
    # A row that was written again, under its own id or under another, says nothing more.
    said = {(rows[at].answer, rows[at].says()) for at in chosen if rows[at].answer}
    for at, row in enumerate(rows):
        if row.answer and row.answer in answers and at not in chosen and (row.answer, row.says()) not in said:
            chosen.add(at)
            said.add((row.answer, row.says()))
    calls = {name for at in chosen for name in rows[at].calls}
    answered = {name for at in chosen for name in rows[at].results}
    for at, row in enumerate(rows):
        if at not in chosen and any(name in calls and name not in answered for name in row.results):
            chosen.add(at)
            answered.update(row.results)
    return sorted(chosen)


def _branches(rows: list[Row], tree: Tree, leaf: int | None, path: list[int]) -> Iterator[Way]:
    """The ways that were left: what was said there, and is neither on the path nor in front of its compaction."""
    said = [bool(row.kind) and not row.side for row in rows]
    beside = [bool(row.results) or not is_said for row, is_said in zip(rows, said, strict=True)]
    whole = Tree(zip(tree.ids, _over_boundaries(rows, tree), strict=True))
    chosen = {*_path(rows, whole, leaf), *path}
    names = {rows[at].name for at in chosen}
    answers = {rows[at].answer for at in chosen}
    for end in whole.leaves(said, beside):
        own = [at for at in whole.way_to(end).rows if said[at] and rows[at].name not in names]
        own = [at for at in own if not rows[at].answer or rows[at].answer not in answers]
        if own and end in own:
            yield Way(line=rows[end].line, messages=len(own), ended=text_of(rows[end].value, "timestamp") or "")


def _over_boundaries(rows: list[Row], tree: Tree) -> Iterator[str | None]:
    """The parents, where a compaction is gone on from as if it were none: what it left behind is no branch."""
    last: str | None = None
    for row in rows:
        parent = row.parent
        if row.compacts and parent is None:
            logical = text_of(row.value, "logicalParentUuid")
            parent = logical if logical is not None and tree.find(logical) is not None else last
        if row.kind and row.name is not None and not row.side:
            last = row.name
        yield parent


FORMAT = Format(
    name="claude-code",
    says="Claude Code sessions and sub-agents",
    knows=knows,
    read=read,
    homes=(
        "$CLAUDE_CONFIG_DIR/projects/*/*.jsonl",
        "$CLAUDE_CONFIG_DIR/projects/*/*/subagents/*.jsonl",
        "~/.claude/projects/*/*.jsonl",
        "~/.claude/projects/*/*/subagents/*.jsonl",
    ),
)
