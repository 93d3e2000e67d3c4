"""Messages that say nothing, and texts without a visible character."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.values.conversation import SPEAKERS, Message
from rejoinder.values.edit import Drop, Insert, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.parts import Part, Text, Thinking, ToolCall, ToolResult, is_blank
from rejoinder.values.place import SYSTEM, Place
from rejoinder.values.view import Turn, View

__all__ = ["blank_text", "content_required", "empty_turn", "trailing_space", "words_or_calls"]

# The one text that we put where a reader wants words and nobody said any.
PLACEHOLDER = "."


def content_required(view: View, *, beside: bool = True) -> Iterator[Finding]:
    """A message has no content, and nothing beside it that could stand for it (or may not, where `beside` is False).

    Bad: `{"role": "assistant", "content": null}`. Good: text, or calls, or a refusal.

    An assistant message that says nothing at all is dropped; any other gets the empty text.
    """
    for index, message in view.messages:
        if not {"content:null", "content:missing"} & set(message.quirks):
            continue
        answers = SPEAKERS.get(message.role, message.role) == "assistant"
        speaks = answers and _stands_in(message)
        if speaks and (beside or any(not part.beside for part in message.parts)):
            continue
        drop = Fix("drop", "free", "drop the message, it says nothing", (Drop(Place(index)),))
        fill = Fix("fill", "free", "give it the empty text", (Replace(Place(index), _filled(message)),))
        fixes = (drop, fill) if answers and not message.parts else (fill, drop)
        if any(quirk.startswith("holds:") for quirk in message.quirks):
            # What it says stands under a name of another dialect: it is no empty message.
            fixes = ()
        yield Finding(at=Place(index, field="content"), says=f"this {message.role} message has no content", fixes=fixes)


def _stands_in(message: Message) -> bool:
    """Is there something that can stand for the content: anything but what was thought?"""
    return any(not isinstance(part, Thinking) for part in message.parts)


def _filled(message: Message) -> Message:
    quirks = tuple(quirk for quirk in message.quirks if not quirk.startswith("content:"))
    parts: tuple[Part, ...] = (Text(text=""), *message.parts)
    if message.parts and isinstance(message.parts[0], ToolResult) and message.parts[0].beside:
        parts = (replace(message.parts[0], parts=(Text(text=""),)),)
    return replace(message, quirks=quirks, parts=parts)


def empty_turn(view: View, *, role: str, last_may: bool) -> Iterator[Finding]:
    """A whole turn says nothing.

    Bad: an assistant turn with empty content, and the conversation goes on.
    Good: it is left out. (One empty message among others of its turn does no harm.)
    """
    for number, turn in enumerate(view.turns):
        if turn.role != role or (last_may and number == len(view.turns) - 1):
            continue
        if any(not isinstance(part, Text) or part.text for _, part in view.run(turn)):
            continue
        drop = tuple(Drop(Place(index)) for index in range(turn.start, turn.stop))
        fill = (Insert(Place(turn.start), Message(role, (Text(text=PLACEHOLDER),))),)
        fixes = (
            Fix("drop", "free", "drop the message, it says nothing", drop),
            Fix("placeholder", "invents", f'let it say "{PLACEHOLDER}"', (*drop, *fill)),
        )
        if not any(_is_wrong(view, index) for index in range(turn.start, turn.stop)):
            yield Finding(at=Place(turn.start), says=f"this {role} turn is empty", fixes=_gentle(view, turn, fixes))


def _gentle(view: View, turn: Turn, fixes: tuple[Fix, Fix]) -> tuple[Fix, ...]:
    """Where the turn is all there is, dropping it would leave nothing to send."""
    return fixes[::-1] if turn.start == 0 and turn.stop == len(view.conversation.messages) else fixes


def _is_wrong(view: View, index: int) -> bool:
    """Has the content another fault, that another rule names?"""
    return any(quirk.startswith("content:") for quirk in view.conversation.message(index).quirks)


def words_or_calls(view: View) -> Iterator[Finding]:
    """An assistant message has both words and calls, or neither, and this reader wants one of them.

    Bad: `"content": "Let me look", "tool_calls": [...]`. Good: the words in a message of their own in front.
    One with neither says nothing, and is left out.
    """
    for index, message in view.messages:
        if SPEAKERS.get(message.role, message.role) != "assistant" or _is_wrong(view, index):
            continue
        calls = tuple(part for part in message.parts if isinstance(part, ToolCall))
        words = tuple(part for part in message.parts if not part.beside and (not isinstance(part, Text) or part.text))
        at = Place(index)
        if words and calls:
            aside = tuple(part for part in message.parts if part.beside)
            said = Insert(at, Message("assistant", words))
            fix = Fix("split", "free", "let it say the words first", (said, Replace(at, replace(message, parts=aside))))
            yield Finding(at=at, says="this assistant message has both words and calls", fixes=(fix,))
        elif not words and not calls and all(isinstance(part, Text) for part in message.parts):
            drop = Fix("drop", "free", "drop the message, it says nothing", (Drop(at),))
            yield Finding(at=at, says="this assistant message has neither words nor calls", fixes=(drop,))


def blank_text(view: View, *, empty: bool) -> Iterator[Finding]:
    """A text block holds nothing, or nothing but white space.

    Bad: `{"type": "text", "text": ""}`. Good: no block. Text is never invented for it.
    """
    for place, part in view.parts(Text):
        if place.inner is not None or not is_blank(part) or bool(part.text) == empty or part.quirks:
            continue
        # Content that is one plain string is no block; where it is empty, the turn is judged as a whole.
        plain = part.source is None and len(view.message(place).parts) == 1
        if plain and (empty or place.message == SYSTEM):
            continue
        what = "empty" if empty else "only white space"
        drop = Fix("drop", "free", "drop it", (*_handed_on(view, place, part), Drop(place)))
        fill = Fix("placeholder", "invents", f'let it say "{PLACEHOLDER}"', (Replace(place, _saying(part)),))
        yield Finding(at=place, says=f"this text is {what}", fixes=(drop, fill))


def _saying(part: Text) -> Text:
    return replace(part, text=PLACEHOLDER)


def _handed_on(view: View, place: Place, part: Text) -> tuple[Replace, ...]:
    """A cache mark of a text that goes is handed to the part in front of it, if that one has none."""
    message = view.message(place)
    number = (place.part or 0) - 1
    if part.cache is None or number < 0:
        return ()
    before = message.parts[number]
    takes = isinstance(before, ToolCall | ToolResult) or (isinstance(before, Text) and not is_blank(before))
    if before.cache is not None or not takes:
        return ()
    return (Replace(Place(place.message, number), replace(before, cache=part.cache)),)


def trailing_space(view: View, *, blank: bool = False) -> Iterator[Finding]:
    """The last text of a closing assistant message ends in white space, or (`blank`) is nothing else.

    Bad: `"Say: "` as the words to go on from. Good: `"Say:"`.
    """
    if not view.turns or view.turns[-1].role != "assistant":
        return
    parts = view.said(view.turns[-1])
    if not parts:
        return
    place, part = parts[-1]
    if isinstance(part, Text) and part.text.strip() and part.text != part.text.rstrip():
        fix = Fix(
            "strip_space", "free", "cut the white space off", (Replace(place, replace(part, text=part.text.rstrip())),)
        )
        yield Finding(at=place, says="the closing assistant text ends in white space", fixes=(fix,))
    elif blank and is_blank(part) and not part.quirks:
        fix = Fix("drop", "free", "leave it out, it says nothing", (Drop(place),))
        yield Finding(at=place, says="the closing assistant text is only white space", fixes=(fix,))
