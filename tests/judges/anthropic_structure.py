"""The Anthropic half of the structural judge: generators of the rules of the Messages API that a request breaks."""

import base64
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

Json = dict[str, Any]
_CACHED = frozenset({"type", "cache_control"})
_SERVER_RESULT = _CACHED | {"tool_use_id", "content", "caller"}
_MEMBERS = {
    "text": _CACHED | {"text", "citations"},
    "image": _CACHED | {"source", "transformations"},
    "document": _CACHED | {"source", "title", "context", "citations"},
    "search_result": _CACHED | {"source", "title", "content", "citations"},
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
    "tool_use": _CACHED | {"id", "name", "input", "caller", "toolset_name"},
    "tool_result": _CACHED | {"tool_use_id", "content", "is_error", "toolset_name"},
    "server_tool_use": _CACHED | {"id", "name", "input", "caller"},
    "web_search_tool_result": _SERVER_RESULT,
    "web_fetch_tool_result": _SERVER_RESULT,
    "advisor_tool_result": _SERVER_RESULT,
    "code_execution_tool_result": _SERVER_RESULT,
    "bash_code_execution_tool_result": _SERVER_RESULT,
    "text_editor_code_execution_tool_result": _SERVER_RESULT,
    "tool_search_tool_result": _SERVER_RESULT,
    "mcp_tool_use": _CACHED | {"id", "name", "input", "server_name"},
    "mcp_tool_result": _CACHED | {"tool_use_id", "content", "is_error"},
    "mcp_tool_listing": frozenset({"type", "mcp_server_name", "tools"}),
    "container_upload": _CACHED | {"file_id"},
    "compaction": _CACHED | {"content", "encrypted_content", "signature", "tool_changes"},
    "tool_addition": _CACHED | {"tool"},
    "tool_removal": _CACHED | {"tool"},
    "fallback": frozenset({"type", "from", "to", "trigger"}),
}
_THINKING = ("thinking", "redacted_thinking")
_SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
_SERVER_RESULTS = tuple(kind for kind in _MEMBERS if kind.endswith("_tool_result"))
_ONLY_IN = dict.fromkeys((*_THINKING, *_SERVER_CALLS, "tool_use"), "assistant") | {"tool_result": "user"}
_IN_RESULTS = ("text", "image", "document", "search_result", "tool_reference", "browser_state")
_SYSTEM_BLOCKS = ("text", "tool_addition", "tool_removal")
_CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
_MOST_MARKERS = 4
_IMAGE_MAGIC = {
    "image/png": re.compile(rb"\x89PNG"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
}
_GENERATION = re.compile(r"claude-(?:[a-z]+-)*(\d+)(?:[-.](\d{1,2})(?!\d))?")


def dicts(value: Any) -> list[Json]:
    """The objects among the items of a list; [] for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def string_at(holder: Json, key: str) -> str | None:
    """The id under a key when it is a string (anything else could not even be compared)."""
    value = holder.get(key)
    return value if isinstance(value, str) else None


class _Turn(NamedTuple):
    """Consecutive messages of one role: the API merges them before it looks at the shape of a conversation."""

    role: str
    blocks: list[Json]

    def holds(self, *kinds: str) -> bool:
        return any(block.get("type") in kinds for block in self.blocks)


def anthropic(body: Json, model: str, reuse: bool) -> Iterator[str]:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages-nonempty"
        return
    yield from _top_system(body.get("system"))
    for message in messages:
        yield from _anthropic_message(message)
    turns = _turns(messages)
    yield from _empty_turns(turns)
    yield from _system_turns(turns, model)
    yield from _pairing(turns)
    yield from _unique_calls(turns, reuse)
    yield from _server_tools(turns)
    yield from _thinking_places(turns, body.get("thinking"))
    yield from _ending(turns, model)
    yield from _cache_marks(body, messages)


def _generation(model: str, unknown: tuple[int, int]) -> tuple[int, int]:
    """(4, 6) of claude-opus-4-6, (4, 0) of claude-sonnet-4-20250514; `unknown` when the name does not tell."""
    match = _GENERATION.search(model)
    return (int(match[1]), int(match[2] or 0)) if match else unknown


def _blocks(content: Any) -> list[Json]:
    """Content as blocks; a string is one text block, and an empty one none."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return dicts(content)


def _turns(messages: list[Any]) -> list[_Turn]:
    turns: list[_Turn] = []
    for message in dicts(messages):
        role, blocks = str(message.get("role")), _blocks(message.get("content"))
        if turns and turns[-1].role == role:
            turns[-1].blocks.extend(blocks)
        else:
            turns.append(_Turn(role, blocks))
    return turns


def _top_system(system: Any) -> Iterator[str]:
    for block in dicts(system):
        yield from _text(block) if block.get("type") == "text" else ["system-content"]


def _anthropic_message(message: Any) -> Iterator[str]:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in ("user", "assistant", "system"):
        yield "role-known"
        return
    content = message.get("content")
    blocks = _blocks(content)
    if message.keys() - {"role", "content"}:
        yield "extra-member"
    if not isinstance(content, str | list):
        yield "content-type"
    elif isinstance(content, list) and len(blocks) < len(content):
        yield "block-shape"
    for block in blocks:
        yield from _block(block, role)
    if role == "system" and (not blocks or any(block.get("type") not in _SYSTEM_BLOCKS for block in blocks)):
        yield "system-content"


def _block(block: Json, role: str) -> Iterator[str]:
    kind = string_at(block, "type") or ""
    if kind not in _MEMBERS:
        yield "block-shape"
        return
    if kind in _THINKING and "cache_control" in block:
        yield "cache-on-thinking"
    elif block.keys() - _MEMBERS[kind]:
        yield "extra-member"
    if _ONLY_IN.get(kind, role) != role and role != "system":
        yield "block-role"
    if kind == "text":
        yield from _text(block, role)
    elif kind == "image":
        yield from _image(block)
    elif kind == "document" and not isinstance(block.get("source"), dict):
        yield "block-shape"
    elif kind == "thinking":
        yield from _thinking(block)
    elif kind in ("tool_use", "server_tool_use"):
        yield from _call(block, kind)
    elif kind == "tool_result":
        yield from _result(block)


def _text(block: Json, role: str = "") -> Iterator[str]:
    text = block.get("text")
    if not isinstance(text, str):
        yield "block-shape"
    elif not text:
        yield "text-nonempty"
        if block.get("cache_control"):
            yield "cache-empty-text"
    elif not text.strip():
        yield "system-content" if role == "system" else "text-nonblank"


def _image(block: Json) -> Iterator[str]:
    source = block.get("source")
    if not isinstance(source, dict) or not source:
        yield "block-shape"
        return
    if source.get("type") != "base64":
        return
    declared = string_at(source, "media_type")
    if declared not in _IMAGE_MAGIC or _sniffed(source.get("data")) not in (None, declared):
        yield "image-media-type"


def _sniffed(data: Any) -> str | None:
    """The media type that the first bytes of base64 data announce; None when they announce none that is known."""
    try:
        head = base64.b64decode(data[:16] if isinstance(data, str) else "")
    except ValueError:
        return None
    return next((kind for kind, magic in _IMAGE_MAGIC.items() if magic.match(head)), None)


def _thinking(block: Json) -> Iterator[str]:
    if not block.get("signature"):
        yield "thinking-signature"
        if not block.get("thinking"):
            yield "thinking-nonempty"


def _call(block: Json, kind: str) -> Iterator[str]:
    call_id = string_at(block, "id") or ""
    if kind == "tool_use" and not _CALL_ID.fullmatch(call_id):
        yield "call-id-pattern"
    if kind == "server_tool_use" and not call_id.startswith("srvtoolu_"):
        yield "server-tool-id-pattern"
    if not isinstance(block.get("input"), dict):
        yield "input-object"


def _result(block: Json) -> Iterator[str]:
    content = block.get("content")
    parts = dicts(content)
    if not _CALL_ID.fullmatch(string_at(block, "tool_use_id") or ""):
        yield "call-id-pattern"
    if block.get("is_error"):
        if not content:
            yield "error-nonempty"
        if any(part.get("type") != "text" for part in parts):
            yield "error-text-only"
    if not isinstance(content, str | list | None):
        yield "content-type"
    if not isinstance(block.get("is_error"), bool | None):
        yield "block-shape"
    for part in parts:
        kind = string_at(part, "type") or ""
        if kind not in _IN_RESULTS:
            yield "block-shape"
        elif part.keys() - _MEMBERS.get(kind, part.keys()):
            yield "extra-member"
        if kind == "text" and part.get("citations"):
            yield "result-no-citations"
        elif kind == "image":
            yield from _image(part)


def _empty_turns(turns: list[_Turn]) -> Iterator[str]:
    for turn in turns:
        if not turn.blocks and turn.role == "user":
            yield "user-nonempty"
        elif not turn.blocks and turn.role == "assistant" and turn is not turns[-1]:
            yield "content-nonempty"


def _system_turns(turns: list[_Turn], model: str) -> Iterator[str]:
    for at, turn in enumerate(turns):
        if turn.role != "system":
            continue
        before, after = turns[at - 1] if at else _Turn("", []), turns[at + 1] if at + 1 < len(turns) else None
        follows = before.role == "user" or (
            before.role == "assistant" and bool(before.blocks) and before.blocks[-1].get("type") in _SERVER_RESULTS
        )
        if not follows or (after is not None and after.role != "assistant"):
            yield "system-position"
        if "mythos-preview" in model or _generation(model, unknown=(5, 0)) < (4, 8):
            yield "system-model"


def _pairing(turns: list[_Turn]) -> Iterator[str]:
    """Calls of an assistant turn and the results that open the user turn right behind it."""
    asked: set[str | None] = set()
    for turn in turns:
        if turn.role == "user":
            yield from _answers(asked, turn.blocks)
        elif asked:
            yield "call-answered"
        asked = set(_call_ids(turn))
    if asked:
        yield "call-answered"


def _call_ids(turn: _Turn) -> list[str | None]:
    calls = turn.blocks if turn.role == "assistant" else []
    return [string_at(block, "id") for block in calls if block.get("type") == "tool_use"]


def _unique_calls(turns: list[_Turn], reuse: bool) -> Iterator[str]:
    seen: set[str | None] = set()
    for turn in turns:
        if reuse:
            seen = set()
        for call_id in _call_ids(turn):
            if call_id in seen:
                yield "call-unique"
            seen.add(call_id)


def _answers(asked: set[str | None], blocks: list[Json]) -> Iterator[str]:
    answered: set[str | None] = set()
    other_before = False
    for block in blocks:
        if block.get("type") != "tool_result":
            other_before = True
            continue
        result_id = string_at(block, "tool_use_id")
        if other_before:
            yield "result-first"
        if result_id not in asked:
            yield "result-has-call"
        elif result_id in answered:
            yield "result-single"
        answered.add(result_id)
    if not asked <= answered:
        yield "call-answered"


def _server_tools(turns: list[_Turn]) -> Iterator[str]:
    """A turn goes on over messages of nothing but results; whatever else the user says ends it."""
    called: set[str | None] = set()
    pending: set[str | None] = set()
    mixed = False
    for turn in turns:
        if turn.role == "user" and any(block.get("type") != "tool_result" for block in turn.blocks):
            if pending:
                yield "mixed-batch-results-only" if mixed else "server-tool-paired"
            called, pending = set(), set()
        own: set[str | None] = set()
        for block in turn.blocks:
            if block.get("type") in _SERVER_CALLS:
                own.add(string_at(block, "id"))
                called.add(string_at(block, "id"))
            elif block.get("type") in _SERVER_RESULTS:
                if string_at(block, "tool_use_id") not in called:
                    yield "server-tool-paired"
                own.discard(string_at(block, "tool_use_id"))
                pending.discard(string_at(block, "tool_use_id"))
        pending |= own
        if turn.role == "assistant":
            mixed = bool(own) and turn.holds("tool_use")


def _thinking_places(turns: list[_Turn], setting: Any) -> Iterator[str]:
    for turn in turns:
        if turn.role == "assistant" and turn.blocks and turn.blocks[-1].get("type") in _THINKING:
            yield "thinking-not-last"
    if not isinstance(setting, dict) or setting.get("type") != "enabled":
        return
    # Only an open tool loop demands it: a finished turn may have lost its thinking (recorded with status 200).
    spoken = [turn for turn in turns if turn.role in ("user", "assistant")]
    in_loop = len(spoken) > 1 and spoken[-1].role == "user" and spoken[-1].holds("tool_result")
    if in_loop and spoken[-2].blocks and spoken[-2].blocks[0].get("type") not in _THINKING:
        yield "thinking-first"


def _ending(turns: list[_Turn], model: str) -> Iterator[str]:
    if not turns or turns[-1].role != "assistant" or not turns[-1].blocks:
        return
    text = turns[-1].blocks[-1].get("text")
    if isinstance(text, str) and text != text.rstrip():
        yield "final-trailing-whitespace"
    # A paused server tool or a tool loop goes on from here; anything else would be a prefill.
    goes_on = turns[-1].holds("tool_use", *_SERVER_CALLS, *_SERVER_RESULTS)
    if not goes_on and _generation(model, unknown=(0, 0)) >= (4, 6):
        yield "prefill-model"


def _cache_marks(body: Json, messages: list[Any]) -> Iterator[str]:
    contents = (message.get("content") for message in dicts(messages))
    marks = [mark for holder in (body.get("tools"), body.get("system"), *contents) for mark in _marks(dicts(holder))]
    if len(marks) > _MOST_MARKERS:
        yield "cache-max-4"
    lasting = [isinstance(mark, dict) and mark.get("ttl") == "1h" for mark in marks]
    if any(later and not earlier for earlier, later in pairwise(lasting)):
        yield "cache-ttl-order"


def _marks(blocks: Iterable[Json]) -> Iterator[Any]:
    """Cache markers in the order of the prompt; those inside a tool result count too."""
    for block in blocks:
        yield from _marks(dicts(block.get("content")))
        if block.get("cache_control"):
            yield block["cache_control"]
