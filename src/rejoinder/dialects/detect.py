"""Which dialect is a payload in, and how do we know?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from rejoinder.dialects.anthropic import DIALECT as ANTHROPIC
from rejoinder.dialects.app import DIALECT as APP
from rejoinder.dialects.dialect import Dialect
from rejoinder.dialects.neovate import DIALECT as NEOVATE
from rejoinder.dialects.openai_chat import DIALECT as OPENAI_CHAT
from rejoinder.dialects.shape import kind_of
from rejoinder.errors import DialectError, PayloadError
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.payload import Payload

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (ANTHROPIC, APP, NEOVATE, OPENAI_CHAT)}
_ALL = tuple(sorted(DIALECTS))


class Detection(msgspec.Struct, frozen=True):
    """The dialect of a payload. Where nothing tells, `candidates` names all that read it alike."""

    dialect: str
    because: str
    candidates: tuple[str, ...]


# A key of a message that only one dialect has.
_KEYS = {
    "tool_calls": "openai-chat",
    "tool_call_id": "openai-chat",
    "function_call": "openai-chat",
    "refusal": "openai-chat",
    "toolCalls": "app",
    "toolCallId": "app",
    "segments": "app",
}
_APP_KEYS = {key for key, name in _KEYS.items() if name == "app"}
# A type of a block, with the roles it is written in: who writes it so.
_BLOCKS: dict[str, tuple[str, ...]] = {
    "image_url": ("openai-chat", "app"),
    "input_audio": ("openai-chat",),
    "file": ("openai-chat",),
    "tool-result": ("neovate",),
    "reasoning": ("neovate",),
    "thinking": ("anthropic",),
    "redacted_thinking": ("anthropic",),
    "document": ("anthropic",),
    "server_tool_use": ("anthropic",),
    "mcp_tool_use": ("anthropic",),
    "search_result": ("anthropic",),
    "container_upload": ("anthropic",),
    "image": ("anthropic", "neovate"),
    "tool_use": ("anthropic", "app", "neovate"),
}


def detect(payload: Payload) -> Detection:
    """The dialect of a list of messages or of a request body, and what shows it.

    Raises `DialectError` where the payload could be two dialects that would read it differently.
    """
    if not is_array(payload) and not is_object(payload):
        raise PayloadError(f"a conversation is a list of messages or a request body; this is {kind_of(payload)}")
    left = set(_ALL)
    signs: list[tuple[str, tuple[str, ...]]] = []
    for sign, names in _signs(payload):
        signs.append((sign, names))
        if not left & set(names):
            raise DialectError(_torn(signs, sign, names))
        left &= set(names)
    candidates = tuple(sorted(left))
    if not signs:
        return Detection("openai-chat", "nothing but roles and text: every dialect reads it alike", candidates)
    because = "; ".join(dict.fromkeys(sign for sign, _ in signs))
    return Detection(_choice(candidates), because, candidates)


def _choice(candidates: tuple[str, ...]) -> str:
    """Of several that read the payload alike, the one that is a provider's own."""
    return next((name for name in ("openai-chat", "anthropic") if name in candidates), candidates[0])


def _torn(signs: list[tuple[str, tuple[str, ...]]], sign: str, names: tuple[str, ...]) -> str:
    other = next(((s, n) for s, n in signs if not set(n) & set(names)), signs[0])
    return (
        f"this could be {' or '.join(other[1])} ({other[0]}) or {' or '.join(names)} ({sign}); say which with dialect="
    )


def _signs(payload: Payload) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What in the payload only some dialects would write, in order."""
    messages: Any = payload
    if is_object(payload):
        messages = payload.get("messages")
        if payload.get("system") is not None:
            yield "the body has a field `system`", ("anthropic",)
        tools = payload.get("tools")
        for tool in tools if is_array(tools) else ():
            if is_object(tool) and "input_schema" in tool:
                yield "a tool has an `input_schema`", ("anthropic",)
            if is_object(tool) and is_object(tool.get("function")):
                yield "a tool has a `function`", ("openai-chat", "app")
    for index, message in enumerate(messages or ()):
        if is_object(message):
            yield from _message_signs(index, message)


def _message_signs(index: int, message: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    if "parts" in message and "content" not in message:
        raise DialectError(f"messages[{index}] has `parts` and no `content`: that is no dialect known here")
    for key in message:
        if key in _KEYS and (message[key] or key == "segments"):
            yield f"messages[{index}] has `{key}`", (_KEYS[key],)
    role = message.get("role")
    content = message.get("content")
    if is_object(content) and "tool_use_id" in content:
        yield f"messages[{index}] is one block that names a call", ("app",)
    for block in content if is_array(content) else ():
        if not is_object(block):
            continue
        kind = block.get("type")
        if kind == "tool_result" and "id" in block and "tool_use_id" not in block:
            yield f"messages[{index}] has an older result, with `id`", ("neovate",)
        elif kind == "tool_result" or (kind is None and "tool_use_id" in block):
            yield f"messages[{index}] of role {role!r} brings a result", ("app",) if role == "tool" else ("anthropic",)
        elif isinstance(kind, str) and kind.endswith("_tool_result"):
            yield f"messages[{index}] has a block {kind!r}", ("anthropic",)
        elif isinstance(kind, str) and kind in _BLOCKS:
            yield f"messages[{index}] has a block {kind!r}", _BLOCKS[kind]


def has_app_keys(payload: Payload) -> bool:
    """Does a message have a key that only the dialect `app` has?"""
    messages: Any = payload.get("messages") if is_object(payload) else payload
    return any(is_object(message) and not _APP_KEYS.isdisjoint(message) for message in messages or ())


def find_dialect(name: str) -> Dialect:
    """The dialect of a name."""
    dialect = DIALECTS.get(str(name))
    if dialect is None:
        raise DialectError(f"no dialect is called {name!r}; there are {', '.join(_ALL)}")
    return dialect
