"""Who may speak, and when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from rejoinder.values.conversation import SPEAKERS, Message
from rejoinder.values.edit import Drop, Edit, Insert, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.parts import Opaque, Part, Refusal, Text, ToolCall, ToolResult, is_mark
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = [
    "after_results",
    "alone",
    "alternate",
    "call_follows",
    "closing",
    "first_speaker",
    "flag_last",
    "last_speaker",
    "nonempty",
    "role_known",
    "role_taken",
    "user_present",
]

OPENING = "."
CARRY_ON = "Continue."


def nonempty(view: View, *, unless: tuple[str, ...] = ()) -> Iterator[Finding]:
    """There is no message at all.

    Bad: `[]`. Good: at least one word of the user. That word is made up, so only who asks for it gets it;
    or who handed in a history of which nothing else is left. None is needed where a member of the body that is named
    in `unless` leads to some.
    """
    elsewhere = any(view.conversation.settings.get(name) for name in unless)
    odd = any(not quirk.endswith(":string") for quirk in view.conversation.quirks)
    if not view.conversation.messages and not elsewhere and not odd:
        words = Insert(Place(0), Message("user", (Text(text=OPENING),)))
        fix = Fix("placeholder", "invents", f'let the user say "{OPENING}"', (words,))
        yield Finding(at=Place(0), says="there are no messages", fixes=(fix,))


def role_known(
    view: View, *, roles: tuple[str, ...], words: Mapping[str, str] = SPEAKERS, apart: bool = False
) -> Iterator[Finding]:
    """A message has no role, or one that the reader does not know.

    Bad: `"role": "human"`. Good: `"role": "user"`.

    `human`, `ai` and `model` are other words for known roles (`words` has the reader's own), a developer's words are
    system text, and a message of results is the user's where results are. Whose words those of any other role are
    cannot be known, so they are left for the caller to name. `apart`: results are no messages, and have no role.
    """
    for index, message in view.messages:
        if apart and any(isinstance(part, ToolResult) for part in message.parts):
            continue
        if message.role in roles or any(quirk.startswith("message:") for quirk in message.quirks):
            continue
        known = words.get(message.role) or _near(message)
        fixes: tuple[Fix, ...] = ()
        if known in roles:
            edit = Replace(Place(index), replace(message, role=known))
            fixes = (Fix("rename", "free", f"call the role {known}", (edit,)),)
        says = f"the role {message.role!r} is not known here" if message.role else "this message has no role"
        yield Finding(at=Place(index, field="role"), says=says, fixes=fixes)


def _near(message: Message) -> str:
    """The role nearest to one that is not known: a developer's words are system text, results are the user's."""
    if (
        message.role == "tool"
        and message.parts
        and all(isinstance(p, ToolResult) and not p.beside for p in message.parts)
    ):
        return "user"
    return "system" if message.role == "developer" else ""


def role_taken(view: View, *, refused: tuple[str, ...]) -> Iterator[Finding]:
    """The role is known, but this model does not take it.

    Bad: a system message for a model that takes none. Good: its text in front of the first user message.
    """
    for index, message in view.messages:
        if message.role in refused:
            fixes: tuple[Fix, ...] = ()
            if message.role in ("system", "developer") and message.parts:
                edit = Replace(Place(index), replace(message, role="user"))
                fixes = (Fix("as_text", "moves", "let the user say it", (edit,)),)
            says = f"this model takes no message of role {message.role!r}"
            yield Finding(at=Place(index, field="role"), says=says, fixes=fixes)


def closing(view: View, *, kinds: tuple[str, ...]) -> Iterator[Finding]:
    """What has to be the last of all is not.

    Bad: a request to compact, and then the user's words. Good: the words, and then the request.
    """
    last = len(view.conversation.messages)
    closers = [place.message for place, part in view.parts(Opaque) if part.kind in kinds and part.beside]
    for index in closers:
        if index == last - 1:
            continue
        fix = Fix("drop", "free", "leave it out, there is another one", (Drop(Place(index)),))
        if index == closers[-1]:
            moved = (Drop(Place(index)), Insert(Place(last), view.conversation.message(index)))
            fix = Fix("move", "moves", "move it to the end", moved)
        yield Finding(at=Place(index), says="this has to be the last of all", fixes=(fix,))


def first_speaker(view: View, *, alone: bool = False) -> Iterator[Finding]:
    """After the system text, somebody else than the user speaks first.

    Bad: a history that begins with the assistant. Good: a user message in front of it.

    Some readers mind only where nobody else speaks, or where the very first message calls tools (`alone`).
    """
    if alone and not _needs_opening(view):
        return
    for index, message in view.messages:
        if message.role in ("system", "developer"):
            continue
        if message.role == "assistant":
            opening = Insert(Place(index), Message("user", (Text(text=OPENING),)))
            fixes = (
                Fix("placeholder", "invents", f'let the user say "{OPENING}" first', (opening,)),
                Fix("drop", "drops", "drop the message", (Drop(Place(index)),)),
            )
            yield Finding(at=Place(index), says="the assistant speaks first", fixes=fixes)
        return
    if view.messages:
        words = Insert(Place(len(view.conversation.messages)), Message("user", (Text(text=OPENING),)))
        fix = Fix("placeholder", "invents", f'let the user say "{OPENING}"', (words,))
        yield Finding(at=Place(view.messages[-1][0]), says="nobody speaks but the system", fixes=(fix,))


def _needs_opening(view: View) -> bool:
    """Is the very first message the assistant's, and the only one, or does it call tools?"""
    first = view.messages[0] if view.messages else (-1, Message("", ()))
    calls = any(isinstance(part, ToolCall) for part in first[1].parts)
    return first[0] == 0 and first[1].role == "assistant" and (calls or len(view.conversation.messages) == 1)


def user_present(view: View) -> Iterator[Finding]:
    """The user says nothing in the whole conversation.

    Bad: a system message and nothing else. Good: at least one message of the user, in front of what others say.
    """
    if not view.messages or any(message.role == "user" for _, message in view.messages):
        return
    spoken = (index for index, message in view.messages if message.role not in ("system", "developer"))
    at = next(spoken, len(view.conversation.messages))
    words = Insert(Place(at), Message("user", (Text(text=OPENING),)))
    # It needs the place for itself: who speaks first is another rule's matter, and one word is enough for both.
    fix = Fix("placeholder", "invents", f'let the user say "{OPENING}"', (words,), (Place(at),))
    yield Finding(at=Place(min(at, view.messages[-1][0])), says="the user says nothing", fixes=(fix,))


def last_speaker(view: View, *, unless: str = "") -> Iterator[Finding]:
    """The conversation ends with the assistant, and this model does not take up where it left off.

    Bad: a closing assistant text as the beginning of the answer. Good: a user message behind it.

    A closing turn that is empty, waits for its results, or ends with a provider's own tool is no such text. A reader
    that takes it up if it is asked to, by a mark on the message (`unless`), takes no other closing turn at all.
    """
    if not view.turns or view.turns[-1].role != "assistant":
        return
    last = Place(view.turns[-1].stop - 1)
    parts = [part for _, part in view.said(view.turns[-1])]
    marked = bool(unless) and f"flag:{unless}" in view.message(last).quirks
    if marked or any(isinstance(part, ToolCall) for part in parts):
        return
    if not unless and not (parts and isinstance(parts[-1], Text)):
        return
    words = Insert(Place(last.message + 1), Message("user", (Text(text=CARRY_ON),)))
    fixes = [
        Fix("placeholder", "invents", f'let the user say "{CARRY_ON}"', (words,)),
        Fix("drop", "drops" if parts else "free", "drop the closing message", (Drop(last),)),
    ]
    if unless and parts:
        asked = replace(view.message(last), quirks=(*view.message(last).quirks, f"flag:{unless}"))
        fixes.insert(0, Fix("mark", "free", f"ask to go on from it, by `{unless}`", (Replace(last, asked),)))
    says = "the conversation ends with the assistant"
    yield Finding(at=last, says=says, fixes=tuple(fixes if parts else reversed(fixes)))


def flag_last(view: View, *, flag: str) -> Iterator[Finding]:
    """A message that the model is to go on from is not the last one.

    Bad: `"prefix": true`, and then the user speaks. Good: the same message without the mark.
    """
    total = len(view.conversation.messages)
    for index, message in view.messages:
        if index < total - 1 and f"flag:{flag}" in message.quirks:
            plain = replace(message, quirks=tuple(quirk for quirk in message.quirks if quirk != f"flag:{flag}"))
            fix = Fix("strip", "free", f"take `{flag}` away", (Replace(Place(index), plain),))
            says = "something stands behind the words to go on from"
            yield Finding(at=Place(index, field=flag), says=says, fixes=(fix,))


def after_results(view: View, *, words: str = OPENING) -> Iterator[Finding]:
    """The user speaks right behind results, and this reader wants the assistant to speak in between.

    Bad: call, result, the user's next words. Good: call, result, "OK", the user's next words.

    The words say nothing about what the tool did; they only take the turn.
    """
    for number, turn in enumerate(view.turns):
        before = view.turns[number - 1] if number else None
        if turn.role != "user" or before is None or before.role != "tool":
            continue
        said = Insert(Place(turn.start), Message("assistant", (Text(text=words),)))
        # While one of the results is on its way elsewhere, whose turn it is cannot be known.
        needs = tuple(Place(index) for index in range(before.start, turn.stop))
        fix = Fix("placeholder", "invents", f'let the assistant say "{words}"', (said,), needs)
        yield Finding(at=Place(turn.start), says="the user speaks right behind a result", fixes=(fix,))


def alternate(view: View, *, roles: tuple[str, ...] = ("user", "assistant"), at_end: bool = False) -> Iterator[Finding]:
    """Two messages in a row have the same role; or two at the very end (`at_end`).

    Bad: user, user. Good: one user message with both texts, in their order.
    """
    run: list[tuple[int, Message]] = []
    for index, message in (*view.messages, (-1, Message("", ()))):
        if run and message.role == run[0][1].role and index == run[-1][0] + 1:
            run.append((index, message))
            continue
        asked = run and run[0][1].role in roles and (not at_end or index == -1)
        if asked and len(run) > 1 and not any(_holds_more(each) for _, each in run):
            whole = Replace(Place(run[0][0]), _merged([each for _, each in run]))
            edits: tuple[Edit, ...] = (whole, *(Drop(Place(place)) for place, _ in run[1:]))
            fix = Fix("merge", "free", f"make one message of the {len(run)}", edits)
            yield Finding(at=Place(run[1][0]), says=f"a second {run[0][1].role} message in a row", fixes=(fix,))
        run = [(index, message)]


def alone(view: View, *, what: str) -> Iterator[Finding]:
    """Results, or calls, stand in one message with something else that is said.

    Bad: a result and the user's next words in one message. Good: the result; "." of the assistant; the words.
    Bad: a text and a call in one message. Good: the text; "." of the user; the call.
    """
    kind, role, other = (ToolResult, "user", "assistant") if what == "results" else (ToolCall, "assistant", "user")
    for index, message in view.messages:
        mine = tuple(part for part in message.parts if isinstance(part, kind))
        rest = tuple(part for part in message.parts if not isinstance(part, kind) and not is_mark(part))
        if message.role != role or not mine or not rest:
            continue
        first, then = (mine, rest) if what == "results" else (rest, mine)
        edits = (
            Replace(Place(index), replace(message, parts=first)),
            Insert(Place(index + 1), Message(other, (Text(text=OPENING),))),
            Insert(Place(index + 1), Message(role, then, message.origin)),
        )
        fix = Fix("split", "invents", f'let the {other} say "{OPENING}" between them', edits)
        yield Finding(at=Place(index), says=f"{what} in one message with something else", fixes=(fix,))


def _as_text(part: Part) -> Part:
    """A refusal that stood in a field of its own, as words."""
    return Text(text=part.text) if isinstance(part, Refusal) and part.beside else part


def _holds_more(message: Message) -> bool:
    """Does something stand beside the content that cannot be merged: audio, a call of the old form?"""
    return any(part.beside and not isinstance(part, ToolCall | Refusal) for part in message.parts)


def _merged(messages: list[Message]) -> Message:
    """One message that says what all of them say. Plain texts stay one plain text."""
    parts = [_as_text(part) for message in messages for part in message.parts]
    plain = [part for part in parts if not part.beside]
    if all(isinstance(part, Text) and part.source is None and not part.quirks for part in plain):
        words = [part.text for part in plain if isinstance(part, Text) and part.text]
        plain = [Text(text="\n\n".join(words))]
    results: list[Part] = [part for part in plain if isinstance(part, ToolResult)]
    rest = [part for part in plain if not isinstance(part, ToolResult)]
    aside = [part for part in parts if part.beside]
    return replace(messages[0], parts=(*results, *rest, *aside))


def call_follows(view: View, *, opening: bool) -> Iterator[Finding]:
    """The assistant calls a tool where nobody asked: in the very first message (`opening`), or in a message of its own
    behind one that it ended with words.

    Bad: a history that was cut, and begins with a call. Good: an empty text of the user in front of it.
    Bad: the assistant's words, and then its call as another message. Good: one message with both.
    """
    for index in view.pairing.by_message:
        first = index
        while not opening and first and _speaks_on(view.conversation.at(first - 1)):
            first -= 1
        if opening and index == 0:
            words = (Insert(Place(0), Message("user", (Text(text=""),))),)
            fix = Fix("placeholder", "invents", "put an empty text of the user in front of it", words)
            yield Finding(at=Place(0), says="a call opens the conversation", fixes=(fix,))
        elif first < index:
            run = [view.conversation.message(each) for each in range(first, index + 1)]
            whole = Replace(Place(first), replace(run[0], parts=tuple(part for each in run for part in each.parts)))
            edits: tuple[Edit, ...] = (whole, *(Drop(Place(each)) for each in range(first + 1, index + 1)))
            fix = Fix("merge", "free", f"make one message of the {len(run)}", edits)
            yield Finding(at=Place(index), says="a call behind the assistant's own words", fixes=(fix,))


def _speaks_on(message: object) -> bool:
    """Is it a message of the assistant's that calls nothing?"""
    if not isinstance(message, Message) or SPEAKERS.get(message.role, message.role) != "assistant":
        return False
    return not any(isinstance(part, ToolCall) for part in message.parts)
