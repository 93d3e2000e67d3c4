"""Who may speak, and when."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.values.conversation import SPEAKERS, Message
from rejoinder.values.edit import Drop, Edit, Insert, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.parts import Part, Refusal, Text, ToolCall, ToolResult, is_mark
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = ["alone", "alternate", "first_speaker", "last_speaker", "nonempty", "role_known", "role_taken"]

OPENING = "."
CARRY_ON = "Continue."


def nonempty(view: View) -> Iterator[Finding]:
    """There is no message at all.

    Bad: `[]`. Good: at least one word of the user. That word is made up, so only who asks for it gets it;
    or who handed in a history of which nothing else is left.
    """
    if not view.conversation.messages:
        words = Insert(Place(0), Message("user", (Text(text=OPENING),)))
        fix = Fix("placeholder", "invents", f'let the user say "{OPENING}"', (words,))
        yield Finding(at=Place(0), says="there are no messages", fixes=(fix,))


def role_known(view: View, *, roles: tuple[str, ...]) -> Iterator[Finding]:
    """A message has no role, or one that the reader does not know.

    Bad: `"role": "human"`. Good: `"role": "user"`.

    `human`, `ai` and `model` are other words for known roles, a developer's words are system text, and
    a message of results is the user's where results are. Whose words those of any other role are
    cannot be known, so they are left for the caller to name.
    """
    for index, message in view.messages:
        if message.role in roles or any(quirk.startswith("message:") for quirk in message.quirks):
            continue
        known = SPEAKERS.get(message.role) or _near(message)
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


def first_speaker(view: View) -> Iterator[Finding]:
    """After the system text, somebody else than the user speaks first.

    Bad: a history that begins with the assistant. Good: a user message in front of it.
    """
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


def last_speaker(view: View) -> Iterator[Finding]:
    """The conversation ends with the assistant, and this model does not take up where it left off.

    Bad: a closing assistant text as the beginning of the answer. Good: a user message behind it.

    A closing turn that is empty, waits for its results, or ends with a provider's own tool is no such text.
    """
    if not view.turns or view.turns[-1].role != "assistant":
        return
    parts = [part for _, part in view.said(view.turns[-1])]
    if not parts or not isinstance(parts[-1], Text):
        return
    if any(isinstance(part, ToolCall) for part in parts):
        return
    end = Place(view.turns[-1].stop)
    fixes = (
        Fix(
            "placeholder",
            "invents",
            f'let the user say "{CARRY_ON}"',
            (Insert(end, Message("user", (Text(text=CARRY_ON),))),),
        ),
        Fix("drop", "drops", "drop the closing message", (Drop(Place(view.turns[-1].stop - 1)),)),
    )
    yield Finding(at=Place(view.turns[-1].stop - 1), says="the conversation ends with the assistant", fixes=fixes)


def alternate(view: View, *, roles: tuple[str, ...] = ("user", "assistant")) -> Iterator[Finding]:
    """Two messages in a row have the same role.

    Bad: user, user. Good: one user message with both texts, in their order.
    """
    run: list[tuple[int, Message]] = []
    for index, message in (*view.messages, (-1, Message("", ()))):
        if run and message.role == run[0][1].role and index == run[-1][0] + 1:
            run.append((index, message))
            continue
        if len(run) > 1 and run[0][1].role in roles and not any(_holds_more(each) for _, each in run):
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
