"""Members of documents that hold messages, besides what `fields` reads: lists, ids, and values spelled as text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from rejoinder.transcripts.fields import title_of, words
from rejoinder.values.loose import is_array, is_object


def named(value: object, *names: str) -> str:
    """The first of these members that is a text or a number, as a text: what an id is."""
    if is_object(value):
        for name in names:
            held = value.get(name)
            if isinstance(held, str | int | float) and not isinstance(held, bool) and held != "":
                return str(held)
    return ""


def array(value: object, name: str) -> list[Any]:
    """The items of a member that is a list."""
    held = value.get(name) if is_object(value) else None
    return list(held) if is_array(held) else []


def objects(sample: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """The objects of a sample. A list among its values is as good as its items."""
    for value in sample:
        if is_object(value):
            yield value
        elif is_array(value):
            yield from (item for item in value if is_object(item))


def first_words(messages: Iterable[Any]) -> str:
    """The first line of what the user says first."""
    for message in messages:
        if is_object(message) and message.get("role") in ("user", "human"):
            title = title_of(words(message.get("content", message.get("parts"))))
            if title:
                return title
    return ""


def spelled(value: object) -> str:
    """A value as text: a text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""


def parsed(said: str) -> Any:
    """What a text says in JSON; None where it says nothing."""
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return None
