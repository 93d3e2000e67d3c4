"""The settings of a Converse request, in words of no provider and back."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace

from rejoinder.dialects.dialect import SettingsCodec
from rejoinder.rules.tool_arguments import written
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.settings import Choice, Format, Settings, Tool

# The common name, and the member of `inferenceConfig`, where both mean the same value.
_SAME = {"max_tokens": "maxTokens", "temperature": "temperature", "top_p": "topP"}
_WHERE = {
    **{name: f"/inferenceConfig/{member}" for name, member in _SAME.items()},
    "model": "/modelId",
    "stop": "/inferenceConfig/stopSequences",
    "tools": "/toolConfig/tools",
    "choice": "/toolConfig/toolChoice",
    "format": "/outputConfig/textFormat",
    "effort": "/outputConfig/effort",
    "top_k": "/additionalModelRequestFields/top_k",
    "thinking": "/additionalModelRequestFields/thinking",
}
_READ = frozenset(
    {"messages", "system", "modelId", "inferenceConfig", "toolConfig", "outputConfig", "additionalModelRequestFields"}
)
# What a model's own provider asks for beside Converse, under the names that it has there.
_VENDOR = ("thinking", "context_management", "anthropic_beta")


def _member(holder: dict[str, Any], name: str) -> dict[str, Any]:
    """A member that is an object; an empty one where it is none."""
    held = holder.get(name)
    return held if is_object(held) else {}


def read(body: dict[str, Any]) -> Settings:
    """What the body says besides its messages and its system text."""
    said, tools, output = (_member(body, name) for name in ("inferenceConfig", "toolConfig", "outputConfig"))
    more = _member(body, "additionalModelRequestFields")
    stop, listed = said.get("stopSequences"), tools.get("tools")
    rest = {name: value for name, value in body.items() if name not in _READ}
    rest |= {name: value for name, value in said.items() if name not in (*_SAME.values(), "stopSequences")}
    rest |= {name: value for name, value in more.items() if name != "top_k"}
    return Settings(
        **{name: said.get(member) for name, member in _SAME.items()},
        model=body.get("modelId"),
        top_k=more.get("top_k"),
        stop=tuple(stop) if is_array(stop) else None,
        tools=_read_tools(listed) if is_array(listed) else None,
        choice=_read_choice(tools.get("toolChoice")),
        format=_read_format(output.get("textFormat")),
        effort=output.get("effort"),
        rest=rest,
    )


def _read_tools(listed: list[Any]) -> tuple[Tool, ...]:
    """The tools, each with the cache mark that stands behind it."""
    tools: list[Tool] = []
    for raw in listed:
        mark = raw.get("cachePoint") if is_object(raw) else None
        if is_object(mark) and tools:
            tools[-1] = replace(tools[-1], cache={name: mark[name] for name in ("ttl",) if name in mark})
        else:
            tools.append(_read_tool(raw))
    return tuple(tools)


def _read_tool(raw: Any) -> Tool:
    spec = raw.get("toolSpec") if is_object(raw) else None
    if not is_object(spec):
        held = next(iter(raw.values()), None) if is_object(raw) else None
        name = held.get("name") if is_object(held) else next(iter(raw), "tool") if is_object(raw) else raw
        return Tool(name=str(name), source=raw)
    return Tool(
        name=str(spec.get("name")),
        description=spec.get("description"),
        schema=_member(spec, "inputSchema").get("json"),
        strict=spec.get("strict"),
    )


def _read_choice(raw: Any) -> Choice | None:
    if not is_object(raw):
        return None
    if is_object(raw.get("tool")):
        return Choice(mode="tool", name=raw["tool"].get("name"))
    return Choice(mode="any") if "any" in raw else Choice(mode="auto") if "auto" in raw else None


def _read_format(raw: Any) -> Format | None:
    held = _member(_member(raw, "structure"), "jsonSchema") if is_object(raw) else {}
    schema = held.get("schema")
    if not isinstance(schema, str):
        return None
    try:
        return Format(kind="schema", schema=json.loads(schema), name=held.get("name"))
    except (ValueError, RecursionError):
        return None


def write(settings: Settings) -> dict[str, Any]:
    """The members of a body that say so."""
    said = {name: getattr(settings, own) for own, name in _SAME.items()}
    if settings.temperature is not None:
        # The scale ends at 1 here, and at 2 elsewhere.
        said["temperature"] = min(settings.temperature, 1)
    said["stopSequences"] = list(settings.stop) if settings.stop else None
    vendor = {"top_k": settings.top_k, **{name: settings.rest.get(name) for name in _VENDOR}}
    output = {"textFormat": _write_format(settings.format), "effort": settings.effort}
    body = {
        "modelId": settings.model,
        "inferenceConfig": _set(said),
        "toolConfig": _write_tools(settings),
        "outputConfig": _set(output),
        "additionalModelRequestFields": _set(vendor),
    }
    return _set(body) or {}


def _set(members: dict[str, Any]) -> dict[str, Any] | None:
    """The members that have a value; None where none has."""
    return {name: value for name, value in members.items() if value is not None} or None


def _write_tools(settings: Settings) -> dict[str, Any] | None:
    listed: list[dict[str, Any]] = []
    for tool in settings.tools or ():
        if tool.source is None:
            listed.append({"toolSpec": _write_tool(tool)})
            if tool.cache is not None:
                listed.append({"cachePoint": {"type": "default", **tool.cache}})
    return _set({"tools": listed, "toolChoice": _write_choice(settings.choice)}) if listed else None


def _write_tool(tool: Tool) -> dict[str, Any]:
    spec: dict[str, Any] = {"name": tool.name, "description": tool.description or None}
    spec["inputSchema"] = {"json": tool.schema or {"type": "object"}}
    spec["strict"] = tool.strict or None
    return _set(spec) or {}


def _write_choice(choice: Choice | None) -> dict[str, Any] | None:
    """Nothing stands for "none": tools that are declared may be called."""
    if choice is None or choice.mode == "none":
        return None
    return {choice.mode: {"name": choice.name} if choice.mode == "tool" else {}}


def _write_format(form: Format | None) -> dict[str, Any] | None:
    schema = written(form.schema) if form is not None and form.kind == "schema" and form.schema is not None else None
    if form is None or schema is None:
        return None
    held = _set({"name": form.name, "schema": schema})
    return {"type": "json_schema", "structure": {"jsonSchema": held}}


SETTINGS = SettingsCodec(read=read, write=write, where=_WHERE, needs=("model",))
