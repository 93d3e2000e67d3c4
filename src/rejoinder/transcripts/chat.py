"""Messages of the chat form, made from what a file says in words of its own."""

from __future__ import annotations

from typing import Any

from rejoinder.transcripts.fields import items
from rejoinder.transcripts.members import spelled
from rejoinder.values.loose import is_array, is_object

DIALECT = "openai-chat"
_SPEAKERS = frozenset({"system", "developer", "user", "assistant", "tool"})
_MEMBERS = ("name", "tool_calls", "tool_call_id", "refusal", "reasoning_content", "function_call", "audio")

Message = dict[str, Any]


def call(name: Any, arguments: Any, identity: Any) -> Message:
    """A call, its arguments as the JSON text that an API has there."""
    asked = spelled({} if arguments is None else arguments)
    function = {"name": name if isinstance(name, str) else "", "arguments": asked}
    return {"id": identity, "type": "function", "function": function}


def result(identity: Any, content: Any) -> Message:
    """The result of a call."""
    return {"role": "tool", "tool_call_id": identity, "content": content_of(content)}


def assistant(words: Any, calls: list[Message]) -> Message:
    """What the model says, and the calls that it makes with it."""
    if not calls:
        return said("assistant", words)
    return {"role": "assistant", "content": content_of(words) or None, "tool_calls": calls}


def said(role: str, words: Any) -> Message:
    """A message that only says something."""
    return {"role": role, "content": content_of(words)}


def content_of(content: Any) -> Any:
    """Content as an API has it: text, or blocks; anything else spelled out."""
    if content is None or isinstance(content, str):
        return content or ""
    if is_array(content) and all(is_object(block) and isinstance(block.get("type"), str) for block in content):
        return list(content)
    return spelled(content)


def plain(raw: Message) -> Message | None:
    """A message that is one already, without what its agent noted beside it; None where nobody says it."""
    role = raw.get("role")
    if not isinstance(role, str) or role not in _SPEAKERS:
        return None
    kept = {name: raw[name] for name in _MEMBERS if raw.get(name) is not None}
    if "tool_calls" in kept and not kept["tool_calls"]:
        del kept["tool_calls"]
    content = raw.get("content")
    if content is None and (kept.get("tool_calls") or "function_call" in kept):
        return {"role": role, "content": None, **kept}
    return {"role": role, "content": content_of(content), **kept}


def calls_of(message: Any) -> list[Message]:
    """The calls of a message of this form."""
    return items(message, "tool_calls")
