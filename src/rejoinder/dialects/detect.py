"""Which dialect is a payload in, and how do we know?

A sign is something that only some dialects write: a member of the body or of a message, a type of
block. Each dialect lists its signs; one that nobody lists says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from rejoinder.dialects.ai_sdk import DIALECT as AI_SDK
from rejoinder.dialects.anthropic import DIALECT as ANTHROPIC
from rejoinder.dialects.app import DIALECT as APP
from rejoinder.dialects.bedrock import DIALECT as BEDROCK
from rejoinder.dialects.deepseek import DIALECT as DEEPSEEK
from rejoinder.dialects.dialect import Dialect
from rejoinder.dialects.gemini import DIALECT as GEMINI
from rejoinder.dialects.langchain import DIALECT as LANGCHAIN
from rejoinder.dialects.mistral import DIALECT as MISTRAL
from rejoinder.dialects.neovate import DIALECT as NEOVATE
from rejoinder.dialects.openai_chat import DIALECT as OPENAI_CHAT
from rejoinder.dialects.openai_responses import DIALECT as OPENAI_RESPONSES
from rejoinder.dialects.otel import DIALECT as OTEL
from rejoinder.errors import DialectError, PayloadError
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.payload import HOLDERS, Payload, messages_of

# All that there are. A new dialect is a folder, and a line here.
DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        *(ANTHROPIC, BEDROCK, DEEPSEEK, GEMINI, MISTRAL, OPENAI_CHAT, OPENAI_RESPONSES),
        *(AI_SDK, APP, LANGCHAIN, NEOVATE, OTEL),
    )
}
_ALL = tuple(sorted(name for name, dialect in DIALECTS.items() if dialect.signs))
# Of several that read a payload alike, the one that is a provider's own.
_FIRST = ("openai-chat", "anthropic", "openai-responses", "gemini", "bedrock")


class Detection(msgspec.Struct, frozen=True):
    """The dialect of a payload. Where nothing tells, `candidates` names all that read it alike."""

    dialect: str
    because: str
    candidates: tuple[str, ...]


def _written_by() -> dict[str, tuple[str, ...]]:
    """For each sign, the dialects that write it."""
    names: dict[str, list[str]] = {}
    for name in _ALL:
        for sign in DIALECTS[name].signs:
            names.setdefault(sign, []).append(name)
    # What one dialect surely does not write tells that it is any of the others.
    for sign in sorted({sign for name in _ALL for sign in DIALECTS[name].strange}):
        names[sign] = [name for name in names.get(sign, _ALL) if sign not in DIALECTS[name].strange]
    return {sign: tuple(found) for sign, found in names.items()}


_WRITTEN_BY = _written_by()


def detect(payload: Payload) -> Detection:
    """The dialect of a list of messages or of a request body, and what shows it.

    Raises `DialectError` where the payload could be two dialects that would read it differently.
    """
    if not is_array(payload) and not is_object(payload):
        raise PayloadError(f"a conversation is a list of messages or a request body; this is {kind_of(payload)}")
    left = set(_ALL)
    signs: list[tuple[str, tuple[str, ...]]] = []
    telling: dict[str, None] = {}
    for sign, says in _signs(payload):
        names = _WRITTEN_BY.get(sign)
        if names is None:
            continue
        if not left & set(names):
            raise DialectError(_torn(signs, says, names))
        left &= set(names)
        signs.append((says, names))
        if len(names) < len(_ALL) and not sign.startswith(("role:", "content:")):
            telling[says] = None
    candidates = tuple(sorted(left))
    if not telling:
        return Detection(_choice(candidates), "nothing but roles and text: every dialect reads it alike", candidates)
    return Detection(_choice(candidates), "; ".join(telling), candidates)


def _choice(candidates: tuple[str, ...]) -> str:
    return next((name for name in _FIRST if name in candidates), candidates[0])


def _torn(signs: list[tuple[str, tuple[str, ...]]], says: str, names: tuple[str, ...]) -> str:
    other = next(((s, n) for s, n in signs if not set(n) & set(names)), signs[0])
    return (
        f"this could be {' or '.join(other[1])} ({other[0]}) or {' or '.join(names)} ({says}); say which with dialect="
    )


def _signs(payload: Payload) -> Iterator[tuple[str, str]]:
    """The signs of a payload, each with the words for it, in order."""
    if is_object(payload):
        for name, value in payload.items():
            if name in HOLDERS:
                yield f"holds:{name}", f"the messages are in `{name}`"
            elif value is not None:
                yield f"body:{name}", f"the body has a field `{name}`"
        tools = payload.get("tools")
        for tool in tools if is_array(tools) else ():
            for name in ("input_schema", "function") if is_object(tool) else ():
                if name in tool:
                    yield f"tool:{name}", f"a tool has `{name}`"
    for index, message in enumerate(messages_of(payload)):
        if is_object(message):
            yield from _message_signs(index, message)


def _message_signs(index: int, message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in message.items():
        if value or key in ("segments", "parts"):
            yield f"key:{key}", f"messages[{index}] has `{key}`"
    kind = message.get("type")
    if isinstance(kind, str):
        yield f"type:{kind}", f"messages[{index}] is of type {kind!r}"
    role = message.get("role")
    yield f"role:{role}", f"messages[{index}] has the role {role!r}"
    content = message.get("content")
    if content is not None:
        yield f"content:{kind_of(content)}", f"messages[{index}] has text"
    if is_object(content) and "tool_use_id" in content:
        yield "result:lone", f"messages[{index}] is one block that names a call"
    for name in ("content", "parts"):
        blocks = message.get(name)
        for block in blocks if is_array(blocks) else ():
            if is_object(block):
                yield from _block_signs(index, role, name, block)


def _block_signs(index: int, role: object, member: str, block: dict[str, Any]) -> Iterator[tuple[str, str]]:
    kind = block.get("type")
    at = f"messages[{index}]"
    if kind == "tool_result" and "id" in block and "result" in block and "tool_use_id" not in block:
        yield "result:older", f"{at} has an older result, with `id`"
    elif kind == "tool_result" or (kind is None and "tool_use_id" in block):
        yield f"result:{'tool' if role == 'tool' else 'user'}", f"{at} of role {role!r} brings a result"
    elif isinstance(kind, str) and kind.endswith("_tool_result"):
        yield "block:*_tool_result", f"{at} has a block {kind!r}"
    elif isinstance(kind, str):
        sign = "block" if member == "content" else "part"
        yield f"{sign}:{kind}", f"{at} has a block {kind!r}"
        for key in block:
            yield f"{sign}:{kind}/{key}", f"{at} has a block {kind!r} with `{key}`"
        if kind.startswith(("tool-", "data-")):
            yield f"{sign}:{kind[:5]}*", f"{at} has a block {kind!r}"
    else:
        # A block without a type is known by the member that holds what it says.
        for key in block:
            yield f"{'block' if member == 'content' else 'part'}:?{key}", f"{at} has a block with `{key}`"


def shows(payload: Payload, stored: str, expected: str) -> bool:
    """Do the signs show a stored dialect to somebody who expects a payload of another one?

    A mark of it is enough. Of its other signs it takes two: a single one may as well be a fault of what was expected.
    """
    dialect = DIALECTS[stored]
    found = {sign for sign, _ in _signs(payload)} & dialect.signs - DIALECTS[expected].signs
    return len(found) > 1 or bool(found & dialect.marks)


def find_dialect(name: str) -> Dialect:
    """The dialect of a name; `name:form` is one of its forms."""
    head, _, form = str(name).partition(":")
    dialect = DIALECTS.get(head)
    if dialect is not None and form:
        dialect = next((each for each in dialect.forms if each.form == form), None)
    if dialect is None:
        forms = (each.full_name for known in DIALECTS.values() for each in (known, *known.forms))
        raise DialectError(f"no dialect is called {name!r}; there are {', '.join(sorted(forms))}")
    return dialect
