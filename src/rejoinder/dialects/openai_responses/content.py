"""The parts of a message or of a result: how each is read and written, and which fits who speaks."""

from __future__ import annotations

import base64
from typing import Any

from msgspec.structs import replace

from rejoinder.dialects import blocks
from rejoinder.dialects.shape import Block
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.parts import Media, Opaque, Part, Refusal, Text

_MARK = "prompt_cache_breakpoint"
# What the SDK's types allow in each part (openai 3.51.0, read 2026-11-19).
_MEMBERS: dict[str, frozenset[str]] = {
    "input_text": frozenset({"type", "text", _MARK}),
    "output_text": frozenset({"type", "text", "annotations", "logprobs"}),
    "refusal": frozenset({"type", "refusal"}),
    "input_image": frozenset({"type", "detail", "file_id", "image_url", _MARK}),
    "input_file": frozenset({"type", "detail", "file_data", "file_id", "file_url", "filename", _MARK}),
}
_TEXTS = ("input_text", "output_text", "text")
# Parts of OpenAI Chat, and what they are called here.
_CHAT = {"image_url": "input_image", "file": "input_file"}
# Named by the API's own list of types, and by none of the SDK's: kept as they are.
_KEPT = frozenset({"computer_screenshot", "summary_text", "encrypted_content", "reasoning_text"})

Read = tuple[tuple[Part, ...], tuple[str, ...]]


def read_content(content: object, role: str, *, absent: bool) -> Read:
    """What a message says, or what a result brought, and what is odd about it."""
    if isinstance(content, str):
        return (Text(text=content),), ()
    if is_array(content):
        return tuple(read_part(part, role) for part in content), ()
    return (), ("content:missing" if absent else f"content:{kind_of(content)}",)


def read_part(block: Any, role: str) -> Part:
    """One part. One of a type that fits somebody else who speaks has a quirk that says which type would fit."""
    if not is_object(block):
        return Opaque(kind="", source=block, quirks=(f"block:{kind_of(block)}",))
    kind = block.get("type")
    if kind in _TEXTS:
        part = _marked(_read_text(block, str(kind)), block, str(kind))
        wanted = _text_type(role)
        return part if kind == wanted else replace(part, quirks=(*part.quirks, f"variant:{wanted}"))
    if kind == "refusal":
        return _marked(Refusal(text=blocks.text_of(block, "refusal") or "", source=block), block, kind)
    if kind == "input_image":
        return _marked(_read_image(block), block, kind)
    if kind == "input_file":
        return _marked(_read_file(block), block, kind)
    return _read_foreign(block, kind)


def _read_foreign(block: Block, kind: object) -> Part:
    """A part of OpenAI Chat, a screenshot, or what nobody knows."""
    if kind == "image_url":
        return _renamed(_read_chat_image(block), "input_image")
    if kind == "file" and is_object(block.get("file")):
        return _renamed(_read_file({**block["file"]}), "input_file", block)
    if kind == "input_audio":
        inner = block.get("input_audio")
        inner = inner if is_object(inner) else {}
        data = blocks.text_of(inner, "data")
        return Media(kind="audio", media_type=f"audio/{inner.get('format')}", data=data, source=block)
    if isinstance(kind, str) and kind in _KEPT:
        return Opaque(kind=str(kind), source=block)
    return Opaque(kind=str(kind or ""), source=block, quirks=("type:missing" if kind is None else "type:unknown",))


def _renamed(part: Media, wanted: str, source: Block | None = None) -> Media:
    return replace(part, source=source or part.source, quirks=(*part.quirks, f"variant:{wanted}"))


def _marked(part: Part, block: Block, kind: str) -> Part:
    """The part with its cache mark, and a quirk for each member that it may not have."""
    allowed = _MEMBERS.get(kind)
    odd = () if allowed is None else tuple(f"member:{key}" for key in block if key not in allowed)
    cache = block.get(_MARK)
    return replace(part, cache=cache, quirks=(*part.quirks, *odd)) if odd or cache is not None else part


def _read_text(block: Block, kind: str) -> Text:
    text = blocks.text_of(block)
    told = "text:missing" if "text" not in block else f"text:{kind_of(block['text'])}"
    cited = kind == "output_text" and bool(block.get("annotations"))
    return Text(text=text or "", source=block, citations=cited, quirks=() if text is not None else (told,))


def _read_image(block: Block) -> Media:
    return _picture(block, block.get("image_url"))


def _read_chat_image(block: Block) -> Media:
    inner = block.get("image_url")
    inner = inner if is_object(inner) else {"url": inner}
    return replace(_picture(inner, inner.get("url")), source=block)


def _picture(block: Block, url: object) -> Media:
    media_type, data = blocks.data_url(url)
    held = url is not None or block.get("file_id") is not None
    return Media(
        kind="image",
        media_type=media_type,
        data=data,
        url=url if data is None and isinstance(url, str) else None,
        file_id=blocks.text_of(block, "file_id"),
        detail=blocks.text_of(block, "detail"),
        source=block,
        quirks=() if held else ("media:missing",),
    )


def read_screenshot(block: Block) -> Media:
    """What a computer showed: `{"type": "computer_screenshot", "image_url": ...}`"""
    return _picture(block, block.get("image_url"))


def _read_file(block: Block) -> Media:
    media_type, data = blocks.data_url(block.get("file_data"))
    names = ("file_data", "file_url", "file_id")
    return Media(
        kind="document",
        media_type=media_type,
        data=blocks.text_of(block, "file_data") if data is None else data,
        url=blocks.text_of(block, "file_url"),
        file_id=blocks.text_of(block, "file_id"),
        name=blocks.text_of(block, "filename"),
        source=block,
        quirks=() if any(block.get(name) is not None for name in names) else ("media:missing",),
    )


# --- writing ---------------------------------------------------------------------------------------------------------


def write_content(parts: tuple[Part, ...], role: str, *, plain: bool) -> str | list[Any]:
    """Text alone stays a string where it was one (`plain`); all else is a list of parts."""
    whole = parts[0] if len(parts) == 1 else None
    if plain and not parts:
        return ""
    if plain and isinstance(whole, Text) and whole.source is None and "as:block" not in whole.quirks:
        return whole.text
    return [write_part(part, role) for part in parts]


def write_part(part: Part, role: str) -> Any:
    """One part. What the part does not know of its source is kept; an unchanged one is the source itself."""
    if not isinstance(part, Text | Refusal | Media):
        return part.source
    source = part.source
    if not is_object(source):
        return _written(part, role)
    was = read_part(source, role)
    if was == part:
        return source
    if isinstance(part, Text):
        raw = _rewritten_text(part, source, role)
    elif isinstance(part, Refusal):
        raw = {**source, **_written(part, role)}
    else:
        # Media are never edited: they lose members, or a type that is another API's.
        raw = _written(part, role) if _variant(was) and not _variant(part) else dict(source)
    return _without_odd(raw, was, part)


def _rewritten_text(part: Text, source: Block, role: str) -> Block:
    """A text whose words changed, or whose type did not fit who speaks."""
    raw = {**source, "text": part.text}
    kind = _text_type(role)
    if source.get("type") == kind or _variant(part):
        return raw
    raw["type"] = kind
    for name in _MEMBERS["input_text"] ^ _MEMBERS["output_text"]:
        raw.pop(name, None)
    return {**raw, "annotations": []} if kind == "output_text" else raw


def _without_odd(raw: Block, was: Part, part: Part) -> Block:
    for quirk in was.quirks:
        if quirk.startswith("member:") and quirk not in part.quirks:
            raw.pop(quirk[7:], None)
    if was.cache is not None and part.cache is None:
        raw.pop(_MARK, None)
    return raw


def _variant(part: Part) -> bool:
    return any(quirk.startswith("variant:") for quirk in part.quirks)


def _text_type(role: str) -> str:
    return "output_text" if role == "assistant" else "input_text"


def _written(part: Part, role: str) -> Block:
    """A part made anew."""
    if isinstance(part, Text):
        kind = _text_type(role)
        annotations: Block = {"annotations": []} if kind == "output_text" else {}
        return {"type": kind, "text": part.text, **annotations}
    if isinstance(part, Refusal):
        return {"type": "refusal", "refusal": part.text}
    return _written_media(part) if isinstance(part, Media) else part.source


def _written_media(part: Media) -> Block:
    if part.kind == "audio":
        form = (part.media_type or "").partition("/")[2]
        return {"type": "input_audio", "input_audio": {"data": part.data, "format": form}}
    data = part.data
    if data is None and part.text is not None:
        data = base64.b64encode(part.text.encode("utf-8", "surrogatepass")).decode()
    inline = None if data is None else f"data:{part.media_type or _inline_type(part)};base64,{data}"
    if part.kind == "image":
        held: Block = {"image_url": inline or part.url, "file_id": part.file_id, "detail": part.detail or "auto"}
        return {"type": "input_image", **{name: value for name, value in held.items() if value is not None}}
    held = {"filename": part.name, "file_data": inline, "file_url": part.url, "file_id": part.file_id}
    return {"type": "input_file", **{name: value for name, value in held.items() if value is not None}}


def _inline_type(part: Media) -> str:
    """What inline media are, where nobody said it."""
    return "text/plain" if part.text is not None else "application/pdf" if part.kind == "document" else "image/png"
