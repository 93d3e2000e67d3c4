"""The JSON of a message itself: types, members, and what stands where it should not."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.rules.tool_arguments import written
from rejoinder.values.conversation import Message
from rejoinder.values.edit import Drop, Edit, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.parts import Media, Opaque, Part, Text, Thinking, ToolCall, ToolResult
from rejoinder.values.place import TOOLS, Place
from rejoinder.values.view import View

__all__ = [
    "block_known",
    "block_object",
    "block_role",
    "block_variant",
    "call_form",
    "calls_array",
    "calls_nonempty",
    "content_string",
    "content_type",
    "error_nonempty",
    "extra_member",
    "member_value",
    "message_object",
    "messages_held",
    "null_member",
    "one_kind",
    "result_citations",
]


def messages_held(view: View, *, missing: bool, unless: tuple[str, ...] = ()) -> Iterator[Finding]:
    """The body has no messages where they have to be (`missing`), or something else in their place.

    Bad: `{"input": {"role": ...}}`. Good: `{"input": [{"role": ...}]}`; none at all where a member that is named in
    `unless` leads to them.
    """
    for quirk in view.conversation.quirks:
        name, _, kind = quirk.partition(":")
        if kind == "string" or (kind == "missing") != missing or any(view.conversation.settings.get(n) for n in unless):
            continue
        says = f"there is no {name}" if missing else f"the {name} is {kind}"
        fixes = tuple(
            Fix("wrap", "free", "put it into a list", (Replace(Place(index), message),))
            for index, message in view.messages
        )
        yield Finding(at=Place(0, field=name if missing else None), says=says, fixes=fixes)


def message_object(view: View) -> Iterator[Finding]:
    """A message is no object.

    Bad: `"ping"`. Good: `{"role": "user", "content": "ping"}`; a bare string is taken for the user's words.
    """
    for index, message in view.messages:
        kind = next((quirk[8:] for quirk in message.quirks if quirk.startswith("message:")), None)
        if kind is None:
            continue
        fixes: tuple[Fix, ...] = ()
        if isinstance(message.source, str):
            said = Message("user", (Text(text=message.source),), message.origin)
            fixes = (Fix("wrap", "free", "take it for the user's words", (Replace(Place(index), said),)),)
        yield Finding(at=Place(index), says=f"this message is {kind}", fixes=fixes)


def content_type(view: View, *, allowed: tuple[str, ...] = ()) -> Iterator[Finding]:
    """The content is neither text nor a list.

    Bad: `"content": 7`. Good: `"content": "7"`.
    """
    for index, message in view.with_head:
        for quirk in message.quirks:
            name, _, kind = quirk.partition(":")
            if name != "content" or kind in allowed:
                continue
            fixes = _spelled(index, message) if kind not in ("null", "missing") else _emptied(index, message)
            says = f"the content is {kind}" if kind != "missing" else "there is no content"
            yield Finding(at=Place(index, field="content"), says=says, fixes=fixes)


def _spelled(index: int, message: Message) -> tuple[Fix, ...]:
    """A number, a boolean or an object as the text of its JSON; what could be read for what it means, as that."""
    if message.parts and all(isinstance(part, Text) and part.source is None for part in message.parts):
        meant = replace(message, quirks=tuple(quirk for quirk in message.quirks if not quirk.startswith("content:")))
        return (Fix("text", "free", "write it as a list", (Replace(Place(index), meant),)),)
    words = written(message.source.get("content") if index >= 0 else message.source)
    if words is None:
        return ()
    quirks = tuple(quirk for quirk in message.quirks if not quirk.startswith("content:"))
    parts: tuple[Part, ...] = (Text(text=words), *message.parts)
    if message.parts and isinstance(message.parts[0], ToolResult) and message.parts[0].beside:
        parts = (replace(message.parts[0], parts=(Text(text=words),)),)
    said = replace(message, parts=parts, quirks=quirks)
    return (Fix("text", "free", "write it as text", (Replace(Place(index), said),)),)


def _emptied(index: int, message: Message) -> tuple[Fix, ...]:
    carries = [quirk for quirk in message.quirks if quirk.startswith("member:")]
    if message.parts or carries:
        return ()
    return (Fix("drop", "free", "drop the message, it says nothing", (Drop(Place(index)),)),)


def content_string(view: View, *, roles: tuple[str, ...] = ()) -> Iterator[Finding]:
    """The content is a list of texts, and this reader wants one string (of everybody, or of `roles`).

    Bad: `"content": [{"type": "text", "text": "a"}]`. Good: `"content": "a"`. What is more than text stays a list.
    """
    for index, message in view.messages:
        if not is_object(message.source) or not is_array(message.source.get("content")):
            continue
        whole = message.parts[0] if message.parts else None
        result = whole if isinstance(whole, ToolResult) and whole.beside else None
        parts = result.parts if result else tuple(part for part in message.parts if not part.beside)
        texts = [part for part in parts if isinstance(part, Text) and not part.quirks]
        if len(texts) < len(parts) or (roles and message.role not in roles):
            continue
        said = Text(text="\n\n".join(part.text for part in texts), quirks=("as:string",))
        ahead = tuple(part for part in message.parts if part.beside and isinstance(part, Thinking))
        aside = tuple(part for part in message.parts if part.beside and not isinstance(part, Thinking))
        new = (replace(result, parts=(said,)),) if result else (*ahead, said, *aside)
        fix = Fix("text", "free", "write it as one string", (Replace(Place(index), replace(message, parts=new)),))
        yield Finding(at=Place(index, field="content"), says="the content is a list of texts", fixes=(fix,))


def calls_nonempty(view: View) -> Iterator[Finding]:
    """The list of calls is there and empty.

    Bad: `"tool_calls": []`. Good: no such key.
    """
    for index, message in view.messages:
        if "calls:empty" in message.quirks:
            yield Finding(
                at=Place(index, field="calls"), says="the list of calls is empty", fixes=_uncalled(index, message)
            )


def calls_array(view: View) -> Iterator[Finding]:
    """The list of calls is no list, or holds something that is no object.

    Bad: `"tool_calls": "x"`. Good: no such key; a lone call is put into a list.
    """
    for index, message in view.messages:
        kind = next((quirk[6:] for quirk in message.quirks if quirk.startswith("calls:")), "empty")
        odd = [part for part in message.parts if isinstance(part, Opaque) and part.kind == "tool_call"]
        at = Place(index, field="calls")
        if kind == "object":
            edit = Replace(Place(index), _listed(message))
            fix = Fix("wrap", "free", "put the call into a list", (edit,))
            yield Finding(at=at, says="the list of calls is a single object", fixes=(fix,))
        elif kind != "empty":
            yield Finding(at=at, says=f"the list of calls is {kind}", fixes=_uncalled(index, message))
        elif odd:
            fix = Fix(
                "strip", "drops", "take what is no object out of the list", (Replace(Place(index), _listed(message)),)
            )
            yield Finding(at=at, says="an item of the list of calls is no object", fixes=(fix,))


def _listed(message: Message) -> Message:
    """The message with a list of calls that holds calls only."""
    quirks = tuple(quirk for quirk in message.quirks if not quirk.startswith("calls:"))
    parts = tuple(part for part in message.parts if not (isinstance(part, Opaque) and part.kind == "tool_call"))
    return replace(message, quirks=quirks, parts=parts)


def _uncalled(index: int, message: Message) -> tuple[Fix, ...]:
    """The message without the odd key; whether it then still says something is another rule's matter."""
    empty = "calls:empty" in message.quirks
    edit = Replace(Place(index), _listed(message))
    return (Fix("strip", "free" if empty else "drops", "take the key away", (edit,)),)


def call_form(view: View, *, typeless: bool = False) -> Iterator[Finding]:
    """A call does not say its type (which some readers take for a function: `typeless`), or has no body.

    Bad: `{"id": ..., "function": {...}}`. Good: `{"id": ..., "type": "function", "function": {...}}`.
    """
    for place, call in view.calls:
        odd = {"call:bodiless"} if typeless else {"call:typeless", "call:bodiless"}
        if not odd & set(call.quirks) and call.kind in ("function", "custom"):
            continue
        whole = replace(call, kind="custom" if call.kind == "custom" else "function", quirks=())
        if "call:bodiless" in call.quirks:
            whole = replace(whole, name=call.name or "", arguments=call.arguments or "{}")
        fix = Fix("fill", "free", f"say that it is a {whole.kind}", (Replace(place, whole),))
        yield Finding(at=place, says="this call does not say what kind it is", ids=(str(call.id),), fixes=(fix,))


def extra_member(view: View, *, only: tuple[str, ...] = (), but: tuple[str, ...] = ()) -> Iterator[Finding]:
    """A message or a block has a member that the reader does not know.

    Bad: `{"role": "user", "content": "a", "name": "alice"}`. Good: without `name`.

    `only` and `but` part the members among clauses, where a reader has words of its own for some.
    """
    for index, message in view.with_head:
        names = [name for name in _members(message.quirks) if name not in but and (not only or name in only)]
        if names:
            clean = replace(message, quirks=_without(message.quirks, names))
            yield _stripped(Place(index), names, Replace(Place(index), clean))
        if only:
            continue
        for place, part in _each(index, message):
            names = [name for name in _members(part.quirks) if name != "cache_control"]
            if names:
                clean_part = replace(part, quirks=tuple(q for q in part.quirks if q[7:] not in names))
                if isinstance(part, Opaque | Thinking) and is_object(part.source):
                    source = {key: value for key, value in part.source.items() if key not in names}
                    clean_part = replace(clean_part, source=source)
                yield _stripped(place, names, Replace(place, clean_part))


def _without(quirks: tuple[str, ...], names: list[str]) -> tuple[str, ...]:
    return tuple(quirk for quirk in quirks if not (quirk.startswith("member:") and quirk[7:] in names))


def member_value(view: View, *, only: tuple[str, ...] = (), but: tuple[str, ...] = ()) -> Iterator[Finding]:
    """A member of a message has a value that the reader does not know.

    Bad: `"status": "done"`. Good: without it, or one of the values that there are.
    """
    for index, message in view.messages:
        for quirk in message.quirks:
            kind, _, said = quirk.partition(":")
            name, _, found = said.partition(":")
            if kind != "value" or name in but or (only and name not in only):
                continue
            clean = replace(message, quirks=tuple(each for each in message.quirks if each != quirk))
            fix = Fix("strip", "free", f"take {name} away", (Replace(Place(index), clean),))
            yield Finding(at=Place(index, field=name), says=f"{found!r} is no {name}", fixes=(fix,))


def _each(index: int, message: Message) -> Iterator[tuple[Place, Part]]:
    """The parts of a message, and those inside its results."""
    for number, part in enumerate(message.parts):
        yield Place(index, number), part
        for inner, each in enumerate(part.parts if isinstance(part, ToolResult) else ()):
            yield Place(index, number, inner), each


# Members that carry calls, ids or words of another dialect: to strip them is to lose something.
_WORDY = {"tool_calls", "tool_call_id", "toolCalls", "toolCallId", "function_call", "refusal", "reasoning_content"}


def _members(quirks: tuple[str, ...]) -> list[str]:
    return [quirk[7:] for quirk in quirks if quirk.startswith("member:")]


def _stripped(place: Place, names: list[str], edit: Edit) -> Finding:
    cost = "drops" if _WORDY & set(names) else "free"
    fix = Fix("strip", cost, "take " + ", ".join(names) + " away", (edit,))
    return Finding(at=place, says="not known here: " + ", ".join(names), fixes=(fix,))


def null_member(view: View) -> Iterator[Finding]:
    """A member of a message is null, and this reader only asks whether it is there.

    Bad: `{"role": "assistant", "content": "Hello", "tool_calls": null}`. Good: without `tool_calls`.
    """
    for index, message in view.messages:
        names = [quirk[5:] for quirk in message.quirks if quirk.startswith("null:")]
        if names:
            clean = replace(message, quirks=tuple(q for q in message.quirks if not q.startswith("null:")))
            fix = Fix("strip", "free", "take " + ", ".join(names) + " away", (Replace(Place(index), clean),))
            yield Finding(at=Place(index), says="null: " + ", ".join(names), fixes=(fix,))


def block_object(view: View) -> Iterator[Finding]:
    """A block is no object, or has no type.

    Bad: `[7]`. Good: `[{"type": "text", "text": "7"}]`; a bare string, or a block with `text`, is taken for text.
    """
    for place, part in view.parts(Opaque):
        kind = next((quirk for quirk in part.quirks if quirk.startswith("block:") or quirk == "type:missing"), None)
        if kind is None or place.message == TOOLS:
            continue
        words = part.source.get("text") if is_object(part.source) else part.source
        fix = Fix("drop", "drops", "leave the block out", (Drop(place),))
        if isinstance(words, str):
            said = Text(text=words, source={"type": "text"})
            fix = Fix("wrap", "free", "take it for text", (Replace(place, said),))
        says = "this block has no type" if kind == "type:missing" else f"this block is no object but {kind[6:]}"
        yield Finding(at=place, says=says, fixes=(fix,))


def one_kind(view: View) -> Iterator[Finding]:
    """One block says more than one thing.

    Bad: a part with a text and an image. Good: two parts, in the same order.
    """
    for index, message in view.with_head:
        if "shared" not in message.quirks:
            continue
        first = next(number for number, part in enumerate(message.parts) if _is_shared(part))
        parts = tuple(replace(part, quirks=_unshared(part)) if _is_shared(part) else part for part in message.parts)
        quirks = tuple(quirk for quirk in message.quirks if quirk != "shared")
        split = Replace(Place(index), replace(message, parts=parts, quirks=quirks))
        fix = Fix("split", "free", "make a block of each", (split,))
        yield Finding(at=Place(index, first), says="this block says more than one thing", fixes=(fix,))


def _is_shared(part: Part) -> bool:
    return any(quirk.startswith("shared:") for quirk in part.quirks)


def _unshared(part: Part) -> tuple[str, ...]:
    return tuple(quirk for quirk in part.quirks if not quirk.startswith("shared:"))


def block_known(view: View, *, whole: bool | None = None) -> Iterator[Finding]:
    """A block of a type that this reader does not know.

    Bad: a `tool_use` block in an OpenAI history. Good: convert the history, or leave the block out.

    Only converting keeps what it says, so nothing is left out unless it is asked for. `whole` asks for what stands
    for a message by itself, or for what is part of one.
    """
    for place, part in view.parts(Opaque):
        asked = whole is None or part.beside == whole
        if "type:unknown" in part.quirks and asked and place.message != TOOLS:
            fix = Fix("drop", "drops", "leave the block out", (Drop(place),))
            yield Finding(at=place, says=f"a block of type {part.kind!r} is not known here", fixes=(fix,))


def block_variant(view: View, *, assistant: bool) -> Iterator[Finding]:
    """A block says the right thing under a type that is another speaker's, or another API's.

    Bad: an `input_text` that the assistant says. Good: the same words as `output_text`.

    Readers have other words for what the `assistant` says than for what anybody else does.
    """
    for kind in (Text, Media):
        for place, part in view.parts(kind):
            wanted = next((quirk[8:] for quirk in part.quirks if quirk.startswith("variant:")), None)
            if wanted is not None and (view.message(place).role == "assistant") == assistant:
                told = part.source.get("type") if is_object(part.source) else None
                fitting = replace(part, quirks=tuple(q for q in part.quirks if not q.startswith("variant:")))
                fix = Fix("rename", "free", f"call it {wanted}", (Replace(place, fitting),))
                yield Finding(at=place, says=f"{told!r} is no type of block here", fixes=(fix,))


def block_role(view: View) -> Iterator[Finding]:
    """A block stands in a message of the wrong role.

    Bad: a result in an assistant message. Good: in the user message behind it.

    A result is left to the rules of pairing: they bring it home to its call, or tell that it has none.
    """
    for index, message in view.messages:
        for number, part in enumerate(message.parts):
            result = isinstance(part, ToolResult) and part.kind == "tool"
            place = Place(index, number)
            says = f"a {type(part).__name__} in a message of role {message.role!r}"
            if result and message.role in ("assistant", "system"):
                yield Finding(at=place, says=says)
            elif (
                isinstance(part, ToolCall | Thinking | ToolResult) and not result and message.role in ("user", "system")
            ):
                yield Finding(at=place, says=says, fixes=(Fix("drop", "drops", "drop the block", (Drop(place),)),))


def error_nonempty(view: View) -> Iterator[Finding]:
    """A result that is marked as an error says nothing.

    Bad: `"is_error": true, "content": ""`. Good: `"content": "error"`.
    """
    for place, result in view.results:
        says_something = any(not isinstance(part, Text) or part.text for part in result.parts)
        if result.error and not says_something:
            new = replace(result, parts=(Text(text="error"),), quirks=())
            fix = Fix("placeholder", "invents", 'let it say "error"', (Replace(place, new),))
            yield Finding(at=place, says="an error result without content", ids=(str(result.call_id),), fixes=(fix,))


def result_citations(view: View) -> Iterator[Finding]:
    """A text inside a result carries citations.

    Bad: `"citations": [...]` on a text block of a tool result. Good: the text without them.
    """
    for place, result in view.results:
        if not any(isinstance(part, Text) and part.citations for part in result.parts):
            continue
        inner = tuple(_uncited(part) for part in result.parts)
        fix = Fix("strip", "drops", "take the citations away", (Replace(place, replace(result, parts=inner)),))
        yield Finding(at=place, says="citations inside a result", ids=(str(result.call_id),), fixes=(fix,))


def _uncited(part: Part) -> Part:
    if not isinstance(part, Text) or not part.citations or not is_object(part.source):
        return part
    source = {key: value for key, value in part.source.items() if key != "citations"}
    return replace(part, citations=False, source=source)
