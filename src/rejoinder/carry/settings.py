"""The settings of a request on the way to another API: mapped, or told as lost."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rejoinder.carry.way import Way
from rejoinder.dialects.dialect import SettingsCodec
from rejoinder.values.settings import Settings, Tool

_SAID = tuple(name for name in Settings.__struct_fields__ if name not in ("rest", "model", "tools"))


_IN_ADDRESS = "{} is told the model in the address; say which with model="


def told_settings(way: Way, body: dict[str, Any], kept: frozenset[str]) -> dict[str, Any]:
    """What a body says besides its messages is no part of a history as a store keeps it: each member is told."""
    for name, value in body.items():
        if name not in kept and value not in (None, "", [], {}):
            way.lose(name, f"/{name}", f"{way.target} keeps messages, and no settings of a request")
    return {}


def carried_settings(
    way: Way, gives: SettingsCodec, takes: SettingsCodec, body: dict[str, Any], model: str | None
) -> dict[str, Any]:
    """The members of a body for the target. What it was written as is read again: what is not there is lost."""
    was = gives.read(body)
    relatives = bool(way.takes.files) and way.takes.files == way.gives.files
    # What a model's provider asks for under names of its own is understood wherever that model runs.
    akin = bool(way.takes.mint) and way.takes.mint == way.gives.mint
    rest = was.rest if akin else {}
    wanted = replace(was, model=model or (was.model if relatives else None), rest=rest)
    made = takes.write(wanted)
    now = takes.read(made)
    if was.model and not wanted.model:
        why = f"{way.target} does not know it; say which with model=" if "model" in takes.where else _IN_ADDRESS
        way.lose("model", gives.where.get("model", "/model"), why.format(way.target))
    for name in _SAID:
        value = getattr(was, name)
        if value is not None and getattr(now, name) != value:
            instead = getattr(now, name)
            why = f"{way.target} has no such setting" if instead is None else f"{way.target} takes it otherwise"
            way.lose(name, gives.where.get(name, f"/{name}"), why, "" if instead is None else str(instead))
    _tell_tools(way, gives, was.tools or (), now.tools or ())
    for name, value in was.rest.items():
        if value not in (None, "", [], {}) and now.rest.get(name) != value:
            way.lose(name, gives.where.get(name, f"/{name}"), f"{way.target} has no such setting")
    return made


def _tell_tools(way: Way, gives: SettingsCodec, was: tuple[Tool, ...], now: tuple[Tool, ...]) -> None:
    declared = {tool.name: tool for tool in now}
    path = gives.where.get("tools", "/tools")
    for index, tool in enumerate(was):
        there = declared.get(tool.name)
        if there is None:
            way.lose(f"tool {tool.name}", f"{path}/{index}", f"only {way.source} has this tool")
        elif tool.strict and tool.strict != there.strict:
            way.lose("strict", f"{path}/{index}", f"{way.target} has no strict tools")
        if there is not None and tool.cache is not None and there.cache != tool.cache:
            way.lose("cache mark", f"{path}/{index}", f"{way.target} has none on tools")
