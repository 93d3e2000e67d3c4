"""What becomes of each part on the way to another dialect, and what of it is lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from rejoinder.carry.media import carried_media
from rejoinder.carry.way import Way
from rejoinder.rules.tool_arguments import parsed, written
from rejoinder.values.conversation import Message
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Media, Opaque, Part, Refusal, Text, Thinking, ToolCall, ToolResult, is_blank

# The mark of a message that the model is to go on from.
PREFIX = "flag:prefix"
# A text that is to be written as a block, although it stands alone.
BLOCK = ("as:block",)


def carried(way: Way, message: Message, where: str) -> Message:
    """The message as the target can hold it; without parts where nothing of it can be held."""
    _tell_members(way, "message", message.source, where)
    parts = tuple(
        new for part in message.parts for new in _marked(way, part, list(_carried_part(way, part, where)), where)
    )
    if not way.takes.blank:
        parts = tuple(part for part in parts if not is_blank(part))
    marked = (PREFIX,) if PREFIX in message.quirks else ()
    if marked and not way.takes.prefix:
        way.lose("prefix", where, f"{way.target} cannot be asked to go on from a message")
        marked = ()
    return Message(message.role, parts, message.origin, quirks=marked, touched=True)


def _marked(way: Way, part: Part, new: list[Part], where: str) -> list[Part]:
    """What became of a part, with its cache mark on the last of it."""
    if part.cache is None or way.gives.mark is None or not new:
        return new
    if way.takes.mark is None or isinstance(new[-1], Thinking):
        way.lose("cache mark", where, f"{way.target} has none here")
        return new
    holds = {"ttl": part.cache["ttl"]} if is_object(part.cache) and "ttl" in part.cache else {}
    return [*new[:-1], replace(new[-1], cache={**way.takes.mark, **holds})]


def _carried_part(way: Way, part: Part, where: str) -> Iterator[Part]:
    match part:
        case Text():
            yield _text(way, part, where)
        case ToolCall():
            yield from _call(way, part, where)
        case ToolResult():
            yield from _result(way, part, where)
        case Media():
            yield from carried_media(way, part, where, way.takes.media)
        case Thinking():
            yield from _thinking(way, part, where)
        case Refusal():
            yield from _refusal(way, part, where)
        case _:
            kind = part.kind if isinstance(part, Opaque) and part.kind else type(part).__name__
            way.lose(kind, where, f"only {way.source} understands it")


def _text(way: Way, part: Text, where: str) -> Text:
    _tell_seal(way, part, where)
    _tell_members(way, "text", part.source, where)
    typed = is_object(part.source) and part.source.get("type") == "text"
    block = way.takes.all_blocks or (way.takes.blocks and typed)
    return Text(text=part.text, quirks=BLOCK if block else ())


def _thinking(way: Way, part: Thinking, where: str) -> Iterator[Part]:
    if way.takes.mint and way.takes.mint == way.gives.mint:
        yield replace(part, source=None, cache=None, quirks=())
        return
    what = "redacted_thinking" if part.redacted else "thinking"
    way.lose(what, where, f"{way.target} takes no thinking but its own, and nobody can seal it for another")


def _refusal(way: Way, part: Refusal, where: str) -> Iterator[Part]:
    if way.takes.refusal:
        yield replace(part, source=None, quirks=())
        return
    way.lose("refusal marker", where, f"{way.target} has no refusals", "its words as text")
    yield Text(text=part.text, quirks=BLOCK)


def _call(way: Way, part: ToolCall, where: str) -> Iterator[Part]:
    if part.kind == "server":
        way.lose(_type_of(part.source, "server tool call"), where, f"a tool that {way.source} runs by itself")
        return
    _tell_members(way, "call", part.source, where)
    kind, arguments = "function", part.arguments
    if part.kind == "custom":
        if way.takes.custom_calls:
            kind = "custom"
        else:
            way.lose("custom call", where, f"{way.target} has calls with JSON arguments only", '{"input": ...}')
            arguments = {"input": arguments}
    elif part.kind not in ("function", None):
        way.lose(f"{part.kind}", where, f"only {way.source} has this tool", "a call of its name")
    seal = _seal(way, part, where) or way.takes.unsealed_call or None
    yield ToolCall(
        id=part.id,
        name=part.name,
        arguments=arguments if kind == "custom" else _arguments(way, arguments),
        kind=kind,
        beside=way.takes.beside,
        seal=seal,
    )


def _arguments(way: Way, arguments: Any) -> Any:
    if way.takes.arguments == "object":
        return parsed(arguments)
    return arguments if isinstance(arguments, str) else written(arguments) or "{}"


def _result(way: Way, part: ToolResult, where: str) -> Iterator[Part]:
    if part.kind != "tool":
        way.lose(part.kind, where, f"the result of a tool that {way.source} runs by itself")
        return
    _tell_members(way, "result", part.source, where)
    if part.error and not way.takes.error_flag:
        way.lose("is_error", where, f"{way.target} has no mark for a result that is an error", "its words alone")
    inner = tuple(new for each in part.parts for new in _carried_inner(way, each, where))
    yield ToolResult(
        call_id=part.call_id,
        parts=inner,
        error=(part.error or None) if way.takes.error_flag else None,
        name=part.name if way.takes.result_names else None,
        call_kind="custom" if part.call_kind == "custom" and way.takes.custom_calls else "function",
        beside=way.takes.beside,
    )


def _carried_inner(way: Way, part: Part, where: str) -> Iterator[Part]:
    if part.cache is not None and way.gives.mark is not None:
        way.lose("cache mark", where, f"{way.target} has none inside a result")
    if isinstance(part, Media):
        # What cannot stay in a result may still move behind it: that is settled when results are placed.
        yield from carried_media(way, part, where, way.takes.media | way.takes.in_results)
    elif isinstance(part, Text):
        _tell_members(way, "text", part.source, where)
        yield Text(text=part.text)
    else:
        yield from _carried_part(way, part, where)


def _seal(way: Way, part: Part, where: str) -> str | None:
    """The seal of a part, where it goes back to who made it."""
    if part.seal is None or (way.takes.mint and way.takes.mint == way.gives.mint):
        return part.seal
    _tell_seal(way, part, where)
    return None


def _tell_seal(way: Way, part: Part, where: str) -> None:
    if part.seal is not None and way.takes.mint != way.gives.mint:
        way.lose("thought signature", where, f"only {way.source} can read it")


def _tell_members(way: Way, kind: str, source: object, where: str) -> None:
    """A loss for each member of the source whose meaning is not carried."""
    known = way.gives.known.get(_type_of(source, kind) if kind == "text" else kind)
    if known is None or not is_object(source):
        return
    for name, value in source.items():
        if name not in known and value not in (None, "", [], {}):
            way.lose(name, where, f"{way.target} has no {name} here")


def _type_of(source: object, other: str) -> str:
    kind = source.get("type") if is_object(source) else None
    return kind if isinstance(kind, str) else other
