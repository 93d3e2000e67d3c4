"""Anthropic Messages: calls and results are blocks; results open the user turn after their calls."""

from __future__ import annotations

from rejoinder.dialects.anthropic.blocks import READ, WRITE
from rejoinder.dialects.dialect import listed_dialect
from rejoinder.dialects.shape import Shape, listing

SHAPE = Shape(
    name="anthropic",
    layout="turn",
    result_role="",
    system=True,
    members=frozenset({"role", "content"}),
    read=READ,
    write=WRITE,
)
DIALECT = listed_dialect(listing(SHAPE), "Anthropic Messages", SHAPE.layout)
