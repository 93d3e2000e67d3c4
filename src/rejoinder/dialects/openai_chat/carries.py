"""What OpenAI Chat can say, and its outdated calls in today's form."""

from __future__ import annotations

from msgspec.structs import replace

from rejoinder.dialects.carries import Carries
from rejoinder.values.conversation import Conversation, Message
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Opaque, Part, ToolCall, ToolResult

CARRIES = Carries(
    system_roles=("system", "developer"),
    results="messages",
    beside=True,
    media=frozenset({"image", "audio", "document"}),
    by_url=frozenset({"image"}),
    detail=True,
    refusal=True,
    custom_calls=True,
    arguments="text",
    files="openai",
    known={
        "message": frozenset(
            {"role", "content", "tool_calls", "tool_call_id", "refusal", "function_call", "audio", "annotations"}
        ),
        "text": frozenset({"type", "text"}),
        "call": frozenset({"id", "type", "function", "custom"}),
        "image_url": frozenset({"type", "image_url", "url"}),
        "input_audio": frozenset({"type", "input_audio", "data", "format"}),
        "file": frozenset({"type", "file", "filename", "file_data", "file_id"}),
    },
)


def plain(conversation: Conversation) -> Conversation:
    """The conversation with calls of the old form (`function_call`, role `function`) as calls and results."""
    if not any(isinstance(message, Message) and _is_old(message) for message in conversation.messages):
        return conversation
    messages: list[Message] = []
    called = ""
    for index, message in enumerate(conversation.messages):
        if not isinstance(message, Message):
            continue
        if message.role == "function":
            result = ToolResult(call_id=called or None, parts=message.parts, name=_name(message), beside=True)
            message = replace(message, role="tool", parts=(result,), source=None)
        elif _is_old(message):
            called = f"call_fn_{index}"
            message = replace(message, parts=tuple(_today(part, called) for part in message.parts))
        messages.append(message)
    return replace(conversation, messages=tuple(messages))


def _is_old(message: Message) -> bool:
    return any(isinstance(part, Opaque) and part.kind == "function_call" for part in message.parts)


def _name(message: Message) -> str | None:
    name = message.source.get("name") if is_object(message.source) else None
    return name if isinstance(name, str) else None


def _today(part: Part, call_id: str) -> Part:
    if not isinstance(part, Opaque) or part.kind != "function_call" or not is_object(part.source):
        return part
    return ToolCall(id=call_id, name=part.source.get("name"), arguments=part.source.get("arguments"), beside=True)
