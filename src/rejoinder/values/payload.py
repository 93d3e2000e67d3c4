"""Where the messages stand in what the caller handed in."""

from __future__ import annotations

import re
from typing import Any

from rejoinder.values.loose import is_array, is_object

Payload = list[Any] | dict[str, Any]

# The members of a request body that hold the history, in the APIs that we know.
HOLDERS = ("messages", "contents", "input")


def holder_of(payload: object) -> str:
    """The member of a body that holds its messages; "messages" where none does."""
    if not is_object(payload):
        return HOLDERS[0]
    lists = (name for name in HOLDERS if is_array(payload.get(name)))
    return next(lists, next((name for name in HOLDERS if name in payload), HOLDERS[0]))


def messages_of(payload: Payload) -> list[Any]:
    """The messages of a list or of a body; none where the body holds something else than a list."""
    held: Any = payload.get(holder_of(payload)) if is_object(payload) else payload
    return held if is_array(held) else []


def member_at(body: dict[str, Any], path: str) -> Any:
    """The member of a body, or of a member of it (`toolConfig/tools`); None where there is none."""
    held: Any = body
    for name in path.split("/"):
        held = held.get(name) if is_object(held) else None
    return held


# The members of a request body that name the model.
_MODELS = ("model", "modelId")


def model_of(payload: Payload) -> str | None:
    """The model that a body names; None where it names none."""
    named = (payload.get(name) for name in _MODELS) if is_object(payload) else ()
    return next((name for name in named if isinstance(name, str)), None)


def listed(payload: Payload) -> Payload:
    """The payload with a list of messages, where its API takes something else in their place.

    One string is what the user says, and one object is a message. (Where they are called `messages`, they are a list.)
    """
    holder = holder_of(payload)
    if not is_object(payload) or holder == HOLDERS[0] or is_array(payload.get(holder)):
        return payload
    held = payload[holder]
    said = {"role": "user", "content": held} if isinstance(held, str) and held else held
    return {**payload, holder: [said] if is_object(said) else []}


_INDEX = re.compile(r"/(?:(?:messages|contents|input)/)?(\d+)")


def index_of(pointer: str) -> int:
    """The index of the message that a JSON pointer into a payload leads to; -1 where it leads elsewhere."""
    found = _INDEX.match(pointer)
    return int(found.group(1)) if found else -1
