"""Random histories in the shape of Gemini: those of Anthropic, block for part, and back again.

The way is one for one, so that a fault of the one shape is the same fault of the other.
"""

from base64 import b64decode, b64encode
from typing import Any

Message = dict[str, Any]
Messages = list[Message]


def as_contents(messages: Messages, *, signed: bool = True) -> Messages:
    """Anthropic messages as contents. A result has the name of the nearest call with its id.

    Where they are to be `signed`, the first call of each content is.
    """
    names: dict[str, str] = {}
    contents: Messages = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        asked = [block for block in blocks or () if block["type"] == "tool_use"]
        names |= {block["id"]: block["name"] for block in asked}
        parts = None if blocks is None else [as_part(block, names) for block in blocks]
        if asked and parts and signed:
            first = next(part for part in parts if "functionCall" in part)
            first["thoughtSignature"] = b64encode(f"seal of {asked[0]['id']}".encode()).decode()
        contents.append({"role": "model" if message["role"] == "assistant" else message["role"], "parts": parts})
    return contents


def as_part(block: Message, names: dict[str, str]) -> Message:
    if block["type"] == "thinking":
        seal = b64encode(block["signature"].encode()).decode()
        return {"text": block["thinking"], "thought": True, "thoughtSignature": seal}
    if block["type"] == "image":
        return {"inlineData": {"mimeType": block["source"]["media_type"], "data": block["source"]["data"]}}
    if block["type"] == "tool_use":
        call = {"functionCall": {"id": block["id"], "name": block["name"], "args": block["input"]}}
        return {**call, **({"thoughtSignature": block["seal"]} if "seal" in block else {})}
    if block["type"] == "tool_result":
        call_id, content = block["tool_use_id"], block["content"]
        words = content if isinstance(content, str) or content is None else "".join(each["text"] for each in content)
        name = block.get("name") or names.get(call_id, "search")
        response = {"error" if block.get("is_error") else "output": words}
        return {"functionResponse": {"id": call_id, "name": name, "response": response}}
    return {"text": block["text"]}


def as_messages(contents: Messages) -> Messages:
    """The contents as Anthropic messages again."""
    return [
        {
            "role": "assistant" if content["role"] == "model" else content["role"],
            "content": content["parts"] and [as_block(part) for part in content["parts"]],
        }
        for content in contents
    ]


def as_block(part: Message) -> Message:
    if part.get("thought"):
        signature = b64decode(part["thoughtSignature"]).decode()
        return {"type": "thinking", "thinking": part["text"], "signature": signature}
    if "inlineData" in part:
        held = part["inlineData"]
        source = {"type": "base64", "media_type": held["mimeType"], "data": held["data"]}
        return {"type": "image", "source": source}
    if "functionCall" in part:
        call = part["functionCall"]
        seal = {"seal": part["thoughtSignature"]} if "thoughtSignature" in part else {}
        return {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"], **seal}
    if "functionResponse" in part:
        result = part["functionResponse"]
        ((kind, words),) = result["response"].items()
        error = {"is_error": True} if kind == "error" else {}
        head = {"type": "tool_result", "tool_use_id": result["id"], "name": result["name"]}
        return {**head, "content": words, **error}
    return {"type": "text", "text": part["text"]}


def without_ids(contents: Messages) -> Messages:
    """The contents with no id on any call or result."""
    return [
        {**content, "parts": content["parts"] and [bare(part) for part in content["parts"]]} for content in contents
    ]


def bare(part: Message) -> Message:
    return {
        name: {key: each for key, each in held.items() if key != "id"} if isinstance(held, dict) else held
        for name, held in part.items()
    }


def in_snake(value: Any) -> Any:
    """The payload in the spelling of the protos; what is inside arguments and responses stays as it is."""
    if isinstance(value, list):
        return [in_snake(each) for each in value]
    if not isinstance(value, dict):
        return value
    own = ("args", "response")
    return {_SNAKE.get(name, name): each if name in own else in_snake(each) for name, each in value.items()}


_SNAKE = {
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "inlineData": "inline_data",
    "mimeType": "mime_type",
    "thoughtSignature": "thought_signature",
    "systemInstruction": "system_instruction",
    "generationConfig": "generation_config",
}
