"""The settings of an OpenAI Chat request, in words of no provider and back."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.dialect import SettingsCodec
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.settings import Choice, Format, Settings, Tool

# The common name, and the member of the body, where both mean the same value.
_SAME = {
    "model": "model",
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "answers": "n",
    "parallel": "parallel_tool_calls",
    "effort": "reasoning_effort",
    "user": "user",
    "stream": "stream",
}
_WHERE = {
    **{name: f"/{member}" for name, member in _SAME.items()},
    "max_tokens": "/max_completion_tokens",
    "stop": "/stop",
    "tools": "/tools",
    "choice": "/tool_choice",
    "format": "/response_format",
}
_READ = frozenset({*_SAME.values(), "messages", "max_tokens", "max_completion_tokens", "stop", "tools"})
_MODES = {"auto": "auto", "none": "none", "required": "any"}


def read(body: dict[str, Any]) -> Settings:
    """What the body says besides its messages."""
    stop = body.get("stop")
    tools = body.get("tools")
    rest = {name: value for name, value in body.items() if name not in _READ}
    choice = _read_choice(body.get("tool_choice"))
    if choice is not None or ("tool_choice" in body and body["tool_choice"] is None):
        rest.pop("tool_choice", None)
    form = _read_format(body.get("response_format"))
    if form is not None:
        rest.pop("response_format", None)
    most = body.get("max_completion_tokens")
    return Settings(
        **{name: body.get(member) for name, member in _SAME.items()},
        max_tokens=body.get("max_tokens") if most is None else most,
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


def _read_choice(raw: Any) -> Choice | None:
    if isinstance(raw, str):
        return Choice(mode=_MODES[raw]) if raw in _MODES else None  # pyright: ignore[reportArgumentType]
    function = raw.get("function") if is_object(raw) else None
    return Choice(mode="tool", name=str(function.get("name"))) if is_object(function) else None


def _read_format(raw: Any) -> Format | None:
    kind = raw.get("type") if is_object(raw) else None
    if kind == "json_schema" and is_object(held := raw.get("json_schema")):
        return Format(kind="schema", schema=held.get("schema"), name=held.get("name"), strict=held.get("strict"))
    return {"text": Format(kind="text"), "json_object": Format(kind="json")}.get(str(kind))


def write(settings: Settings) -> dict[str, Any]:
    """The members of a body that say so."""
    body: dict[str, Any] = {name: getattr(settings, own) for own, name in _SAME.items()}
    body["max_completion_tokens"] = settings.max_tokens
    body["stop"] = None if settings.stop is None else list(settings.stop)
    tools = [_write_tool(tool) for tool in settings.tools or () if tool.source is None]
    body["tools"] = tools or None
    body["tool_choice"] = _write_choice(settings.choice) if tools else None
    body["response_format"] = _write_format(settings.format)
    return {name: value for name, value in body.items() if value is not None}


def _write_tool(tool: Tool) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": tool.strict,
    }
    return {"type": "function", "function": {name: value for name, value in function.items() if value is not None}}


def _write_choice(choice: Choice | None) -> Any:
    if choice is None:
        return None
    if choice.mode == "tool":
        return {"type": "function", "function": {"name": choice.name}}
    return next(name for name, mode in _MODES.items() if mode == choice.mode)


def _write_format(form: Format | None) -> dict[str, Any] | None:
    if form is None:
        return None
    if form.kind != "schema":
        return {"type": "text" if form.kind == "text" else "json_object"}
    held = {"name": form.name or "answer", "schema": form.schema, "strict": form.strict}
    return {"type": "json_schema", "json_schema": {name: each for name, each in held.items() if each is not None}}


SETTINGS = SettingsCodec(read=read, write=write, where=_WHERE, needs=("model",))
