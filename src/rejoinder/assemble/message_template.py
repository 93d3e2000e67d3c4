"""A list of messages as a template: each message has slots, and between them stand blocks that repeat or leave out.

    [{"role": "system", "content": "You help {{user}}."},
     "{{#each history}}", "{{this}}", "{{/each}}",
     {"role": "user", "content": "{{question}}"}]

A text of the list holds tags only, and a slot in it stands for whole messages. So a value can be a message where the
template says so, and nowhere else: what is put into a message stays inside of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from rejoinder.errors import PayloadError
from rejoinder.template.fill import Filling, How, Scope
from rejoinder.template.limits import Limits
from rejoinder.template.nodes import Block, Nodes, Slot
from rejoinder.template.nodes import Text as Between
from rejoinder.template.parse import parse
from rejoinder.template.place import error_at, missing_at
from rejoinder.template.read import MISSING, is_list, is_mapping, items_of
from rejoinder.template.syntax import SPACE, Syntax
from rejoinder.values.loose import is_object, kind_of

# Stand in the text of the tags for a message: letters that are for private use, and refused in the tags themselves.
_OPENS, _CLOSES = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPENS}([0-9]+){_CLOSES}")

Bound = tuple[tuple[str, ...], ...]
FillMessage = Callable[[Any, Filling, Scope, Bound], Any]
"""Fills one message in a scope, with the block parameters that are known there."""


class Made(NamedTuple):
    """A message that came out; whether the template made it, or it was spliced in as it was."""

    message: Any
    inserted: bool


class MessageTemplate(NamedTuple):
    """A list of messages as it was read: the tags between them, and the messages themselves."""

    text: str
    nodes: Nodes
    messages: list[Any]


def read_messages(
    entries: list[Any], *, syntax: Syntax | None, limits: Limits, filters: frozenset[str]
) -> MessageTemplate:
    """Read a list of messages and tags. Line n of an error is entry n of the list."""
    lines: list[str] = []
    for index, entry in enumerate(entries):
        if isinstance(entry, str):
            if _OPENS in entry or _CLOSES in entry:
                raise PayloadError(f"entry {index + 1}: a tag between messages cannot hold U+E000 or U+E001")
            lines.append(entry.replace("\n", " "))
        elif is_object(entry):
            lines.append(f"{_OPENS}{index}{_CLOSES}")
        else:
            raise PayloadError(f"entry {index + 1}: a message is an object, and this is {kind_of(entry)}")
    text = "\n".join(lines)
    return MessageTemplate(text, parse(text, syntax=syntax, limits=limits, filters=filters), entries)


def fill_messages(template: MessageTemplate, values: Any, how: How, fill_one: FillMessage) -> Iterator[Made]:
    """The messages that come out, one after another."""
    filling = Filling(template.text, values, how)
    made: list[Made] = []
    _run(template, filling, template.nodes, filling.scope(), (), made, fill_one)
    return iter(made)


def _run(
    template: MessageTemplate,
    filling: Filling,
    nodes: Nodes,
    scope: Scope,
    bound: Bound,
    made: list[Made],
    fill_one: FillMessage,
    at: int = 0,
) -> None:
    filling.count(len(nodes) + 1, at)
    for node in nodes:
        if isinstance(node, Between):
            messages = (template.messages[index] for index in _indexes(template, node.text))
            made.extend(Made(fill_one(message, filling, scope, bound), True) for message in messages)
        elif isinstance(node, Slot):
            made.extend(Made(message, False) for message in _spliced(template, filling, node, scope))
        else:
            _block(template, filling, node, scope, bound, made, fill_one)


def _block(
    template: MessageTemplate,
    filling: Filling,
    block: Block,
    scope: Scope,
    bound: Bound,
    made: list[Made],
    fill_one: FillMessage,
) -> None:
    for arm in block.arms:
        inner = (*bound, arm.params) if arm.params else bound

        def run(body: Nodes, inside: Scope, at: int, inner: Bound = inner) -> None:
            _run(template, filling, body, inside, inner, made, fill_one, at)

        if filling.arm(arm, scope, run, bare=not block.otherwise):
            return
    _run(template, filling, block.otherwise, scope, bound, made, fill_one, block.at)


def _indexes(template: MessageTemplate, between: str) -> Iterator[int]:
    """The messages that stand between two tags. Any other text there is nobody's."""
    rest = _MARK.sub("", between).strip(SPACE)
    if rest:
        says = f"{rest[:40]!r} stands between messages, where only tags can; a text belongs into a message"
        raise error_at(template.text, template.text.find(rest), says)
    return (int(found[1]) for found in _MARK.finditer(between))


def _spliced(template: MessageTemplate, filling: Filling, slot: Slot, scope: Scope) -> Iterator[Any]:
    """The messages that a slot stands for, as they are: nothing in them is filled or read again."""
    value = filling.value(slot.subject, scope)
    if value is MISSING and filling.how.missing == "raise":
        raise missing_at(template.text, slot.at, getattr(slot.subject, "says", ""))
    items: Any = () if value is MISSING or value is None else items_of(value) if is_list(value) else (value,)
    filling.count(len(items), slot.at)
    for item in items:
        if not is_mapping(item):
            says = f"{kind_of(item)} is no message: what is spliced in between messages is messages, or a list of them"
            raise error_at(template.text, slot.at, says)
        yield item
