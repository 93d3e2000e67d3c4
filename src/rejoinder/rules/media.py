"""Images, sounds and files: where a reader takes them, and which."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from msgspec.structs import replace

from rejoinder.values.conversation import Message
from rejoinder.values.edit import Drop, Edit, Insert, Replace, without_source
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Media, Opaque, Part, Text, ToolResult, is_blank
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = [
    "document_type",
    "error_text_only",
    "format_known",
    "held",
    "image_type",
    "in_results",
    "kind_taken",
    "most",
    "result_fetched",
    "typed",
    "user_only",
]

# Types that are text, whatever else they are.
_WORDS = ("text/", "application/json", "application/xml", "application/x-yaml", "application/javascript")
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)


def user_only(
    view: View, *, kinds: tuple[str, ...], roles: tuple[str, ...] = (), bare: bool = False, bridge: str = ""
) -> Iterator[Finding]:
    """An image, a sound or a file stands outside a user message; or in a message of one of these `roles`.

    `bare`: a block with the name of a kind is one too.

    Bad: an image in a tool result. Good: a note there, and the image in a user message behind the results.
    Where no user may follow results, the assistant says a word in between (`bridge`).
    """
    said = (Message("assistant", (Text(text=bridge),)),) if bridge else ()
    for index, message in view.messages:
        if message.role == "user" or (roles and message.role not in roles):
            continue
        for number, part in enumerate(message.parts):
            place = Place(index, number)
            inner = part.parts if isinstance(part, ToolResult) else (part,)
            images = [each for each in inner if _is_media(each, bare=bare) and each.kind in kinds]
            if images:
                edits = _moved(view, place, part, images, said)
                cost = "invents" if said else "moves"
                fix = Fix("move", cost, "move it to a user message, with a note in its place", edits)
                first = inner.index(images[0]) if part is not images[0] else None
                at = Place(index, number, first)
                yield Finding(at=at, says=f"{_named(images)} in a message of role {message.role!r}", fixes=(fix,))


def _is_media(part: Part, *, bare: bool) -> TypeGuard[Media | Opaque]:
    return isinstance(part, Media) or (bare and isinstance(part, Opaque) and not part.beside)


def _named(media: Sequence[Media | Opaque]) -> str:
    """`an image`, `3 images`"""
    kind = media[0].kind
    return f"{len(media)} {kind}s" if len(media) > 1 else ("an " if kind[0] in "aeiou" else "a ") + kind


def _moved(
    view: View, place: Place, part: Part, media: Sequence[Media | Opaque], said: tuple[Message, ...]
) -> tuple[Edit, ...]:
    """The media behind the results of the turn, with a note on both ends."""
    kind = media[0].kind
    note = Text(text=f"[{kind} moved to the next user message]", source={"type": "text"})
    stay: Part = note
    origin = f"from the {view.message(place).role}"
    if isinstance(part, ToolResult):
        going = {id(each) for each in media}
        stay = replace(part, parts=tuple(note if id(each) in going else each for each in part.parts))
        origin = f"from the result of {part.call_id}"
    turn = view.window(place.message) or view.turns[view.turn_of[place.message]]
    head = Text(text=f"[{kind if len(media) == 1 else f'{len(media)} {kind}s'} {origin}]")
    behind = (*said, Message("user", (head, *media)))
    return Replace(place, stay), *(Insert(Place(turn.stop), message) for message in behind)


def kind_taken(
    view: View, *, refused: tuple[str, ...], inside: bool = False, bare: bool = False, handed_over: bool = False
) -> Iterator[Finding]:
    """The model does not take this kind of content, whether or not it stands `inside` a result.

    Bad: audio for a model that cannot hear. Good: a note that says what stood there. (`bare`: a block with the name of
    a kind is of that kind; `handed_over`: it does not take it by the name of a file that its provider has.)
    """
    for place, part in (*view.parts(Media), *(view.parts(Opaque) if bare else ())):
        if handed_over and getattr(part, "file_id", None) is None:
            continue
        if part.kind in refused and (inside or place.inner is None) and not part.beside and place.message >= 0:
            note = Text(text=f"[{part.kind} left out: this model does not take it]", source={"type": "text"})
            fix = Fix("placeholder", "drops", "put a note in its place", (Replace(place, note),))
            yield Finding(at=place, says=f"this model takes no {part.kind}", fixes=(fix,))


def in_results(view: View, *, refused: tuple[str, ...], handed_over: bool = False) -> Iterator[Finding]:
    """The model takes this kind of content from users, but not in a result.

    Bad: an image in the result of a tool. Good: a note there, and the image behind the results.
    """
    for place, result in view.results:
        media = [each for each in result.parts if isinstance(each, Media) and each.kind in refused]
        media = [each for each in media if not handed_over or each.file_id is not None]
        if media:
            fix = Fix(
                "move", "moves", "move it behind the results, with a note", _moved(view, place, result, media, ())
            )
            at = Place(place.message, place.part, result.parts.index(media[0]))
            says = f"this model takes {_named(media)} from users only"
            yield Finding(at=at, says=says, ids=(str(result.call_id),), fixes=(fix,))


def format_known(view: View, *, known: Mapping[str, tuple[str, ...]]) -> Iterator[Finding]:
    """An image, a sound, a video or a document in a format that the reader has no name for.

    Bad: `"format": "jpg"`. Good: `"format": "jpeg"`, which the bytes say; any other text is a plain one.
    """
    for place, part in view.parts(Media):
        formats = known.get(part.kind)
        if formats is None or part.media_type in formats or (part.media_type is None and part.kind == "document"):
            continue
        real = _sniffed(part.data) if part.data is not None else None
        if part.kind == "document" and str(part.media_type).startswith(_WORDS):
            real = "text/plain"
        note = Text(text=f"[{part.kind} of type {part.media_type} left out]", source={"type": "text"})
        fix = Fix("placeholder", "drops", "put a note in its place", (Replace(place, note),))
        if real in formats:
            fix = Fix("rename", "free", f"say {real}", (Replace(place, _retyped(part, real or "")),))
        yield Finding(at=place, says=f"there is no format for {part.media_type!r}", fixes=(fix,))


def most(view: View, *, kind: str, limit: int) -> Iterator[Finding]:
    """More images or documents than the reader takes in a request.

    Bad: 21 images. Good: 20; which of them can be spared, only who asks can say.
    """
    held = [(place, part) for place, part in view.parts(Media) if part.kind == kind]
    for place, part in held[: max(len(held) - limit, 0)]:
        note = Text(text=f"[{part.kind} left out: there are more than {limit}]", source={"type": "text"})
        fix = Fix("placeholder", "drops", "put a note in its place", (Replace(place, note),))
        yield Finding(at=place, says=f"{len(held)} {kind}s, {limit} are allowed", fixes=(fix,))


def image_type(view: View, *, known: tuple[str, ...]) -> Iterator[Finding]:
    """An inline image is not of a kind that the reader takes, or not of the kind that it is said to be.

    Bad: `"media_type": "image/tiff"`, or `image/png` for bytes that are a JPEG. Good: what the bytes are.
    """
    for place, part in view.parts(Media):
        if part.kind != "image" or part.data is None:
            continue
        real = _sniffed(part.data)
        if part.media_type in known and real in (None, part.media_type):
            continue
        says = f"media type {part.media_type!r}" + (f", the bytes are {real}" if real else "")
        note = Text(text=f"[image of type {part.media_type} left out]", source={"type": "text"})
        fix = Fix("placeholder", "drops", "put a note in its place", (Replace(place, note),))
        if real in known:
            fix = Fix("rename", "free", f"say {real}", (Replace(place, _retyped(part, real or "")),))
        yield Finding(at=place, says=says, fixes=(fix,))


def document_type(view: View, *, refused: tuple[str, ...], endings: tuple[str, ...]) -> Iterator[Finding]:
    """A file is of a kind that the reader does not take, as its media type says, or the end of its name.

    Bad: a recording as a file. Good: a note that says what stood there.
    """
    for place, part in view.parts(Media):
        ending = _ending(part.url) or _ending(part.name)
        wrong = part.media_type.startswith(refused) if part.media_type else ending in endings
        if part.kind == "document" and wrong:
            kind = part.media_type or ending
            note = Text(text=f"[file of type {kind} left out]", source={"type": "text"})
            fix = Fix("placeholder", "drops", "put a note in its place", (Replace(place, note),))
            yield Finding(at=place, says=f"files of type {kind!r} are not taken", fixes=(fix,))


def _ending(name: str | None) -> str:
    path = (name or "").partition("?")[0].partition("#")[0]
    return path.rpartition(".")[2].lower() if "." in path.rpartition("/")[2] else ""


def held(view: View, *, missing: bool) -> Iterator[Finding]:
    """An image, a sound or a file without what it shows (`missing`), or with it in another form.

    Bad: `{"type": "image_url", "image_url": "https://..."}`. Good: `{"type": "image_url", "image_url": {"url": ...}}`.
    One that holds nothing is left out.
    """
    for place, part in view.parts(Media):
        kind = next((quirk.removeprefix("media:") for quirk in part.quirks if quirk.startswith("media:")), None)
        if kind is None or (kind == "missing") != missing:
            continue
        says = f"this {part.kind} holds nothing" if missing else f"what this {part.kind} holds is {kind}"
        yield Finding(at=place, says=says, fixes=(_holding(place, part, missing),))


def _holding(place: Place, part: Media, missing: bool) -> Fix:
    if part.url is not None or part.data is not None:
        return Fix("wrap", "free", "put it into an object", (Replace(place, without_source(part)),))
    if missing:
        return Fix("drop", "drops" if part.name else "free", "leave it out, it shows nothing", (Drop(place),))
    note = Text(text=f"[{part.kind} left out: nobody can read it]", source={"type": "text"})
    return Fix("placeholder", "drops", "put a note in its place", (Replace(place, note),))


def typed(view: View) -> Iterator[Finding]:
    """Inline bytes that do not say of which media type they are.

    Bad: `{"data": "iVBORw0KGgo="}`. Good: `{"mimeType": "image/png", "data": "iVBORw0KGgo="}`, where the bytes show it.
    """
    for place, part in view.parts(Media):
        if part.data is None or part.media_type:
            continue
        real = _sniffed(part.data)
        fixes: tuple[Fix, ...] = ()
        if real:
            said = replace(part, kind="image", media_type=real)
            fixes = (Fix("fill", "free", f"say {real}", (Replace(place, said),)),)
        yield Finding(at=place, says="these bytes do not say of which media type they are", fixes=fixes)


def result_fetched(view: View, *, kinds: tuple[str, ...]) -> Iterator[Finding]:
    """What a result shows stands elsewhere on the web, and this reader does not fetch everything for a result.

    Bad: an image by its URL in a result. Good: its bytes; they are for the caller to fetch.
    """
    for place, part in view.parts(Media):
        if place.inner is not None and part.url and part.kind in kinds:
            note = Text(text=f"[{part.kind} left out: it has to be fetched from {part.url}]")
            fix = Fix("placeholder", "drops", "put a note in its place", (Replace(place, note),))
            yield Finding(at=place, says=f"this {part.kind} may not be fetched for a result", fixes=(fix,))


def _sniffed(data: str) -> str | None:
    """What the first bytes say; None where they say nothing we know."""
    try:
        head = base64.b64decode(data[:24] + "=" * (-len(data[:24]) % 4))
    except (binascii.Error, ValueError):
        return None
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)


def _retyped(part: Media, kind: str) -> Media:
    source = part.source
    if is_object(source) and is_object(source.get("source")):
        source = {**source, "source": {**source["source"], "media_type": kind}}
    return replace(part, media_type=kind, source=source)


def error_text_only(view: View) -> Iterator[Finding]:
    """A result that is marked as an error holds something else than text.

    Bad: an error with a screenshot. Good: the text in the result, the screenshot behind the results.
    """
    for place, result in view.results:
        other = [part for part in result.parts if not isinstance(part, Text)]
        if not result.error or not other:
            continue
        texts: tuple[Part, ...] = tuple(part for part in result.parts if isinstance(part, Text))
        if all(is_blank(part) for part in texts):
            texts = (Text(text="error", source={"type": "text"}),)
        turn = view.turns[view.turn_of[place.message]]
        end = Place(turn.stop - 1, len(view.conversation.message(turn.stop - 1).parts))
        moved = tuple(Insert(end, part) for part in other)
        edits = (Replace(place, replace(result, parts=texts)), *moved)
        cost = "moves" if texts[-1] in result.parts else "invents"
        fix = Fix("move", cost, "move what is no text behind the results", edits)
        yield Finding(
            at=place, says="an error result holds something else than text", ids=(str(result.call_id),), fixes=(fix,)
        )
