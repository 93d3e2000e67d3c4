"""OpenAI Responses: each message, each call, each result and each piece of reasoning is an item of `input`."""

from __future__ import annotations

from rejoinder.dialects.dialect import carried_alike, listed_dialect
from rejoinder.dialects.listed import Listing
from rejoinder.dialects.openai_responses.carries import CARRIES
from rejoinder.dialects.openai_responses.items import (
    point,
    read_elsewhere,
    read_instructions,
    read_item,
    write_instructions,
    write_item,
)
from rejoinder.dialects.openai_responses.kinds import KINDS
from rejoinder.dialects.openai_responses.settings import SETTINGS

_LISTING = Listing(
    name="openai-responses",
    read=read_item,
    write=write_item,
    point=point,
    holds="input",
    system=("instructions",),
    read_system=read_instructions,
    write_system=write_instructions,
    stray=read_elsewhere,
)
# What only some dialects write (see `detect`). Rows of stored histories are of type `message` too.
SIGNS = frozenset(
    (
        "holds:input body:instructions body:previous_response_id body:max_output_tokens body:text body:include "
        "key:call_id key:encrypted_content content:string content:array block:input_text block:output_text "
        "block:input_image block:input_file"
    ).split()
) | {f"type:{name}" for name in KINDS if name != "message"}
DIALECT = listed_dialect(
    _LISTING,
    says="OpenAI Responses",
    layout="items",
    signs=SIGNS,
    carries=carried_alike(CARRIES),
    settings=SETTINGS,
)
