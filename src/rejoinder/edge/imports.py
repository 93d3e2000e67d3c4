"""A history of any kind as one of our own sessions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from rejoinder.dialects.detect import detect, find_dialect
from rejoinder.edge import documents, files
from rejoinder.edge.homes import sessions_folder
from rejoinder.edge.sessions import Session
from rejoinder.edge.stories import is_own, read_transcripts, shallow, told
from rejoinder.errors import PayloadError, SessionError
from rejoinder.render.story import Story
from rejoinder.values.loose import is_object
from rejoinder.values.payload import holder_of, messages_of

# What an API is sent, and no agent's way to keep it.
_HISTORIES = frozenset({"messages", "openai-fine-tuning"})


class Made(NamedTuple):
    """A session that was made: its id, its file, how many messages it has, and what it was read as."""

    session: str
    path: str
    messages: int
    read_as: str


def imported(path: str, name: str | None, dialect: str | None) -> Iterator[Made]:
    """Make sessions of a file: one of a transcript, one of each conversation of a history."""
    if path != files.STDIN and is_own(path):
        with (
            Session.open(path, read_only=True) as session,
            session.fork(session=name, folder=sessions_folder()) as made,
        ):
            yield Made(made.id, made.path, len(made.messages()), "rejoinder-session")
        return
    stories = _transcripts(path) if dialect is None and path != files.STDIN else []
    stories = stories or list(_conversations(path, dialect))
    if name is not None and len(stories) > 1:
        raise SessionError(f"{path}: it holds {len(stories)} conversations, and --id names one session; leave it out")
    for each in stories:
        yield _made(each, path, name)


def _transcripts(path: str) -> list[Story]:
    """The sessions of some agent in a file; none where it is a history: that is read with what stands around it."""
    try:
        read = list(read_transcripts(path))
    except SessionError:
        return []
    return [] if any(each.tool in _HISTORIES for each in read) else [shallow(told(each, path)) for each in read]


def _conversations(path: str, dialect: str | None) -> Iterator[Story]:
    source = files.read(path)
    history = documents.read(source.name, source.text)
    if history.faults:
        raise PayloadError(f"{history.told(history.faults[0])}; nothing was imported")
    for document in history.documents:
        payload = document.payload
        name = find_dialect(dialect or detect(payload).dialect).name
        holder = holder_of(payload)
        settings = {key: value for key, value in payload.items() if key != holder} if is_object(payload) else {}
        model = settings.get("model")
        yield Story(
            tool="",
            dialect=name,
            messages=tuple(messages_of(payload)),
            model=model if isinstance(model, str) else "",
            settings=settings,
        )


def _made(story: Story, path: str, name: str | None) -> Made:
    more: dict[str, Any] = {
        "title": story.title,
        "cwd": story.folder,
        "model": story.model,
        "dialect": story.dialect,
        "settings": story.settings,
        "importedFrom": {"tool": story.tool, "session": story.session, "file": os.path.basename(path)},
    }
    with Session.create(name, **{key: value for key, value in more.items() if value}) as session:
        session.extend(story.messages)
        session.sync()
        return Made(session.id, session.path, len(story.messages), story.tool or story.dialect)
