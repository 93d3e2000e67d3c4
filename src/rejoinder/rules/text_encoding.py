"""Text that cannot be written as UTF-8."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from rejoinder.values.edit import Edit, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.parts import Part, Refusal, Text, ToolCall, ToolResult
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = ["surrogates"]

# Deeper than this, nobody looks: what is nested so deep is kept as it is.
_DEEPEST = 200
_LONE = re.compile("[\ud800-\udfff]")


def surrogates(view: View) -> Iterator[Finding]:
    """A text holds half a character: one of the pair of code units that JSON writes as an escape.

    Bad: `"cut emoji \\ud83d"`. Good: the half character becomes U+FFFD, and all else stays.

    Such a text can be read from JSON and then not be sent: each later request fails with it.
    """
    for kind in (Text, Refusal, ToolCall):
        for place, part in view.parts(kind):
            mended = _mended(part)
            if mended is part:
                continue
            if place.inner is None:
                edit: Edit = Replace(place, mended)
            else:
                edit = _inside(view, place, mended)
            fix = Fix("mend", "drops", "put U+FFFD in its place", (edit,))
            yield Finding(at=place, says="half a character (a lone surrogate) in this text", fixes=(fix,))


def _inside(view: View, place: Place, mended: Part) -> Edit:
    held = view.message(place).parts[place.part or 0]
    if not isinstance(held, ToolResult):
        return Replace(place, mended)
    inner = tuple(mended if number == place.inner else part for number, part in enumerate(held.parts))
    return Replace(Place(place.message, place.part), replace(held, parts=inner))


def _mended(part: Part) -> Part:
    if isinstance(part, Text | Refusal):
        text = whole(part.text)
        return part if text is part.text else replace(part, text=text)
    if isinstance(part, ToolCall):
        arguments = _whole_all(part.arguments, 0)
        return part if arguments is part.arguments else replace(part, arguments=arguments)
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
