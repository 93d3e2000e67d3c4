"""An independent judge: which documented rules of OpenAI Chat Completions and Anthropic Messages a request breaks.

Written from the providers' rules alone and sharing no code with rejoinder, so that it can judge what rejoinder calls
clean. A rule id is `dialect/rule`, the ids of PROVIDERS.md. Every function here, and in the Anthropic half next door,
yields the rules that its argument breaks, and looks at each message a fixed number of times.
"""

import re
from collections.abc import Iterator
from typing import Any

from judges.anthropic_structure import Json, anthropic, dicts, string_at
from judges.bedrock_structure import bedrock
from judges.gemini_structure import gemini
from judges.responses_structure import responses


def refusals(
    dialect: str, payload: list[Any] | Json, model: str | None = None, *, trailing: bool = True, reuse: bool = True
) -> list[str]:
    """The ids of the rules that the payload breaks, each once, in the order found; [] when it would be accepted.

    `payload` is a list of messages or a whole request body; `model` defaults to the body's own and only narrows.
    The sources disagree on two points, and the caller picks the reading:
    `trailing=False` lets an OpenAI history end with an unanswered call; `reuse=False` refuses an Anthropic call id
    that an earlier turn used (the rule says so, a recorded 200 answer says otherwise).
    """
    body = payload if isinstance(payload, dict) else {_HELD_IN.get(dialect, "messages"): payload}
    model_name = model or str(body.get("model") or body.get("modelId") or "")
    if dialect == "openai-chat":
        broken = _openai(body, model_name, trailing)
    elif dialect == "anthropic":
        broken = anthropic(body, model_name, reuse)
    elif dialect == "gemini":
        broken = gemini(body, model_name, trailing)
    elif dialect == "openai-responses":
        broken = responses(body, model_name)
    elif dialect == "bedrock":
        broken = bedrock(body, model_name.lower().replace(".", "-"), isinstance(payload, dict))
    else:
        raise ValueError(f"no structural judge for dialect {dialect!r}: wanted 'openai-chat', 'anthropic' or 'gemini'")
    return list(dict.fromkeys(f"{dialect}/{rule}" for rule in broken))


# Where the messages of a body are, if not in `messages`.
_HELD_IN = {"gemini": "contents", "openai-responses": "input"}
_TEXT_ONLY = frozenset({"text"})
_PARTS = {
    "system": _TEXT_ONLY,
    "developer": _TEXT_ONLY,
    "user": frozenset({"text", "image_url", "input_audio", "file"}),
    "assistant": frozenset({"text", "refusal"}),
    "tool": _TEXT_ONLY,
    "function": _TEXT_ONLY,
}
_HELD = frozenset({"image_url", "input_audio", "file"})
_ROLES_REFUSED = (("o1-mini", frozenset({"system", "developer"})), ("gpt-5.6", frozenset({"function"})))
_CONTENT_SUBSTITUTES = ("tool_calls", "function_call", "refusal", "audio")
_CALL_PAYLOAD = {"function": "arguments", "custom": "input"}
_FUNCTION_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LONGEST_ID = 40


def _openai(body: Json, model: str, trailing: bool) -> Iterator[str]:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages-nonempty"
        return
    for message in messages:
        if not isinstance(message, dict):
            yield "message-object"
            continue
        role = message.get("role")
        if not isinstance(role, str) or role not in _PARTS:
            yield "role-known"
            continue
        if any(name in model and role in roles for name, roles in _ROLES_REFUSED):
            yield "role-model"
        yield from _openai_content(message, role, model)
        if role == "assistant":
            yield from _openai_calls(message)
        elif role == "tool":
            yield from _openai_result_id(message)
    yield from _openai_runs(messages, trailing)


def _openai_content(message: Json, role: str, model: str) -> Iterator[str]:
    content = message.get("content")
    if content is None:
        # A null substitute is no substitute; an empty tool_calls is one (and breaks a rule of its own).
        if role != "assistant" or all(message.get(key) is None for key in _CONTENT_SUBSTITUTES):
            yield "content-required"
    elif isinstance(content, list):
        for part in content:
            yield from _openai_part(part, role, model)
    elif not isinstance(content, str):
        yield "content-type"


def _openai_part(part: Any, role: str, model: str) -> Iterator[str]:
    if not isinstance(part, dict):
        yield "content-type"
        return
    kind = string_at(part, "type")
    if kind == "image_url" and role != "user":
        yield "image-user-only"
    elif kind not in _PARTS[role] or (kind in _HELD and not isinstance(part.get(kind), dict)):
        yield "part-type"
    elif kind == "input_audio" and model and "audio" not in model:
        yield "audio-model"


def _openai_calls(message: Json) -> Iterator[str]:
    calls = message.get("tool_calls")
    if calls is None:
        return
    if not isinstance(calls, list) or len(dicts(calls)) != len(calls):
        yield "tool-calls-type"
    elif not calls:
        yield "tool-calls-nonempty"
    for call in dicts(calls):
        yield from _openai_call(call)


def _openai_call(call: Json) -> Iterator[str]:
    kind, call_id = string_at(call, "type") or "", string_at(call, "id")
    payload = _CALL_PAYLOAD.get(kind)
    body = call.get(kind) if payload else None
    name = string_at(body, "name") if isinstance(body, dict) else None
    if call_id is None or payload is None or not isinstance(body, dict) or name is None or payload not in body:
        yield "tool-call-shape"
    if call_id is not None and len(call_id) > _LONGEST_ID:
        yield "call-id-length"
    if kind == "function" and name is not None and not _FUNCTION_NAME.fullmatch(name):
        yield "tool-name"
    if kind == "function" and isinstance(body, dict) and not isinstance(body.get("arguments", ""), str):
        yield "arguments-string"


def _openai_result_id(message: Json) -> Iterator[str]:
    result_id = string_at(message, "tool_call_id")
    if result_id is None:
        yield "tool-id-required"
    elif len(result_id) > _LONGEST_ID:
        yield "call-id-length"


def _openai_runs(messages: list[Any], trailing: bool) -> Iterator[str]:
    """Calls and results by position: a run is an assistant message with calls and the tool messages right behind it."""
    asked: set[str | None] = set()
    waiting: set[str | None] = set()
    for message in messages:
        role = message.get("role") if isinstance(message, dict) else None
        if role == "tool":
            result_id = string_at(message, "tool_call_id")
            if not asked:
                yield "tool-after-call"
            elif result_id is not None and result_id not in asked:
                yield "tool-id-known"
            waiting.discard(result_id)
            continue
        if waiting:
            yield "call-answered"
        asked = {string_at(call, "id") for call in dicts(message.get("tool_calls"))} if role == "assistant" else set()
        waiting = set(asked)
    if waiting and trailing:
        yield "call-answered"
