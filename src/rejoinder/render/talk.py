"""A session on a terminal: who said what, calls in a line, results folded, and marks where something is to be known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from rejoinder.render.findings import count
from rejoinder.render.folding import folded
from rejoinder.render.message import compact
from rejoinder.render.story import (
    Note,
    Piece,
    Story,
    Turn,
    headline,
    is_wrong,
    last_notes,
    piece_of,
    system_text,
    turns,
)
from rejoinder.render.terminal import Line, cells, cut, wrapped
from rejoinder.values.parts import Part, ToolCall

_STYLES = {
    **dict.fromkeys(("gap", "circle", "orphan", "orphan_result", "torn", "unreadable", "errored"), "error"),
    **dict.fromkeys(("repair", "summary", "branch", "rewind", "part"), "name"),
}
# How many rows of each kind of part are shown before the rest is folded.
_ROWS = {"text": 40, "thinking": 4, "result": 6, "error": 12, "block": 3}
_SYSTEM = 6
# Where the ids of rows fit beside who spoke and when.
_NAMED = 90


class Look(NamedTuple):
    """How it is shown: how wide, whether everything, and how a time is written."""

    width: int
    full: bool = False
    times: tuple[str, ...] = ()


def story_lines(story: Story, look: Look) -> Iterator[Line]:
    """The whole session."""
    yield from head_lines(story, look.width)
    words = system_text(story)
    if words:
        yield (("bold", "system"),)
        yield from _body(Piece("text", "", words), look, _SYSTEM)
        yield ()
    for turn in turns(story):
        yield from _notes(turn.notes, look.width)
        yield from _turn(turn, look)
        yield ()
    yield from _notes(last_notes(story), look.width)


def head_lines(story: Story, width: int) -> Iterator[Line]:
    """What the session is."""
    yield (("place", cut(story.session, width // 2)), ("bold", "  " + cut(headline(story.title), width // 2)))
    facts = [story.tool, story.dialect, count(len(story.messages), "message"), story.model, story.folder]
    yield (("dim", "  " + cut(" · ".join(fact for fact in facts if fact), width - 2)),)
    live = [defect for defect in story.defects if is_wrong(defect)]
    if live:
        first = ", ".join(dict.fromkeys(str(defect["kind"]) for defect in live))
        yield (("warning", f"  {count(len(live), 'defect')}: "), ("plain", cut(first, width - 20)))
    lost = sum(bool(odd.get("loses")) for odd in story.oddities)
    if lost:
        yield (("error", f"  {count(lost, 'line')} of the file could not be read"),)
    if len(story.forks) > 1 or (story.forks and not story.forks[0].active):
        left = sum(not fork.active for fork in story.forks)
        yield (("name", f"  {count(left, 'branch') if left == 1 else f'{left:,} branches'} beside this one"),)
    yield ()


def _notes(notes: tuple[Note, ...], width: int) -> Iterator[Line]:
    for note in notes:
        style = _STYLES.get(note.kind, "warning")
        head = f"── {cut(note.kind, 24)}: "
        rows = wrapped(note.says, width - cells(head))
        yield ((style, head), ("plain", rows[0]))
        yield from ((("plain", " " * cells(head) + row),) for row in rows[1:])
    if notes:
        yield ()


def _turn(turn: Turn, look: Look) -> Iterator[Line]:
    when = look.times[turn.number] if turn.number < len(look.times) else turn.when
    role = cut(turn.message.role or "(no role)", look.width // 3)
    name = turn.name if look.width >= _NAMED else ""
    yield (("bold", role), ("dim", f"  {cut(when, 24)}" if when else ""), ("dim", f"  {cut(name, 40)}" if name else ""))
    if not turn.message.parts:
        yield (("dim", "  (empty)"),)
    for part in turn.message.parts:
        yield from _part(part, look)


def _part(part: Part, look: Look) -> Iterator[Line]:
    piece = piece_of(part)
    if isinstance(part, ToolCall):
        yield from _call(part, piece, look)
    elif piece.kind == "text":
        yield from _body(piece, look, _ROWS["text"])
    elif piece.kind == "media":
        yield (("name", "  ▣ "), ("plain", cut(piece.head, look.width - 4)))
    else:
        mark, style = {"result": ("←", "name"), "error": ("← error", "error")}.get(piece.kind, (piece.kind, "dim"))
        yield ((style, f"  {mark} "), ("dim", cut(piece.head, look.width - 12)))
        yield from _body(piece, look, _ROWS.get(piece.kind, 6), "dim" if piece.kind == "thinking" else "plain", "    ")


def _call(part: ToolCall, piece: Piece, look: Look) -> Iterator[Line]:
    name, _, identity = piece.head.rpartition("  ")
    yield (("name", "  → "), ("bold", cut(name, look.width // 2)), ("dim", f"  {cut(identity, look.width // 3)}"))
    if look.full:
        text = json.dumps(part.arguments, ensure_ascii=False, indent=2, default=str)
        yield from _body(
            Piece("text", "", piece.body if isinstance(part.arguments, str) else text), look, 0, margin="    "
        )
        return
    text = piece.body if isinstance(part.arguments, str) else compact(part.arguments)
    if text and text != "{}":
        yield (("plain", "    " + cut(text, look.width - 4)),)


def _body(piece: Piece, look: Look, rows: int, style: str = "plain", margin: str = "  ") -> Iterator[Line]:
    shown, more = folded(piece.body, look.width - len(margin), 0 if look.full else rows)
    if not piece.body:
        return
    yield from (((style, margin + row),) for row in shown)
    if more:
        yield (("dim", f"{margin}{more}; --full shows all"),)
