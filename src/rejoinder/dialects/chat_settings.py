"""The settings of a request in the shape of OpenAI Chat, in words of no provider and back.

Several APIs share this shape and call a few things otherwise: `ChatWords` says which.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import msgspec

from rejoinder.dialects.dialect import SettingsCodec
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.settings import Choice, Format, Settings, Tool

Mode = Literal["auto", "none", "any", "tool"]

_MODES: Mapping[str, Mode] = {"auto": "auto", "none": "none", "required": "any"}


class ChatWords(msgspec.Struct, frozen=True, kw_only=True):
    """What one API of this shape calls things.

    `same` gives, for a common name, the member of the body where both mean the same value. `longest` are the members
    for the most tokens, the one that is written first. `modes` are the words for a choice of tools, of two for one
    mode the first is written. `formats` are the kinds of answer that can be asked for. `bare` says whether a tool may
    be declared without parameters.
    """

    same: Mapping[str, str]
    longest: tuple[str, ...] = ("max_tokens",)
    modes: Mapping[str, Mode] = msgspec.field(default_factory=lambda: _MODES)
    formats: frozenset[str] = frozenset({"text", "json", "schema"})
    bare: bool = True


def chat_settings(words: ChatWords) -> SettingsCodec:
    """How the settings of an API that uses these words are read and written."""
    where = {
        **{name: f"/{member}" for name, member in words.same.items()},
        "max_tokens": f"/{words.longest[0]}",
        "stop": "/stop",
        "tools": "/tools",
        "choice": "/tool_choice",
        "format": "/response_format",
    }
    return SettingsCodec(read=partial(_read, words), write=partial(_write, words), where=where, needs=("model",))


def _read(words: ChatWords, body: dict[str, Any]) -> Settings:
    """What the body says besides its messages."""
    stop = body.get("stop")
    tools = body.get("tools")
    common = {*words.same.values(), *words.longest, "messages", "stop", "tools"}
    rest = {name: value for name, value in body.items() if name not in common}
    choice = _read_choice(words, body.get("tool_choice"))
    if choice is not None or ("tool_choice" in body and body["tool_choice"] is None):
        rest.pop("tool_choice", None)
    form = _read_format(body.get("response_format"))
    if form is not None:
        rest.pop("response_format", None)
    return Settings(
        **{name: body.get(member) for name, member in words.same.items()},
        max_tokens=next((body[name] for name in words.longest if body.get(name) is not None), None),
        stop=(stop,) if isinstance(stop, str) else tuple(stop) if is_array(stop) else None,
        tools=tuple(_read_tool(tool) for tool in tools) if is_array(tools) else None,
        choice=choice,
        format=form,
        rest=rest,
    )


def _read_tool(raw: Any) -> Tool:
    function = raw.get("function") if is_object(raw) else None
    if not is_object(function) or raw.get("type", "function") != "function":
        name = raw.get("type") if is_object(raw) else raw
        return Tool(name=str(name), source=raw)
    return Tool(
        name=str(function.get("name")),
        description=function.get("description"),
        schema=function.get("parameters"),
        strict=function.get("strict"),
    )


def _read_choice(words: ChatWords, raw: Any) -> Choice | None:
    if isinstance(raw, str):
        return Choice(mode=words.modes[raw]) if raw in words.modes else None
    function = raw.get("function") if is_object(raw) else None
    return Choice(mode="tool", name=str(function.get("name"))) if is_object(function) else None


def _read_format(raw: Any) -> Format | None:
    kind = raw.get("type") if is_object(raw) else None
    if kind == "json_schema" and is_object(held := raw.get("json_schema")):
        return Format(kind="schema", schema=held.get("schema"), name=held.get("name"), strict=held.get("strict"))
    return {"text": Format(kind="text"), "json_object": Format(kind="json")}.get(str(kind))


def _write(words: ChatWords, settings: Settings) -> dict[str, Any]:
    """The members of a body that say so."""
    body: dict[str, Any] = {name: getattr(settings, own) for own, name in words.same.items()}
    body[words.longest[0]] = settings.max_tokens
    body["stop"] = None if settings.stop is None else list(settings.stop)
    tools = [_write_tool(words, tool) for tool in settings.tools or () if tool.source is None]
    body["tools"] = tools or None
    body["tool_choice"] = _write_choice(words, settings.choice) if tools else None
    body["response_format"] = _write_format(words, settings.format)
    return {name: value for name, value in body.items() if value is not None}


def _write_tool(words: ChatWords, tool: Tool) -> dict[str, Any]:
    function: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": {} if tool.schema is None and not words.bare else tool.schema,
        "strict": tool.strict,
    }
    return {"type": "function", "function": {name: value for name, value in function.items() if value is not None}}


def _write_choice(words: ChatWords, choice: Choice | None) -> Any:
    if choice is None:
        return None
    if choice.mode == "tool":
        return {"type": "function", "function": {"name": choice.name}}
    return next((name for name, mode in words.modes.items() if mode == choice.mode), None)


def _write_format(words: ChatWords, form: Format | None) -> dict[str, Any] | None:
    if form is None or form.kind not in words.formats:
        return None
    if form.kind != "schema":
        return {"type": "text" if form.kind == "text" else "json_object"}
    held = {"name": form.name or "answer", "schema": form.schema, "strict": form.strict}
    return {"type": "json_schema", "json_schema": {name: each for name, each in held.items() if each is not None}}
