"""Items that their provider knows by an id, and what it wants to find with them.

Two ways to send them again are safe: all as it came, reasoning and ids included; or no reasoning and no ids. The fixes
lead from a mixture to the second, for what was issued together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from rejoinder.rules.unsealing import is_thinking, nameless, unsealed
from rejoinder.values.conversation import Message
from rejoinder.values.edit import Drop
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Opaque, Part, Thinking, ToolCall
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = ["found", "id_once", "id_prefix", "reasoning_followed", "reasoning_needed"]


def reasoning_followed(view: View) -> Iterator[Finding]:
    """Reasoning is not followed by the item it was issued with.

    Bad: reasoning, and then the user; or an answer that was written anew, and has no id.
    Good: neither the reasoning, nor the ids of what came with it.
    """
    for (index, message), following in zip_longest(view.messages, view.messages[1:]):
        if is_thinking(message.parts) and not _goes_on(message, following[1] if following else None):
            says = f"the reasoning {message.seal or ''} is not followed by what it led to".replace("  ", " ")
            ids = () if message.seal is None else (message.seal,)
            yield Finding(at=Place(index), says=says, ids=ids, fixes=(_without_reasoning(view, index),))


def _goes_on(message: Message, following: Message | None) -> bool:
    """Is this the item that reasoning led to? What has an id is followed by what has one."""
    if following is None or following.role != "assistant" or is_thinking(following.parts):
        return False
    return message.seal is None or following.seal is not None


def _without_reasoning(view: View, index: int) -> Fix:
    return Fix("drop", "drops", "leave it out, and the ids of what came with it", unsealed(view, index))


def reasoning_needed(
    view: View, *, minted: str, calls: bool, off: tuple[str, str, str] = ("", "", "")
) -> Iterator[Finding]:
    """An item has the id that its provider gave it, and the reasoning that came in front of it is not there.

    Bad: a call with an id, of a model that reasons before it calls. Good: the same call without its id.

    Whether there was reasoning only the provider knows, so this holds for models that always reason first. `off` is
    where a request says that they need not.
    """
    member, setting, value = off
    held = view.conversation.settings.get(member)
    if is_object(held) and held.get(setting) == value:
        return
    reasoned = False
    for index, message in view.messages:
        part = message.parts[0] if message.parts else None
        if message.role not in ("assistant", "tool"):
            reasoned = False
        elif isinstance(part, Thinking) or _is_reference(part):
            reasoned = True
        elif not reasoned and isinstance(part, ToolCall) == calls and _is_minted(message, part, minted):
            says = f"the item {message.seal!r} came behind reasoning that is not there"
            fix = Fix("strip", "free", "take its id away", (nameless(view, index),))
            yield Finding(at=Place(index), says=says, ids=(message.seal or "",), fixes=(fix,))


def _is_minted(message: Message, part: Part | None, minted: str) -> bool:
    """Has it the id that its provider gave it? (What is kept whole comes behind no reasoning of ours to tell.)"""
    return bool(message.seal and re.fullmatch(minted, message.seal)) and not isinstance(part, Opaque)


def _is_reference(part: Part | None) -> bool:
    return isinstance(part, Opaque) and part.kind == "item_reference"


def id_prefix(view: View) -> Iterator[Finding]:
    """An item has an id that its provider cannot have given it.

    Bad: a call whose `id` is `call_1`. Good: no `id`; what pairs it with its output is its `call_id`.
    """
    for index, message in view.messages:
        prefix = next((quirk[7:] for quirk in message.quirks if quirk.startswith("prefix:")), None)
        if prefix is None:
            continue
        fix = Fix("strip", "free", "take its id away", (nameless(view, index),))
        if is_thinking(message.parts):
            fix = _without_reasoning(view, index)
        says = f"the id of an item of this type begins with {prefix!r}"
        ids = () if message.seal is None else (message.seal,)
        yield Finding(at=Place(index, field="id"), says=says, ids=ids, fixes=(fix,))


def id_once(view: View) -> Iterator[Finding]:
    """Two items have the same id.

    Bad: an item that was sent twice. Good: the later one without its id; reasoning that was sent twice, once.
    """
    seen: set[str] = set()
    for index, message in view.messages:
        if message.seal is None or message.seal not in seen:
            seen.add(message.seal or "")
            continue
        fix = Fix("strip", "free", "take the id of the later one away", (nameless(view, index),))
        if is_thinking(message.parts):
            fix = _without_reasoning(view, index)
        elif _is_reference(message.parts[0] if message.parts else None):
            fix = Fix("drop", "free", "leave the copy out", (Drop(Place(index)),))
        says = f"the id {message.seal!r} is that of an earlier item"
        yield Finding(at=Place(index), says=says, ids=(message.seal,), fixes=(fix,))


def found(view: View, *, minted: str, stored: str) -> Iterator[Finding]:
    """An item says nothing but the id that leads to it, and cannot be found by it.

    Bad: `{"type": "item_reference", "id": "rs_abc"}`; or any such item, where the request says that nothing is stored.
    Good: what it stands for, inline. Where that is lost, the item is left out.
    """
    kept = view.conversation.settings.get(stored) is not False
    for index, message in view.messages:
        part = message.parts[0] if message.parts else None
        elsewhere = _is_reference(part) or (isinstance(part, Thinking) and "seal:elsewhere" in part.quirks)
        if not elsewhere or message.seal is None or (kept and re.fullmatch(minted, message.seal)):
            continue
        fix = Fix("drop", "drops", "leave it out", (Drop(Place(index)),))
        if is_thinking(message.parts):
            fix = _without_reasoning(view, index)
        says = f"nothing is stored under {message.seal!r}"
        yield Finding(at=Place(index), says=says, ids=(message.seal,), fixes=(fix,))
