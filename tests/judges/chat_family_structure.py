"""An independent judge: which documented rules of Mistral's or DeepSeek's chat completions a request breaks.

Written from the providers' rules alone and sharing no code with rejoinder. A rule id is that of PROVIDERS.md; those
that it does not name are called `dialect/form`.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

Json = dict[str, Any]

_MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_MISTRAL_MEMBERS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls", "prefix"},
    "tool": {"role", "content", "tool_call_id", "name"},
}
_CHUNKS = {
    "system": {"text", "thinking"},
    "assistant": {"text", "thinking", "reference"},
    "tool": {"text", "reference"},
    "user": {"text", "image_url", "document_url", "input_audio", "file", "reference"},
}
_FOLLOWS = {
    "system": {"user", "assistant", "system"},
    "user": {"assistant", "system", "user"},
    "assistant": {"assistant", "user", "tool"},
    "tool": {"assistant", "tool", "user"},
}


def chat_family_refusals(
    dialect: str, payload: list[Any] | Json, *, hosted: bool = False, old: bool = False
) -> list[str]:
    """The ids of the rules that the payload breaks, each once; [] when it would be accepted.

    `hosted`: Mistral's servers, which let no user follow a result. `old`: Mistral's tokenizer of version 3. For
    DeepSeek they say nothing; there, a body whose model is a `deepseek-v4` is held to the thinking mode.
    """
    body = payload if isinstance(payload, dict) else {"messages": payload}
    messages = body.get("messages") or []
    if dialect == "mistral":
        found = list(_mistral(messages, hosted, old))
    elif dialect == "deepseek":
        found = list(_deepseek(body, messages))
    else:
        raise ValueError(f"no judge for dialect {dialect!r}: wanted 'mistral' or 'deepseek'")
    return list(dict.fromkeys(found))


# --- Mistral ----------------------------------------------------------------------------------------------------------


def _mistral(messages: list[Any], hosted: bool, old: bool) -> Iterator[str]:
    if not messages:
        yield "mistral/messages-nonempty"
        return
    for at, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in _MISTRAL_MEMBERS:
            yield "mistral/form"
            return
        yield from _mistral_message(message, message["role"], at == len(messages) - 1, old)
    yield from _mistral_order([message["role"] for message in messages], messages[-1], hosted)
    yield from _mistral_pairs(messages)
    if messages[0]["role"] == "assistant" and (len(messages) == 1 or messages[0].get("tool_calls")):
        yield "mistral/first-role"


def _mistral_message(message: Json, role: str, last: bool, old: bool) -> Iterator[str]:
    content, calls = message.get("content"), message.get("tool_calls") or []
    if not set(message) <= _MISTRAL_MEMBERS[role]:
        yield "mistral/extra-member"
    if isinstance(content, list):
        kinds = {chunk.get("type") if isinstance(chunk, dict) else None for chunk in content}
        if not kinds <= _CHUNKS[role]:
            yield "mistral/tool-text-only" if role == "tool" else "mistral/form"
    elif not isinstance(content, str) and (role != "assistant" or content is not None or not calls):
        yield "mistral/form"
    if message.get("prefix") and not last:
        yield "mistral/form"
    if old and role == "assistant" and bool(content) == bool(calls):
        yield "mistral/content-xor-calls"
    names = [call.get("function", {}).get("name") for call in calls]
    if role == "tool" and message.get("name") is not None:
        names.append(message["name"])
    if any(not isinstance(name, str) or not _NAME.fullmatch(name) for name in names):
        yield "mistral/tool-name"
    ids = [call.get("id") for call in calls] + ([message.get("tool_call_id")] if role == "tool" else [])
    if any(not isinstance(each, str) or not _MISTRAL_ID.fullmatch(each) for each in ids):
        yield "mistral/call-id-9"


def _mistral_order(roles: list[str], last: Json, hosted: bool) -> Iterator[str]:
    if roles[0] == "tool":
        yield "mistral/role-order"
    if any(
        other not in _FOLLOWS[one] or (hosted and (one, other) == ("tool", "user")) for one, other in pairwise(roles)
    ):
        yield "mistral/role-order"
    if roles[-1] == "assistant" and last.get("prefix") is not True:
        yield "mistral/last-role"


def _mistral_pairs(messages: list[Json]) -> Iterator[str]:
    asked: list[Any] = []
    answered: list[Any] = []
    for message in messages:
        if message["role"] == "tool":
            result = message.get("tool_call_id")
            if result in answered:
                yield "mistral/result-single"
            elif result not in asked:
                yield "mistral/result-has-call"
            answered.append(result)
            continue
        if len(asked) != len(answered):
            yield "mistral/call-answered"
        asked, answered = [call.get("id") for call in message.get("tool_calls") or []], []
        if len(set(asked)) != len(asked):
            yield "mistral/call-unique"
    if len(asked) != len(answered):
        yield "mistral/call-answered"


# --- DeepSeek ---------------------------------------------------------------------------------------------------------


def _deepseek(body: Json, messages: list[Any]) -> Iterator[str]:
    if not messages:
        yield "deepseek/messages-nonempty"
        return
    thinks = "deepseek-v4" in str(body.get("model")) and (body.get("thinking") or {}).get("type") != "disabled"
    asked: set[Any] = set()
    waiting: set[Any] = set()
    for at, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in _FOLLOWS:
            yield "deepseek/form"
            return
        role, calls = message["role"], message.get("tool_calls") or []
        yield from _deepseek_content(message, role, calls)
        if calls and thinks and not isinstance(message.get("reasoning_content"), str):
            yield "openai-compat/reasoning-content-required"
        if message.get("prefix") and at < len(messages) - 1:
            yield "deepseek/form"
        if role == "tool":
            if message.get("tool_call_id") not in asked:
                yield "deepseek/tool-after-call"
            waiting.discard(message.get("tool_call_id"))
            continue
        if waiting:
            yield "deepseek/call-answered"
        asked = {call.get("id") for call in calls} if role == "assistant" else set()
        waiting = set(asked)
    if waiting:
        yield "deepseek/call-answered"


def _deepseek_content(message: Json, role: str, calls: list[Any]) -> Iterator[str]:
    content = message.get("content")
    if isinstance(content, list):
        texts = all(isinstance(part, dict) and part.get("type") == "text" for part in content)
        if not texts or role in ("tool", "assistant"):
            yield "deepseek/form"
    elif not isinstance(content, str) and not (content is None and role == "assistant" and calls):
        yield "deepseek/form"
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if (
            not isinstance(function, dict)
            or not isinstance(function.get("arguments"), str)
            or not _NAME.fullmatch(str(function.get("name")))
        ):
            yield "deepseek/form"
