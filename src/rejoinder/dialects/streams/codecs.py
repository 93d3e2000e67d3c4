"""The streams that are known, by the dialect's name."""

from __future__ import annotations

from rejoinder.dialects.streams.anthropic import CODEC as ANTHROPIC
from rejoinder.dialects.streams.codec import StreamCodec
from rejoinder.dialects.streams.fields import Json
from rejoinder.dialects.streams.gemini import CODEC as GEMINI
from rejoinder.dialects.streams.openai_chat import CODEC as OPENAI_CHAT
from rejoinder.dialects.streams.openai_responses import CODEC as OPENAI_RESPONSES
from rejoinder.errors import DialectError

CODECS: dict[str, StreamCodec] = {codec.name: codec for codec in (ANTHROPIC, GEMINI, OPENAI_CHAT, OPENAI_RESPONSES)}


def find_codec(name: str) -> StreamCodec:
    """The streams of a dialect."""
    codec = CODECS.get(str(name))
    if codec is None:
        raise DialectError(f"no streams are known of {name!r}; there are those of {', '.join(sorted(CODECS))}")
    return codec


def who_knows(event: Json) -> str | None:
    """The dialect that an event is of; None where it could be anybody's, or nobody's."""
    found = [name for name, codec in CODECS.items() if codec.knows(event) or codec.whole(event)]
    return found[0] if len(found) == 1 else None
