"""The messages of OpenTelemetry's GenAI conventions, as traces hold them: parts, each with its words in `content`."""

from __future__ import annotations

import msgspec

from rejoinder.dialects.carries import Carries
from rejoinder.dialects.dialect import carried_alike, listed_dialect
from rejoinder.dialects.otel.parts import MEDIA, READ, WRITE
from rejoinder.dialects.shape import Shape, listing, part_pointer
from rejoinder.values.conversation import Message
from rejoinder.values.loose import is_object
from rejoinder.values.parts import ToolResult
from rejoinder.values.place import Place

SHAPE = Shape(name="otel", layout="run", content="parts", listed=True, read=READ, write=WRITE)


def _pointer(message: Message, place: Place) -> str:
    """Into a message; what a result holds is all in one member."""
    part = message.parts[place.part or 0]
    path = part_pointer(SHAPE, message, msgspec.structs.replace(place, inner=None))
    if place.inner is None or not isinstance(part, ToolResult) or not is_object(part.source):
        return path
    return f"{path}/{'result' if 'result' in part.source else 'response'}"


CARRIES = Carries(
    results="messages",
    media=frozenset({"image", "audio", "video", "document"}),
    by_url=frozenset({"image", "audio", "video", "document"}),
    known={
        "message": frozenset({"role", "parts", "finish_reason"}),
        "text": frozenset({"type", "content"}),
        "call": frozenset({"type", "id", "name", "arguments"}),
        "result": frozenset({"type", "id", "response", "result", "name"}),
        **dict.fromkeys(MEDIA, frozenset({"type", "modality", "mime_type", "media_type", "content", *MEDIA.values()})),
    },
)
# What only some dialects write (see `detect`).
SIGNS = frozenset(
    (
        "holds:messages key:parts key:finish_reason part:text part:text/content part:reasoning part:reasoning/content "
        "part:tool_call part:tool_call_response part:server_tool_call part:server_tool_call_response "
        "part:blob part:uri part:file part:file/file_id part:binary part:image-url part:audio-url part:video-url "
        "part:document-url"
    ).split()
)
DIALECT = listed_dialect(
    msgspec.structs.replace(listing(SHAPE), point=_pointer, fields={"content": "parts"}),
    says="OpenTelemetry GenAI messages, as traces hold them",
    layout=SHAPE.layout,
    signs=SIGNS,
    marks=frozenset({"part:text/content", "part:reasoning/content", "part:tool_call", "part:tool_call_response"}),
    stored=True,
    carries=carried_alike(CARRIES),
)
