"""Where system text may stand, and what it may hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from msgspec.structs import replace

from rejoinder.values.conversation import Message
from rejoinder.values.edit import Drop, Edit, Insert, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Opaque, Part, Text, ToolResult, is_blank
from rejoinder.values.place import SYSTEM, Place
from rejoinder.values.view import Turn, View

__all__ = ["content", "first_and_once", "follows", "head", "position", "taken"]


def position(view: View) -> Iterator[Finding]:
    """A system message stands where this reader takes none.

    Bad: at the head of the messages, in front of a user message, or behind the assistant.
    Good: in the field for system text; or behind a user turn, with the assistant next or nobody.
    """
    for number, turn in enumerate(view.turns):
        if turn.role != "system":
            continue
        before = view.turns[number - 1] if number else None
        after = view.turns[number + 1] if number + 1 < len(view.turns) else None
        follows = before is not None and (before.role in ("user", "") or _ends_in_server_result(view, before))
        if follows and (after is None or after.role in ("assistant", "")):
            continue
        at = Place(turn.start if before is None else turn.stop - 1)
        says = "a system message at the head of the messages" if before is None else "a system message out of its place"
        yield Finding(at=at, says=says, fixes=_elsewhere(view, turn, before, after))


def follows(view: View, *, after: tuple[str, ...]) -> Iterator[Finding]:
    """A system message stands behind somebody whom it may not follow.

    Bad: the assistant, system text, the user. Good: the assistant, the user, system text; or the text at the head.
    """
    head = next((turn.start for turn in view.turns if turn.role != "system"), 0)
    for number, turn in enumerate(view.turns):
        before = view.turns[number - 1] if number else None
        if turn.role != "system" or before is None or before.role in ("", *after):
            continue
        end = number + 1
        while end < len(view.turns) and view.turns[end].role == "system":
            end += 1
        run = Turn("system", turn.start, view.turns[end - 1].stop)
        following = view.turns[end] if end < len(view.turns) else None
        says = f"system text behind a message of role {before.role!r}"
        yield Finding(at=Place(turn.start), says=says, fixes=_led(view, run, before, following, head))


def _led(view: View, run: Turn, before: Turn, after: Turn | None, head: int) -> tuple[Fix, ...]:
    """Behind the user's next words, where they are next; else to the head; or as marked words of the user."""
    messages = [view.conversation.message(index) for index in range(run.start, run.stop)]
    drops = tuple(Drop(Place(index)) for index in range(run.start, run.stop))
    spot, where = Place(head), "to the head"
    if after is not None and after.role == "user":
        spot, where = Place(after.stop), "behind the user's words"
    move = Fix("move", "moves", f"move it {where}", (*drops, *(Insert(spot, message) for message in messages)))
    # Whom it follows has to be settled first.
    neighbours = (Place(before.stop - 1), *((Place(after.start),) if after else ()))
    return tuple(replace(fix, needs=neighbours) for fix in (move, _spoken(run, messages)))


def _ends_in_server_result(view: View, turn: Turn) -> bool:
    parts = [part for _, part in view.run(turn)]
    return bool(parts) and isinstance(parts[-1], ToolResult) and parts[-1].kind != "tool"


def _elsewhere(view: View, turn: Turn, before: Turn | None, after: Turn | None) -> tuple[Fix, ...]:
    """At the head: into the system field, if there is a body to hold one. Else behind the next user turn."""
    messages = [view.conversation.message(index) for index in range(turn.start, turn.stop)]
    drops = tuple(Drop(Place(index)) for index in range(turn.start, turn.stop))
    fixes: list[Fix] = []
    if before is None and is_object(view.conversation.source):
        fixes.append(Fix("move", "moves", "move it to the system text", (*drops, _hoisted(view, messages))))
    if after is not None and after.role == "user" and before is not None:
        edits: list[Edit] = [*drops, *(Insert(Place(after.stop), message) for message in messages)]
        fixes.append(Fix("move", "moves", "move it behind the user's words", tuple(edits)))
    fixes.append(_spoken(turn, messages))
    # Whether it is out of its place depends on its neighbours: it waits while one of them is being mended.
    neighbours = (Place(turn.start - 1), Place(turn.stop)) if before else (Place(turn.stop),)
    return tuple(replace(fix, needs=neighbours) for fix in fixes)


def _hoisted(view: View, messages: list[Message]) -> Replace:
    """The top-level system text with these messages behind it."""
    held = view.conversation.system
    new = [part for message in messages for part in message.parts]
    if held is None and len(new) == 1 and isinstance(new[0], Text):
        return Replace(Place(SYSTEM), Message("system", (Text(text=new[0].text),)))
    old = held.parts if held else ()
    return Replace(Place(SYSTEM), Message("system", (*old, *new)))


def _spoken(turn: Turn, messages: list[Message]) -> Fix:
    """As words of the user, marked as what they are."""
    edits: list[Edit] = []
    for index, message in zip(range(turn.start, turn.stop), messages, strict=True):
        words = "\n".join(part.text for part in message.parts if isinstance(part, Text))
        said = (Text(text=f"<system>{words}</system>"),) if words else ()
        rest = tuple(part for part in message.parts if not isinstance(part, Text))
        edits += [Drop(Place(index)), Insert(Place(index), Message("user", (*said, *rest), message.origin))]
    return Fix("as_text", "moves", "let the user say it, marked as system text", tuple(edits))


def content(view: View) -> Iterator[Finding]:
    """A system message is empty, blank, or holds more than text.

    Bad: `{"role": "system", "content": []}`. Good: at least one block of text.
    """
    for index, message in view.messages:
        if message.role != "system":
            continue
        allowed = [part for part in message.parts if _may_stand(part)]
        if not allowed:
            free = all(is_blank(part) for part in message.parts)
            fix = Fix("drop", "free" if free else "drops", "drop the message, it has no text", (Drop(Place(index)),))
            yield Finding(at=Place(index), says="this system message has no text", fixes=(fix,))
            continue
        for number, part in enumerate(message.parts):
            if not _may_stand(part):
                cost = "free" if is_blank(part) else "drops"
                fix = Fix("drop", cost, "drop the block", (Drop(Place(index, number)),))
                yield Finding(at=Place(index, number), says="a system message holds text only", fixes=(fix,))


def _may_stand(part: Part) -> bool:
    if isinstance(part, Opaque):
        return part.kind in ("tool_addition", "tool_removal")
    return isinstance(part, Text) and not is_blank(part)


def head(view: View) -> Iterator[Finding]:
    """The text in front of the conversation holds something that is no text.

    Bad: `"system": [{"type": "image", ...}]`. Good: text blocks, or one string.
    """
    message = view.conversation.system
    for number, part in enumerate(message.parts if message else ()):
        if not isinstance(part, Text) and not part.quirks:
            place = Place(SYSTEM, number)
            fix = Fix("drop", "drops", "leave the block out", (Drop(place),))
            yield Finding(at=place, says="the system text holds something that is no text", fixes=(fix,))


def taken(view: View, *, at_head: bool = True) -> Iterator[Finding]:
    """The model takes no system message among the others, or (`at_head=False`) not even in front of them.

    Bad: a system message in the middle, for an older model. Good: the same words, marked, said by the user.
    One in front goes into the field for system text, where there is a body to hold one.
    """
    for turn in view.turns:
        if turn.role != "system" or (turn.start == 0 and at_head):
            continue
        messages = [view.conversation.message(index) for index in range(turn.start, turn.stop)]
        fixes: tuple[Fix, ...] = (_spoken(turn, messages),)
        if turn.start == 0 and is_object(view.conversation.source):
            drops = (Drop(Place(index)) for index in range(turn.start, turn.stop))
            fixes = (Fix("move", "moves", "move it to the system text", (*drops, _hoisted(view, messages))), *fixes)
        yield Finding(at=Place(turn.start), says="this model takes no system message among the others", fixes=fixes)


def first_and_once(view: View) -> Iterator[Finding]:
    """System text comes first, in one message.

    Bad: two system messages, or one in the middle. Good: one at the head; a later one is said by the user, marked.
    """
    head = list(takewhile(lambda message: message.role in ("system", "developer"), (each for _, each in view.messages)))
    count = len(head)
    if count > 1:
        whole = Replace(Place(0), replace(head[0], role="system", parts=_joined(head)))
        edits: tuple[Edit, ...] = (whole, *(Drop(Place(index)) for index in range(1, count)))
        fix = Fix("merge", "free", f"make one system message of the {count}", edits)
        yield Finding(at=Place(1), says="a second system message", fixes=(fix,))
    elif head and head[0].role != "system":
        fix = Fix("rename", "free", "call it system", (Replace(Place(0), replace(head[0], role="system")),))
        yield Finding(at=Place(0), says="a developer message", fixes=(fix,))
    for index, message in view.messages[count:]:
        if message.role in ("system", "developer"):
            spoken = _spoken(Turn("system", index, index + 1), [message])
            yield Finding(at=Place(index), says="a system message after the head", fixes=(spoken,))


def _joined(messages: list[Message]) -> tuple[Part, ...]:
    parts = tuple(part for message in messages for part in message.parts)
    if all(isinstance(part, Text) and part.source is None for part in parts):
        return (Text(text="\n\n".join(part.text for part in parts if isinstance(part, Text))),)
    return parts
