"""Amazon Bedrock Converse: a block is known by its one member; results open the user turn after their calls."""

from __future__ import annotations

from rejoinder.dialects.bedrock.carries import carries
from rejoinder.dialects.bedrock.messages import (
    plain,
    point,
    read_message,
    read_system,
    read_tool,
    write_message,
    write_system,
)
from rejoinder.dialects.bedrock.settings import SETTINGS
from rejoinder.dialects.dialect import listed_dialect
from rejoinder.dialects.listed import Listing

_LISTING = Listing(
    name="bedrock",
    read=read_message,
    write=write_message,
    point=point,
    system=("system",),
    read_system=read_system,
    write_system=write_system,
    tools="toolConfig/tools",
    read_tool=read_tool,
)
# What only some dialects write (see `detect`).
SIGNS = frozenset(
    (
        "holds:messages body:system body:modelId body:toolConfig body:inferenceConfig body:outputConfig "
        "body:additionalModelRequestFields body:guardrailConfig body:performanceConfig body:requestMetadata "
        "body:additionalModelResponseFieldPaths body:promptVariables body:serviceTier "
        "content:array block:?text block:?toolUse block:?toolResult block:?image block:?document block:?video "
        "block:?audio block:?reasoningContent block:?cachePoint block:?guardContent block:?citationsContent "
        "block:?searchResult block:?toolAddition block:?toolRemoval"
    ).split()
)
DIALECT = listed_dialect(
    _LISTING,
    says="Amazon Bedrock Converse",
    layout="turn",
    signs=SIGNS,
    plain=plain,
    carries=carries,
    settings=SETTINGS,
)
