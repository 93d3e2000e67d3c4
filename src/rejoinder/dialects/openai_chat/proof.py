"""A quick pass that proves stretches of an OpenAI Chat history intact, without reading it into values.

It may say "not sure" of what is intact; it never says "intact" of what is not: a law holds it
to the verdict of the rules, clause by clause. Keys are looked up by the very strings that the
history uses, which is what makes a dictionary quick.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from rejoinder.dialects.fold import Span

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LONGEST_ID = 40
_SILENT = frozenset({"refusal", "audio", "function_call", "annotations", "tool_calls"})


def paired(messages: list[Any]) -> bool:
    """Are these surely OpenAI messages whose calls and results stand in lockstep? False is "not sure"."""
    rest = iter(messages)
    take = rest.__next__
    try:
        role_, content_, calls_, call_id_, id_ = own_keys(messages)
        for message in rest:
            role = message[role_]
            if role == "assistant":
                if calls_ in message and (calls := message[calls_]):
                    if message[content_].__class__ is list:
                        return False
                    for call in calls:
                        result = take()
                        if result[call_id_] != call[id_] or result[role_] != "tool":
                            return False
                elif message[content_].__class__ is list or "toolCalls" in message:
                    return False
            elif role == "user":
                if message[content_].__class__ is not str and not _is_plain(message[content_]):
                    return False
            elif role != "system" and role != "developer":
                return False
    except (KeyError, TypeError, AttributeError, StopIteration):
        return False
    return True


def own_keys(messages: list[Any]) -> tuple[str, str, str, str, str]:
    """The key strings that this history uses: equal to ours, but the same objects as in its dictionaries."""
    names = {name: name for name in ("role", "content", "tool_calls", "tool_call_id", "id")}
    for message in messages[:8]:
        for key in message:
            if key in names:
                names[key] = key
        calls = message.get("tool_calls")
        for key in calls[0] if calls else ():
            if key in names:
                names[key] = key
    return names["role"], names["content"], names["tool_calls"], names["tool_call_id"], names["id"]


def _is_plain(content: Any) -> bool:
    """A list of text and image parts, and nothing that another dialect would read as more."""
    if content.__class__ is not list:
        return False
    for part in content:
        kind = part["type"]
        if kind == "text":
            if not _writable(part["text"]):
                return False
        elif kind != "image_url" or part["image_url"]["url"].__class__ is not str:
            return False
    return True


def _writable(text: Any) -> bool:
    """A text that can be written as UTF-8. (Asking an ASCII text costs nothing: it knows.)"""
    if text.__class__ is not str:
        return False
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
    return True


def unproven(messages: list[Any]) -> Iterator[Span]:
    """The spans of messages that are not proven, each a whole exchange as far as it could be followed."""
    total = len(messages)
    rest: Any = iter(messages)
    names: set[str] = set()
    start = _opening(messages)
    rest.__setstate__(start)
    while start < total:
        message: Any = None
        try:
            for message in rest:
                role, content = message["role"], message.get("content")
                if content.__class__ is str:
                    if not content.isascii() and not _writable(content):
                        break
                elif content is not None and not (role == "user" and _is_plain(content)):
                    break
                if role == "assistant":
                    calls = message.get("tool_calls")
                    if len(message) > 2 + (calls is not None) and not _is_silent(message):
                        break
                    if not (content is not None if calls is None else _proves_exchange(calls, rest.__next__, names)):
                        break
                elif role != "user" or content is None or len(message) != 2:
                    break
            else:
                return
        except (KeyError, TypeError, AttributeError, StopIteration):
            pass
        stop = total - rest.__length_hint__()
        head = stop - 1
        while messages[head] is not message:
            head -= 1
        while stop < total and _is_result(messages[stop]):
            stop += 1
        yield head, stop
        start = stop
        rest = iter(messages)
        rest.__setstate__(stop)


def _opening(messages: list[Any]) -> int:
    """How many plain system messages stand at the head. They are read in any case, so nothing is proven of them."""
    count = 0
    for message in messages:
        plain = message.__class__ is dict and len(message) == 2 and message.get("content").__class__ is str
        if not plain or message.get("role") not in ("system", "developer"):
            break
        count += 1
    return count


def ends_well(messages: list[Any]) -> bool:
    """Where all is proven: can the system messages at the head, of which nothing is proven, be written too?"""
    return all(_writable(message["content"]) for message in messages[: _opening(messages)])


def _is_result(message: Any) -> bool:
    return message.__class__ is dict and message.get("role") == "tool"


def _is_silent(message: dict[str, Any]) -> bool:
    """Do all other keys of the message say nothing, as in what an SDK dumps?"""
    return all(
        key in ("role", "content", "tool_calls") or (key in _SILENT and value in (None, []))
        for key, value in message.items()
    )


def _proves_exchange(calls: Any, take: Callable[[], Any], names: set[str]) -> bool:
    """Are the calls well formed, and do the next messages bring their results, each once?"""
    if calls.__class__ is not list or not calls:
        return False
    single = len(calls) == 1
    ids: list[str] = []
    brought: list[str] = []
    for call in calls:
        function, call_id, result = call["function"], call["id"], take()
        if function["name"] not in names and not _learns(function["name"], names):
            return False
        arguments, content = function["arguments"], result["content"]
        if not (arguments.__class__ is str and arguments.isascii()) and not _writable(arguments):
            return False
        if not (content.__class__ is str and content.isascii()) and not _writable(content):
            return False
        if call["type"] != "function" or call_id.__class__ is not str or not 0 < len(call_id) <= _LONGEST_ID:
            return False
        if result["role"] != "tool" or (len(result) != 3 and not (len(result) == 4 and "name" in result)):
            return False
        if single:
            return call_id == result["tool_call_id"]
        ids.append(call_id)
        brought.append(result["tool_call_id"])
    return len(set(ids)) == len(ids) and (brought == ids or sorted(brought) == sorted(ids))


def _learns(name: Any, names: set[str]) -> bool:
    """Is this a good name for a tool? Then it is remembered."""
    if not _NAME.fullmatch(name):
        return False
    names.add(name)
    return True
