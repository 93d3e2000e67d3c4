"""Items that were issued together, and the edits that take their seals off.

An item with its provider's id is known by it, and what was issued with it is looked for. Sent without any id, and
without the reasoning in front of it, the same item stands for itself.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from rejoinder.values.edit import Drop, Edit, Replace
from rejoinder.values.parts import Part, Thinking
from rejoinder.values.place import Place
from rejoinder.values.view import View


def unsealed(view: View, index: int, going: Collection[int] = ()) -> tuple[Edit, ...]:
    """What was issued with an item, without its reasoning and its ids; `going` are dropped in any case."""
    edits: list[Edit] = []
    for each in view.issued.get(index, (index,)):
        if each in going:
            continue
        message = view.conversation.message(each)
        if any(isinstance(part, Thinking) for part in message.parts):
            edits.append(Drop(Place(each)))
        elif message.seal is not None:
            edits.append(nameless(view, each))
    return tuple(edits)


def nameless(view: View, index: int) -> Edit:
    """One item without its id."""
    message = view.conversation.message(index)
    quirks = tuple(quirk for quirk in message.quirks if not quirk.startswith("prefix:"))
    return Replace(Place(index), replace(message, seal=None, quirks=quirks))


def is_thinking(parts: tuple[Part, ...]) -> bool:
    """Is it an item of reasoning?"""
    return any(isinstance(part, Thinking) for part in parts)
