"""Histories in the shapes of stores: OpenAI Chat messages told again in each of their forms, by hand."""

import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

Message = dict[str, Any]
Messages = list[Message]

_TYPES = {"user": "human", "assistant": "ai", "system": "system", "tool": "tool"}
_CLASSES = {"user": "HumanMessage", "assistant": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}


def _arguments(call: Message) -> Any:
    try:
        return json.loads(call["function"]["arguments"])
    except (TypeError, ValueError):
        return call["function"]["arguments"]


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(block.get("text", "") for block in content)
    return content or ""


def _image(block: Message) -> tuple[str, str]:
    head, _, data = block["image_url"]["url"].partition(",")
    return head.removeprefix("data:").removesuffix(";base64"), data


# --- LangChain --------------------------------------------------------------------------------------------------------


def _members(message: Message) -> Message:
    """What LangChain keeps of a message, as `model_dump` writes it."""
    held: Message = {"content": message.get("content"), "additional_kwargs": {}, "response_metadata": {}}
    if held["content"] is None:
        held["content"] = ""
    if message["role"] == "assistant":
        calls = message.get("tool_calls") or []
        named = [{"name": c["function"]["name"], "args": _arguments(c), "id": c["id"]} for c in calls]
        held["tool_calls"] = [{**call, "type": "tool_call"} for call in named]
        held |= {"invalid_tool_calls": [], "usage_metadata": None}
    if message["role"] == "tool":
        held |= {"tool_call_id": message["tool_call_id"], "status": "success"}
    return {**held, "type": _TYPES[message["role"]], "name": None, "id": None}


def langchain(messages: Messages) -> Messages:
    return [{"type": _TYPES[message["role"]], "data": _members(message)} for message in messages]


def langchain_flat(messages: Messages) -> Messages:
    return [_members(message) for message in messages]


def langchain_dumpd(messages: Messages) -> Messages:
    head = {"lc": 1, "type": "constructor"}
    path = ["langchain", "schema", "messages"]
    return [{**head, "id": [*path, _CLASSES[m["role"]]], "kwargs": _members(m)} for m in messages]


# --- OpenTelemetry ----------------------------------------------------------------------------------------------------


def _otel_parts(message: Message) -> Iterator[Message]:
    content = message.get("content")
    if message["role"] == "tool":
        yield {"type": "tool_call_response", "id": message["tool_call_id"], "response": _text(content)}
        return
    for block in content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []:
        if block["type"] == "image_url":
            mime, data = _image(block)
            yield {"type": "blob", "modality": "image", "mime_type": mime, "content": data}
        else:
            yield {"type": "text", "content": block["text"]}
    for call in message.get("tool_calls") or []:
        name = call["function"]["name"]
        yield {"type": "tool_call", "id": call["id"], "name": name, "arguments": _arguments(call)}


def otel(messages: Messages) -> Messages:
    return [{"role": message["role"], "parts": list(_otel_parts(message))} for message in messages]


# --- The AI SDK -------------------------------------------------------------------------------------------------------


def _model(message: Message) -> Message:
    content = message.get("content")
    if message["role"] == "tool":
        head = {"type": "tool-result", "toolCallId": message["tool_call_id"], "toolName": "f"}
        return {"role": "tool", "content": [{**head, "output": {"type": "text", "value": _text(content)}}]}
    calls = [_model_call(call) for call in message.get("tool_calls") or []]
    if message["role"] == "system" or (isinstance(content, str) and not calls):
        return {"role": message["role"], "content": _text(content)}
    return {"role": message["role"], "content": [*_model_blocks(content), *calls]}


def _model_call(call: Message) -> Message:
    name = call["function"]["name"]
    return {"type": "tool-call", "toolCallId": call["id"], "toolName": name, "input": _arguments(call)}


def _model_blocks(content: Any) -> Iterator[Message]:
    for block in content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []:
        if block["type"] == "image_url":
            mime, data = _image(block)
            yield {"type": "image", "image": data, "mediaType": mime}
        else:
            yield {"type": "text", "text": block["text"]}


def ai_sdk(messages: Messages) -> Messages:
    return [_model(message) for message in messages]


def ai_sdk_ui(messages: Messages) -> Messages:
    """One UIMessage for all that the assistant did at a stretch; a result that answers no call of it has no place."""
    out: Messages = []
    waiting: dict[str, list[Message]] = {}
    ids = count(1)
    for message in messages:
        role = message["role"]
        if role == "tool":
            open_calls = waiting.get(message["tool_call_id"])
            if open_calls:
                open_calls.pop(0).update(state="output-available", output=_text(message.get("content")))
            continue
        if role != "assistant" or not out or out[-1]["role"] != "assistant":
            out.append({"id": f"m{next(ids)}", "role": role, "parts": []})
            waiting = {}
        parts = out[-1]["parts"]
        if role == "assistant":
            parts.append({"type": "step-start"})
        parts += map(_ui_block, _model_blocks(message.get("content")))
        for call in message.get("tool_calls") or []:
            part = {"type": f"tool-{call['function']['name']}", "toolCallId": call["id"], "state": "input-available"}
            part["input"] = _arguments(call)
            waiting.setdefault(call["id"], []).append(part)
            parts.append(part)
    return out


def _ui_block(block: Message) -> Message:
    if block["type"] != "image":
        return block
    mime = block["mediaType"]
    return {"type": "file", "mediaType": mime, "url": f"data:{mime};base64,{block['image']}"}


FORMS: dict[str, Callable[[Messages], Messages]] = {
    "langchain": langchain,
    "langchain:dumpd": langchain_dumpd,
    "langchain:flat": langchain_flat,
    "otel": otel,
    "ai-sdk": ai_sdk,
    "ai-sdk:ui": ai_sdk_ui,
}
