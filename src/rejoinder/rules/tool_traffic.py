"""Whether calls and results are taken at all, and how many calls at a time."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.rules import home
from rejoinder.rules.tool_arguments import written
from rejoinder.values.conversation import Message
from rejoinder.values.edit import Drop, Edit, Insert, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.parts import Text, ToolCall
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = ["single_call", "taken"]


def single_call(view: View) -> Iterator[Finding]:
    """A message holds more than one call, and this reader takes one at a time.

    Bad: calls `a` and `b`, result of `a`, result of `b`. Good: call `a`, its result, call `b`, its result.

    Where a call has no result yet, the rule that tells of it comes first.
    """
    for index, calls in view.pairing.by_message.items():
        if len(calls) < 2:
            continue
        says = f"{len(calls)} calls in one message"
        window = view.window(index)
        ids = tuple(str(call.part.id) for call in calls)
        if window is None or any(call.result is None or not home.is_home(view, call, call.result) for call in calls):
            yield Finding(at=calls[1].place, says=says, ids=ids)
            continue
        edits: list[Edit] = []
        for call in calls[1:]:
            if call.result is not None:
                whole = home.alone(view, call.result) or Message("tool", (call.result.part,))
                alone = Message("assistant", (call.part,))
                edits += (Drop(call.place), Drop(call.result.place))
                edits += (Insert(Place(window.stop), each) for each in (alone, whole))
        fix = Fix("move", "moves", "make a message of each call, with its result behind it", tuple(edits))
        yield Finding(at=calls[1].place, says=says, ids=ids, fixes=(fix,))


def taken(view: View) -> Iterator[Finding]:
    """The reader takes no calls and no results.

    Bad: a call and its result for a model without tools. Good: both as words, each with its name and what it says.
    """
    for index, message in view.messages:
        calls = [part for part in message.parts if isinstance(part, ToolCall) and part.kind != "server"]
        if calls:
            fix = Fix("as_text", "moves", "say it as text", (Replace(Place(index), _told(message, calls)),))
            ids = tuple(str(call.id) for call in calls)
            yield Finding(at=Place(index), says="this reader takes no calls", ids=ids, fixes=(fix,))
    for place, result in view.results:
        texts = [part.text for part in result.parts if isinstance(part, Text)]
        media = tuple(part for part in result.parts if not isinstance(part, Text))
        said = Message("user", (Text(text="\n".join(["[result of a tool]", *texts])), *media))
        fix = Fix("as_text", "moves", "let the user say it", (Drop(place), Insert(Place(place.message), said)))
        yield Finding(at=place, says="this reader takes no results", ids=(str(result.call_id),), fixes=(fix,))


def _told(message: Message, calls: list[ToolCall]) -> Message:
    """The message with its calls as words behind its own. Plain text stays plain text."""
    words = "\n".join(f"[called {call.name} with {_worded(call.arguments)}]" for call in calls)
    rest = tuple(part for part in message.parts if not isinstance(part, ToolCall))
    if all(isinstance(part, Text) and part.source is None for part in rest):
        said = [part.text for part in rest if isinstance(part, Text) and part.text]
        rest, words = (), "\n\n".join([*said, words])
    quirks = tuple(quirk for quirk in message.quirks if not quirk.startswith(("content:", "calls:")))
    return replace(message, parts=(*rest, Text(text=words)), quirks=quirks)


def _worded(arguments: object) -> str | None:
    return arguments if isinstance(arguments, str) else written(arguments)
