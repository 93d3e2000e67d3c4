"""What Anthropic Messages can say, for one model or another."""

from __future__ import annotations

import re

from msgspec.structs import replace

from rejoinder.dialects.anthropic.clauses.sources import NO_SYSTEM
from rejoinder.dialects.carries import Carries

_CARRIES = Carries(
    head="field",
    results="turn",
    media=frozenset({"image", "document"}),
    in_results=frozenset({"image", "document"}),
    by_url=frozenset({"image", "document"}),
    blank=False,
    empty=False,
    blocks=True,
    error_flag=True,
    mint="anthropic",
    files="anthropic",
    mark={"type": "ephemeral"},
    known={
        "message": frozenset({"role", "content"}),
        "text": frozenset({"cache_control", "type", "text"}),
        "call": frozenset({"cache_control", "type", "id", "name", "input"}),
        "result": frozenset({"cache_control", "type", "tool_use_id", "content", "is_error"}),
        "image": frozenset({"cache_control", "type", "source", "media_type", "data", "url", "file_id"}),
        "document": frozenset({"cache_control", "type", "source", "media_type", "data", "url", "file_id", "title"}),
    },
)
_OLDER = replace(_CARRIES, later_system=False)


def carries(model: str | None) -> Carries:
    """What it can say to a model; to one that is not known, what the newest takes."""
    older = model is not None and re.search(NO_SYSTEM, model.lower().replace(".", "-"))
    return _OLDER if older else _CARRIES
