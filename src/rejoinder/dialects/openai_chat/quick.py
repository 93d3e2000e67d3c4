"""Plain OpenAI Chat histories, read and written without values."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.openai_chat.proof import own_keys
from rejoinder.dialects.skim import NO_CALLS, NO_RESULTS, PlainCall, Skimmed, Unit
from rejoinder.values.payload import messages_of


def skim(payload: Any) -> Skimmed | None:
    """The history in plain tuples, if it is nothing but words, calls and their results; None is "not sure"."""
    messages = messages_of(payload)
    head: str | None = None
    units: list[Unit] = []
    rest = enumerate(messages)
    try:
        role_, content_, calls_, call_id_, _ = own_keys(messages)
        for index, message in rest:
            role, content = message[role_], message[content_]
            if role == "user":
                if content.__class__ is not str or len(message) != 2:
                    return None
                units.append((index, content, None, NO_CALLS, NO_RESULTS))
            elif role == "assistant":
                calls = message.get(calls_)
                if content.__class__ is not str and (content is not None or not calls):
                    return None
                if calls is None:
                    if len(message) != 2:
                        return None
                    units.append((index, None, content, NO_CALLS, NO_RESULTS))
                    continue
                asked = _asked(calls) if len(message) == 3 else None
                results = [_result(next(rest)[1], role_, content_, call_id_) for _ in calls]
                if not asked or not _answered(asked, results):
                    return None
                units.append((index, None, content, asked, results))
            elif role == "system" and not index and content.__class__ is str and len(message) == 2:
                head = content
            else:
                return None
    except (KeyError, TypeError, AttributeError, StopIteration):
        return None
    return Skimmed(head, units)


def _asked(calls: list[Any]) -> list[PlainCall] | None:
    """The calls of a message, if each is a function with text for arguments."""
    asked: list[PlainCall] = []
    for call in calls:
        function = call["function"]
        name, arguments = function["name"], function["arguments"]
        if call["type"] != "function" or len(call) != 3 or len(function) != 2 or arguments.__class__ is not str:
            return None
        asked.append((call["id"], name, arguments))
    return asked


def _result(message: dict[str, Any], role_: str, content_: str, call_id_: str) -> tuple[str, str]:
    content = message[content_]
    if message[role_] != "tool" or len(message) != 3 or content.__class__ is not str:
        raise TypeError
    return message[call_id_], content


def _answered(asked: list[PlainCall], results: list[tuple[str, str]]) -> bool:
    """Does each call have its one result?"""
    if len(asked) == 1:
        return asked[0][0] == results[0][0]
    ids = {call[0] for call in asked}
    return len(ids) == len(asked) and ids == {result[0] for result in results}
