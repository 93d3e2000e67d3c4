"""A model's own reasoning: sealed by its provider, and refused when the seal does not hold.

Sealed thinking is never rewritten. A fix leaves it as it is, or takes it away whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.values.conversation import SPEAKERS, Message
from rejoinder.values.edit import Drop, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Part, Text, Thinking, ToolCall, ToolResult, is_blank, is_sealed
from rejoinder.values.payload import member_at
from rejoinder.values.place import Place
from rejoinder.values.view import Turn, View

__all__ = [
    "apart",
    "bound",
    "call_sealed",
    "first",
    "kept",
    "not_last",
    "passed_back",
    "signed",
    "unmodified",
]


def apart(view: View) -> Iterator[Finding]:
    """A message with calls has both content and thinking in a field of its own, and this reader takes one of them.

    Bad: `"content": "Let me look.", "thinking": "The user wants ..."`. Good: both in the content, the thinking first.
    """
    for index, message in view.messages:
        names = [quirk[6:] for quirk in message.quirks if quirk.startswith("aside:")]
        plain = [part for part in message.parts if not part.beside]
        calls = any(isinstance(part, ToolCall) for part in message.parts)
        if not names or not calls or all(is_blank(part) for part in plain):
            continue
        thought = [str(message.source[name]) for name in names if is_object(message.source)]
        said: tuple[Part, ...] = (Text(text="\n\n".join(thought), quirks=("as:block",)), *plain)
        if all(isinstance(part, Text) and part.source is None for part in plain):
            said = (Text(text="\n\n".join([*thought, *(part.text for part in plain if isinstance(part, Text))])),)
        beside = (part for part in message.parts if part.beside)
        quirks = tuple(quirk for quirk in message.quirks if not quirk.startswith("aside:"))
        edit = Replace(Place(index), replace(message, parts=(*said, *beside), quirks=quirks))
        fix = Fix("move", "moves", "make the thinking part of the content", (edit,))
        yield Finding(at=Place(index), says=f"content beside {' and '.join(names)}, with calls", fixes=(fix,))


def signed(view: View, *, empty: bool) -> Iterator[Finding]:
    """Thinking without a signature. Nobody but the provider could make one.

    Bad: `{"type": "thinking", "thinking": "...", "signature": ""}`. Good: no thinking block.
    An empty text with a signature is fine, and has to be kept.
    """
    for place, part in view.parts(Thinking):
        if is_sealed(part) or bool(part.text) == empty:
            continue
        fix = Fix("drop", "drops", "drop the block", (Drop(place),))
        says = "this thinking block has neither text nor signature" if empty else "this thinking block is not signed"
        yield Finding(at=place, says=says, fixes=(fix,))


def not_last(view: View) -> Iterator[Finding]:
    """An assistant turn ends with thinking: what it was thought for is missing.

    Bad: an assistant message with nothing but thinking. Good: it is dropped whole.
    """
    for turn in view.turns:
        if turn.role != "assistant":
            continue
        parts = view.said(turn)
        if parts and isinstance(parts[-1][1], Thinking):
            tail = _tail(parts)
            fix = Fix("drop", "drops", "drop the thinking that leads nowhere", tuple(Drop(place) for place in tail))
            yield Finding(at=parts[-1][0], says="this assistant turn ends with thinking", fixes=(fix,))


def _tail(parts: list[tuple[Place, Part]]) -> list[Place]:
    """The thinking at the end of a turn; all thinking of the turn where some of it is sealed.

    Blocks of one turn are sealed together: of a turn that loses one, none can stay.
    """
    places = [place for place, part in parts if isinstance(part, Thinking)]
    if any(is_sealed(part) for _, part in parts):
        return places
    number = len(parts)
    while number and isinstance(parts[number - 1][1], Thinking):
        number -= 1
    return [place for place, _ in parts[number:]]


def first(view: View, *, member: str = "thinking") -> Iterator[Finding]:
    """Thinking is switched on by hand, and the turn that called the last tools does not begin with it.

    Bad: text, call, result, with `thinking: {"type": "enabled"}`. Good: thinking, call, result.

    Lost thinking cannot be made again. Without it, thinking has to be off for this request.
    `member` is where a body says that it is on.
    """
    thinking = member_at(view.conversation.settings, member)
    if not is_object(thinking) or thinking.get("type") != "enabled":
        return
    turn = _last_calling(view)
    if turn is None:
        return
    place, part = view.said(turn)[0]
    if not isinstance(part, Thinking):
        yield Finding(at=place, says="thinking is enabled, and this turn with calls does not begin with thinking")


def _last_calling(view: View) -> Turn | None:
    """The assistant turn in front of the closing tool results."""
    for number in range(len(view.turns) - 1, 0, -1):
        turn = view.turns[number]
        if turn.role == "system":
            continue
        if turn.role != "user" or not any(isinstance(part, ToolResult) for _, part in view.run(turn)):
            return None
        before = view.turns[number - 1]
        calls = any(isinstance(part, ToolCall) for _, part in view.run(before))
        return before if before.role == "assistant" and calls else None
    return None


def passed_back(view: View, *, scope: str) -> Iterator[Finding]:
    """An assistant message comes back without what was thought in front of its calls (`calls`), or of the words at
    the end of an errand in which calls were made (`errand`).

    Bad: `"tool_calls": [...]` alone. Good: `"reasoning_content": "..."` beside them, as it came.

    Lost thinking cannot be made again: an empty text stands for it. Nothing is asked where thinking is switched off.
    """
    switch = view.conversation.settings.get("thinking")
    if is_object(switch) and switch.get("type") == "disabled":
        return
    calling = {place.message for place, _ in view.calls}
    errands = {view.errand(Place(index)) for index in calling} if scope == "errand" else set[int]()
    for index, message in view.messages:
        if SPEAKERS.get(message.role, message.role) != "assistant" or _thinks(message):
            continue
        if index in calling if scope == "calls" else index not in calling and view.errand(Place(index)) in errands:
            whole = replace(message, parts=(Thinking(text="", beside=True), *message.parts))
            fix = Fix("fill", "free", "let an empty text stand for it", (Replace(Place(index), whole),))
            yield Finding(at=Place(index), says="what was thought here is not passed back", fixes=(fix,))


def kept(view: View) -> Iterator[Finding]:
    """Thinking is sent to a model that refuses its own.

    Bad: `"reasoning_content": "..."` in the history. Good: the answer alone.
    """
    for place, _ in view.parts(Thinking):
        fix = Fix("drop", "drops", "leave it out", (Drop(place),))
        yield Finding(at=place, says="this model takes no thinking back", fixes=(fix,))


def _thinks(message: Message) -> bool:
    return any(isinstance(part, Thinking) for part in message.parts)


def unmodified(view: View) -> Iterator[Finding]:
    """Thinking is not what its provider signed, as far as a request can show it.

    Bad: a block that was edited, cut or merged with its neighbour. Good: all as it came, and in its order.

    One request shows it only where the same signature seals two texts, of which one at least is not what was signed.
    Who has the answer as it came can ask `prefix_impact(original, payload)`. Nothing here ever writes thinking.
    """
    said: dict[str, str] = {}
    for place, part in view.parts(Thinking):
        if part.redacted or not part.signature:
            continue
        if said.setdefault(part.signature, part.text) != part.text:
            fix = Fix("drop", "drops", "leave the block out", (Drop(place),))
            yield Finding(at=place, says="the signature of this thinking seals another text too", fixes=(fix,))


def bound(view: View) -> Iterator[Finding]:
    """This model binds each thinking block to the very text in front of it.

    Bad: an earlier message is edited, and the thinking behind it is sent again.
    Good: nothing in front of it changes; or the thinking behind the edit is left out.

    One request cannot show whether what stands in front is what stood there, so this only warns, and once.
    """
    sealed = [place for place, part in view.parts(Thinking) if is_sealed(part)]
    if sealed:
        fix = Fix("strip", "drops", "leave the thinking out", tuple(Drop(place) for place in sealed))
        yield Finding(at=sealed[0], says="thinking is bound to the very text in front of it", fixes=(fix,))


def call_sealed(view: View, *, stand_in: str) -> Iterator[Finding]:
    """The first call of a turn lacks the seal that its provider put on it.

    Bad: a call from another provider, without a seal. Good: with the value that the provider itself names for that.
    Of parallel calls only the first is sealed. A seal is never made up: `stand_in` says that there is none.
    """
    for turn in view.turns:
        parts = view.run(turn) if turn.role == "assistant" else iter(())
        calls = ((place, part) for place, part in parts if isinstance(part, ToolCall) and part.kind != "server")
        for place, call in calls:
            if not call.seal:
                fix = Fix("fill", "invents", "say that it has none", (Replace(place, replace(call, seal=stand_in)),))
                says = f"the first call of this turn, {call.name!r}, is not sealed"
                yield Finding(at=place, says=says, ids=(str(call.id),) if call.id else (), fixes=(fix,))
            break
