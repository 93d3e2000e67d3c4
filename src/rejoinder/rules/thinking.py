"""A model's own reasoning: sealed by its provider, and refused when the seal does not hold.

Thinking is never rewritten. A fix leaves it as it is, or takes it away whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from rejoinder.values.edit import Drop
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Part, Thinking, ToolCall, ToolResult, is_sealed
from rejoinder.values.payload import member_at
from rejoinder.values.place import Place
from rejoinder.values.view import Turn, View

__all__ = ["bound", "first", "not_last", "signed", "unmodified"]


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
