"""Text that cannot be written as UTF-8, or that its reader would take for something else than text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from rejoinder.values.edit import Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.parts import Opaque, Part, Refusal, Text, Thinking, ToolCall, ToolResult
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = ["control_tokens", "surrogates"]

# Deeper than this, nobody looks: what is nested so deep is kept as it is.
_DEEPEST = 200
_LONE = re.compile("[\ud800-\udfff]")


def surrogates(view: View) -> Iterator[Finding]:
    """A text holds half a character: one of the pair of code units that JSON writes as an escape.

    Bad: `"cut emoji \\ud83d"`. Good: the half character becomes U+FFFD, and all else stays.

    Such a text can be read from JSON and then not be sent: each later request fails with it.
    """
    for place, part in view.parts(Thinking):
        if whole(part.text) is not part.text:
            # Sealed or not, thinking is never rewritten.
            yield Finding(at=place, says="half a character (a lone surrogate) in this thinking")
    for kind in (Text, Refusal, ToolCall, ToolResult, Opaque):
        for place, part in view.parts(kind):
            mended = _mended(part)
            if mended is not part and place.inner is None:
                fix = Fix("mend", "drops", "put U+FFFD in its place", (Replace(place, mended),))
                first = next((i for i, each in enumerate(_inner(part)) if _mended(each) is not each), None)
                at = Place(place.message, place.part, first)
                yield Finding(at=at, says="half a character (a lone surrogate) in this text", fixes=(fix,))


def control_tokens(view: View, *, pattern: str) -> Iterator[Finding]:
    """An assistant's text holds marks that its model sets between messages.

    Bad: `<|channel|>final<|message|>Hello`, as a raw answer was stored. Good: `Hello`.
    """
    mark = re.compile(pattern)
    for place, part in view.parts(Text):
        if place.message < 0 or view.message(place).role != "assistant" or not mark.search(part.text):
            continue
        said = replace(part, text=mark.sub("", part.text))
        fix = Fix("mend", "drops", "take the marks away", (Replace(place, said),))
        yield Finding(at=place, says="this text holds control tokens", fixes=(fix,))


def _inner(part: Part) -> tuple[Part, ...]:
    return part.parts if isinstance(part, ToolResult) else ()


def _mended(part: Part) -> Part:
    if isinstance(part, Text | Refusal):
        text = whole(part.text)
        return part if text is part.text else replace(part, text=text)
    if isinstance(part, ToolCall):
        arguments = _whole_all(part.arguments, 0)
        return part if arguments is part.arguments else replace(part, arguments=arguments)
    if isinstance(part, Opaque):
        source = _whole_all(part.source, 0)
        return part if source is part.source else replace(part, source=source)
    if isinstance(part, ToolResult):
        inner = tuple(_mended(each) for each in part.parts)
        return part if all(a is b for a, b in zip(inner, part.parts, strict=True)) else replace(part, parts=inner)
    return part


def _whole_all(value: Any, depth: int) -> Any:
    """The value with each text in it whole; the very same object where all of them are."""
    if isinstance(value, str):
        return whole(value)
    if depth > _DEEPEST:
        return value
    if is_object(value):
        pairs = [(whole(key), _whole_all(each, depth + 1)) for key, each in value.items()]
        same = all(a is key and b is each for (a, b), (key, each) in zip(pairs, value.items(), strict=True))
        return value if same else dict(pairs)
    if is_array(value):
        items = [_whole_all(each, depth + 1) for each in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    return value


def whole(text: str) -> str:
    """The text with each lone surrogate replaced; the very same object where there is none."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _LONE.sub("\ufffd", text)
    return text
