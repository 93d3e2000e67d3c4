"""Every call has its result, every result its call, and each stands where the reader looks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec.structs import replace

from rejoinder.rules import home
from rejoinder.rules.unsealing import unsealed
from rejoinder.values.conversation import Message
from rejoinder.values.edit import Drop, Edit, Insert, Replace
from rejoinder.values.exchange import Call, Result
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.parts import Opaque, Thinking, ToolCall, ToolResult, is_blank
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = [
    "calls_together",
    "duplicate_result",
    "early_result",
    "late_result",
    "orphan_result",
    "repeated_call",
    "result_not_first",
    "result_without_id",
    "unanswered",
]


def unanswered(
    view: View, *, where: str = "anywhere", kinds: tuple[str, ...] = (), unseen: tuple[str, ...] = ()
) -> Iterator[Finding]:
    """A tool call has no result.

    Bad: the assistant asks for a tool, and the next thing is the user's next words.
    Good: each call is followed by its result, before anything else.

    A call without a result is pending (the history ends with it), paused (it waits for a
    person), or interrupted (the history went on without it). What became of its action is
    not known, and no fix may pretend to know. `drop` takes the whole message and the results
    it did get; `strip` only the calls; `answer` says that no result was recorded. `kinds` are the kinds of calls that
    are asked for; behind what is of a kind in `unseen` a result may stand that nobody can see.
    """
    hidden = _last_of(view, unseen)
    spoken_of = -1
    for index, calls in _exchanges(view):
        waiting = [call for call in calls if call.result is None and call.place not in view.pairing.copies]
        waiting = [call for call in waiting if index > hidden and (not kinds or call.part.kind in kinds)]
        state = _state(view, calls[0].place)
        at_end = state == "pending" and all(call.result is None for call in calls)
        if not waiting or where not in ("anywhere", "end" if at_end else "inside"):
            continue
        missing = [call for call in waiting if str(call.part.id) not in view.paused]
        paused = [call for call in waiting if str(call.part.id) in view.paused]
        if missing:
            ids = tuple(call.part.id for call in missing if isinstance(call.part.id, str))
            cut = all("state:cut" in call.part.quirks for call in missing)
            says = f"{_named(missing)} no result ({'cut short' if cut else state})"
            turn = _answer_of(view, index)
            fixes = _endings(view, calls, missing, paused=bool(paused), again=turn == spoken_of)
            spoken_of = turn
            yield Finding(at=missing[0].place, says=says, ids=ids, fixes=fixes)
        for call in paused:
            yield Finding(
                at=call.place,
                says=f"call {call.part.id} has no result yet, and is left alone",
                ids=(str(call.part.id),),
            )


def _last_of(view: View, kinds: tuple[str, ...]) -> int:
    """The index of the last message that stands for something nobody can see; -1 where there is none."""
    return max((place.message for place, part in view.parts(Opaque) if kinds and part.kind in kinds), default=-1)


def _exchanges(view: View) -> Iterator[tuple[int, list[Call]]]:
    """The calls that were made in one answer, with the index of its message."""
    for index, calls in view.pairing.by_message.items():
        if view.layout != "inline":
            yield index, calls
            continue
        for _, group in groupby(calls, key=lambda call: view.step(call.place)):
            yield index, list(group)


def _state(view: View, place: Place) -> str:
    """Is it the last thing that happened, but for results of its own; or did the history go on without the result?"""
    number = view.turn_of[place.message]
    window = view.window(place.message)
    last = number == len(view.turns) - 1 and view.step(place).stop == len(view.message(place).parts)
    only_results = window is not None and number == len(view.turns) - 2 and view.body(number + 1) is None
    return "pending" if last or only_results else "interrupted"


def _named(calls: list[Call]) -> str:
    ids = ", ".join("without an id" if call.part.id is None else str(call.part.id) for call in calls)
    return f"call {ids} has" if len(calls) == 1 else f"calls {ids} have"


def _endings(view: View, calls: list[Call], missing: list[Call], *, paused: bool, again: bool) -> tuple[Fix, ...]:
    """The ways to end an exchange that has no end; `again` if its turn was spoken of before."""
    index = calls[0].place.message
    answers = tuple(home.bring(view, call, home.unrecorded(call)) for call in missing)
    needs = tuple(call.place for call in missing)
    answer = Fix("answer", "invents", "say that no result was recorded", answers, needs)
    if view.layout == "items":
        return _ended_items(view, missing, answer, again=again)
    if view.turn_of[index] in view.sealed_turns:
        # A call beside sealed thinking cannot go alone: what is left would no longer be what was signed.
        # The whole turn goes, and the edits for that are told once, with the first message of it.
        turn = view.turns[view.turn_of[index]]
        gone = Fix("drop", "drops", "it goes with its turn") if again else _drop(view, range(turn.start, turn.stop))
        return (answer,) if view.turn_of[index] in view.paused_turns else (gone, answer)
    strip = Fix("strip", "drops", "take only the unanswered calls away", tuple(Drop(place) for place in needs))
    if paused:
        return (answer, strip)
    parts, step = view.message(calls[0].place).parts, view.step(calls[0].place)
    whole = len(step) == len(parts)
    drop = _drop(view, range(index, index + 1)) if whole else _drop_step(index, step)
    going = {place.part for place in needs}
    rest = [parts[number] for number in step if number not in going]
    if all(isinstance(part, Thinking) or is_blank(part) for part in rest):
        strip = replace(drop, name="strip")
    return (drop, answer, strip)


def _answer_of(view: View, index: int) -> int:
    """What the model said at once: the number of a turn, or, among items, the first of those that came together."""
    return view.issued.get(index, (index,))[0] if view.layout == "items" else view.turn_of[index]


def _ended_items(view: View, missing: list[Call], answer: Fix, *, again: bool) -> tuple[Fix, ...]:
    """The ways to end it where each call is an item: it goes alone, and what came with it loses its seals.

    The edits for what came with it are told once, with the first call of it that goes (`again`: not with this one).
    """
    index = missing[0].place.message
    others = unsealed(view, index, (index,))
    edits = () if again and others else (*(Drop(call.place) for call in missing), *others)
    drop = Fix("drop", "drops", "drop the call, and the seals of what came with it", edits)
    if not all(call.part.beside for call in missing):
        # What answers a tool that only this API has, nobody can make up.
        return (drop,)
    # Beside a call that waits for a person none goes: that one would lose its seal, and it is left as it is.
    together = (call for each in view.issued.get(index, ()) for call in view.pairing.by_message.get(each, ()))
    waits = others and any(str(call.part.id) in view.paused for call in together)
    return (answer,) if waits else (drop, answer)


def calls_together(view: View) -> Iterator[Finding]:
    """Something else of the assistant's stands between the calls of one turn.

    Bad: call, words, call, and then both results. Good: words, call, call, and then both results.
    """
    for turn in view.turns:
        if turn.role != "assistant":
            continue
        run = [(index, view.conversation.message(index)) for index in range(turn.start, turn.stop)]
        other = max((index for index, message in run if not _only_calls(message)), default=-1)
        early = [(index, message) for index, message in run if index < other and _only_calls(message)]
        if early:
            moved = tuple(Insert(Place(other + 1), message) for _, message in early)
            edits = (*(Drop(Place(index)) for index, _ in early), *moved)
            fix = Fix("move", "moves", "move the calls behind the words of the turn", edits)
            ids = tuple(str(part.id) for part in early[0][1].parts if isinstance(part, ToolCall))
            yield Finding(
                at=Place(early[0][0], 0), says="calls of one turn do not stand together", ids=ids, fixes=(fix,)
            )


def _only_calls(message: Message) -> bool:
    return bool(message.parts) and all(isinstance(part, ToolCall) for part in message.parts)


def _drop(view: View, messages: Iterable[int]) -> Fix:
    """Drop the messages, and the results that their calls did get."""
    calls = [call for index in messages for call in view.pairing.by_message.get(index, ())]
    results = [result for call in calls for result in (call.result, *call.extras) if result]
    edits = (*(Drop(Place(index)) for index in messages), *home.take_away(results))
    return Fix("drop", "drops", "drop the message and the results that it did get", edits)


def _drop_step(index: int, step: range) -> Fix:
    """Drop one step of a message, and with it the results that stand in it."""
    edits = tuple(Drop(Place(index, part)) for part in step)
    return Fix("drop", "drops", "drop this step of the message and the results that it did get", edits)


def late_result(view: View) -> Iterator[Finding]:
    """The result of a call stands further on, behind something else.

    Bad: call, the user's next words, result.
    Good: call, result, the user's next words.
    """
    for call in view.pairing.calls:
        result = call.result
        if result and result.place > call.place and not home.is_home(view, call, result):
            yield _away(view, call, result)


def early_result(view: View) -> Iterator[Finding]:
    """The result of a call stands in front of it.

    Bad: result, call. Good: call, result.

    Only a result right in front of its call, with an id that occurs nowhere else, is taken
    for its own; any other is an orphan.
    """
    for call in view.pairing.calls:
        if call.result and call.result.place < call.place:
            yield _away(view, call, call.result)


def _away(view: View, call: Call, result: Result) -> Finding:
    says = f"the result of call {call.part.id} stands away from it"
    fix = Fix("move", "moves", "move the result behind its call", home.move_home(view, call, result))
    gone = Fix("drop", "drops", "drop the result", home.take_away([result]))
    # Of a late result the reader says that its call has none; an early one is met before its call.
    blamed = call.place if call.place < result.place else None
    return Finding(at=result.place, says=says, ids=(str(call.part.id),), fixes=(fix, gone), blamed=blamed)


def result_not_first(view: View) -> Iterator[Finding]:
    """In the turn after the calls, something stands in front of a result.

    Bad: the user turn says "Here it is:" and then brings the result.
    Good: results first, then the words.
    """
    for call in view.pairing.calls:
        result = call.result
        if result and result.place > call.place and home.is_home(view, call, result) and not home.leads(view, result):
            says = f"the result of call {call.part.id} does not come first in its turn"
            fix = Fix("move", "moves", "move the result to the front of its turn", home.move_home(view, call, result))
            yield Finding(at=result.place, says=says, ids=(str(call.part.id),), fixes=(fix,))


def orphan_result(
    view: View, *, where: str = "anywhere", stored: tuple[str, ...] = (), unseen: tuple[str, ...] = ()
) -> Iterator[Finding]:
    """A result answers no call.

    Bad: a history cut at its head begins with the result of a call that is gone.
    Good: the result goes with its call, or is quoted as text.

    It stays where the only call in front of it has no id: that call then gets the id of its result. Where the body
    goes on from something that is `stored`, or something stands in front of it that is of a kind in `unseen`, its call
    may be there, and nobody can see it.
    """
    if any(view.conversation.settings.get(name) for name in stored):
        return
    hidden = _first_of(view, unseen)
    surplus = [extra for call in view.pairing.calls for extra in call.extras if not home.is_home(view, call, extra)]
    for result in sorted((*view.pairing.orphans, *surplus), key=_place):
        nameless = result.part.call_id is None
        if (nameless and result.part.key is None) or where not in ("anywhere", _whereabouts(view, result)):
            continue
        if result.place.message > hidden:
            continue
        says = f"this result answers no open call {'of ' + repr(result.part.key) if nameless else result.part.call_id}"
        fixes = _farewell(view, result)
        if result.claim is not None:
            fixes = (home.claimed(result.claim, result), *fixes)
        ids = () if nameless else (str(result.part.call_id),)
        yield Finding(at=result.place, says=says, ids=ids, fixes=fixes)


def _first_of(view: View, kinds: tuple[str, ...]) -> float:
    """The index of the first message that stands for something nobody can see; behind all where there is none."""
    places = (place.message for place, part in view.parts(Opaque) if kinds and part.kind in kinds)
    return min(places, default=float("inf"))


def _place(result: Result) -> Place:
    return result.place


def _whereabouts(view: View, result: Result) -> str:
    """Among the results of some call, or astray?"""
    number = view.turn_of[result.place.message] - 1
    if number < 0:
        return "astray"
    turn = view.turns[number]
    opened = any(index in view.pairing.by_message for index in range(turn.start, turn.stop))
    return "among" if opened else "astray"


def _farewell(view: View, result: Result) -> tuple[Fix, ...]:
    message = view.message(result.place)
    last = message.role == "tool" and sum(isinstance(part, ToolResult) for part in message.parts) == 1
    # A tool message without a result is none: what else it holds goes with it.
    gone = (Drop(Place(result.place.message)),) if last else home.take_away([result])
    drop = Fix("drop", "drops", "drop the result", gone)
    turn = view.turns[view.turn_of[result.place.message]]
    words = home.quoted(result.part)
    quote: tuple[Edit, ...]
    if view.layout != "turn" or turn.role != "user":
        quote = (Insert(Place(turn.stop), Message("user", words)),)
    else:
        end = Place(turn.stop - 1, len(view.conversation.message(turn.stop - 1).parts))
        quote = tuple(Insert(end, part) for part in words)
    text = Fix("as_text", "moves", "quote it as text of the user", (Drop(result.place), *quote))
    return (drop, text)


def duplicate_result(view: View) -> Iterator[Finding]:
    """A call has more than one result. A real one stays rather than a stand-in; of equals, the first.

    Bad: call, result, the same result again. Good: call, result.
    """
    for call in view.pairing.calls:
        for extra in call.extras:
            if home.is_home(view, call, extra):
                which = "a stand-in" if extra.stand_in else "another one"
                says = f"call {call.part.id} has its result already; this is {which}"
                fix = Fix("drop", "drops", "drop the second result", home.take_away([extra]))
                yield Finding(at=extra.place, says=says, ids=(str(call.part.id),), fixes=(fix,))


def repeated_call(view: View) -> Iterator[Finding]:
    """The same call, id and arguments and all, stands twice in one message, and was answered once.

    Bad: two calls `call_1` with the same arguments. Good: one.
    """
    for call in view.pairing.calls:
        if call.place in view.pairing.copies:
            fix = Fix("drop", "free", "drop the copy", (Drop(call.place),))
            says = f"call {call.part.id} stands in this message twice"
            yield Finding(at=call.place, says=says, ids=(str(call.part.id),), fixes=(fix,))


def result_without_id(view: View) -> Iterator[Finding]:
    """A result does not say which call it answers.

    Bad: a tool message without an id. Good: the id of the one call that waits for it.

    It is given the id only where a single call is open and this is the single result behind it.
    """
    nameless: dict[int, list[Result]] = {}
    for result in view.pairing.orphans:
        if result.part.call_id is None and result.part.key is None:
            nameless.setdefault(view.turn_of[result.place.message], []).append(result)
    for number, results in nameless.items():
        waiting = _waiting(view, number - 1)
        for result in results:
            fixes = _farewell(view, result)
            if len(waiting) == 1 and len(results) == 1:
                named = replace(result.part, call_id=waiting[0].part.id)
                edits = (Replace(result.place, named),)
                fixes = (Fix("fill", "free", f"it answers {named.call_id}", edits, (waiting[0].place,)), *fixes)
            yield Finding(at=result.place, says="this result does not say which call it answers", fixes=fixes)


def _waiting(view: View, number: int) -> list[Call]:
    """The calls of a turn that have an id and no result."""
    if number < 0:
        return []
    turn = view.turns[number]
    calls = [call for index in range(turn.start, turn.stop) for call in view.pairing.by_message.get(index, ())]
    return [call for call in calls if call.result is None and isinstance(call.part.id, str)]
