"""Blocks whose words are not where, or not what, the reader wants them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rejoinder.rules.tool_arguments import written
from rejoinder.values.edit import Drop, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Refusal, Text
from rejoinder.values.view import View

__all__ = ["refusal_role", "text_string"]


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
