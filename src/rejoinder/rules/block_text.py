"""Blocks whose words are not where, or not what, the reader wants them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.rules.tool_arguments import written
from rejoinder.values.conversation import Message
from rejoinder.values.edit import Drop, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.parts import Part, Refusal, Text, ToolResult
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = ["list_of_blocks", "one_string", "refusal_role", "text_string"]


def text_string(view: View) -> Iterator[Finding]:
    """A text block without a text, or with one that is no string.

    Bad: `{"type": "text", "text": 7}`. Good: `{"type": "text", "text": "7"}`; one without a text is left out.
    """
    for place, part in view.parts(Text):
        kind = next((quirk[5:] for quirk in part.quirks if quirk.startswith("text:")), None)
        if kind is None:
            continue
        says = "a text block without a text" if kind == "missing" else f"the text of this block is {kind}"
        if kind in ("missing", "null"):
            fix = Fix("drop", "free", "leave the block out, it says nothing", (Drop(place),))
        else:
            words = written(part.source.get("text")) if is_object(part.source) else ""
            said = replace(part, text=words or "", quirks=())
            fix = Fix("text", "free", "write it as text", (Replace(place, said),))
        yield Finding(at=place, says=says, fixes=(fix,))


def refusal_role(view: View) -> Iterator[Finding]:
    """A refusal stands in a message that is not the assistant's.

    Bad: a `refusal` part in a user message. Good: its words as text.
    """
    for place, part in view.parts(Refusal):
        if place.message >= 0 and view.message(place).role != "assistant":
            said = Text(text=part.text, source={"type": "text"})
            fix = Fix("text", "free", "say it as text", (Replace(place, said),))
            yield Finding(at=place, says="a refusal outside of the assistant's words", fixes=(fix,))


def one_string(view: View, *, roles: tuple[str, ...] = ()) -> Iterator[Finding]:
    """The content is a list of blocks, and this reader takes a string. (`roles`: in messages of these; else in all.)

    Bad: `"content": [{"type": "text", "text": "hi"}]`. Good: `"content": "hi"`; texts are joined by a blank line.

    What is no text is another rule's matter, and waited for.
    """
    for index, message in view.messages:
        if roles and message.role not in roles:
            continue
        whole = message.parts[0] if message.parts else None
        result = isinstance(whole, ToolResult) and whole.beside
        inner = whole.parts if isinstance(whole, ToolResult) and result else message.parts
        plain = [part for part in inner if not part.beside]
        quirks = whole.quirks if whole is not None and result else message.quirks
        if not _is_list(message, plain, quirks) or not all(isinstance(part, Text | Refusal) for part in plain):
            continue
        said = Text(text="\n\n".join(part.text for part in plain if isinstance(part, Text | Refusal) and part.text))
        as_one: tuple[Part, ...] = (said, *(part for part in inner if part.beside))
        value = replace(message, parts=as_one, quirks=(*quirks, "as:string"))
        if isinstance(whole, ToolResult) and result:
            value = replace(message, parts=(replace(whole, parts=as_one, quirks=(*quirks, "as:string")),))
        fix = Fix("text", "free", "write it as one string", (Replace(Place(index), value),))
        yield Finding(at=Place(index, field="content"), says="the content is a list of blocks", fixes=(fix,))


def _is_list(message: Message, plain: list[Part], quirks: tuple[str, ...]) -> bool:
    """Is the content written as a list, or would it be?"""
    if "as:string" in quirks:
        return False
    listed = is_object(message.source) and is_array(message.source.get("content"))
    return listed or len(plain) > 1 or any(part.source is not None or part.quirks for part in plain)


def list_of_blocks(view: View) -> Iterator[Finding]:
    """The content is a string, and this reader takes a list of blocks.

    Bad: `"content": "hi"`. Good: `"content": [{"type": "text", "text": "hi"}]`.
    """
    for index, message in view.messages:
        whole = message.parts[0] if message.parts else None
        result = whole if isinstance(whole, ToolResult) and whole.beside else None
        inner = result.parts if result is not None else message.parts
        if not any(_is_string(part) for part in inner):
            continue
        parts = tuple(replace(part, quirks=("as:block",)) if _is_string(part) else part for part in inner)
        value = replace(message, parts=parts)
        if result is not None:
            value = replace(message, parts=(replace(result, parts=parts),))
        fix = Fix("wrap", "free", "write it as a list of one block", (Replace(Place(index), value),))
        yield Finding(at=Place(index, field="content"), says="the content is a string", fixes=(fix,))


def _is_string(part: Part) -> bool:
    return isinstance(part, Text) and part.source is None and not part.beside and "as:block" not in part.quirks
