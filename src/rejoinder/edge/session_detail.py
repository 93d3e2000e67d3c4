"""A session as plain JSON, for a bridge: its messages after the clean-up, its health, its branches."""

from __future__ import annotations

from typing import Any

from rejoinder.edge.stories import story_of
from rejoinder.errors import RejoinderError
from rejoinder.journey import repair
from rejoinder.mend.policy import Policy
from rejoinder.render.story import Story, headline, is_wrong
from rejoinder.values.loose import is_array, is_object


def get_session_detail(session: str, *, folder: str | None = None) -> dict[str, Any]:
    """A session as plain JSON: its messages after the clean-up, its health, its branches.

    `session` is an id, the beginning of one, or the path of a session file of any agent. Calls that never got a result
    are left out of `messages`, and told in `health`; those that wait for a person stay. Nothing is changed on disk.
    """
    return as_plain(detail_of(story_of(session, folder=folder)))


def detail_of(story: Story) -> dict[str, Any]:
    """The detail of a session that was read."""
    messages, removed = _clean(story)
    lost = [odd for odd in story.oddities if odd.get("loses")]
    return {
        "session": story.session,
        "title": headline(story.title),
        "tool": story.tool,
        "dialect": story.dialect,
        "model": story.model,
        "folder": story.folder,
        "began": story.began,
        "ended": story.ended,
        "settings": story.settings,
        "messages": messages,
        "health": {
            "ok": not lost and not any(map(is_wrong, story.defects)),
            "defects": list(story.defects),
            "oddities": list(story.oddities),
            "removed": removed,
        },
        "branches": [fork._asdict() for fork in story.forks],
        "paused": list(story.paused),
        "notes": [{"message": at, **note._asdict()} for at in sorted(story.notes) for note in story.notes[at]],
        "complete": not story.is_part,
    }


def _clean(story: Story) -> tuple[list[Any], list[dict[str, Any]]]:
    """The messages without exchanges that are not whole, and what was taken away for that."""
    messages = list(story.messages)
    policy = Policy(unanswered="drop", orphan="drop", paused=frozenset(story.paused))
    try:
        done = repair(messages, "pairs", dialect=story.dialect, policy=policy)
    except RejoinderError:
        return messages, []
    clean: Any = done.payload
    return clean, [{"says": step.says, "ids": list(step.ids)} for step in done.steps]


def as_plain(value: Any) -> Any:
    """A value with lists for tuples, as JSON has them; nothing of the session itself is handed out."""
    if is_object(value):
        return {str(name): as_plain(held) for name, held in value.items()}
    return [as_plain(held) for held in value] if is_array(value) else value
