"""A session as it is told to a person: who spoke, when, and what there is to know about each place of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from rejoinder.dialects.detect import find_dialect
from rejoinder.render.findings import count
from rejoinder.render.message import compact
from rejoinder.values.conversation import Message
from rejoinder.values.parts import Media, Opaque, Part, Refusal, Text, Thinking, ToolCall, ToolResult

_TITLE, _NOTE = 120, 400


class Note(NamedTuple):
    """Something to know about a place: a gap, a repair, a summary, a pause, a branch, or a defect by its kind."""

    kind: str
    says: str


class Fork(NamedTuple):
    """A way through a session that was left: where it ends, how many messages it has, when it ended, what it ends in.

    `leaf` is the id of its last row, or the line that it stands on.
    """

    leaf: str
    messages: int
    ended: str = ""
    active: bool = False
    says: str = ""


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """A session, whoever wrote it. `names` and `times` tell of each message the id of its row and when it was said.

    `notes` hold for the number of a message what stands in front of it; that of the end stands behind the last.
    `settings` are the members of a request besides its messages; `skipped` is how many messages were not read.
    """

    tool: str
    dialect: str
    messages: tuple[Any, ...]
    session: str = ""
    title: str = ""
    folder: str = ""
    model: str = ""
    began: str = ""
    ended: str = ""
    settings: dict[str, Any] = {}
    names: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    notes: dict[int, tuple[Note, ...]] = {}
    forks: tuple[Fork, ...] = ()
    defects: tuple[dict[str, Any], ...] = ()
    oddities: tuple[dict[str, Any], ...] = ()
    paused: tuple[str, ...] = ()
    is_part: bool = False

    @property
    def payload(self) -> Any:
        """The messages, or the request that they stand in."""
        messages = list(self.messages)
        return {**self.settings, find_dialect(self.dialect).holds: messages} if self.settings else messages


def is_wrong(defect: dict[str, Any]) -> bool:
    """Is this defect on the active path, and more than a call that still waits?"""
    return bool(defect.get("live", True)) and defect.get("kind") not in ("pending", "paused")


class Turn(NamedTuple):
    """One message in view: its number, what was read from it, and what is known of it."""

    number: int
    message: Message
    name: str
    when: str
    notes: tuple[Note, ...]


class Piece(NamedTuple):
    """A part in view: what it is, what stands on its first line, and its words."""

    kind: str
    head: str
    body: str


def turns(story: Story) -> Iterator[Turn]:
    """The messages as their dialect reads them. What was read from one message stands under its number."""
    dialect = find_dialect(story.dialect).in_form_of(list(story.messages))
    read = dialect.decode(story.payload)
    told = -1
    for place in range(len(read.messages)):
        message = read.message(place)
        number = message.origin if message.origin >= 0 else place
        notes = tuple(note for at in range(told + 1, number + 1) for note in story.notes.get(at, ()))
        told = max(told, number)
        yield Turn(number, message, _at(story.names, number), _at(story.times, number), notes)


def last_notes(story: Story) -> tuple[Note, ...]:
    """What stands behind the last message."""
    return story.notes.get(len(story.messages), ())


def headline(text: str) -> str:
    """The first line of a text, as a title."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _TITLE else line[:_TITLE] + "…"


def note_words(note: Note) -> str:
    """What a note says, as far as it is of use."""
    return note.says if len(note.says) <= _NOTE else note.says[:_NOTE] + "…"


def system_text(story: Story) -> str:
    """The system text of the request, as far as it is words."""
    if not story.settings:
        return ""
    system = find_dialect(story.dialect).decode(story.payload).system
    return "\n\n".join(piece.body for piece in map(piece_of, system.parts) if piece.body) if system else ""


def _at(held: tuple[str, ...], number: int) -> str:
    return held[number] if number < len(held) else ""


def piece_of(part: Part) -> Piece:
    """A part as it is shown."""
    match part:
        case Text():
            return Piece("text", "", words(part.text))
        case Thinking():
            return Piece("thinking", "signed" if part.signature else "", "(redacted)" if part.redacted else part.text)
        case ToolCall():
            return Piece("call", f"{words(part.name)}  {words(part.id)}", words(part.arguments))
        case ToolResult():
            body = "\n".join(_inside(inner) for inner in part.parts)
            return Piece("error" if part.error else "result", words(part.call_id), body)
        case Media():
            return Piece("media", media_words(part), "")
        case Refusal():
            return Piece("refusal", "", words(part.text))
        case Opaque():
            return Piece("block", words(part.kind), compact(part.source))
        case _:
            return Piece("block", "", compact(part.source))


def _inside(part: Part) -> str:
    piece = piece_of(part)
    return (
        piece.body if isinstance(part, Text) else f"[{' '.join(filter(None, (piece.kind, piece.head)))}] {piece.body}"
    )


def media_words(part: Media) -> str:
    """A picture, a sound or a document, in words."""
    named = (part.kind, part.name, part.media_type)
    what = " ".join(words(each) for each in named if each)
    if part.url is not None:
        return f"{what} at {words(part.url)}"
    if part.file_id is not None:
        return f"{what} (file {words(part.file_id)})"
    size = len(words(part.data if part.data is not None else part.text if part.text is not None else ""))
    return f"{what} ({count(size, 'letter')} inline)"


def words(value: Any) -> str:
    """A text as it is, and nothing for null; anything else as JSON."""
    return value if isinstance(value, str) else "" if value is None else compact(value)
