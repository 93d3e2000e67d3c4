"""Where carried messages stand: results in the turn, the message or the item that the target has for them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from msgspec.structs import replace

from rejoinder.carry.way import Way
from rejoinder.values.conversation import Message
from rejoinder.values.parts import Media, Part, Text, ToolCall, ToolResult


def placed(way: Way, messages: list[Message], places: dict[int, str]) -> list[Message]:
    """The messages in the order and the grouping that the target wants."""
    kept = list(_without_empty(way, messages, places))
    moved = list(_media_behind(way, kept, places))
    if way.takes.bridge:
        moved = list(_bridged(way, moved, places))
    layouts = {"messages": moved, "items": list(_items(moved))}
    return layouts.get(way.takes.results) or list(_turns(way, moved))


def _without_empty(way: Way, messages: list[Message], places: dict[int, str]) -> Iterator[Message]:
    """Nothing of these messages is left, or nothing was there: they go, and their neighbours join."""
    held: Message | None = None
    gap = False
    for message in messages:
        if _is_empty(way, message):
            way.lose("empty turn", places.get(message.origin, ""), f"{way.target} has nothing to hold of it")
            gap = True
            continue
        joins = gap and message.role != "tool" and message.origin not in way.apart
        if joins and held is not None and held.role == message.role:
            held = _joined(way, held, message)
        else:
            if held is not None:
                yield held
            held = message
        gap = False
    if held is not None:
        yield held


def _is_empty(way: Way, message: Message) -> bool:
    if message.role == "tool":
        return False
    if not message.parts:
        return True
    return not way.takes.empty and all(isinstance(part, Text) and not part.text for part in message.parts)


def _joined(way: Way, one: Message, other: Message) -> Message:
    """Two messages that became neighbours as one. Plain texts stay one plain text where results are messages."""
    parts = (*one.parts, *other.parts)
    plain = len(parts) == 2 and all(isinstance(part, Text) and not part.quirks for part in parts)
    if plain and way.takes.results == "messages":
        parts = (Text(text="\n\n".join(part.text for part in parts if isinstance(part, Text))),)
    return replace(one, parts=parts)


def _media_behind(way: Way, messages: list[Message], places: dict[int, str]) -> Iterator[Message]:
    """Media that a result cannot hold, in a user message behind all results of their turn, with notes on both ends."""
    for tool, group in groupby(messages, key=lambda message: message.role == "tool"):
        moved: list[Part] = []
        origin = -1
        count = 0
        for message in group:
            if tool:
                message, going = _parted(way, message, count)
                count += len(going) // 2
                moved += going
                origin = message.origin
                if going:
                    way.lose("media position", places.get(origin, ""), f"{way.target} takes none in a result", "moved")
            yield message
        if moved:
            yield Message("user", tuple(moved), origin, touched=True)


def _parted(way: Way, message: Message, count: int) -> tuple[Message, list[Part]]:
    """The tool message with notes, and the media with theirs."""
    result = message.parts[0]
    if not isinstance(result, ToolResult) or all(_may_stay(way, part) for part in result.parts):
        return message, []
    stay: list[Part] = []
    going: list[Part] = []
    for part in result.parts:
        if _may_stay(way, part) or not isinstance(part, Media):
            stay.append(part)
            continue
        name = f"{part.kind} {count + len(going) // 2 + 1}"
        stay.append(Text(text=f"[{name} is attached in the next user message]"))
        going += [Text(text=f"[{name} from tool result {result.call_id}]"), part]
    if all(isinstance(part, Text) for part in stay):
        stay = [Text(text="\n".join(part.text for part in stay if isinstance(part, Text)))]
    return replace(message, parts=(replace(result, parts=tuple(stay)),)), going


def _may_stay(way: Way, part: Part) -> bool:
    if not isinstance(part, Media):
        return True
    return part.kind in way.takes.in_results and not (part.url and way.takes.inline_results)


def _bridged(way: Way, messages: list[Message], places: dict[int, str]) -> Iterator[Message]:
    """The messages, with a word of the assistant wherever the user would speak right behind results."""
    before = ""
    for message in messages:
        if before == "tool" and message.role == "user":
            says = f"the assistant says {way.takes.bridge!r}"
            way.lose("turn order", places.get(message.origin, ""), f"{way.target} lets no user follow results", says)
            yield Message("assistant", (Text(text=way.takes.bridge),), touched=True)
        before = message.role
        yield message


def _turns(way: Way, messages: list[Message]) -> Iterator[Message]:
    """The results of a turn in one user message; the user's next words too, where they may stand behind results."""
    held: Message | None = None
    before = -1
    for message in messages:
        # What came from one message was never apart.
        joins = held is not None and (message.origin == before or message.origin not in way.apart)
        before = message.origin
        if message.role == "tool" and joins and held is not None:
            held = replace(held, parts=(*held.parts, *message.parts))
        elif message.role == "user" and joins and held is not None and way.takes.results == "turn":
            yield replace(held, parts=(*held.parts, *message.parts))
            held = None
        else:
            if held is not None:
                yield held
            held = replace(message, role="user") if message.role == "tool" else None
            if held is None:
                yield message
    if held is not None:
        yield held


def _items(messages: list[Message]) -> Iterator[Message]:
    """Each call as an item of its own, and what is said between calls as one."""
    for message in messages:
        if message.role != "assistant":
            yield message
            continue
        for own, group in groupby(enumerate(message.parts), key=lambda item: item[0] + 1 if _is_item(item[1]) else 0):
            parts = tuple(part for _, part in group)
            yield replace(message, parts=parts) if own or parts else message


def _is_item(part: Part) -> bool:
    return isinstance(part, ToolCall) or type(part).__name__ == "Thinking"
