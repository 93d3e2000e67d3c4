"""Anthropic Messages: calls and results are blocks; results open the user turn after their calls."""

from __future__ import annotations

from rejoinder.dialects.anthropic.blocks import INSIDE, READ, WRITE
from rejoinder.dialects.anthropic.carries import carries
from rejoinder.dialects.anthropic.quick import pour
from rejoinder.dialects.anthropic.settings import SETTINGS
from rejoinder.dialects.dialect import listed_dialect
from rejoinder.dialects.shape import Shape, listing

SHAPE = Shape(
    name="anthropic",
    layout="turn",
    result_role="",
    system=True,
    members=frozenset({"role", "content"}),
    inside=INSIDE,
    read=READ,
    write=WRITE,
)
# What only some dialects write (see `detect`).
SIGNS = frozenset(
    (
        "holds:messages body:system tool:input_schema content:string content:array block:text/text "
        "block:thinking block:redacted_thinking block:document block:server_tool_use block:mcp_tool_use "
        "block:search_result block:container_upload block:image block:tool_use block:*_tool_result "
        "result:user"
    ).split()
)
DIALECT = listed_dialect(
    listing(SHAPE),
    says="Anthropic Messages",
    layout=SHAPE.layout,
    signs=SIGNS,
    carries=carries,
    settings=SETTINGS,
    pour=pour,
)
