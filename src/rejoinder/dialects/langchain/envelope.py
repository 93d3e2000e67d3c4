"""What a dumped message is wrapped in: `{"type", "data"}`, `{"lc", "type", "id", "kwargs"}`, or nothing."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.shape import Block
from rejoinder.values.conversation import SPEAKERS
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.payload import Payload, messages_of

# The forms besides the usual one, that of `messages_to_dict`.
FORMS = ("dumpd", "flat")
# What each role is called, and the class that `dumpd` names.
_TYPES = {"user": "human", "assistant": "ai", "system": "system", "developer": "system", "tool": "tool"}
_CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}


def form_of(raw: Any) -> str | None:
    """The form of one message; None where it shows none."""
    if not is_object(raw):
        return None
    if is_object(raw.get("kwargs")) and raw.get("type") == "constructor":
        return "dumpd"
    if is_object(raw.get("data")) and "content" not in raw:
        return ""
    return "flat" if isinstance(raw.get("type"), str) else None


def in_form(payload: Payload, form: str) -> bool:
    """Is the payload written in this form? The first message that shows one tells."""
    found = (form_of(raw) for raw in messages_of(payload))
    return next((each for each in found if each is not None), None) == form


def members(raw: Block) -> Block:
    """The members of a message, out of what it is wrapped in, with the role that it speaks in."""
    form = form_of(raw)
    held: Block = raw["kwargs"] if form == "dumpd" else raw["data"] if form == "" else raw
    return {**held, "role": _role(raw, held, form)}


def _role(raw: Block, held: Block, form: str | None) -> Any:
    kind = held.get("type")
    if form == "" and isinstance(raw.get("type"), str):
        kind = raw["type"]
    elif form == "dumpd" and not isinstance(kind, str):
        kind = _named(raw.get("id"))
    if kind == "chat" or kind is None:
        return held.get("role")
    if not isinstance(kind, str):
        return kind
    kind = kind.removesuffix("MessageChunk").lower() if kind.endswith("MessageChunk") else kind
    return SPEAKERS.get(kind, kind)


def _named(path: Any) -> str | None:
    """The type that a class name in the path of a constructor means."""
    name = path[-1] if is_array(path) and path else None
    return str(name).removesuffix("Chunk").removesuffix("Message").lower() if name is not None else None


def wrapped(raw: Block, held: Block) -> Block:
    """The message with other members, in what it was wrapped in; each member stands where it stood."""
    form = form_of(raw)
    old: Block = raw["kwargs"] if form == "dumpd" else raw["data"] if form == "" else raw
    was = members(raw)["role"]
    new = {key: held[key] for key in dict.fromkeys((*old, *held)) if key in held and (key != "role" or key in old)}
    if "role" in old:
        new["role"] = old["role"]
    if held.get("role") == was:
        return new if form == "flat" or form is None else {**raw, "kwargs" if form == "dumpd" else "data": new}
    kind = _TYPES.get(str(held.get("role")), "chat")
    new = _typed(new, kind, held.get("role"))
    if form == "dumpd":
        path = raw.get("id")
        return {**raw, "id": [*(path[:-1] if is_array(path) else ()), _class(kind)], "kwargs": new}
    return new if form != "" else {**raw, "type": kind, "data": new}


def _typed(held: Block, kind: str, role: Any) -> Block:
    held = {**held, "type": kind} if "type" in held else held
    return {**held, "role": role} if kind == "chat" else held


def fresh(held: Block, form: str) -> Block:
    """A message that we made, in a form."""
    role = held.pop("role")
    kind = _TYPES.get(str(role), "chat")
    body = {**held, "type": kind, **({"role": role} if kind == "chat" else {})}
    if form == "dumpd":
        path = ["langchain", "schema", "messages", _class(kind)]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": body}
    return {"type": kind, "data": body} if form == "" else body


def _class(kind: str) -> str:
    return _CLASSES.get(kind, "ChatMessage")


def path_to(raw: Block) -> str:
    """The JSON pointer from a message to its members."""
    return {"dumpd": "/kwargs", "": "/data", "flat": "", None: ""}[form_of(raw)]
