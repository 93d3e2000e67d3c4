"""The settings of a Gemini request, in words of no provider and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rejoinder.dialects.dialect import SettingsCodec
from rejoinder.dialects.gemini.sources import THIRD
from rejoinder.dialects.gemini.spelling import Block, common, member
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.settings import Choice, Format, Settings, Tool

# The common name, and the member of `generationConfig`, where both mean the same value.
_SAME = {
    "max_tokens": "maxOutputTokens",
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "seed": "seed",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
    "answers": "candidateCount",
}
_WHERE = {
    **{name: f"/generationConfig/{own}" for name, own in _SAME.items()},
    "stop": "/generationConfig/stopSequences",
    "format": "/generationConfig/responseMimeType",
    "effort": "/generationConfig/thinkingConfig/thinkingLevel",
    "tools": "/tools",
    "choice": "/toolConfig/functionCallingConfig",
}
_READ = ("model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig")
_FORMAT = ("responseMimeType", "responseSchema", "responseJsonSchema")
_MODES = {"AUTO": "auto", "NONE": "none", "ANY": "any"}
_LEVELS = ("minimal", "low", "medium", "high")
_TYPES = frozenset(("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"))


def read(body: dict[str, Any]) -> Settings:
    """What the body says besides its contents and its system text."""
    config, tools = _object(member(body, "generationConfig")), body.get("tools")
    thinking, stop = _object(member(config, "thinkingConfig")), member(config, "stopSequences")
    # One tool that is not in a list is taken, too.
    held: list[Any] | None = [tools] if is_object(tools) else tools if is_array(tools) else None
    form, effort, choice = _read_format(config), _read_effort(thinking), _read_choice(body)
    known = {*_SAME.values(), "stopSequences", "thinkingConfig", *(_FORMAT if form else ())}
    rest = {common(name): value for name, value in body.items() if common(name) not in _READ}
    rest |= {common(name): value for name, value in config.items() if common(name) not in known}
    rest |= {common(name): value for name, value in thinking.items() if not effort or common(name) != "thinkingLevel"}
    rest |= _unchosen(_object(member(body, "toolConfig")), choice)
    model = body.get("model")
    return Settings(
        **{name: member(config, own) for name, own in _SAME.items()},
        model=model if isinstance(model, str) else None,
        stop=tuple(stop) if is_array(stop) else None,
        tools=None if held is None else tuple(_read_tools(held)),
        choice=choice,
        format=form,
        effort=effort,
        rest=rest,
    )


def _object(value: Any) -> Block:
    return value if is_object(value) else {}


def _read_tools(tools: list[Any]) -> Iterator[Tool]:
    for held in tools:
        for name, value in held.items() if is_object(held) else ():
            if common(name) == "functionDeclarations" and is_array(value):
                yield from map(_read_tool, value)
            else:
                yield Tool(name=common(name), source={name: value})


def _read_tool(raw: Any) -> Tool:
    block = _object(raw)
    schema = member(block, "parametersJsonSchema")
    return Tool(
        name=str(block.get("name")),
        description=block.get("description"),
        schema=_as_json_schema(block.get("parameters")) if schema is None else schema,
    )


def _as_json_schema(schema: Any, depth: int = 0) -> Any:
    """A schema of this API in the words of JSON Schema: types in small letters, `nullable` as a type."""
    if depth > 64 or not is_object(schema):
        return [_as_json_schema(each, depth + 1) for each in schema] if is_array(schema) and depth <= 64 else schema
    said: Block = {}
    for name, value in schema.items():
        if name == "type" and isinstance(value, str) and value in _TYPES:
            said[name] = value.lower()
        elif name in ("properties", "$defs") and is_object(value):
            said[name] = {key: _as_json_schema(each, depth + 1) for key, each in value.items()}
        elif name in ("items", "anyOf", "any_of"):
            said["items" if name == "items" else "anyOf"] = _as_json_schema(value, depth + 1)
        else:
            said[name] = value
    if said.get("nullable") is True and isinstance(said.get("type"), str):
        del said["nullable"]
        said["type"] = [said["type"], "null"]
    return said


def _read_choice(body: Block) -> Choice | None:
    calling = _object(member(_object(member(body, "toolConfig")), "functionCallingConfig"))
    mode, names = _MODES.get(str(calling.get("mode"))), member(calling, "allowedFunctionNames")
    if mode == "any" and is_array(names) and len(names) == 1:
        return Choice(mode="tool", name=str(names[0]))
    return Choice(mode=mode) if mode is not None else None  # pyright: ignore[reportArgumentType]


def _unchosen(config: Block, choice: Choice | None) -> Block:
    """What the tool config says besides the choice."""
    rest = {common(name): value for name, value in config.items() if common(name) != "functionCallingConfig"}
    calling = _object(member(config, "functionCallingConfig"))
    if choice is None and calling:
        rest["functionCallingConfig"] = calling
    names = member(calling, "allowedFunctionNames")
    if names and choice is not None and choice.mode != "tool":
        rest["allowedFunctionNames"] = names
    return rest


def _read_format(config: Block) -> Format | None:
    schema = member(config, "responseJsonSchema")
    if schema is None:
        schema = _as_json_schema(member(config, "responseSchema"))
    if schema is not None:
        return Format(kind="schema", schema=schema)
    kind = {"application/json": "json", "text/plain": "text"}.get(str(member(config, "responseMimeType")))
    return None if kind is None else Format(kind=kind)  # pyright: ignore[reportArgumentType]


def _read_effort(thinking: Block) -> str | None:
    level = member(thinking, "thinkingLevel")
    return level.lower() if isinstance(level, str) and level.lower() in _LEVELS else None


def write(settings: Settings) -> dict[str, Any]:
    """The members of a body that say so. The model is named in the address, not in the body."""
    config: Block = {own: getattr(settings, name) for name, own in _SAME.items()}
    config["stopSequences"] = None if settings.stop is None else list(settings.stop)
    config |= _write_format(settings.format)
    if settings.effort in _LEVELS and re.search(THIRD, (settings.model or "").lower().replace(".", "-")):
        config["thinkingConfig"] = {"thinkingLevel": settings.effort.upper()}
    tools = [_write_tool(tool) for tool in settings.tools or () if tool.source is None]
    body = {
        "tools": [{"functionDeclarations": tools}] if tools else None,
        "toolConfig": _write_choice(settings.choice) if tools else None,
        "generationConfig": {name: value for name, value in config.items() if value is not None} or None,
    }
    return {name: value for name, value in body.items() if value is not None}


def _write_format(form: Format | None) -> Block:
    if form is None or form.kind == "text":
        return {} if form is None else {"responseMimeType": "text/plain"}
    schema = {"responseJsonSchema": form.schema} if form.kind == "schema" else {}
    return {"responseMimeType": "application/json", **schema}


def _write_tool(tool: Tool) -> Block:
    raw = {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema}
    return {name: value for name, value in raw.items() if value is not None}


def _write_choice(choice: Choice | None) -> Block | None:
    if choice is None:
        return None
    if choice.mode == "tool":
        return {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [choice.name]}}
    return {"functionCallingConfig": {"mode": choice.mode.upper()}}


SETTINGS = SettingsCodec(read=read, write=write, where=_WHERE)
