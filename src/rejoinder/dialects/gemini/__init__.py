"""Gemini generateContent: contents of parts; results stand in the user's turn, and ids may be left out."""

from __future__ import annotations

from msgspec.structs import replace

from rejoinder.dialects.dialect import listed_dialect
from rejoinder.dialects.gemini.carries import carries
from rejoinder.dialects.gemini.contents import LISTING, encode
from rejoinder.dialects.gemini.settings import SETTINGS
from rejoinder.dialects.gemini.spelling import DATA, both

_BODY = (
    *("systemInstruction", "generationConfig", "toolConfig", "safetySettings", "cachedContent"),
    *("modelArmorConfig", "labels"),
)
_ABOUT = ("thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata")
# What only some dialects write (see `detect`).
SIGNS = frozenset(
    (
        "holds:contents",
        "key:parts",
        *(f"body:{name}" for name in both(*_BODY)),
        *(f"part:?{name}" for name in both(*DATA, *_ABOUT)),
    )
)
DIALECT = replace(
    listed_dialect(
        LISTING,
        says="Gemini API and Vertex generateContent",
        layout="turn",
        signs=SIGNS,
        carries=carries,
        settings=SETTINGS,
    ),
    encode=encode,
)
