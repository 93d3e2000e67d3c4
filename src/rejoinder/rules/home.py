"""Where a result belongs, and the edits that bring it there or take it away."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from rejoinder.values.conversation import Message
from rejoinder.values.edit import Drop, Edit, Insert, Replace
from rejoinder.values.exchange import UNRECORDED, Call, Result
from rejoinder.values.finding import Fix
from rejoinder.values.parts import Part, Text, ToolResult
from rejoinder.values.place import Place
from rejoinder.values.view import Turn, View


def is_home(view: View, call: Call, result: Result) -> bool:
    """Does the result stand where the results of its call have to stand? Among items, that is anywhere behind it."""
    if view.layout == "items":
        return result.place > call.place
    window = view.window(call.place.message)
    return window is not None and window.start <= result.place.message < window.stop


def leads(view: View, result: Result) -> bool:
    """Do only results stand in front of it, in the turn as the reader takes it?"""
    body = view.body(view.turn_of[result.place.message])
    return body is None or result.place < body


def unrecorded(call: Call) -> ToolResult:
    """The truthful stand-in for a result that nobody recorded."""
    name = call.part.name if isinstance(call.part.name, str) else None
    words = (Text(text=UNRECORDED),)
    return ToolResult(
        call_id=call.part.id,
        parts=words,
        error=True,
        name=name,
        call_kind=call.part.kind or "function",
        beside=call.part.beside,
        key=call.part.key,
    )


def bring(view: View, call: Call, part: ToolResult, whole: Message | None = None) -> Insert:
    """The edit that puts a result behind its call; `whole` is its message, where it is alone in it."""
    window = view.window(call.place.message)
    if view.layout != "turn":
        at = window.stop if window else view.turns[view.turn_of[call.place.message]].stop
        return Insert(Place(at), whole or Message("tool", (part,)))
    if window is None:
        turn = view.turns[view.turn_of[call.place.message]]
        return Insert(Place(turn.stop), whole or Message("user", (part,)))
    return Insert(_behind_results(view, window), part)


def _behind_results(view: View, window: Turn) -> Place:
    """In a user turn: behind its leading results, in front of everything else."""
    body = view.body(view.turn_of[window.start])
    if body is not None and (body.part or body.message == window.start):
        return body
    last = window.stop - 1 if body is None else body.message - 1
    return Place(last, len(view.conversation.message(last).parts))


def alone(view: View, result: Result) -> Message | None:
    """The result's message, if it holds nothing else and could stand where results stand."""
    message = view.message(result.place)
    return message if len(message.parts) == 1 and view.answers(message) else None


def move_home(view: View, call: Call, result: Result) -> tuple[Edit, ...]:
    """Take the result from where it stands and put it behind its call."""
    return Drop(result.place), bring(view, call, result.part, alone(view, result))


def take_away(results: Iterable[Result]) -> tuple[Edit, ...]:
    """Drop these results."""
    return tuple(Drop(result.place) for result in results)


def claimed(call: Call, result: Result) -> Fix:
    """A call without an id gets that of the one result that can be its own."""
    named = replace(call.part, id=result.part.call_id)
    return Fix("fill", "free", f"it is the call {named.id}", (Replace(call.place, named),), (result.place,))


def quoted(result: ToolResult) -> tuple[Part, ...]:
    """The result as words of the conversation: what an orphan can still say without a call."""
    head = f"[tool result without its call, id {result.call_id if result.call_id is not None else result.key}]"
    texts = [part.text for part in result.parts if isinstance(part, Text)]
    media = tuple(part for part in result.parts if not isinstance(part, Text))
    return (Text(text="\n".join([head, *texts])), *media)
