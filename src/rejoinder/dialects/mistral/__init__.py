"""Mistral chat completions: the shape of OpenAI Chat with chunks of its own, and stricter about who speaks when."""

from __future__ import annotations

import re

from msgspec.structs import replace

from rejoinder.dialects.carries import Carries
from rejoinder.dialects.dialect import listed_dialect
from rejoinder.dialects.mistral.blocks import READ, WRITE
from rejoinder.dialects.mistral.settings import SETTINGS
from rejoinder.dialects.shape import Shape, listing

_SAID = frozenset({"role", "content"})
# What the members of a message may be, by who speaks: anything else is refused.
MEMBERS = {
    "system": _SAID,
    "user": _SAID,
    "assistant": _SAID | {"tool_calls", "prefix"},
    "tool": _SAID | {"tool_call_id", "name"},
}
SHAPE = Shape(
    name="mistral",
    layout="run",
    calls="tool_calls",
    call_id="tool_call_id",
    result_name="name",
    names_results=True,
    flags=("prefix",),
    members_of=MEMBERS,
    read=READ,
    write=WRITE,
)
# Of all models only these hear.
_HEARS = r"voxtral"
_CARRIES = Carries(
    later_system=False,
    results="messages",
    bridge="OK",
    beside=True,
    prefix=True,
    media=frozenset({"image", "document"}),
    by_url=frozenset({"image", "document"}),
    arguments="text",
    mint="mistral",
    files="mistral",
    known={
        "message": frozenset({"role", "content", "tool_calls", "tool_call_id", "name", "prefix"}),
        "text": frozenset({"type", "text"}),
        "call": frozenset({"id", "type", "function", "index"}),
        "image_url": frozenset({"type", "image_url", "url"}),
        "input_audio": frozenset({"type", "input_audio", "data", "format"}),
        "document_url": frozenset({"type", "document_url", "document_name"}),
        "file": frozenset({"type", "file_id"}),
    },
)
_HEARING = replace(_CARRIES, media=_CARRIES.media | {"audio"})
# What only some dialects write (see `detect`).
SIGNS = frozenset(
    (
        "holds:messages key:tool_calls key:tool_call_id content:string content:array block:text/text "
        "block:image_url block:input_audio block:file block:document_url block:reference block:thinking "
        "tool:function body:random_seed body:safe_prompt body:prompt_mode"
    ).split()
)


def carries(model: str | None) -> Carries:
    """What it can say to a model; sound only to one that hears."""
    return _HEARING if model is not None and re.search(_HEARS, model.lower()) else _CARRIES


DIALECT = listed_dialect(
    listing(SHAPE),
    says="Mistral chat completions",
    layout=SHAPE.layout,
    signs=SIGNS,
    family="chat",
    carries=carries,
    settings=SETTINGS,
)
