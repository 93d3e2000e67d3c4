"""What Gemini can say, to one model or another."""

from __future__ import annotations

import re

from msgspec.structs import replace

from rejoinder.dialects.carries import Carries
from rejoinder.dialects.gemini.sources import THIRD
from rejoinder.dialects.gemini.spelling import both

_MEDIA = frozenset({"image", "audio", "video", "document"})
_HELD = both("inlineData", "fileData", "mimeType", "data", "fileUri", "displayName", "thoughtSignature")
_CARRIES = Carries(
    head="field",
    later_system=False,
    results="apart",
    media=_MEDIA,
    by_url=_MEDIA,
    typed=True,
    named_media=False,
    error_flag=True,
    result_names=True,
    mint="google",
    files="google",
    known={
        "message": frozenset({"role", "parts"}),
        "text": both("text", "thought", "thoughtSignature"),
        "call": both("functionCall", "thoughtSignature"),
        "result": both("functionResponse", "thoughtSignature"),
        **dict.fromkeys(_MEDIA, _HELD),
    },
)
_NEWER = replace(_CARRIES, in_results=_MEDIA, inline_results=True)


def carries(model: str | None) -> Carries:
    """What it can say to a model; to one that is not known, what all of them take."""
    newer = model is not None and re.search(THIRD, model.lower().replace(".", "-"))
    return _NEWER if newer else _CARRIES
