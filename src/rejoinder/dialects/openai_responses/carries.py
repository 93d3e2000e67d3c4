"""What OpenAI Responses can say."""

from __future__ import annotations

from rejoinder.dialects.carries import Carries
from rejoinder.dialects.openai_responses.kinds import KINDS

# Who gave an item its id, and what an answer it was part of, nobody else can say.
_OWN = frozenset({"id", "phase"})

CARRIES = Carries(
    head="either",
    system_roles=("system", "developer"),
    results="items",
    beside=True,
    media=frozenset({"image", "document"}),
    in_results=frozenset({"image", "document"}),
    by_url=frozenset({"image", "document"}),
    detail=True,
    refusal=True,
    custom_calls=True,
    arguments="text",
    mint="openai-responses",
    files="openai",
    known={
        # What an item is made of is told of with its part.
        "message": frozenset(name for kind in KINDS.values() for name in kind.members) - _OWN,
        "call": frozenset({"type", "id", "call_id", "name", "arguments", "input", "action", "operation", "status"}),
        "result": frozenset({"type", "id", "call_id", "name", "output", "status"}),
        "text": frozenset({"type", "text"}),
        "input_text": frozenset({"type", "text"}),
        "output_text": frozenset({"type", "text"}),
        "input_image": frozenset({"type", "image_url", "file_id"}),
        "input_file": frozenset({"type", "file_data", "file_url", "file_id", "filename"}),
    },
)
