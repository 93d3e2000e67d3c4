"""What Converse can say, for one family of models or another."""

from __future__ import annotations

import re

from msgspec.structs import replace

from rejoinder.dialects.bedrock.families import CLAUDE, LLAMA, MISTRAL, NO_MEDIA_IN_RESULTS, NOVA, WRITER
from rejoinder.dialects.carries import Carries

_SEEN = frozenset({"image", "document"})
_CARRIES = Carries(
    head="field",
    later_system=False,
    results="turn",
    media=frozenset({"image", "document", "video", "audio"}),
    in_results=_SEEN,
    blank=False,
    empty=False,
    all_blocks=True,
    error_flag=True,
    mint="anthropic",
    files="aws",
    mark={"type": "default"},
    known={
        "message": frozenset({"role", "content"}),
        "text": frozenset({"text"}),
        "call": frozenset({"toolUse"}),
        "result": frozenset({"toolResult"}),
        **{
            kind: frozenset({kind, "name", "format", "source", "bytes", "text", "s3Location", "content"})
            for kind in ("image", "document", "video", "audio")
        },
    },
)
# What a family has otherwise. Signatures of Claude are Claude's wherever it runs; those of others stay with them.
_FAMILIES: tuple[tuple[str, Carries], ...] = (
    (CLAUDE, replace(_CARRIES, media=_SEEN)),
    (
        NOVA,
        replace(_CARRIES, media=_SEEN | {"video"}, in_results=frozenset({"image"}), mint="bedrock:amazon"),
    ),
    (LLAMA, replace(_CARRIES, results="apart", media=_SEEN, mint="bedrock:meta")),
    (MISTRAL, replace(_CARRIES, results="apart", media=_SEEN, in_results=frozenset({"document"}), mint="")),
    (WRITER, replace(_CARRIES, results="apart", media=_SEEN, error_flag=False, mint="bedrock:writer")),
    (NO_MEDIA_IN_RESULTS, replace(_CARRIES, media=_SEEN, in_results=frozenset(), mint="")),
)
_OTHERS = replace(_CARRIES, media=_SEEN, mint="")


def carries(model: str | None) -> Carries:
    """What it can say to a model; to one that is not known, all that Converse has blocks for."""
    if model is None:
        return _CARRIES
    name = model.lower().replace(".", "-")
    return next((held for family, held in _FAMILIES if re.search(family, name)), _OTHERS)
