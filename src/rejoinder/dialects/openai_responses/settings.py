"""The settings of a Responses request, in words of no provider and back."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.dialect import SettingsCodec
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.settings import Choice, Format, Settings, Tool

# The common name, and the member of the body, where both mean the same value.
_SAME = {
    "model": "model",
    "max_tokens": "max_output_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "parallel": "parallel_tool_calls",
    "user": "user",
    "stream": "stream",
}
_WHERE = {
    **{name: f"/{member}" for name, member in _SAME.items()},
    "tools": "/tools",
    "choice": "/tool_choice",
    "format": "/text/format",
    "effort": "/reasoning/effort",
}
_READ = frozenset({*_SAME.values(), "input", "instructions", "tools", "text", "reasoning"})
_MODES = {"auto": "auto", "none": "none", "required": "any"}
_FORMATS = {"text": Format(kind="text"), "json_object": Format(kind="json")}


def read(body: dict[str, Any]) -> Settings:
    """What the body says besides its input and its instructions."""
    tools = body.get("tools")
    text, reasoning = _object(body.get("text")), _object(body.get("reasoning"))
    rest = {name: value for name, value in body.items() if name not in _READ}
    choice = _read_choice(body.get("tool_choice"))
    if choice is not None:
        rest.pop("tool_choice", None)
    form = _read_format(text.get("format"))
    rest |= {name: value for name, value in text.items() if name != "format" or (form is None and value is not None)}
    rest |= {name: value for name, value in reasoning.items() if name != "effort"}
    return Settings(
        **{name: body.get(member) for name, member in _SAME.items()},
        tools=tuple(_read_tool(tool) for tool in tools) if is_array(tools) else None,
        choice=choice,
        format=form,
        effort=reasoning.get("effort"),
        rest=rest,
    )


def _object(raw: Any) -> dict[str, Any]:
    return raw if is_object(raw) else {}


def _read_tool(raw: Any) -> Tool:
    if not is_object(raw) or raw.get("type") != "function":
        name = (raw.get("name") or raw.get("type")) if is_object(raw) else raw
        return Tool(name=str(name), source=raw)
    return Tool(
        name=str(raw.get("name")),
        description=raw.get("description"),
        schema=raw.get("parameters"),
        strict=raw.get("strict"),
    )


def _read_choice(raw: Any) -> Choice | None:
    if isinstance(raw, str):
        return Choice(mode=_MODES[raw]) if raw in _MODES else None  # pyright: ignore[reportArgumentType]
    named = is_object(raw) and raw.get("type") == "function"
    return Choice(mode="tool", name=str(raw.get("name"))) if named else None


def _read_format(raw: Any) -> Format | None:
    kind = raw.get("type") if is_object(raw) else None
    if kind == "json_schema":
        return Format(kind="schema", schema=raw.get("schema"), name=raw.get("name"), strict=raw.get("strict"))
    return _FORMATS.get(str(kind))


def write(settings: Settings) -> dict[str, Any]:
    """The members of a body that say so."""
    body: dict[str, Any] = {member: getattr(settings, name) for name, member in _SAME.items()}
    tools = [_write_tool(tool) for tool in settings.tools or () if tool.source is None]
    body["tools"] = tools or None
    body["tool_choice"] = _write_choice(settings.choice) if tools else None
    form = _write_format(settings.format)
    body["text"] = None if form is None else {"format": form}
    body["reasoning"] = None if settings.effort is None else {"effort": settings.effort}
    return {name: value for name, value in body.items() if value is not None}


def _write_tool(tool: Tool) -> dict[str, Any]:
    """A tool, flat. Where nobody said that it is strict it says that it is not: here it would be, unsaid."""
    said = {"description": tool.description} if tool.description is not None else {}
    return {
        "type": "function",
        "name": tool.name,
        **said,
        "parameters": tool.schema if tool.schema is not None else {"type": "object", "properties": {}},
        "strict": bool(tool.strict),
    }


def _write_choice(choice: Choice | None) -> Any:
    if choice is None:
        return None
    if choice.mode == "tool":
        return {"type": "function", "name": choice.name}
    return next(name for name, mode in _MODES.items() if mode == choice.mode)


def _write_format(form: Format | None) -> dict[str, Any] | None:
    if form is None:
        return None
    if form.kind != "schema":
        return {"type": "text" if form.kind == "text" else "json_object"}
    held = {"name": form.name or "answer", "schema": form.schema, "strict": form.strict}
    return {"type": "json_schema", **{name: each for name, each in held.items() if each is not None}}


SETTINGS = SettingsCodec(read=read, write=write, where=_WHERE, needs=("model",))
