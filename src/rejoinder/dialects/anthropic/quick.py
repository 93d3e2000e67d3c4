"""Plain histories written as Anthropic messages, without values."""

from __future__ import annotations

import re
from typing import Any

from rejoinder.dialects.skim import PlainCall, Poured, Skimmed, arguments_object

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")


def pour(skimmed: Skimmed) -> Poured | None:
    """The history as messages; None where the API might refuse one of them as it stands."""
    messages: list[Any] = []
    origins: list[int] = []
    names: set[str] = set()
    results: list[Any] | None = None
    try:
        if skimmed.head is not None and not _says_something(skimmed.head):
            return None
        for index, words, said, calls, answers in skimmed.units:
            if words is not None:
                if not _says_something(words):
                    return None
                if results is not None:
                    results.append({"type": "text", "text": words})
                    results = None
                    continue
                messages.append({"role": "user", "content": words})
                origins.append(index)
                continue
            results = None
            if not calls:
                if said is None or not _says_something(said):
                    return None
                messages.append({"role": "assistant", "content": said})
                origins.append(index)
                continue
            blocks = _blocks(said, calls, names)
            if blocks is None:
                return None
            results = [{"type": "tool_result", "tool_use_id": given, "content": text} for given, text in answers]
            messages += ({"role": "assistant", "content": blocks}, {"role": "user", "content": results})
            origins += (index, index + 1)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return Poured(messages, origins) if messages else None


def _says_something(text: str) -> bool:
    return bool(text) and not text.isspace()


def _blocks(said: str | None, calls: list[PlainCall], names: set[str]) -> list[Any] | None:
    """What the assistant said and called; None where an id or a name is none for this API."""
    blocks: list[Any] = []
    if said:
        if not _says_something(said):
            return None
        blocks.append({"type": "text", "text": said})
    for given, name, arguments in calls:
        # An identifier of ASCII letters is quicker to ask for than the pattern, and no more than it allows.
        if not (given.isascii() and given.isidentifier()) and not _ID.fullmatch(given):
            return None
        if name not in names:
            if not _NAME.fullmatch(name):
                return None
            names.add(name)
        held = arguments_object(arguments) if arguments.__class__ is str else arguments
        blocks.append({"type": "tool_use", "id": given, "name": name, "input": held})
    return blocks
