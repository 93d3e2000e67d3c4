"""How the small conversations are written that a chat template is probed with: the form of each message."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Message = dict[str, Any]
Messages = list[Message]

# What a template may ask for before it takes any call at all: tried in this order, the plainest first.
Beside = Literal["empty", "null", "text"]
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather of a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "The city."}},
                "required": ["city"],
            },
        },
    }
]
_PIXEL = "data:image/png;base64,iVBORw0KGgo="


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """How messages are written, so that a template takes them where nothing else is wrong with them.

    `arguments` as a mapping or as JSON text, `beside` is the content beside calls, `parts` content as lists of blocks,
    `opening` a system message at the head.
    """

    arguments: Literal["mapping", "text"] = "mapping"
    beside: Beside = "empty"
    parts: bool = False
    opening: bool = False


def forms() -> list[Form]:
    """All forms, the plainest first."""
    besides: tuple[Beside, ...] = ("empty", "null", "text")
    return [
        Form(arguments=arguments, beside=beside, parts=parts, opening=opening)
        for opening in (False, True)
        for parts in (False, True)
        for arguments in ("mapping", "text")
        for beside in besides
    ]


def said(form: Form, role: str, words: Any) -> Message:
    """A message of words."""
    if form.parts and isinstance(words, str):
        words = [{"type": "text", "text": words}]
    return {"role": role, "content": words}


def user(form: Form, words: Any) -> Message:
    """Words of the user."""
    return said(form, "user", words)


def assistant(form: Form, words: Any) -> Message:
    """Words of the assistant."""
    return said(form, "assistant", words)


def system(form: Form, words: Any) -> Message:
    """System text."""
    return said(form, "system", words)


def calls(form: Form, *cities: str, **members: Any) -> Message:
    """An assistant message that asks for the weather of each city. Its ids fit the strictest reader."""
    asked = [
        {
            "id": call_id(city),
            "type": "function",
            "function": {
                "name": "get_weather",
                "arguments": {"city": city} if form.arguments == "mapping" else f'{{"city": "{city}"}}',
            },
        }
        for city in cities
    ]
    content = {"empty": "", "null": None, "text": "Beside"}[form.beside]
    return {**assistant(form, content), "tool_calls": asked, **members}


def result(form: Form, city: str, words: Any, **members: Any) -> Message:
    """The result of a call, with the name of its tool."""
    return {**said(form, "tool", words), "tool_call_id": call_id(city), "name": "get_weather", **members}


def call_id(city: str) -> str:
    """Nine letters and digits, which every reader takes."""
    return f"{city.lower()}{'0' * 9}"[:9]


def blocks(words: str) -> list[dict[str, Any]]:
    """Words as a list of one block."""
    return [{"type": "text", "text": words}]


def image(words: str) -> list[dict[str, Any]]:
    """Words and an image."""
    return [{"type": "text", "text": words}, {"type": "image_url", "image_url": {"url": _PIXEL}}]
