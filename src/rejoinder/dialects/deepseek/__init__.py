"""DeepSeek chat completions, and others that think aloud in `reasoning_content` beside their words (Kimi, MiMo)."""

from __future__ import annotations

import re

from msgspec.structs import replace

from rejoinder.dialects import blocks
from rejoinder.dialects.carries import Carries
from rejoinder.dialects.deepseek.settings import SETTINGS
from rejoinder.dialects.dialect import listed_dialect
from rejoinder.dialects.shape import Shape, listing
from rejoinder.values.parts import Media, Text

SHAPE = Shape(
    name="deepseek",
    layout="run",
    calls="tool_calls",
    call_id="tool_call_id",
    thinking="reasoning_content",
    flags=("prefix",),
    read={
        "text": blocks.read_text,
        "image_url": blocks.read_image_url,
        "input_audio": blocks.read_input_audio,
        "file": blocks.read_file,
    },
    write={Text: blocks.write_text, Media: blocks.write_media},
)
_CARRIES = Carries(
    results="messages",
    beside=True,
    prefix=True,
    arguments="text",
    mint="deepseek",
    files="deepseek",
    known={
        "message": frozenset({"role", "content", "tool_calls", "tool_call_id", "reasoning_content", "prefix"}),
        "text": frozenset({"type", "text"}),
        "call": frozenset({"id", "type", "function", "index"}),
        "image_url": frozenset({"type", "image_url", "url"}),
        "input_audio": frozenset({"type", "input_audio", "data", "format"}),
        "file": frozenset({"type", "file", "filename", "file_data", "file_id"}),
    },
)
# The models of others that can see; DeepSeek's own take text alone.
_SEES = r"kimi|moonshot|mimo"
_SEEING = replace(_CARRIES, media=frozenset({"image"}), by_url=frozenset({"image"}))


def carries(model: str | None) -> Carries:
    """What it can say to a model; images only to one that sees."""
    return _SEEING if model is not None and re.search(_SEES, model.lower()) else _CARRIES


DIALECT = listed_dialect(
    listing(SHAPE),
    says="DeepSeek chat completions, and others with reasoning_content (Kimi, MiMo)",
    layout=SHAPE.layout,
    family="chat",
    own=frozenset({"reasoning_content"}),
    carries=carries,
    settings=SETTINGS,
)
