"""A quick pass that proves stretches of an Anthropic history intact, without reading it into values.

It may say "not sure" of what is intact; it never says "intact" of what is not: a law holds it
to the verdict of the rules, clause by clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rejoinder.dialects.fold import Span, opens_turn

_IDS = re.compile(r"[a-zA-Z0-9_-]+")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")


def unproven(messages: list[Any]) -> Iterator[Span]:
    """The spans of messages that are not proven, each from an assistant turn with calls to its results."""
    total = len(messages)
    index = 0
    names: set[str] = set()
    while index < total:
        message = messages[index]
        try:
            taken = 0
            if len(message) == 2:
                role, content = message["role"], message["content"]
                if content.__class__ is str:
                    taken = 1 if (role == "user" or role == "assistant") and _says(content) else 0
                elif content.__class__ is list and content:
                    if role == "assistant":
                        taken = _proven_reply(content, messages, index, names)
                    elif role == "user" and all(map(_is_text, content)):
                        taken = 1
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


def _proven_reply(content: list[Any], messages: list[Any], index: int, names: set[str]) -> int:
    """Texts, and calls behind them whose results the next message brings: the two together, the one, or 0."""
    ids: list[str] = []
    for block in content:
        if block["type"] == "tool_use":
            name, given, arguments = block["name"], block["id"], block["input"]
            if name not in names and not _learns(name, names):
                return 0
            if len(block) != 4 or arguments.__class__ is not dict or given.__class__ is not str:
                return 0
            for value in arguments.values():
                if not (value.__class__ is str and value.isascii()) and not _writable(value):
                    return 0
            ids.append(given)
        elif ids or not _is_text(block):
            return 0
    if not ids:
        return 1
    return 2 if _IDS.fullmatch("".join(ids)) and "" not in ids and _brings(messages[index + 1], ids) else 0


def _learns(name: Any, names: set[str]) -> bool:
    """Is this a good name for a tool? Then it is remembered."""
    if not _NAME.fullmatch(name):
        return False
    names.add(name)
    return True


def _says(text: Any) -> bool:
    """A text with something to see in it, that can be written as UTF-8. (Asking an ASCII text costs nothing.)"""
    if text.__class__ is not str or not text or text.isspace():
        return False
    if not text.isascii():
        text.encode()
        return bool(text.strip())
    return True


def _is_text(block: Any) -> bool:
    return len(block) == 2 and block["type"] == "text" and _says(block["text"])


def _writable(value: Any) -> bool:
    """Can it be written as UTF-8? A text that cannot raises."""
    kind = value.__class__
    if kind is str:
        if not value.isascii():
            value.encode()
        return True
    if kind is dict:
        return all(key.isascii() and _writable(each) for key, each in value.items())
    if kind is list:
        return all(map(_writable, value))
    return value is None or kind is int or kind is float or kind is bool


def _brings(message: dict[str, Any], ids: list[str]) -> bool:
    """Does the user message bring these results, each once, and texts only behind them?"""
    content = message["content"]
    if len(message) != 2 or message["role"] != "user" or content.__class__ is not list:
        return False
    brought: list[str] = []
    for block in content:
        if block["type"] == "tool_result" and len(brought) < len(ids):
            inner = block["content"]
            marked = "is_error" in block
            if len(block) != 3 + marked:
                return False
            if inner.__class__ is not str:
                if inner.__class__ is not list or not all(map(_is_text, inner)):
                    return False
            elif not inner.isascii():
                inner.encode()
            if marked and block["is_error"] and not inner:
                return False
            brought.append(block["tool_use_id"])
        elif len(brought) < len(ids) or not _is_text(block):
            return False
    if len(ids) == 1:
        return brought == ids
    return len(set(ids)) == len(ids) and (brought == ids or sorted(brought) == sorted(ids))
