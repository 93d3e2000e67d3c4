"""What a tool gave back, as the AI SDK stores it: `{"type", "value"}`, or whatever value the tool returned."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects import blocks
from rejoinder.dialects.shape import Block, ReadBlock, Shape, read_content
from rejoinder.rules.tool_arguments import written
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.parts import Media, Part, Refusal, Text, Thinking, ToolResult

# What the SDK itself tells a model where a person said no, and gave no reason.
DENIED = "Tool call execution denied."


def _read_media(_shape: Shape, block: Block) -> Part:
    """An image or a file inside a result; since version 7 its data say what they are."""
    mime = blocks.text_of(block, "mediaType")
    kind = str(block["type"])
    image = kind.startswith("image") or (mime or "").partition("/")[0] == "image"
    held = block["data"] if is_object(block.get("data")) else block
    return Media(
        kind="image" if image else "document",
        media_type=mime if mime and "/" in mime else None,
        data=blocks.text_of(held, "data"),
        text=blocks.text_of(held, "text"),
        url=blocks.text_of(held, "url"),
        file_id=blocks.text_of(block, "fileId"),
        name=blocks.text_of(block, "filename"),
        source=block,
    )


_MEDIA = ("media", "file", "file-data", "file-url", "file-id", "image-data", "image-url", "image-file-id")
_INNER: dict[str, ReadBlock] = {"text": blocks.read_text, **dict.fromkeys(_MEDIA, _read_media)}
_SHAPE = Shape(name="ai-sdk", layout="run", read=_INNER, write={}, inside=frozenset(_INNER))


def read_output(block: Block) -> tuple[tuple[Part, ...], bool | None]:
    """What a result says, and whether it is an error."""
    output = block.get("output")
    if not is_object(output) or "output" not in block:
        return said(block.get("result") if "output" not in block else output), block.get("isError") is True or None
    kind, value = output.get("type"), output.get("value")
    error = True if str(kind) in ("error-text", "error-json", "execution-denied") else None
    if kind == "execution-denied":
        return (Text(text=blocks.text_of(output, "reason") or DENIED),), error
    if kind == "content" and is_array(value):
        return read_content(_SHAPE, value, absent=False)[0], error
    return said(value if "value" in output else output), error


def said(value: Any) -> tuple[Part, ...]:
    """A value as a model is told it: text as it is, anything else as JSON."""
    if value is None:
        return ()
    return (Text(text=value if isinstance(value, str) else written(value) or ""),)


def text_of_all(parts: tuple[Part, ...]) -> str:
    """The words of a result; of what has none, its JSON."""
    return "\n".join(p.text if isinstance(p, Text | Refusal | Thinking) else written(p.source) or "" for p in parts)


def output_of(result: ToolResult) -> Block:
    """What a new result says: as text, or as content where there are media in it."""
    if not any(isinstance(part, Media) for part in result.parts):
        return {"type": "error-text" if result.error else "text", "value": text_of_all(result.parts)}
    return {"type": "content", "value": [_inner(part) for part in result.parts]}


def _inner(part: Part) -> Block:
    if is_object(part.source):
        return part.source
    if not isinstance(part, Media) or part.text is not None:
        return {"type": "text", "text": getattr(part, "text", "")}
    head = "image" if part.kind == "image" else "file"
    if part.data is None:
        return {"type": f"{head}-url", "url": part.url}
    name = {"filename": part.name} if part.name and head == "file" else {}
    mime = part.media_type or ("image/png" if head == "image" else "application/octet-stream")
    return {"type": f"{head}-data", "data": part.data, "mediaType": mime, **name}
