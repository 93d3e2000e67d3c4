"""Random histories in the shape of Bedrock Converse: those of Anthropic, block for block, and back again.

The way is one for one, so that a fault of the one shape is the same fault of the other.
"""

from typing import Any

Message = dict[str, Any]
Messages = list[Message]


def as_converse(messages: Messages) -> Messages:
    """Anthropic messages as those of Converse."""
    return [{"role": message["role"], "content": as_content(message["content"])} for message in messages]


def as_content(content: Any) -> Any:
    if isinstance(content, str):
        return [{"text": content}]
    return content and [_as_union(block) for block in content]


def _as_union(block: Message) -> Message:
    if block["type"] == "thinking":
        return {"reasoningContent": {"reasoningText": {"text": block["thinking"], "signature": block["signature"]}}}
    if block["type"] == "image":
        return {"image": {"format": "png", "source": {"bytes": block["source"]["data"]}}}
    if block["type"] == "tool_use":
        return {"toolUse": {"toolUseId": block["id"], "name": block["name"], "input": block["input"]}}
    if block["type"] == "tool_result":
        status = {"status": "error"} if block.get("is_error") else {}
        return {"toolResult": {"toolUseId": block["tool_use_id"], "content": as_content(block["content"]), **status}}
    return {"text": block["text"]}


def as_messages(messages: Messages) -> Messages:
    """The messages of Converse as Anthropic's again."""
    return [{**message, "content": [_as_typed(block) for block in message["content"]]} for message in messages]


def _as_typed(block: Message) -> Message:
    ((kind, held),) = block.items()
    if kind == "reasoningContent":
        said = held["reasoningText"]
        return {"type": "thinking", "thinking": said["text"], "signature": said["signature"]}
    if kind == "image":
        source = {"type": "base64", "media_type": "image/png", "data": held["source"]["bytes"]}
        return {"type": "image", "source": source}
    if kind == "toolUse":
        return {"type": "tool_use", "id": held["toolUseId"], "name": held["name"], "input": held["input"]}
    if kind == "toolResult":
        error = {"is_error": True} if held.get("status") == "error" else {}
        content = [_as_typed(each) for each in held["content"]]
        return {"type": "tool_result", "tool_use_id": held["toolUseId"], "content": content, **error}
    return {"type": "text", "text": held}


def taking_turns(messages: Messages) -> Messages:
    """Neighbours of one role as one message."""
    found: Messages = []
    for message in messages:
        if found and found[-1]["role"] == message["role"]:
            found[-1]["content"] += message["content"]
        else:
            found.append(message)
    return found
