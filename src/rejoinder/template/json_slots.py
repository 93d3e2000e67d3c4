"""Slots in JSON text: each is filled so that what comes out is JSON still, whatever the value holds.

Inside of a string a value is written as the inside of a string; anywhere else it is a whole JSON value. Which it is,
is decided once, by the text of the template alone, before any value is known.
"""

from __future__ import annotations

import re

from rejoinder.template.nodes import Arm, Block, Nodes, Slot, Text
from rejoinder.template.place import error_at

_MARKS = re.compile(r'\\[\s\S]?|"')


def json_slots(text: str, nodes: Nodes) -> Nodes:
    """The nodes of a template whose text is JSON, each slot with the form that it has there."""
    made, inside = _formed(text, nodes, False)
    if inside:
        raise error_at(text, len(text), "a JSON string is not closed")
    return made


def _formed(text: str, nodes: Nodes, inside: bool) -> tuple[Nodes, bool]:
    made: list[Text | Slot | Block] = []
    for node in nodes:
        if isinstance(node, Text):
            inside = _after(text, node.text, inside)
            made.append(node)
        elif isinstance(node, Slot):
            form = "inside" if inside else "value"
            made.append(Slot(node.subject, node.default, node.quoted, form, node.at))
        else:
            block, inside = _block(text, node, inside)
            made.append(block)
    return tuple(made), inside


def _block(text: str, block: Block, inside: bool) -> tuple[Block, bool]:
    """A block opens or closes a string on each of its ways, or on none; a loop, that may have no rounds, on none."""
    arms: list[Arm] = []
    otherwise, ends = _formed(text, block.otherwise, inside)
    for arm in block.arms:
        body, after = _formed(text, arm.body, inside)
        if after != ends or (arm.kind in ("each", "section") and ends != inside):
            raise error_at(text, arm.at, "a JSON string is open on one way through this block, and not on another")
        arms.append(Arm(arm.kind, arm.subject, body, arm.params, arm.zero, arm.at))
    return Block(tuple(arms), otherwise, block.at), ends


def _after(text: str, between: str, inside: bool) -> bool:
    """Is a string open behind a text? With a backslash at its end, it would be the value's first letter that tells."""
    for found in _MARKS.finditer(between):
        if found[0] == "\\":
            raise error_at(text, max(0, text.find(between[-20:])), "a backslash stands right in front of a tag")
        if found[0] == '"':
            inside = not inside
    return inside
