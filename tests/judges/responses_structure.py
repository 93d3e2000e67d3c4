"""An independent judge of OpenAI Responses: which documented rules a request breaks.

Written from the provider's rules alone and sharing no code with rejoinder. Each rule is named as in PROVIDERS.md, and
each item is looked at a fixed number of times.
"""

import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

_ITEMS = frozenset(
    (
        "message function_call function_call_output custom_tool_call custom_tool_call_output reasoning item_reference "
        "web_search_call file_search_call computer_call computer_call_output code_interpreter_call compaction "
        "image_generation_call local_shell_call local_shell_call_output shell_call shell_call_output apply_patch_call "
        "apply_patch_call_output mcp_call mcp_list_tools mcp_approval_request mcp_approval_response program "
        "program_output tool_search_call tool_search_output additional_tools configuration_update compaction_trigger"
    ).split()
)
_PREFIXES = {
    "message": "msg",
    "function_call": "fc",
    "custom_tool_call": "ctc",
    "reasoning": "rs",
    "web_search_call": "ws",
}
_ROLES = ("user", "assistant", "system", "developer")
_MESSAGE = frozenset({"type", "role", "content", "id", "status", "phase"})
_CALL = {"type", "call_id", "id", "name", "status", "namespace", "caller", "async", "created_by"}
_MEMBERS = {
    "message": _MESSAGE,
    "function_call": frozenset(_CALL | {"arguments"}),
    "custom_tool_call": frozenset(_CALL | {"input"}),
    "function_call_output": frozenset(_CALL | {"output"}),
    "custom_tool_call_output": frozenset(_CALL - {"name", "namespace"} | {"output"}),
    "reasoning": frozenset({"type", "id", "summary", "content", "encrypted_content", "status"}),
}
_ELSEWHERE = ("previous_response_id", "conversation", "prompt")
_MINTED = re.compile(r"[a-z]+_[0-9a-f]{24,}")
_RECORDING = re.compile(r"data:(audio|video)/|[^?#]*\.(mp3|wav|ogg|mp4|mov|webm)(?:[?#]|$)", re.IGNORECASE)
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_THINKERS = re.compile(r"^(o[134]|gpt-5(-|$)|gpt-5\.[5-9]|gpt-[6-9])")


def responses(body: Json, model: str) -> Iterator[str]:
    """The rules that a request body breaks."""
    given = body.get("input")
    elsewhere = any(body.get(name) for name in _ELSEWHERE)
    if "input" not in body:
        if not elsewhere:
            yield "input-required"
    elif not isinstance(given, str | list):
        yield "input-type"
    elif not given and not elsewhere:
        yield "input-nonempty"
    items = given if isinstance(given, list) else []
    for item in items:
        yield from _item(item)
    known = [item for item in items if isinstance(item, dict)]
    yield from _pairs(body, known)
    yield from _seals(body, known, model)
    if any(_type(item) == "compaction_trigger" for item in known[:-1]):
        yield "compaction-trigger-last"
    if "deepseek" in model:
        yield from _together(known)


def _type(item: Json) -> Any:
    kind = item.get("type")
    if kind is None:
        return "item_reference" if set(item) - {"type"} == {"id"} else "message"
    return kind


def _item(item: Any) -> Iterator[str]:
    if not isinstance(item, dict):
        yield "item-type"
        return
    kind = _type(item)
    if not isinstance(kind, str) or kind not in _ITEMS:
        yield "item-type"
        return
    if kind == "message" and item.get("role") not in _ROLES:
        yield "item-role"
        return
    if set(item) - _MEMBERS.get(kind, frozenset(item)):
        yield "item-member"
    yield from _id(item, kind)
    if kind == "message":
        yield from _message(item)
    elif kind.endswith("_output") and isinstance(item.get("output"), list):
        for part in item["output"]:
            yield from _part(part, "tool")
    if kind in ("function_call_output", "custom_tool_call_output") and item.get("output") is None:
        yield "item-content"
    if kind in ("function_call", "custom_tool_call"):
        yield from _call(item, kind)


def _id(item: Json, kind: str) -> Iterator[str]:
    held = item.get("id")
    prefix = _PREFIXES.get(kind)
    if held is not None and prefix and not str(held).startswith(prefix):
        yield "item-id-prefix"
    named = item.get("call_id")
    if isinstance(named, str) and len(named) > 64:
        yield "call-id-length"


def _call(item: Json, kind: str) -> Iterator[str]:
    if not isinstance(item.get("call_id"), str) or not item["call_id"]:
        yield "call-id-required"
    if not isinstance(item.get("name"), str) or not _NAME.fullmatch(item["name"]):
        yield "tool-name"
    if not isinstance(item.get("arguments" if kind == "function_call" else "input"), str):
        yield "arguments-string"


def _message(item: Json) -> Iterator[str]:
    role, content, phase = item["role"], item.get("content"), item.get("phase")
    if phase is not None and (role != "assistant" or phase not in ("commentary", "final_answer")):
        yield "phase"
    if content is None or not isinstance(content, str | list):
        yield "item-content"
    for part in content if isinstance(content, list) else ():
        yield from _part(part, role)


def _part(part: Any, role: str) -> Iterator[str]:
    kind = part.get("type") if isinstance(part, dict) else None
    allowed = ("output_text", "refusal") if role == "assistant" else ("input_text", "input_image", "input_file")
    if kind not in allowed:
        yield "content-variant"
        return
    said = {"refusal": "refusal", "input_text": "text", "output_text": "text"}.get(str(kind))
    if said and not isinstance(part.get(said), str):
        yield "content-variant"
    if kind == "input_file" and any(_RECORDING.match(str(part.get(name) or "")) for name in ("file_data", "file_url")):
        yield "file-type"


def _pairs(body: Json, items: list[Json]) -> Iterator[str]:
    """Calls and outputs by their call_id: an output is behind its call, a call has one somewhere behind it."""
    stored = bool(body.get("previous_response_id") or body.get("conversation"))
    asked: set[Any] = set()
    waiting: dict[Any, int] = {}
    for item in items:
        kind = _type(item)
        if kind in ("item_reference", "compaction"):
            stored = True
        if kind == "item_reference":
            waiting.clear()
        if kind in ("function_call", "custom_tool_call"):
            waiting[item.get("call_id")] = waiting.get(item.get("call_id"), 0) + 1
        if kind in ("function_call", "custom_tool_call") or item.get("execution") == "client":
            asked.add(item.get("call_id"))
        if kind in ("function_call_output", "custom_tool_call_output"):
            if item.get("call_id") not in asked and not stored:
                yield "output-has-call"
            waiting.pop(item.get("call_id"), None)
    if waiting:
        yield "call-answered"


def _seals(body: Json, items: list[Json], model: str) -> Iterator[str]:
    """Reasoning and what it led to; items that are looked up by their id."""
    seen: set[str] = set()
    reasoning = body.get("reasoning")
    # Where the effort is none, nothing was thought; neither where the model thinks only when it is told to.
    off = (isinstance(reasoning, dict) and reasoning.get("effort") == "none") or not _THINKERS.match(model)
    reasoned = False
    for item, following in zip(items, [*items[1:], None], strict=False):
        kind, held = _type(item), item.get("id")
        if kind == "reasoning" and held and not (_issued(following) and following and following.get("id")):
            yield "reasoning-followed"
        bare = kind == "item_reference" or (kind == "reasoning" and not item.get("encrypted_content"))
        if bare and held and (body.get("store") is False or not _MINTED.fullmatch(str(held))):
            yield "item-found"
        if isinstance(held, str) and kind != "local_shell_call_output":
            if held in seen:
                yield "item-id-unique"
            seen.add(held)
        if kind == "message" and item.get("role") != "assistant":
            reasoned = False
        reasoned = reasoned or kind in ("reasoning", "item_reference")
        minted = isinstance(held, str) and _MINTED.fullmatch(held)
        if kind in ("function_call", "custom_tool_call") and minted and not reasoned and not off:
            yield "call-needs-reasoning"


def _issued(item: Json | None) -> bool:
    """Is it an item that a model gave, and no more reasoning?"""
    if item is None or _type(item) == "reasoning" or str(_type(item)).endswith("_output"):
        return False
    return _type(item) != "message" or item.get("role") == "assistant"


def _together(items: list[Json]) -> Iterator[str]:
    """DeepSeek: behind a call of a turn stand calls only, until its outputs come."""
    called = False
    for item in items:
        kind = _type(item)
        if kind in ("function_call", "custom_tool_call"):
            called = True
        elif _issued(item) or kind == "reasoning":
            if called:
                yield "compat-interleaved"
        else:
            called = False
