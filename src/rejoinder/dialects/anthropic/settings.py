"""The settings of an Anthropic request, in words of no provider and back."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.dialect import SettingsCodec
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.settings import Choice, Format, Settings, Tool

# The common name, and the member of the body, where both mean the same value.
_SAME = {"model": "model", "max_tokens": "max_tokens", "top_p": "top_p", "top_k": "top_k", "stream": "stream"}
_WHERE = {
    **{name: f"/{member}" for name, member in _SAME.items()},
    "temperature": "/temperature",
    "stop": "/stop_sequences",
    "tools": "/tools",
    "choice": "/tool_choice",
    "parallel": "/tool_choice/disable_parallel_tool_use",
    "format": "/output_config/format",
    "effort": "/output_config/effort",
    "user": "/metadata/user_id",
}
_READ = frozenset(
    {*_SAME.values(), "messages", "system", "temperature", "stop_sequences", "tools", "tool_choice", "metadata"}
)
_MODES = ("auto", "any", "none", "tool")


def read(body: dict[str, Any]) -> Settings:
    """What the body says besides its messages and its system text."""
    stop, tools, raw = body.get("stop_sequences"), body.get("tools"), body.get("tool_choice")
    metadata, output = body.get("metadata"), body.get("output_config")
    choice = raw if is_object(raw) else {}
    output = output if is_object(output) else {}
    mode, alone = choice.get("type"), choice.get("disable_parallel_tool_use")
    rest = {name: value for name, value in body.items() if name not in _READ and name != "output_config"}
    rest |= {name: value for name, value in output.items() if name not in ("format", "effort")}
    return Settings(
        **{name: body.get(member) for name, member in _SAME.items()},
        temperature=body.get("temperature"),
        stop=tuple(stop) if is_array(stop) else None,
        tools=tuple(_read_tool(tool) for tool in tools) if is_array(tools) else None,
        choice=Choice(mode=mode, name=choice.get("name")) if mode in _MODES else None,  # pyright: ignore
        parallel=None if alone is None else not alone,
        format=_read_format(output.get("format")),
        effort=output.get("effort"),
        user=metadata.get("user_id") if is_object(metadata) else None,
        rest=rest,
    )


def _read_tool(raw: Any) -> Tool:
    if not is_object(raw) or raw.get("type", "custom") != "custom":
        name = (raw.get("name") or raw.get("type")) if is_object(raw) else raw
        return Tool(name=str(name), source=raw)
    return Tool(
        name=str(raw.get("name")),
        description=raw.get("description"),
        schema=raw.get("input_schema"),
        strict=raw.get("strict"),
        cache=_read_mark(raw.get("cache_control")),
    )


def _read_mark(mark: Any) -> dict[str, Any] | None:
    """How long a cache mark holds, where it says so."""
    return {name: mark[name] for name in ("ttl",) if name in mark} if is_object(mark) else None


def _read_format(raw: Any) -> Format | None:
    schema = raw.get("schema") if is_object(raw) and raw.get("type") == "json_schema" else None
    return None if schema is None else Format(kind="schema", schema=schema)


def write(settings: Settings) -> dict[str, Any]:
    """The members of a body that say so."""
    body: dict[str, Any] = {name: getattr(settings, own) for own, name in _SAME.items()}
    if settings.temperature is not None:
        # The scale ends at 1 here, and at 2 elsewhere.
        body["temperature"] = min(settings.temperature, 1)
    body["stop_sequences"] = None if settings.stop is None else list(settings.stop)
    tools = [_write_tool(tool) for tool in settings.tools or () if tool.source is None]
    body["tools"] = tools or None
    body["tool_choice"] = _write_choice(settings) if tools else None
    schema = settings.format.schema if settings.format and settings.format.kind == "schema" else None
    output = {"effort": settings.effort, "format": schema and {"type": "json_schema", "schema": schema}}
    body["output_config"] = {name: value for name, value in output.items() if value} or None
    body["thinking"] = settings.rest.get("thinking")
    body["metadata"] = None if settings.user is None else {"user_id": settings.user}
    return {name: value for name, value in body.items() if value is not None}


def _write_tool(tool: Tool) -> dict[str, Any]:
    raw = {"name": tool.name, "description": tool.description, "input_schema": tool.schema or {"type": "object"}}
    raw["strict"] = tool.strict or None
    raw["cache_control"] = None if tool.cache is None else {"type": "ephemeral", **tool.cache}
    return {name: value for name, value in raw.items() if value is not None}


def _write_choice(settings: Settings) -> dict[str, Any] | None:
    choice = settings.choice
    if choice is None and settings.parallel is None:
        return None
    raw: dict[str, Any] = {"type": choice.mode if choice else "auto"}
    if choice and choice.mode == "tool":
        raw["name"] = choice.name
    if settings.parallel is not None and raw["type"] != "none":
        raw["disable_parallel_tool_use"] = not settings.parallel
    return raw


SETTINGS = SettingsCodec(read=read, write=write, where=_WHERE, needs=("model", "max_tokens"))
