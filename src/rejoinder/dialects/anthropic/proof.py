"""A quick pass that proves stretches of an Anthropic history intact, without reading it into values.

It may say "not sure" of what is intact; it never says "intact" of what is not: a law holds it
to the verdict of the rules, clause by clause. What it asks of each block is written out in its
loops: to call a function costs as much as three of the questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from rejoinder.dialects.fold import Span, opens_turn

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
# What may stand beside calls and results without being either.
_SPOKEN = frozenset({"text", "image", "document", "thinking", "redacted_thinking"})


def paired(messages: list[Any]) -> bool:
    """Are these surely Anthropic messages whose calls and results stand in lockstep? False is "not sure"."""
    rest = iter(messages)
    take = rest.__next__
    called = False
    try:
        for message in rest:
            content = message["content"]
            if content.__class__ is str:
                if len(message) != 2:
                    return False
                continue
            ids = [block["id"] for block in content if block["type"] not in _SPOKEN]
            if len(message) != 2 or (message["role"] != "assistant" and (ids or message["role"] != "user")):
                return False
            if ids:
                answer = take()["content"]
                brought = [block["tool_use_id"] for block in answer if block["type"] not in _SPOKEN]
                # Of as many calls and as many results, none may be of another kind, and the results lead.
                if brought != ids or not _lead(answer, len(ids)) or not _calls(content):
                    return False
                if len(ids) > 1 and len(set(ids)) != len(ids):
                    return False
                called = True
    except (KeyError, TypeError, AttributeError, StopIteration):
        return False
    return called


def _lead(answer: list[Any], count: int) -> bool:
    """Are the first blocks results?"""
    return answer[0]["type"] == "tool_result" and all(answer[at]["type"] == "tool_result" for at in range(1, count))


def _calls(content: list[Any]) -> bool:
    """Are all blocks with an id calls?"""
    return all(block["type"] == "tool_use" or block["type"] in _SPOKEN for block in content)


def unproven(messages: list[Any]) -> Iterator[Span]:
    """The spans of messages that are not proven, each from an assistant turn with calls to its results."""
    total = len(messages)
    rest: Any = iter(messages)
    names: set[str] = set()
    start = 0
    while start < total:
        message: Any = None
        try:
            for message in rest:
                role, content = message["role"], message["content"]
                if len(message) != 2:
                    break
                if content.__class__ is str:
                    if not content or content.isspace() or (role != "user" and role != "assistant"):
                        break
                    if not content.isascii():
                        content.encode()
                elif content.__class__ is not list or not content:
                    break
                elif role == "assistant":
                    if not _proves_reply(content, rest.__next__, names):
                        break
                elif role != "user" or not all(map(_is_text, content)):
                    break
            else:
                return
        except (KeyError, TypeError, AttributeError, StopIteration, UnicodeEncodeError, RecursionError):
            pass
        stop = total - rest.__length_hint__()
        head = stop - 1
        while messages[head] is not message:
            head -= 1
        while stop < total and not opens_turn(messages, stop):
            stop += 1
        yield head, stop
        start = stop
        rest = iter(messages)
        rest.__setstate__(stop)


def ends_well(messages: list[Any]) -> bool:
    """Where all is proven: does the user speak first, and last? Then nobody minds who begins and who ends."""
    return messages[0]["role"] == "user" and messages[-1]["role"] == "user"


def _proves_reply(content: list[Any], take: Callable[[], Any], names: set[str]) -> bool:
    """Texts, and calls behind them whose results the next message brings."""
    ids: list[str] = []
    for block in content:
        if block["type"] == "tool_use":
            given, name, arguments = block["id"], block["name"], block["input"]
            if len(block) != 4 or arguments.__class__ is not dict or (name not in names and not _learns(name, names)):
                return False
            # An identifier of ASCII letters is quicker to ask for than the pattern, and no more than it allows.
            if not (given.isascii() and given.isidentifier()) and not _ID.fullmatch(given):
                return False
            for key, value in arguments.items():
                if not (value.__class__ is str and value.isascii() and key.isascii()) and not _writable(key, value):
                    return False
            ids.append(given)
        elif ids or not _is_text(block):
            return False
    return not ids or _brings(take(), ids)


def _is_mark(error: Any, inner: Any) -> bool:
    """May this say whether a result is an error? An error says something."""
    return error is False or (error is True and bool(inner))


def _learns(name: Any, names: set[str]) -> bool:
    """Is this a good name for a tool? Then it is remembered."""
    if not _NAME.fullmatch(name):
        return False
    names.add(name)
    return True


def _is_text(block: Any) -> bool:
    """A text with something to see in it, that can be written as UTF-8. (Asking an ASCII text costs nothing.)"""
    text = block["text"]
    if block["type"] != "text" or len(block) != 2 or text.__class__ is not str or not text or text.isspace():
        return False
    if not text.isascii():
        text.encode()
    return True


def _writable(key: str, value: Any) -> bool:
    """Can both be written as UTF-8? A text that cannot raises."""
    if not key.isascii():
        key.encode()
    kind = value.__class__
    if kind is str:
        if not value.isascii():
            value.encode()
        return True
    if kind is dict:
        return all(_writable(inner, each) for inner, each in value.items())
    if kind is list:
        return all(_writable("", each) for each in value)
    return value is None or kind is int or kind is float or kind is bool


def _brings(message: dict[str, Any], ids: list[str]) -> bool:
    """Does the user message bring these results, each once, and texts only behind them?"""
    content = message["content"]
    if len(message) != 2 or message["role"] != "user" or content.__class__ is not list:
        return False
    brought: list[str] = []
    count = len(ids)
    for block in content if len(content) == count else content[:count]:
        inner = block["content"]
        if block["type"] != "tool_result":
            return False
        if inner.__class__ is str:
            if not inner.isascii():
                inner.encode()
        elif inner.__class__ is not list or not all(map(_is_text, inner)):
            return False
        if len(block) != 3 and (len(block) != 4 or not _is_mark(block["is_error"], inner)):
            return False
        brought.append(block["tool_use_id"])
    if len(content) > count and not all(map(_is_text, content[count:])):
        return False
    if brought == ids:
        return count == 1 or len(set(ids)) == count
    return len(set(ids)) == count and sorted(brought) == sorted(ids)
