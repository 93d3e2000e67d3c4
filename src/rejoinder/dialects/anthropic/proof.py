"""A quick pass that proves stretches of an Anthropic history intact, without reading it into values.

It may say "not sure" of what is intact; it never says "intact" of what is not: a law holds it
to the verdict of the rules, clause by clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rejoinder.dialects.fold import Span, opens_turn

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")


def unproven(messages: list[Any]) -> Iterator[Span]:
    """The spans of messages that are not proven, each from an assistant turn with calls to its results."""
    total = len(messages)
    index = 0
    names: set[str] = set()
    while index < total:
        try:
            taken = _proven(messages, index, names)
        except (KeyError, TypeError, AttributeError, IndexError, UnicodeEncodeError, RecursionError):
            taken = 0
        if taken:
            index += taken
            continue
        stop = index + 1
        while stop < total and not opens_turn(messages, stop):
            stop += 1
        yield index, stop
        index = stop


def _proven(messages: list[Any], index: int, names: set[str]) -> int:
    """How many messages from here on are surely intact together: one, or a call and its results; 0 is "not sure"."""
    message = messages[index]
    role, content = message["role"], message["content"]
    if len(message) != 2 or (role != "user" and role != "assistant"):
        return 0
    if content.__class__ is str:
        return 1 if _says(content) else 0
    if content.__class__ is not list or not content:
        return 0
    if role == "user":
        return 1 if all(_is_text(block) for block in content) else 0
    ids: list[str] = []
    for block in content:
        if block["type"] == "tool_use":
            if not _is_call(block, names):
                return 0
            ids.append(block["id"])
        elif ids or not _is_text(block):
            return 0
    if not ids:
        return 1
    return 2 if _brings(messages[index + 1], ids) else 0


def _says(text: Any) -> bool:
    """A text with something to see in it, that can be written as UTF-8. (Asking an ASCII text costs nothing.)"""
    if text.__class__ is not str or not text or text.isspace():
        return False
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
        return bool(text.strip())
    return True


def _is_text(block: Any) -> bool:
    return len(block) == 2 and block["type"] == "text" and _says(block["text"])


def _writable(value: Any) -> bool:
    """Can it be written as UTF-8? A text that cannot raises."""
    if value.__class__ is str:
        if not value.isascii():
            value.encode()
        return True
    if value.__class__ is dict:
        return all(key.isascii() and _writable(each) for key, each in value.items())
    if value.__class__ is list:
        return all(map(_writable, value))
    return value is None or value.__class__ in (int, float, bool)


def _is_call(block: dict[str, Any], names: set[str]) -> bool:
    name, given, arguments = block["name"], block["id"], block["input"]
    if name not in names:
        if not _NAME.fullmatch(name):
            return False
        names.add(name)
    if len(block) != 4 or given.__class__ is not str or not _ID.fullmatch(given):
        return False
    return arguments.__class__ is dict and _writable(arguments)


def _brings(message: dict[str, Any], ids: list[str]) -> bool:
    """Does the user message bring these results, each once, and texts only behind them?"""
    if len(message) != 2 or message["role"] != "user" or message["content"].__class__ is not list:
        return False
    brought: list[str] = []
    behind = False
    for block in message["content"]:
        if block["type"] != "tool_result":
            if not _is_text(block):
                return False
            behind = True
            continue
        if behind or not _is_result(block):
            return False
        brought.append(block["tool_use_id"])
    return brought == ids if len(ids) == 1 else len(set(ids)) == len(ids) and sorted(brought) == sorted(ids)


def _is_result(block: dict[str, Any]) -> bool:
    """A result with text and no mark; an error has to say something."""
    content = block["content"]
    if len(block) - ("is_error" in block) != 3:
        return False
    if content.__class__ is str:
        return (content.isascii() or _says(content)) and (content != "" or not block.get("is_error"))
    return content.__class__ is list and all(_is_text(inner) for inner in content)
