"""neovate-code: a tree of rows in one file, with rows of settings in between.

Its own walk keeps one result of several that hang on the same call, so the walk is widened: to every result of a call
on the path, wherever it hangs. A row without a parent that is not the first begins anew: a compaction's summary, what
came behind one, or what followed a row of settings at the end of the file, which made the writer forget the last row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rejoinder.transcripts import tree as trees
from rejoinder.transcripts.fields import inner, items, text, time_of, title_of, words
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.links import link_defects
from rejoinder.transcripts.pairs import Step, unpaired
from rejoinder.transcripts.transcript import Format, Transcript, Way, in_order, odd_defects, parted
from rejoinder.transcripts.tree import Tree
from rejoinder.values.loose import is_object

_NOTHING: dict[str, Any] = {}
# What a row has besides its message.
_ROW = frozenset({"type", "uuid", "parentUuid", "timestamp", "sessionId", "uiContent"})
# The form of results today, and that of older files; where each names its call.
_RESULTS = {"tool-result": "toolCallId", "tool_result": "id"}


def knows(sample: list[Any]) -> bool:
    """Are there rows of messages with a parent, or neovate's settings?"""
    rows = [row for row in sample if is_object(row)]
    if any("format" in row and row.get("type") == "session" for row in rows):
        return False
    return any(
        (row.get("type") == "message" and {"uuid", "parentUuid", "role", "sessionId"} <= row.keys())
        or (row.get("type") == "config" and "approvalMode" in inner(row, "config"))
        for row in rows
    )


def read(found: Iterable[Found]) -> Transcript:
    """The conversation of a session file."""
    records, oddities = parted(found)
    rows = [each for each in records if each.value.get("type") == "message"]
    tree = Tree((text(row.value, "uuid") or None, text(row.value, "parentUuid") or None) for row in rows)
    way = tree.way_to(len(rows) - 1) if rows else trees.Way(())
    path = _widened(rows, list(way.rows))
    links = link_defects(tree, [row.line for row in rows], way)
    settings = next((each.value for each in reversed(records) if each.value.get("type") == "config"), _NOTHING)
    live = [rows[at].value for at in path]
    steps = list(_steps(rows, set(path)))
    return Transcript(
        tool="neovate",
        dialect="neovate",
        messages=tuple({name: value for name, value in row.items() if name not in _ROW} for row in live),
        lines=tuple(rows[at].line for at in path),
        session=next((name for row in rows if (name := text(row.value, "sessionId"))), ""),
        title=_title(rows, settings),
        model=next((name for row in reversed(live) if (name := text(row, "model"))), ""),
        began=time_of(rows[0].value.get("timestamp")) if rows else "",
        ended=time_of(rows[-1].value.get("timestamp")) if rows else "",
        records=len(records),
        branches=tuple(_branches(rows, tree, path)),
        defects=in_order([*odd_defects(oddities), *links, *unpaired(steps, forks=True)]),
        oddities=tuple(oddities),
    )


def _calls(row: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """The calls of a message, each with what it does."""
    for part in items(row, "content") if row.get("role") == "assistant" else ():
        if part.get("type") == "tool_use" and text(part, "id"):
            yield part["id"], [part.get("name"), part.get("input")]


def _results(row: dict[str, Any]) -> Iterator[str]:
    """The calls that a message answers."""
    for part in items(row, "content") if row.get("role") != "assistant" else ():
        name = text(part, _RESULTS.get(text(part, "type"), "")) if text(part, "type") in _RESULTS else ""
        if name:
            yield name


def _widened(rows: list[Record], way: list[int]) -> list[int]:
    """The rows of the way, with all results of the calls in them; those stand behind their parent."""
    chosen = set(way)
    calls = {name for at in way for name, _ in _calls(rows[at].value)}
    answered = {name for at in way for name in _results(rows[at].value)}
    beside: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        names = () if at in chosen else tuple(_results(row.value))
        if any(name in calls and name not in answered for name in names):
            answered.update(names)
            beside.setdefault(text(row.value, "parentUuid"), []).append(at)
    path: list[int] = []
    for at in way:
        path.append(at)
        path += beside.pop(text(rows[at].value, "uuid"), ())
    # Results whose parent is not on the way stand where the file has them.
    return path if not beside else sorted([*path, *(at for rest in beside.values() for at in rest)])


def _steps(rows: list[Record], live: set[int]) -> Iterator[Step]:
    for at, (row, line) in enumerate((row.value, row.line) for row in rows):
        if at and not text(row, "parentUuid"):
            yield Step("cut", line)
        names = list(_results(row))
        for name in names:
            yield Step("result", line, name, live=at in live)
        if row.get("role") in ("user", "assistant") and not names:
            yield Step("turn", line)
        for name, what in _calls(row):
            yield Step("call", line, name, what, live=at in live)


def _branches(rows: list[Record], tree: Tree, path: list[int]) -> Iterator[Way]:
    said = [True] * len(rows)
    beside = [any(_results(row.value)) for row in rows]
    for leaf, messages in tree.left(said, beside, set(path)):
        yield Way(line=rows[leaf].line, messages=messages, ended=time_of(rows[leaf].value.get("timestamp")))


def _title(rows: list[Record], settings: dict[str, Any]) -> str:
    """The summary in the settings, else what the user said first."""
    summary = text(inner(settings, "config"), "summary")
    asked = (row.value for row in rows if row.value.get("role") == "user" and row.value.get("hidden") is not True)
    return summary or next((title for row in asked if (title := title_of(words(row.get("content"))))), "")


FORMAT = Format(
    name="neovate",
    says="neovate-code sessions",
    knows=knows,
    read=read,
    homes=("~/.neovate/projects/*/*.jsonl",),
)
