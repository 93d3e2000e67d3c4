"""Images, sounds, documents and videos on the way to another dialect: as they are, fetched, or as a note."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.carry.way import Way
from rejoinder.dialects.carries import Carries
from rejoinder.values.ask import Fetch
from rejoinder.values.conversation import Message
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Media, Part, Text, ToolResult

# What the end of a URL says about what is behind it, for readers that want to be told.
_ENDINGS = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "pdf": "application/pdf",
    "txt": "text/plain",
    "csv": "text/csv",
    "md": "text/markdown",
    "html": "text/html",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "ogg": "audio/ogg",
    "mp4": "video/mp4",
    "mov": "video/quicktime",
    "webm": "video/webm",
}


def media_type_of(media: Media) -> str | None:
    """The media type as it was said, or as the URL ends."""
    if media.media_type or not media.url:
        return media.media_type
    path = media.url.partition("?")[0].partition("#")[0]
    return _ENDINGS.get(path.rpartition(".")[2].lower())


def wanted(messages: list[Message], gives: Carries, takes: Carries) -> list[Fetch]:
    """The media that have to be fetched, each once: they are elsewhere, and the target wants them inline."""
    asks: dict[str, Fetch] = {}
    for media in _all_media(messages):
        inline_only = media.kind in takes.media | takes.in_results and not _may_be_elsewhere(media, takes)
        if media.url and inline_only and not _crosses(media, gives, takes):
            asks.setdefault(media.url, Fetch(media.url, media.kind))
    return list(asks.values())


def _all_media(messages: list[Message]) -> Iterator[Media]:
    for message in messages:
        for part in message.parts:
            for each in part.parts if isinstance(part, ToolResult) else (part,):
                if isinstance(each, Media):
                    yield each


def carried_media(way: Way, part: Media, where: str, kinds: frozenset[str]) -> Iterator[Part]:
    """The media as the target takes them; a note where it does not."""
    _tell_members(way, part, where)
    if part.name and part.kind in kinds and not way.takes.named_media:
        way.lose("file name", where, f"{way.target} has no names for files")
    fresh = replace(part, source=None, quirks=(), cache=None, seal=None, media_type=media_type_of(part))
    fresh = replace(fresh, detail=part.detail if way.takes.detail else None)
    if part.kind not in kinds:
        yield _omitted(way, fresh, where, "not supported by " + way.target)
    elif part.file_id and not part.data and not part.url:
        if _crosses(part, way.gives, way.takes):
            yield fresh
        else:
            yield _omitted(way, fresh, where, f"{way.source} keeps the file, and {way.target} cannot see it")
    elif part.url and not _may_be_elsewhere(part, way.takes):
        found = way.fetched.get(part.url)
        if found is None:
            wants = "its media type" if part.kind in way.takes.by_url else "it inline only"
            yield _omitted(way, fresh, where, f"{way.target} takes {wants}, and it was not fetched")
        else:
            yield replace(fresh, url=None, data=found.data, media_type=found.media_type)
    else:
        yield fresh


def _may_be_elsewhere(part: Media, takes: Carries) -> bool:
    """Does the target take it by its URL, with what is known of it?"""
    return part.kind in takes.by_url and not (takes.typed and media_type_of(part) is None)


def _crosses(part: Media, gives: Carries, takes: Carries) -> bool:
    """Was it handed over to a provider who answers at the other end too?"""
    return bool(part.file_id) and bool(takes.files) and gives.files == takes.files


def _omitted(way: Way, part: Media, where: str, why: str) -> Text:
    name = part.media_type or part.kind
    note = f"[{name} attachment omitted: {why}]"
    way.lose(part.kind, where, why, note)
    return Text(text=note)


def _tell_members(way: Way, part: Media, where: str) -> None:
    """A loss for each member of the source, or of what it holds, whose meaning is not carried."""
    source = part.source
    kind = source.get("type") if is_object(source) else None
    known = way.gives.known.get(str(kind)) or way.gives.known.get(part.kind)
    if known is None or not is_object(source):
        return
    inner = [value for value in source.values() if is_object(value)]
    for name, value in [item for block in (source, *inner) for item in block.items()]:
        kept = name in known or (name == "detail" and way.takes.detail)
        if not kept and value not in (None, "", "auto", [], {}):
            way.lose(name, where, f"{way.target} has no {name} here")
