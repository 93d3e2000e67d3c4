"""What a GenAI message has to be, after the conventions' own JSON Schema, in a table of ours.

open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-input-messages.json, read 2026-11-19. The schema lets any
object with a `type` pass as a generic part; here the types that it names have to have what it says of them.
"""

from collections.abc import Iterator
from typing import Any

# For each type of part: the members that it must have, with their type, and those that may also be null.
PARTS: dict[str, tuple[dict[str, type | tuple[type, ...]], tuple[str, ...]]] = {
    "text": ({"content": str}, ()),
    "reasoning": ({"content": str}, ()),
    "tool_call": ({"name": str}, ("id",)),
    "tool_call_response": ({"response": object}, ("id",)),
    "server_tool_call": ({"name": str, "server_tool_call": dict}, ("id",)),
    "server_tool_call_response": ({"server_tool_call_response": dict}, ("id",)),
    "blob": ({"modality": str, "content": str}, ("mime_type",)),
    "uri": ({"modality": str, "uri": str}, ("mime_type",)),
    "file": ({"modality": str, "file_id": str}, ("mime_type",)),
}


def faults(messages: list[Any]) -> Iterator[str]:
    """What the schema would refuse, in words."""
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            yield f"{index}: no role"
            continue
        if not isinstance(message.get("parts"), list):
            yield f"{index}: no parts"
            continue
        for number, part in enumerate(message["parts"]):
            yield from (f"{index}.{number}: {fault}" for fault in _part(part))


def _part(part: Any) -> Iterator[str]:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        yield "no type"
        return
    must, may = PARTS.get(part["type"], ({}, ()))
    for name, kind in must.items():
        if name not in part or not isinstance(part[name], kind):
            yield f"{part['type']} wants {name}"
    for name in may:
        if part.get(name) is not None and not isinstance(part[name], str):
            yield f"{part['type']}: {name} is no string"
