"""A session as a story, whoever wrote it: found by id, prefix or path, read whole or from its end."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from rejoinder.crossing import convert
from rejoinder.edge.homes import sessions_folder
from rejoinder.edge.own_stories import asks, own_story
from rejoinder.edge.rows import backwards, records
from rejoinder.edge.session_files import open_session, open_sessions
from rejoinder.edge.sessions import session_files
from rejoinder.errors import SessionError
from rejoinder.render.findings import count
from rejoinder.render.story import Fork, Note, Story
from rejoinder.transcripts import formats, own
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.transcript import Transcript
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.payload import holder_of

# The formats of which the end can be read without what stands in front of it.
_SLICED = frozenset({"claude-code"})
_SAMPLE, _NAMED = 16, 5
DEEPEST = 200


def read_transcript(path: str) -> Transcript:
    """A session file of any agent."""
    return open_session(path)


def read_transcripts(path: str) -> Iterator[Transcript]:
    """All sessions of a file: a database and a data set hold many."""
    return open_sessions(path)


def find(session: str, folder: str | None = None) -> str:
    """The file of a session: its id, the beginning of its id where only one begins so, or a path."""
    if os.sep in session or session.endswith(".jsonl"):
        return session
    there = folder or sessions_folder()
    known = {os.path.basename(path).removesuffix(".jsonl"): path for path in session_files(there)}
    if session in known:
        return known[session]
    if os.path.exists(session):
        return session
    begun = [name for name in known if session and name.startswith(session)]
    if len(begun) == 1:
        return known[begun[0]]
    if begun:
        more = f" and {len(begun) - _NAMED} more" if len(begun) > _NAMED else ""
        raise SessionError(
            f"several sessions begin with {session!r}: {', '.join(begun[:_NAMED])}{more}; give more of it"
        )
    raise SessionError(f"there is no session {session!r} in {there}, and no file; `rejoinder sessions list` shows all")


def is_own(path: str) -> bool:
    """Is it one of our own files? Its first row tells."""
    try:
        first = next((found for found in records(path) if isinstance(found, Record)), None)
    except SessionError:
        return False
    return first is not None and own.is_header(first.value)


def story_of(session: str, *, folder: str | None = None, at: str | None = None, last: int = 0) -> Story:
    """The story of a session. `at` is the row that it ends at; `last` reads the end of the file for so many turns."""
    return shallow(_story(session, folder, at, last))


def _story(session: str, folder: str | None, at: str | None, last: int) -> Story:
    path = find(session, folder)
    if is_own(path):
        return own_story(path, at=at, last=last)
    if at is not None:
        raise SessionError(f"{path}: only our own sessions can be shown up to a row; `sessions import` makes one of it")
    ending = _ending(path, last) if last else None
    if ending is not None:
        return told(ending, path, is_part=True)
    return _last_turns(told(read_transcript(path), path), last)


def told(read: Transcript, path: str, *, is_part: bool = False) -> Story:
    """A transcript as a story."""
    notes: dict[int, list[Note]] = {}
    lines = list(read.lines)
    for defect in read.defects:
        if defect.line:
            here = bisect_left(lines, defect.line + 1)
            at = here if defect.kind not in ("gap", "circle", "twin") else max(here - 1, 0)
            notes.setdefault(at, []).append(Note(defect.kind, defect.says))
    forks: list[Fork] = []
    for way in read.branches:
        forks.append(Fork(f"line {way.line}", way.messages, way.ended))
        says = f"{count(way.messages, 'message')} went another way, until line {way.line}"
        notes.setdefault(bisect_left(lines, way.line), []).append(Note("branch", says))
    if is_part:
        notes.setdefault(0, []).insert(0, Note("part", "only the end of the file was read"))
    if read.lossy:
        notes.setdefault(0, []).insert(0, Note("lossy", read.lossy))
    return Story(
        tool=read.tool,
        dialect=read.dialect,
        messages=read.messages,
        session=read.session or os.path.basename(path),
        title=read.title,
        folder=read.folder,
        model=read.model,
        began=read.began,
        ended=read.ended,
        settings=_settings(read),
        notes={at: tuple(each) for at, each in notes.items()},
        forks=tuple(forks),
        defects=tuple(defect.as_dict() for defect in read.defects),
        oddities=tuple(odd.as_dict() for odd in read.oddities),
        is_part=is_part,
    )


def shallow(story: Story) -> Story:
    """The story without what is nested so deep that it could not be written again: a word stands in its place."""
    deep = [number for number, message in enumerate(story.messages) if is_deep(message)]
    if not deep and not is_deep(story.settings):
        return story
    messages = list(story.messages)
    for number in deep:
        message = messages[number]
        role = message.get("role") if is_object(message) else None
        says = f"(nested deeper than {DEEPEST} levels; not shown)"
        messages[number] = {"role": role if isinstance(role, str) else "user", "content": says}
    settings = {} if is_deep(story.settings) else story.settings
    return replace(story, messages=tuple(messages), settings=settings)


def is_deep(value: Any) -> bool:
    """Is a value nested deeper than anything that is meant?"""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for held in level
            for inner in (held.values() if is_object(held) else held if is_array(held) else ())
            if is_object(inner) or is_array(inner)
        ]
        if not level:
            return False
    return True


def _settings(read: Transcript) -> dict[str, Any]:
    """The members of a request that a transcript knows besides its messages: its system text, as its dialect has it."""
    if not isinstance(read.system, str) or not read.system.strip():
        return read.system if is_object(read.system) else {}
    said = [{"role": "system", "content": read.system}, {"role": "user", "content": "…"}]
    body = convert(said, read.dialect, dialect="openai-chat").payload
    if not is_object(body):
        return {}
    return {name: value for name, value in body.items() if name != holder_of(body)}


def _ending(path: str, last: int) -> Transcript | None:
    """The end of a file, where its format lets it be read alone."""
    try:
        sample = list(_first(records(path), _SAMPLE))
        known = next((each for each in formats.FORMATS if each.knows(sample)), None)
    except SessionError:
        return None
    if known is None or known.name not in _SLICED:
        return None
    rows: list[Found] = []
    turns = 0
    for record in backwards(path):
        rows.append(record)
        turns += _asks(record.value)
        if turns == last:
            break
    # Nobody knows the numbers of these lines; for their order any that rise will do.
    rows.reverse()
    numbered = [Record(row.value, row.raw, n, row.offset) for n, row in enumerate(rows, 1) if isinstance(row, Record)]
    return formats.read(numbered, known.name)


def _first(found: Iterable[Found], limit: int) -> Iterator[Any]:
    for number, each in enumerate(found):
        if number == limit:
            return
        if isinstance(each, Record):
            yield each.value


def _asks(row: dict[str, Any]) -> bool:
    """Does a row begin a turn: is it a user who says something, and no result?"""
    message = row.get("message")
    if row.get("type") != "user" or row.get("isMeta") or row.get("isSidechain") or not is_object(message):
        return False
    return asks(message)


def _last_turns(story: Story, last: int) -> Story:
    """The last turns of a story that was read whole."""
    if not last:
        return story
    starts = [number for number, message in enumerate(story.messages) if asks(message)]
    if len(starts) <= last:
        return story
    return from_message(story, starts[-last])


def from_message(story: Story, first: int) -> Story:
    """A story from one of its messages on."""
    kept = {at - first: notes for at, notes in story.notes.items() if at >= first}
    before = Note("part", f"{count(first, 'message')} before this are left out")
    kept[0] = (before, *kept.get(0, ()))
    return replace(
        story,
        messages=story.messages[first:],
        names=story.names[first:],
        times=story.times[first:],
        notes=kept,
        is_part=True,
    )
