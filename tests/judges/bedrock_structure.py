"""The Bedrock half of the structural judge: generators of the rules of Converse that a request breaks.

Written from the provider's rules alone and sharing no code with rejoinder. Each message is looked at a fixed number of
times. The rules of the models are asked only where a model is named.
"""

import base64
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from judges.anthropic_structure import Json, dicts, string_at

_KINDS = frozenset(
    "text image document video audio toolUse toolResult guardContent cachePoint reasoningContent citationsContent "
    "searchResult toolAddition toolRemoval".split()
)
_INSIDE = frozenset({"text", "json", "image", "document", "video", "searchResult"})
_MEDIA = ("image", "document", "video", "audio")
_FORMATS = {
    "image": {"png", "jpeg", "gif", "webp"},
    "document": {"pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"},
    "video": {"mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"},
    "audio": set("mp3 opus wav aac flac mp4 ogg mkv mka x-aac m4a mpeg mpga pcm webm".split()),
}
_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_DOCUMENT = re.compile(r"(?!.*\s\s)[a-zA-Z0-9\s()\[\]-]{1,200}")
_CLAUDE = re.compile("anthropic|claude")
_PREFILL_REFUSED = re.compile(r"claude-(?:opus|sonnet|haiku|fable)-(?:4-[6-9]|[5-9])(?![0-9])")
_ASSISTANT_FIRST = re.compile("anthropic|claude|qwen|zai|glm|moonshot|kimi")
_RESULTS_ALONE = re.compile("meta|llama|mistral|pixtral|writer|palmyra")
_NOT_IN_RESULTS = (
    (re.compile("qwen|moonshot|kimi"), {"image", "document", "video"}),
    (re.compile("mistral|pixtral"), {"image", "video"}),
    (re.compile("meta|llama"), {"video"}),
    (_CLAUDE, {"video"}),
)


def bedrock(body: Json, model: str, whole: bool) -> Iterator[str]:
    """The rules that the body breaks, in the order found; `whole` if it is one, and not a list of messages only."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages-nonempty"
        return
    for message in messages:
        yield from _message(message, model)
    for block in dicts(body.get("system")):
        if block.get("text") == "":
            yield "text-blank"
    spoken = [message for message in dicts(messages) if message.get("role") in ("user", "assistant")]
    yield from _speakers(spoken, model)
    yield from _pairs(spoken)
    yield from _names([block for message in spoken for block in _blocks(message)])
    tools = (body.get("toolConfig") or {}).get("tools") if isinstance(body.get("toolConfig"), dict) else None
    calling = any({"toolUse", "toolResult"} & block.keys() for message in spoken for block in _blocks(message))
    if whole and calling and not tools:
        yield "toolconfig-required"


def _blocks(message: Json) -> list[Json]:
    return dicts(message.get("content"))


def _message(message: Any, model: str) -> Iterator[str]:
    if not isinstance(message, dict):
        yield "message-object"
        return
    content = message.get("content")
    if message.get("role") not in ("user", "assistant", "system"):
        yield "role-known"
    if not isinstance(content, list):
        yield "content-type"
        return
    if not content:
        yield "content-nonempty"
    if message.keys() - {"role", "content"}:
        yield "extra-member"
    for block in content:
        yield from _block(block, str(message.get("role")), model)
    kinds = {kind for block in _blocks(message) for kind in block} - {"cachePoint"}
    if "document" in kinds and not any(str(block.get("text") or "").strip() for block in _blocks(message)):
        yield "document-needs-text"
    if _RESULTS_ALONE.search(model) and "toolResult" in kinds and len(kinds) > 1:
        yield "no-mixed-turn"
    if re.search("meta|llama", model) and "toolUse" in kinds and len(kinds) > 1:
        yield "no-mixed-turn"


def _block(block: Any, role: str, model: str) -> Iterator[str]:
    kinds = list(block) if isinstance(block, dict) else []
    if len(kinds) != 1 or kinds[0] not in _KINDS:
        yield "block-shape"
        return
    kind: str = kinds[0]
    value: object = block[kind]
    held: Json = value if isinstance(value, dict) else {}
    if kind == "text" and not isinstance(value, str):
        yield "block-shape"
    elif kind == "text" and not value:
        yield "text-blank"
    elif kind != "text" and not isinstance(value, dict):
        yield "block-shape"
    elif kind == "toolUse":
        yield from _call(held, role)
    elif kind == "toolResult":
        yield from _result(held, role, model)
    elif kind in _MEDIA:
        yield from ["media-user-only"] if role == "assistant" else []
        yield from _media(kind, held, model, inside=False)
    elif kind == "reasoningContent":
        yield from _reasoning(held, role, model)


def _call(held: Json, role: str) -> Iterator[str]:
    if role != "assistant":
        yield "block-role"
    if not _ID.fullmatch(string_at(held, "toolUseId") or ""):
        yield "call-id-pattern"
    if not _NAME.fullmatch(string_at(held, "name") or ""):
        yield "tool-name"
    if not isinstance(held.get("input"), dict):
        yield "input-object"


def _result(held: Json, role: str, model: str) -> Iterator[str]:
    content = held.get("content")
    if "type" in held:
        return
    if role != "user":
        yield "block-role"
    if not _ID.fullmatch(string_at(held, "toolUseId") or ""):
        yield "call-id-pattern"
    if not isinstance(content, list):
        yield "result-content"
    elif not content and held.get("status") == "error":
        yield "error-nonempty"
    if held.get("status") not in (None, "success", "error"):
        yield "result-status"
    if "status" in held and re.search("writer|palmyra", model):
        yield "status-model"
    for block in dicts(content):
        if len(block) != 1 or not block.keys() <= _INSIDE:
            yield "block-shape"
            continue
        ((kind, inner),) = block.items()
        if kind in _MEDIA and isinstance(inner, dict):
            yield from _media(kind, inner, model, inside=True)


def _media(kind: str, held: Json, model: str, *, inside: bool) -> Iterator[str]:
    source = held.get("source")
    if not isinstance(source, dict) or not source:
        yield "block-shape"
        return
    if held.get("format") not in _FORMATS[kind] and not (kind == "document" and "format" not in held):
        yield "media-format"
    if kind == "document" and not _DOCUMENT.fullmatch(string_at(held, "name") or ""):
        yield "document-name"
    elsewhere = "s3Location" in source
    claude = bool(_CLAUDE.search(model))
    if claude and (kind in ("video", "audio") or (elsewhere and (kind == "image" or not inside))):
        yield "media-model"
    if inside and any(family.search(model) and kind in kinds for family, kinds in _NOT_IN_RESULTS[:3]):
        yield "media-model"
    if inside and "nova" in model and kind == "document" and elsewhere:
        yield "media-model"
    if claude and kind == "image" and _announced(source.get("bytes")) not in (None, held.get("format")):
        yield "image-media-type"


def _announced(data: Any) -> str | None:
    """The format that the first bytes tell, where they tell one."""
    try:
        head = base64.b64decode(data[:16]) if isinstance(data, str) else bytes(data or b"")
    except ValueError:
        return None
    magic = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif"}
    return next((name for first, name in magic.items() if head.startswith(first)), None)


def _reasoning(held: Json, role: str, model: str) -> Iterator[str]:
    if role != "assistant":
        yield "block-role"
    text = held.get("reasoningText")
    if _CLAUDE.search(model) and isinstance(text, dict) and not text.get("signature"):
        yield "reasoning-signature" if text.get("text") else "reasoning-nonempty"


def _speakers(spoken: list[Json], model: str) -> Iterator[str]:
    roles = [message["role"] for message in spoken]
    if model and roles[:1] == ["assistant"] and not _ASSISTANT_FIRST.search(model):
        yield "start-user"
    if any(one == other for one, other in pairwise(roles)):
        yield "alternate"
    if not spoken or roles[-1] != "assistant" or any("toolUse" in block for block in _blocks(spoken[-1])):
        return
    text = next((block.get("text") for block in reversed(_blocks(spoken[-1])) if "cachePoint" not in block), None)
    if isinstance(text, str) and _PREFILL_REFUSED.search(model):
        yield "prefill-model"
    if isinstance(text, str) and _CLAUDE.search(model) and text != text.rstrip():
        yield "final-trailing-whitespace"


def _pairs(spoken: list[Json]) -> Iterator[str]:
    """The calls of one message are answered, each once, at the head of the very next one."""
    asked: list[str | None] = []
    for message in [*spoken, {"role": ""}]:
        results = [string_at(block["toolResult"], "toolUseId") for block in _of(message, "toolResult")]
        if message["role"] == "assistant":
            results = []
        if set(asked) - set(results):
            yield "call-answered"
        if set(results) - set(asked):
            yield "result-has-call"
        if len(set(results)) < len(results):
            yield "result-single"
        if message["role"] == "user" and results and not _lead(_blocks(message)):
            yield "result-first"
        calls = _of(message, "toolUse") if message["role"] == "assistant" else []
        asked = [string_at(block["toolUse"], "toolUseId") for block in calls]
        if len(set(asked)) < len(asked):
            yield "call-unique"


def _of(message: Json, kind: str) -> list[Json]:
    """The blocks of a kind; those of tools that the provider runs have a type, and are its own business."""
    blocks = [block for block in _blocks(message) if isinstance(block.get(kind), dict)]
    return [block for block in blocks if "type" not in block[kind]]


def _lead(blocks: list[Json]) -> bool:
    """Do all results stand in front of everything else?"""
    plain = ["toolResult" in block for block in blocks if "cachePoint" not in block]
    return plain == sorted(plain, reverse=True)


def _names(blocks: list[Json]) -> Iterator[str]:
    inner = [each for block in blocks if isinstance(block.get("toolResult"), dict) for each in _inside(block)]
    held = [block["document"] for block in (*blocks, *inner) if isinstance(block.get("document"), dict)]
    names = [str(each.get("name")).casefold() for each in held if each.get("name")]
    if len(set(names)) < len(names):
        yield "document-name-unique"


def _inside(block: Json) -> list[Json]:
    return dicts(block["toolResult"].get("content"))
