"""A session in another form: a page to read, a request for an API, a line to train on."""

from __future__ import annotations

from typing import Any

import msgspec

from rejoinder.crossing import convert
from rejoinder.dialects.carries import Loss
from rejoinder.dialects.detect import DIALECTS
from rejoinder.edge import json_write
from rejoinder.errors import SessionError
from rejoinder.mend.policy import Policy
from rejoinder.render.html import html
from rejoinder.render.markdown import markdown
from rejoinder.render.story import Story
from rejoinder.targets import find_target
from rejoinder.values.finding import Finding
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.payload import messages_of

PAGES = {"markdown": markdown, "html": html}
FINETUNE = "finetune"
_BY_NAME = {".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html", ".jsonl": FINETUNE}
# What OpenAI takes in a line of fine-tuning data: the members of a message by who speaks.
_ROLES = {
    "system": ("role", "content", "name"),
    "developer": ("role", "content", "name"),
    "user": ("role", "content", "name"),
    "assistant": ("role", "content", "name", "tool_calls", "refusal"),
    "tool": ("role", "content", "tool_call_id"),
}
_LINE = ("tools", "parallel_tool_calls")


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """What a session became, and what was lost on the way."""

    text: str
    losses: tuple[Loss, ...] = ()
    left: tuple[Finding, ...] = ()
    needs: tuple[str, ...] = ()


def form_of(to: str | None, out: str | None) -> str:
    """The form that is wanted: the one that is named, else the one that the name of the file tells."""
    if to is None:
        suffix = f".{out.rpartition('.')[2].lower()}" if out and "." in out else ""
        return _BY_NAME.get(suffix, "markdown")
    if to not in (*PAGES, FINETUNE) and to.partition(":")[0] not in DIALECTS:
        find_target(to)
    return to


def exported(story: Story, to: str) -> Exported:
    """The session in a form."""
    if to in PAGES:
        return Exported(text=PAGES[to](story))
    if to == FINETUNE:
        return _training(story)
    done = _converted(story, to)
    return Exported(
        text=json_write.written(done.payload, json_write.PAGE) + "\n",
        losses=done.losses,
        left=done.left,
        needs=tuple(done.needs),
    )


def _converted(story: Story, to: str, policy: Policy | None = None) -> Any:
    how = policy or Policy(paused=frozenset(story.paused))
    return convert(story.payload, to, dialect=story.dialect, model=None, policy=how)


def _training(story: Story) -> Exported:
    """One line to train on: whole exchanges only, and the last word is the assistant's."""
    done = _converted(story, "openai-chat", Policy(unanswered="drop", orphan="drop"))
    payload: Any = done.payload
    messages = [_trained(message) for message in messages_of(payload) if is_object(message)]
    while messages and messages[-1].get("role") != "assistant":
        messages.pop()
    if not messages:
        raise SessionError(f"{story.session}: there is nothing to train on: the assistant says nothing in it")
    line: dict[str, Any] = {"messages": messages}
    if is_object(payload):
        line |= {name: payload[name] for name in _LINE if is_array(payload.get(name)) or name in payload}
    return Exported(text=json_write.written(line) + "\n", losses=done.losses, left=done.left)


def _trained(message: dict[str, Any]) -> dict[str, Any]:
    role = message.get("role")
    members = _ROLES.get(role, ("role", "content")) if isinstance(role, str) else ("role", "content")
    return {name: message[name] for name in members if name in message}
