"""The chunks of Mistral chat: thinking, and media whose URL may stand bare."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from rejoinder.dialects import blocks
from rejoinder.dialects.shape import Block, ReadBlock, Shape, WriteBlock
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.parts import Media, Opaque, Part, Text, Thinking


def _read_thinking(_shape: Shape, block: Block) -> Part:
    """`{"type": "thinking", "thinking": [{"type": "text", ...}]}`; a bare text is read too."""
    held = block.get("thinking")
    words = held if isinstance(held, str) else "".join(_texts(held))
    signature = block.get("signature")
    return Thinking(text=words, signature=signature if isinstance(signature, str) else None, source=block)


def _texts(held: Any) -> list[str]:
    inner = [blocks.text_of(each) for each in held if is_object(each)] if is_array(held) else []
    return [text for text in inner if text is not None]


def _write_thinking(shape: Shape, part: Thinking) -> Block:
    """A chunk of thinking; what was read is written as it was."""
    if part.source is not None:
        return blocks.keep_source(shape, part)
    signed = {"signature": part.signature} if part.signature else {}
    return {"type": "thinking", "thinking": [{"type": "text", "text": part.text}], **signed}


def _read_image(_shape: Shape, block: Block) -> Part:
    """`{"type": "image_url", "image_url": ...}`: the URL, or an object that holds it."""
    inner = block.get("image_url")
    url = inner.get("url") if is_object(inner) else inner
    return _elsewhere("image", url, block)


def _read_document(_shape: Shape, block: Block) -> Part:
    """`{"type": "document_url", "document_url": ..., "document_name"?: ...}`"""
    return _elsewhere("document", block.get("document_url"), block, blocks.text_of(block, "document_name"))


def _elsewhere(kind: str, url: object, block: Block, name: str | None = None) -> Media:
    """What a URL shows, inline or not."""
    media_type, data = blocks.data_url(url)
    held = isinstance(url, str) and bool(url)
    return Media(
        kind=kind,
        media_type=media_type,
        data=data,
        url=url if isinstance(url, str) and data is None else None,
        name=name,
        source=block,
        quirks=() if held else ("media:missing",),
    )


def _read_audio(shape: Shape, block: Block) -> Part:
    """`{"type": "input_audio", "input_audio": ...}`: the base64, or an object as OpenAI writes it."""
    data = block.get("input_audio")
    if not isinstance(data, str):
        return blocks.read_input_audio(shape, block)
    return Media(kind="audio", data=data, source=block, quirks=() if data else ("media:missing",))


def _read_file(_shape: Shape, block: Block) -> Part:
    """`{"type": "file", "file_id": ...}`: handed over before."""
    file_id = blocks.text_of(block, "file_id")
    return Media(kind="document", file_id=file_id, source=block, quirks=() if file_id else ("media:missing",))


def _read_reference(_shape: Shape, block: Block) -> Part:
    """`{"type": "reference", "reference_ids": [...]}`: what a text in front of it is drawn from."""
    return Opaque(kind="reference", source=block)


def _write_media(shape: Shape, part: Media) -> Block:
    """An image, a sound or a document; what was read is written as it was."""
    if part.source is not None:
        return blocks.keep_source(shape, part)
    if part.kind != "document":
        return blocks.write_media(shape, part)
    if part.file_id:
        return {"type": "file", "file_id": part.file_id}
    data = part.data if part.text is None else b64encode(part.text.encode("utf-8", "surrogatepass")).decode()
    media_type = part.media_type or ("text/plain" if part.text is not None else "application/pdf")
    url = part.url if data is None else f"data:{media_type};base64,{data}"
    named = {"document_name": part.name} if part.name else {}
    return {"type": "document_url", "document_url": url, **named}


READ: dict[str, ReadBlock] = {
    "text": blocks.read_text,
    "thinking": _read_thinking,
    "image_url": _read_image,
    "input_audio": _read_audio,
    "document_url": _read_document,
    "file": _read_file,
    "reference": _read_reference,
}
WRITE: dict[type[Part], WriteBlock] = {
    Text: blocks.write_text,
    Thinking: _write_thinking,
    Media: _write_media,
}
