"""Which result answers which call: position first, id second.

A state machine that walks the parts with the open calls in hand. A result belongs to the
nearest earlier open call with its id. It is never a matter of one global set of ids: ids
repeat (llama.cpp answers with one constant id; published runs reuse them from turn to turn).
Where ids may be left out, a call and its result have a key besides: the name of the tool.
"""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING

from rejoinder.values.parts import Part, Text, ToolCall, ToolResult
from rejoinder.values.place import Place

if TYPE_CHECKING:
    from rejoinder.values.view import View

# The one text that stands for a result nobody recorded. It must not say what the tool did.
UNRECORDED = "[no result was recorded for this call; its action may or may not have happened]"
# What other systems write in the same case, word for word: a real result beats any of these.
STAND_INS = frozenset(
    {
        UNRECORDED,
        "Tool execution interrupted",
        "Tool call was interrupted",
        "[Tool use interrupted]",
        "[Request interrupted by user for tool use]",
        "No result provided",
        "[result missing]",
        "[Cancelled]",
        "Aborted",
    }
)
# And how one of them begins, which goes on with the name of the tool.
_STAND_IN_BEGINS = "[System: Tool execution skipped/interrupted by user. No result provided for tool"


class Result:
    """A tool result and where it stands; `claim` is the call without an id that it can only belong to."""

    __slots__ = ("call", "claim", "part", "place")

    def __init__(self, place: Place, part: ToolResult) -> None:
        self.place = place
        self.part = part
        self.call: Call | None = None
        self.claim: Call | None = None

    @property
    def stand_in(self) -> bool:
        """Was this written in place of a result that nobody recorded?"""
        words = "".join(part.text for part in self.part.parts if isinstance(part, Text)).strip()
        return words in STAND_INS or words.startswith(_STAND_IN_BEGINS)


class Call:
    """A tool call, where it stands, its result, and the results that came too many.

    `claim` is the result that can only be its own, though the call has no id to say so.
    """

    __slots__ = ("claim", "extras", "part", "place", "result")

    def __init__(self, place: Place, part: ToolCall) -> None:
        self.place = place
        self.part = part
        self.result: Result | None = None
        self.claim: Result | None = None
        self.extras: list[Result] = []


class Pairing:
    """The outcome: every call, every result, and the results that answer nothing."""

    __slots__ = ("by_message", "calls", "copies", "orphans", "results")

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.results: list[Result] = []
        self.orphans: list[Result] = []
        self.by_message: dict[int, list[Call]] = {}
        self.copies: set[Place] = set()


def pair(view: View) -> Pairing:
    """Walk the calls and results in order and give each result its call."""
    pairing = Pairing()
    open_calls: dict[object, _Open] = {}
    closed: dict[object, Call] = {}
    for place, part in _in_order(view):
        if isinstance(part, ToolCall):
            call = Call(place, part)
            pairing.calls.append(call)
            pairing.by_message.setdefault(place.message, []).append(call)
            for key in _keys(part.id, part.key):
                open_calls.setdefault(key, _Open()).add(view.turn_of[place.message], call)
            continue
        result = Result(place, part)
        pairing.results.append(result)
        call = _asked_for(view, result, open_calls, closed)
        if call is None:
            pairing.orphans.append(result)
        elif call.result is not None:
            _surplus(call, result)
        else:
            _answer(call, result)
            closed.update(dict.fromkeys(_keys(call.part.id, call.part.key), call))
    _claim_early(view, pairing, open_calls)
    _claim_in_order(view, pairing)
    _claim_nameless(view, pairing)
    for calls in pairing.by_message.values():
        pairing.copies.update(_copies(calls))
    return pairing


def _in_order(view: View) -> list[tuple[Place, ToolCall | ToolResult]]:
    both: list[tuple[Place, ToolCall | ToolResult]] = [*view.calls, *view.results]
    both.sort(key=_by_place)
    return both


def _by_place(item: tuple[Place, Part]) -> tuple[int, int]:
    place = item[0]
    return place.message, place.part or 0


def _key(name: object) -> object:
    """Ids are compared as they are, no id included; what cannot be hashed is compared by its text."""
    return name if name is None or isinstance(name, str | int | float) else _spelled(name)


def _keys(name: object, key: str | None) -> tuple[object, ...]:
    """What a call or a result is known by: its id; and its key, where ids may be left out."""
    if key is None:
        return (_key(name),)
    return (("", key),) if name is None else (_key(name), ("", key))


def _asked_for(view: View, result: Result, open_calls: dict[object, _Open], closed: dict[object, Call]) -> Call | None:
    """The call that a result answers: an open one; or one that was answered, and has another result now."""
    part = result.part
    for key in _keys(part.call_id, part.key):
        call = open_calls[key].nearest() if key in open_calls else None
        answered = closed.get(key) if part.call_id is not None or part.key is not None else None
        if isinstance(key, tuple):
            call, answered = (each if each and _may_be(each, part) else None for each in (call, answered))
            # An old call that waits gets nothing that stands behind a newer one of its name: that one has it twice.
            if call and answered and view.turn_of[answered.place.message] > view.turn_of[call.place.message]:
                call = None
        if call or answered:
            return call or answered
    return None


def _may_be(call: Call, part: ToolResult) -> bool:
    """Known by their key alone: an id on both sides would have to be the same."""
    return call.part.id is None or part.call_id is None


class _Open:
    """The open calls of one id, turn by turn."""

    __slots__ = ("turns",)

    def __init__(self) -> None:
        self.turns: list[tuple[int, deque[Call]]] = []

    def add(self, turn: int, call: Call) -> None:
        """One more, in the turn of the last or in a later one."""
        if not self.turns or self.turns[-1][0] != turn:
            self.turns.append((turn, deque()))
        self.turns[-1][1].append(call)

    def nearest(self) -> Call | None:
        """Of the latest turn with a call that waits, the first. Those that were answered since are forgotten."""
        while self.turns:
            calls = self.turns[-1][1]
            while calls and calls[0].result is not None:
                calls.popleft()
            if calls:
                return calls[0]
            self.turns.pop()
        return None

    def only(self) -> Call | None:
        """The call that waits, if there is one and no other."""
        waiting = self.nearest()
        return waiting if len(self.turns) == 1 and len(self.turns[0][1]) == 1 else None


def _answer(call: Call, result: Result) -> None:
    call.result = result
    result.call = call


def _surplus(call: Call, result: Result) -> None:
    """A second result. A real one takes the place of a stand-in, whichever came first."""
    result.call = call
    if call.result is not None and call.result.stand_in and not result.stand_in:
        call.result, result = result, call.result
    call.extras.append(result)


def _claim_early(view: View, pairing: Pairing, open_calls: dict[object, _Open]) -> None:
    """A result written just in front of its call belongs to it, if nothing else could be meant.

    Only where the id occurs once on each side and nothing but calls and results stands
    between: else an old result could be passed off as the answer to a new question.
    """
    if not pairing.orphans:
        return
    orphans: dict[object, list[Result]] = {}
    for result in pairing.orphans:
        orphans.setdefault(_key(result.part.call_id), []).append(result)
    for key, waiting in open_calls.items():
        early, call = orphans.get(key, ()), waiting.only()
        if call and len(early) == 1 and isinstance(key, str) and view.used_ids.get(key) == 2:
            result = early[0]
            if result.part.call_id == key and _adjacent(view, result.place.message, call.place.message):
                _answer(call, result)
    pairing.orphans = [result for result in pairing.orphans if result.call is None]


def _claim_nameless(view: View, pairing: Pairing) -> None:
    """The only call of a turn that waits has no id, and the only result behind it names none that is there."""
    orphans: dict[int, list[Result]] = {}
    for result in pairing.orphans:
        if isinstance(result.part.call_id, str) and result.part.call_id:
            orphans.setdefault(view.turn_of[result.place.message], []).append(result)
    waiting: dict[int, list[Call]] = {}
    for call in pairing.calls if orphans else ():
        if call.result is None:
            waiting.setdefault(view.turn_of[call.place.message], []).append(call)
    for number, calls in waiting.items():
        named = isinstance(calls[0].part.id, str) and calls[0].part.id
        results = orphans.get(number + 1, ()) if view.window(calls[0].place.message) else ()
        if len(calls) == 1 and not named and len(results) == 1:
            calls[0].claim, results[0].claim = results[0], calls[0]


def _claim_in_order(view: View, pairing: Pairing) -> None:
    """As many results as calls wait in front of them, and nothing but a name tells them apart: each answers one."""
    orphans: dict[int, list[Result]] = {}
    for result in pairing.orphans:
        if result.part.key is not None:
            orphans.setdefault(view.turn_of[result.place.message], []).append(result)
    waiting: dict[int, list[Call]] = {}
    for call in pairing.calls if orphans else ():
        if call.result is None and call.part.key is not None:
            waiting.setdefault(view.turn_of[call.place.message], []).append(call)
    for number, results in orphans.items():
        calls = waiting.get(number - 1, [])
        if len(calls) == len(results) and all(map(_may_be, calls, (result.part for result in results))):
            for call, result in zip(calls, results, strict=True):
                _answer(call, result)
    pairing.orphans = [result for result in pairing.orphans if result.call is None]


def _adjacent(view: View, early: int, late: int) -> bool:
    """Do only calls and results stand between the two messages, and in the earlier one?"""
    if early >= late or late - early > 64:
        return False
    for index in range(early, late):
        message = view.conversation.at(index)
        parts = getattr(message, "parts", None)
        if not parts or not all(isinstance(part, ToolCall | ToolResult) for part in parts):
            return False
    return True


def _copies(calls: list[Call]) -> set[Place]:
    """Where unanswered calls say what an earlier call of their message says: id, name and arguments."""
    seen: dict[str, set[tuple[str, str]]] = {}
    copies: set[Place] = set()
    for call in calls if len(calls) > 1 else ():
        said = seen.setdefault(_spelled(call.part.id), set())
        words = (_spelled(call.part.name), _spelled(call.part.arguments))
        if words in said and call.result is None:
            copies.add(call.place)
        said.add(words)
    return copies


def _spelled(arguments: object) -> str:
    """The arguments as text, to be compared, whether they were text or an object; too deep is equal to nothing."""
    try:
        return repr(json.loads(arguments) if isinstance(arguments, str) else arguments)
    except RecursionError:
        return f"{id(arguments)}"
    except ValueError:
        return repr(arguments)
