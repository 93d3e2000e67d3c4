"""Parts that only one provider understands, and the tools that a provider runs by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rejoinder.values.conversation import Message
from rejoinder.values.edit import Drop, Insert
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Part, Thinking, ToolCall, ToolResult
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = ["mixed_batch", "server_id", "server_pair", "server_unanswered"]


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
    """The result of a provider's own tool stands without its call in front of it.

    Bad: `web_search_tool_result` alone. Good: behind its `server_tool_use`.

    Where the assistant called the client's tools as well, the provider runs its own once it has their results:
    so the result may come turns later, with nothing but results of the client's tools in between.
    """
    called: dict[tuple[int, str], Place] = {}
    for place, call in _server_calls(view):
        called.setdefault((view.errand(place), str(call.id)), place)
    still_open = {str(call.id): place for calls in reversed(_errands(view)[0].values()) for place, call in calls[::-1]}
    for place, result in view.parts(ToolResult):
        if result.kind == "tool" or place.inner is not None:
            continue
        name = str(result.call_id)
        call_place = called.get((view.errand(place), name)) or still_open.get(name)
        if call_place is None or place < call_place:
            fix = Fix("drop", "drops", "leave it out", (Drop(place),))
            says = f"a {result.kind} block without its call in front, id {name}"
            yield Finding(at=place, says=says, ids=(name,), fixes=(fix,))


def server_unanswered(view: View) -> Iterator[Finding]:
    """A call of a provider's own tool has no result, and the user went on.

    Bad: `server_tool_use`, the user's next words. Good: without the call; or with its result, and then the words.

    A history that ends with such a call is only paused: sent as it is, the provider goes on with it. Nobody else
    can make the result, so once somebody has spoken the call is left out.
    """
    for errand, calls in _errands(view)[0].items():
        if errand < len(view.spoken) and not _is_mixed(view, errand, calls):
            (place, call), *_ = calls
            says = f"the call of {str(call.name)!r} has no result, and the user went on"
            yield Finding(at=place, says=says, ids=_ids(calls), fixes=(_without(view, calls),))


def mixed_batch(view: View) -> Iterator[Finding]:
    """After a turn with a client's call and an open call of the provider's own, something else than results.

    Bad: results and text in the next user turn. Good: the results alone; the text once the provider's result is there.

    Where the history has no such result, the provider's call is left out, and the text stays where it is.
    """
    waiting, brought = _errands(view)
    mixed = [errand for errand, calls in waiting.items() if _is_mixed(view, errand, calls)]
    # Behind all that the words began; and if that is such a turn again, behind what comes then.
    ends: dict[int, int | None] = {}
    for errand in sorted(mixed, reverse=True):
        done = all((errand + 1, str(call.id)) in brought for _, call in waiting[errand])
        ends[errand] = None if not done else ends.get(errand + 1) if errand + 1 in waiting else _end(view, errand + 1)
    for errand in mixed:
        spoken = view.said(view.turns[view.spoken[errand]])
        other = [(place, part) for place, part in spoken if not (isinstance(part, ToolResult) and part.kind == "tool")]
        end = ends[errand]
        later = () if end is None else (_later(end, other),)
        fixes = (*later, _without(view, waiting[errand]))
        (place, call), *_ = waiting[errand]
        says = f"the results of a turn in which {str(call.name)!r} is still open come alone"
        yield Finding(at=other[0][0], says=says, ids=_ids(waiting[errand]), fixes=fixes, blamed=place)


_Calls = list[tuple[Place, ToolCall]]


def _server_calls(view: View) -> Iterator[tuple[Place, ToolCall]]:
    for place, call in view.parts(ToolCall):
        if call.kind == "server" and place.message >= 0:
            yield place, call


def _errands(view: View) -> tuple[dict[int, _Calls], set[tuple[int, str]]]:
    """For each errand the server calls that got no result behind them in it; and the results, each with its errand."""
    calls: list[tuple[Place, ToolCall | ToolResult]] = list(_server_calls(view))
    results = [item for item in view.parts(ToolResult) if item[1].kind != "tool"] if calls else []
    still: dict[tuple[int, str], _Calls] = {}
    brought: set[tuple[int, str]] = set()
    for place, part in sorted((*calls, *results), key=_by_place):
        if isinstance(part, ToolCall):
            still.setdefault((view.errand(place), str(part.id)), []).append((place, part))
        else:
            brought.add((view.errand(place), str(part.call_id)))
            still.pop((view.errand(place), str(part.call_id)), None)
    waiting: dict[int, _Calls] = {}
    for (errand, _), same in still.items():
        waiting.setdefault(errand, []).extend(same)
    return waiting, brought


def _by_place(item: tuple[Place, Part]) -> tuple[int, int]:
    return item[0].message, item[0].part or 0


def _is_mixed(view: View, errand: int, calls: _Calls) -> bool:
    """Was the errand cut off where it waited for results of the client's, too?"""
    if errand >= len(view.spoken):
        return False
    number = view.spoken[errand] - 1
    while number > 0 and view.turns[number].role == "system":
        number -= 1
    here = any(view.turn_of[place.message] == number for place, _ in calls)
    parts = (part for _, part in view.run(view.turns[number]))
    return here and any(isinstance(part, ToolCall) and part.kind != "server" for part in parts)


def _ids(calls: _Calls) -> tuple[str, ...]:
    return tuple(str(call.id) for _, call in calls)


def _end(view: View, errand: int) -> int:
    """The index of the message in front of which an errand ends."""
    if errand < len(view.spoken):
        return view.turns[view.spoken[errand]].start
    return len(view.conversation.messages)


def _later(end: int, parts: list[tuple[Place, Part]]) -> Fix:
    """The parts in a user message of their own, in front of the message where the errand ends."""
    moved = Insert(Place(end), Message("user", tuple(part for _, part in parts)))
    return Fix("move", "moves", "move it behind the reply", (*(Drop(place) for place, _ in parts), moved))


def _without(view: View, calls: _Calls) -> Fix:
    """The calls left out, with the sealed thinking of their turns: what is left would not be what was signed."""
    places = [place for place, _ in calls]
    sealed = view.sealed_turns & {view.turn_of[place.message] for place in places}
    places += [place for place, _ in view.parts(Thinking) if sealed and view.turn_of.get(place.message) in sealed]
    return Fix("drop", "drops", "leave the call out, its result will not come", tuple(map(Drop, places)))
