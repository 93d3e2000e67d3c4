"""Text for a page: characters that hide or reorder what stands around them are shown as marks."""

from __future__ import annotations

import re

from rejoinder.render.terminal import safe

# Inside an emoji the joiner and the selector hide nothing: they are how it is written.
_PICTURES = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_EMOJI = re.compile(f"(?<=[{_PICTURES}\ufe0f])(?:\u200d(?=[{_PICTURES}])|\ufe0f)|(?<=[0-9#*])\ufe0f(?=\u20e3)")


def seen(text: str) -> str:
    """The text with everything visible that would hide or reorder; line ends are line feeds."""
    text = text.replace("\r\n", "\n")
    if text.isascii():
        return safe(text)
    pieces: list[str] = []
    at = 0
    for found in _EMOJI.finditer(text):
        pieces += [safe(text[at : found.start()]), found[0]]
        at = found.end()
    return "".join((*pieces, safe(text[at:])))
