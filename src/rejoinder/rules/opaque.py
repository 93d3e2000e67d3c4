"""Parts that only one provider understands, and the tools that a provider runs by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rejoinder.values.conversation import Message
from rejoinder.values.edit import Drop, Insert
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Part, ToolCall, ToolResult
from rejoinder.values.place import Place
from rejoinder.values.view import Turn, View

__all__ = ["mixed_batch", "server_id", "server_pair"]


def server_id(view: View, *, pattern: str) -> Iterator[Finding]:
    """The call of a provider's own tool has an id that the provider did not mint.

    Bad: `server_tool_use` with the id `toolu_1`. Good: the pair is left out, its text stays.
    """
    allowed = re.compile(pattern)
    results: dict[tuple[int, str], list[Place]] = {}
    for place, result in view.parts(ToolResult):
        if result.kind != "tool":
            results.setdefault((place.message, str(result.call_id)), []).append(place)
    for place, call in view.parts(ToolCall):
        if call.kind == "server" and _minted(call) and not allowed.match(str(call.id)):
            pair = results.get((place.message, str(call.id)), ())
            edits = tuple(Drop(each) for each in (place, *pair))
            fix = Fix("drop", "drops", "leave the call and its result out", edits)
            yield Finding(at=place, says=f"the id {call.id!r} of a server tool", ids=(str(call.id),), fixes=(fix,))


def _minted(call: ToolCall) -> bool:
    return is_object(call.source) and call.source.get("type") == "server_tool_use"


def server_pair(view: View) -> Iterator[Finding]:
    """The result of a provider's own tool stands without its call in front of it, in the same turn.

    Bad: `web_search_tool_result` alone. Good: behind its `server_tool_use`.
    """
    called: dict[tuple[int | None, str], Place] = {}
    for place, call in view.parts(ToolCall):
        if call.kind == "server":
            called.setdefault((view.turn_of.get(place.message), str(call.id)), place)
    for place, result in view.parts(ToolResult):
        if result.kind == "tool" or place.inner is not None:
            continue
        call_place = called.get((view.turn_of.get(place.message), str(result.call_id)))
        if call_place is None or place < call_place:
            fix = Fix("drop", "drops", "leave it out", (Drop(place),))
            says = f"a {result.kind} block without its call in front, id {result.call_id}"
            yield Finding(at=place, says=says, ids=(str(result.call_id),), fixes=(fix,))


def mixed_batch(view: View) -> Iterator[Finding]:
    """After a turn with a client's call and an open call of the provider's own, something else than results.

    Bad: results and text in the next user turn. Good: the results alone; the text once the turn is over.
    """
    mixed = [
        number
        for number, turn in enumerate(view.turns[:-1])
        if turn.role == "assistant" and view.turns[number + 1].role == "user" and _has_open_server_call(view, turn)
    ]
    # Behind the reply; and if that is such a turn again, behind the next one.
    places: dict[int, int] = {}
    for number in reversed(mixed):
        places[number] = places.get(number + 2, number + 2)
    for number in mixed:
        other = [item for item in view.run(view.turns[number + 1]) if not isinstance(item[1], ToolResult)]
        if other:
            edits = _later(view, places[number], other)
            fixes = (Fix("move", "moves", "move it behind the next reply", edits),) if edits else ()
            says = "results of a turn with an open server tool come alone"
            yield Finding(at=other[0][0], says=says, fixes=fixes)


def _has_open_server_call(view: View, turn: Turn) -> bool:
    parts = [part for _, part in view.run(turn)]
    closed = {str(part.call_id) for part in parts if isinstance(part, ToolResult)}
    server = any(isinstance(p, ToolCall) and p.kind == "server" and str(p.id) not in closed for p in parts)
    return server and any(isinstance(part, ToolCall) and part.kind != "server" for part in parts)


def _later(view: View, number: int, parts: list[tuple[Place, Part]]) -> tuple[Drop | Insert, ...]:
    """Behind the reply: at the front of the user turn after it, or as a new one."""
    if number >= len(view.turns):
        return ()
    moved = Message("user", tuple(part for _, part in parts))
    return (*(Drop(place) for place, _ in parts), Insert(Place(view.turns[number].stop), moved))
