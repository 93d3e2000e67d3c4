"""How one part of a Gemini content is read: what it says, and whether it was thought, and its seal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from rejoinder.dialects.gemini.spelling import DATA, Block, common, member
from rejoinder.rules.tool_arguments import written
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.parts import Media, Opaque, Part, Text, Thinking, ToolCall, ToolResult

# Where a file lies that was handed to the provider; anything else it has to fetch.
_HANDED_OVER = ("gs://", "https://generativelanguage.googleapis.com/", "files/")
_DATA = frozenset(DATA)


def read_parts(raw: list[Any]) -> Iterator[Part]:
    """The parts of a content. One that says several things at once is read as one for each of them."""
    for index, block in enumerate(raw):
        yield from read_part(block, index)


def read_part(block: Any, index: int = 0) -> tuple[Part, ...]:
    """What one part says: mostly one thing."""
    if not is_object(block):
        return (Opaque(kind="", source=block, quirks=(f"block:{kind_of(block)}",)),)
    kinds = [name for name, value in block.items() if value is not None and common(name) in _DATA]
    if len(kinds) == 1:
        return (_read(block, kinds[0]),)
    if not kinds:
        kind = next(iter(block), "")
        known = kind in ("thought", *_ABOUT) or not kind
        return (Opaque(kind=kind, source=block, quirks=("type:missing" if known else "type:unknown",)),)
    apart = [{name: value for name, value in block.items() if name == kind or name not in kinds} for kind in kinds]
    # A seal is of one thing; whose it was cannot be known, and a thing with another's seal would be refused.
    pieces = [_read(each if not number else _bare(each), kinds[number]) for number, each in enumerate(apart)]
    return tuple(replace(piece, quirks=(*piece.quirks, f"shared:{index}")) for piece in pieces)


_ABOUT = frozenset(("thoughtSignature", "thought_signature"))


def _bare(block: Block) -> Block:
    """A part without what is only about the first thing that it said."""
    return {name: value for name, value in block.items() if common(name) in _DATA}


def _read(block: Block, name: str) -> Part:
    reader = _READERS.get(common(name))
    seal = member(block, "thoughtSignature")
    seal = seal if isinstance(seal, str) else None
    if reader is None or (name != "text" and not is_object(block[name])):
        quirks = () if is_object(block[name]) else (f"block:{kind_of(block[name])}",)
        return Opaque(kind=common(name), source=block, seal=seal, quirks=quirks)
    return reader(block, block[name], seal)


def _read_text(block: Block, text: Any, seal: str | None) -> Part:
    quirks = () if isinstance(text, str) else (f"text:{kind_of(text)}",)
    words = text if isinstance(text, str) else ""
    if block.get("thought") is True:
        return Thinking(text=words, signature=seal, source=block, quirks=quirks)
    return Text(text=words, source=block, seal=seal, quirks=quirks)


def _read_call(block: Block, call: Block, seal: str | None) -> Part:
    name, arguments = call.get("name"), call.get("args")
    return ToolCall(
        id=call.get("id"),
        name=name,
        # No arguments at all are the same as an empty object here.
        arguments={} if arguments is None else arguments,
        key=name if isinstance(name, str) else "",
        source=block,
        seal=seal,
    )


def _read_response(block: Block, held: Block, seal: str | None) -> Part:
    name, response, shown = held.get("name"), held.get("response"), held.get("parts")
    words, error = _said(response)
    media = [each for raw in shown for each in read_part(raw)] if is_array(shown) else []
    quirks = (
        () if is_object(response) else ("content:missing",) if response is None else (f"content:{kind_of(response)}",)
    )
    return ToolResult(
        call_id=held.get("id"),
        parts=(*words, *media),
        error=error,
        name=name if isinstance(name, str) else None,
        key=name if isinstance(name, str) else "",
        source=block,
        seal=seal,
        quirks=quirks,
    )


def _said(response: Any) -> tuple[tuple[Part, ...], bool | None]:
    """The words of a response, and whether it is an error. What is under no known key is said as JSON."""
    if response is None or response == {}:
        return (), None
    said: Any = response
    keys = list(response) if is_object(response) else []
    if keys in (["output"], ["error"]):
        said = response[keys[0]]
    words = said if isinstance(said, str) else written(said)
    return (Text(text=words or ""),), True if keys == ["error"] else None


def _read_inline(block: Block, held: Block, seal: str | None) -> Part:
    data = held.get("data")
    return _media(block, held, seal, data=_standard(data) if isinstance(data, str) else None)


def _standard(data: str) -> str:
    """Base64 as everybody reads it: here it may be in the alphabet for URLs, and without its padding."""
    if "-" in data or "_" in data:
        data = data.translate(_ALPHABET)
    return data + "=" * (-len(data) % 4)


_ALPHABET = str.maketrans("-_", "+/")


def _read_file(block: Block, held: Block, seal: str | None) -> Part:
    uri = member(held, "fileUri")
    uri = uri if isinstance(uri, str) else None
    handed = uri is not None and uri.startswith(_HANDED_OVER)
    return _media(block, held, seal, url=None if handed else uri, file_id=uri if handed else None)


def _media(
    block: Block,
    held: Block,
    seal: str | None,
    *,
    data: str | None = None,
    url: str | None = None,
    file_id: str | None = None,
) -> Part:
    mime, name = member(held, "mimeType"), member(held, "displayName")
    mime = mime if isinstance(mime, str) else None
    return Media(
        kind=kind_by_type(mime),
        media_type=mime,
        name=name if isinstance(name, str) else None,
        source=block,
        seal=seal,
        data=data,
        url=url,
        file_id=file_id,
        quirks=("media:missing",) if data is None and url is None and file_id is None else (),
    )


def kind_by_type(mime: str | None) -> str:
    """`image/png` is an image; what is neither seen nor heard is a document."""
    kind = (mime or "").partition("/")[0].lower()
    return kind if kind in ("image", "audio", "video") else "document"


_READERS: dict[str, Callable[[Block, Any, str | None], Part]] = {
    "text": _read_text,
    "functionCall": _read_call,
    "functionResponse": _read_response,
    "inlineData": _read_inline,
    "fileData": _read_file,
}
