"""The parts of AI SDK messages, read and written: those that ModelMessages and UIMessages share, and those of one."""

from __future__ import annotations

from base64 import b64encode

from rejoinder.dialects import blocks
from rejoinder.dialects.ai_sdk.outputs import output_of, read_output, text_of_all
from rejoinder.dialects.shape import Block, ReadBlock, Shape, WriteBlock
from rejoinder.rules.home import quoted
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Media, Opaque, Part, Refusal, Text, Thinking, ToolCall, ToolResult
from rejoinder.values.steps import STEP

_KINDS = ("image", "audio", "video")


def _read_media(_shape: Shape, block: Block) -> Part:
    """`{"type": "image", "image": ...}` or `{"type": "file", "data" or "url": ..., "mediaType": ...}`."""
    held = next((block[name] for name in ("image", "data", "url") if name in block), None)
    words = blocks.text_of(held) if is_object(held) else None
    if is_object(held):
        # Since version 7 data may say what they are: `{"type": "data" or "url" or "text", ...}`.
        held = next((held[name] for name in ("data", "url", "text") if isinstance(held.get(name), str)), None)
    mime = blocks.text_of(block, "mediaType") or blocks.text_of(block, "mimeType")
    said, inline = blocks.data_url(held)
    elsewhere = held if isinstance(held, str) and inline is None and words is None and "://" in held[:16] else None
    mime = mime or said
    found = (mime or "").partition("/")[0]
    return Media(
        kind="image" if block["type"] == "image" else found if found in _KINDS else "document",
        media_type=mime if mime and "/" in mime and not mime.endswith("/*") else None,
        data=inline or (held if isinstance(held, str) and elsewhere is None and words is None else None),
        text=words,
        url=elsewhere,
        name=blocks.text_of(block, "filename"),
        source=block,
        quirks=() if isinstance(held, str) else ("media:missing",),
    )


def write_model_media(shape: Shape, part: Media) -> Block:
    """An image or a file of a ModelMessage."""
    if part.source is not None:
        return blocks.keep_source(shape, part)
    data = _bytes(part)
    held = part.url if data is None else data
    if part.kind == "image":
        return {"type": "image", "image": held, **({"mediaType": part.media_type} if part.media_type else {})}
    return {"type": "file", "data": held, **_named(part)}


def write_ui_media(shape: Shape, part: Media) -> Block:
    """A file of a UIMessage: always behind a URL, which may be a data URL."""
    if part.source is not None:
        return blocks.keep_source(shape, part)
    named = _named(part)
    data = _bytes(part)
    return {"type": "file", "url": part.url if data is None else f"data:{named['mediaType']};base64,{data}", **named}


def _bytes(part: Media) -> str | None:
    """The base64 of what is inline."""
    return part.data if part.text is None else b64encode(part.text.encode("utf-8", "surrogatepass")).decode()


def _named(part: Media) -> Block:
    kind = f"{part.kind}/*" if part.kind in _KINDS else "text/plain" if part.text is not None else "application/pdf"
    return {"mediaType": part.media_type or kind, **({"filename": part.name} if part.name else {})}


def _read_reasoning(_shape: Shape, block: Block) -> Part:
    """`{"type": "reasoning", "text": ...}`; its member had the name of its type once."""
    words = blocks.text_of(block) or blocks.text_of(block, "reasoning")
    return Thinking(text=words or "", signature=blocks.text_of(block, "signature"), source=block)


def _read_redacted(_shape: Shape, block: Block) -> Part:
    return Thinking(text="", redacted=True, signature=blocks.text_of(block, "data"), source=block)


def _write_reasoning(shape: Shape, part: Thinking) -> Block:
    return blocks.keep_source(shape, part) if part.source is not None else {"type": "reasoning", "text": part.text}


def _read_call(_shape: Shape, block: Block) -> Part:
    """`{"type": "tool-call", "toolCallId", "toolName", "input"}`; `args` in older versions."""
    return ToolCall(
        id=block.get("toolCallId"),
        name=block.get("toolName"),
        arguments=block.get("input") if "input" in block else block.get("args"),
        kind="server" if block.get("providerExecuted") is True else "function",
        source=block,
    )


def _write_call(_shape: Shape, part: ToolCall) -> Block:
    words = "args" if is_object(part.source) and "args" in part.source and "input" not in part.source else "input"
    return {"type": "tool-call", "toolCallId": part.id, "toolName": part.name, words: part.arguments}


def _read_result(_shape: Shape, block: Block) -> Part:
    """`{"type": "tool-result", "toolCallId", "toolName", "output"}`; `result` and `isError` in older versions."""
    parts, error = read_output(block)
    name = block.get("toolName")
    return ToolResult(
        call_id=block.get("toolCallId"),
        parts=parts,
        error=error,
        name=name if isinstance(name, str) else None,
        source=block,
    )


def _write_result(_shape: Shape, part: ToolResult) -> Block:
    """A result: its id anew, and what it says where that changed."""
    source: Block = part.source if is_object(part.source) and part.source.get("type") == "tool-result" else {}
    if part.kind != "tool":
        return dict(source)
    name = source.get("toolName") if part.name is None else part.name
    block: Block = {"type": "tool-result", "toolCallId": part.call_id, "toolName": "" if name is None else name}
    if not source or read_output(source) != (part.parts, part.error):
        if "result" in source and "output" not in source:
            return {**block, "result": text_of_all(part.parts), "isError": bool(part.error)}
        block["output"] = output_of(part)
    return block


def _write_stray_result(_shape: Shape, part: ToolResult) -> Block:
    """A result without its call has no place among UI parts: it is quoted."""
    return {"type": "text", "text": text_of_all(quoted(part))}


def _read_step(_shape: Shape, block: Block) -> Part:
    return Opaque(kind="step-start", source=block, quirks=(STEP,))


def _write_opaque(shape: Shape, part: Opaque) -> Block:
    return {"type": "step-start"} if part.source is None and STEP in part.quirks else blocks.keep_source(shape, part)


_READ: dict[str, ReadBlock] = {
    "text": blocks.read_text,
    "image": _read_media,
    "file": _read_media,
    "reasoning": _read_reasoning,
    "redacted-reasoning": _read_redacted,
}
_WRITE: dict[type[Part], WriteBlock] = {
    Text: blocks.write_text,
    Refusal: lambda _shape, part: {"type": "text", "text": part.text},
    Thinking: _write_reasoning,
}
MODEL = Shape(
    name="ai-sdk",
    layout="run",
    read={**_READ, "tool-call": _read_call, "tool-result": _read_result},
    write={**_WRITE, Media: write_model_media, ToolCall: _write_call, ToolResult: _write_result},
)
UI = Shape(
    name="ai-sdk",
    layout="inline",
    content="parts",
    listed=True,
    read={**_READ, "step-start": _read_step},
    write={**_WRITE, Media: write_ui_media, ToolResult: _write_stray_result, Opaque: _write_opaque},
)
