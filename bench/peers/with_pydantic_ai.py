"""pydantic-ai: `repair_messages` on its own objects; what its OpenAI model then sends is what is judged.

It reads no OpenAI dicts, so the objects are made here, and making them is timed apart. The request is caught on its
way out: the client is given an address inside this process.
"""

import json
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import httpx2
from contest import Messages, compete
from openai import AsyncOpenAI
from pydantic_ai import messages as parts
from pydantic_ai.direct import model_request_sync
from pydantic_ai.messages import ModelMessage, repair_messages
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

ANSWER = {
    "id": "answer",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-4o",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}],
}


class Wire(httpx2.AsyncBaseTransport):
    """Keeps the body of the last request instead of sending it."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.body = json.loads(await request.aread())
        return httpx2.Response(200, json=ANSWER)


WIRE = Wire()
CLIENT = AsyncOpenAI(
    api_key="none", base_url="http://inside/v1", http_client=httpx2.AsyncClient(transport=WIRE), max_retries=0
)
MODEL = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(openai_client=CLIENT))


def objects(messages: Messages, *, together: bool) -> list[ModelMessage]:
    """pydantic-ai's objects for OpenAI dicts.

    `together` makes one request of a run of user and tool messages, as its agent does: intact histories are cleaned
    faster so. Apart, more is mended, since it puts results first only where it joins two requests.
    """
    made: list[ModelMessage] = []
    names: dict[str, str] = {}
    for message in messages:
        if message["role"] == "assistant":
            made.append(parts.ModelResponse(parts=_said(message, names)))
        elif together and made and isinstance(made[-1], parts.ModelRequest):
            made[-1].parts.append(_asked(message, names))
        else:
            made.append(parts.ModelRequest(parts=[_asked(message, names)]))
    return made


def _said(message: dict[str, Any], names: dict[str, str]) -> list[Any]:
    content = message.get("content")
    texts = [content] if isinstance(content, str) else [part["text"] for part in content or [] if "text" in part]
    said: list[Any] = [parts.TextPart(text) for text in texts]
    for call in message.get("tool_calls") or []:
        names[call["id"]] = call["function"]["name"]
        function = call["function"]
        said.append(parts.ToolCallPart(function["name"], args=function["arguments"], tool_call_id=call["id"]))
    return said


def _asked(message: dict[str, Any], names: dict[str, str]) -> Any:
    content = message["content"]
    if message["role"] == "system":
        return parts.SystemPromptPart(content or "")
    if message["role"] == "user":
        return parts.UserPromptPart(content if isinstance(content, str) else [_input(part) for part in content])
    text = content if isinstance(content, str) else "".join(part["text"] for part in content or [])
    call_id = message["tool_call_id"]
    return parts.ToolReturnPart(names.get(call_id, "unknown"), text, tool_call_id=call_id)


def _input(part: dict[str, Any]) -> Any:
    if part["type"] == "text":
        return part["text"]
    return parts.BinaryContent.from_data_uri(part["image_url"]["url"])


def mend(messages: Messages) -> Messages:
    WIRE.body = {}
    model_request_sync(MODEL, repair_messages(objects(messages, together=False)))
    return WIRE.body["messages"]


def on_objects(messages: Messages) -> Callable[[], object]:
    made = objects(messages, together=True)
    return lambda: repair_messages(made)


if __name__ == "__main__":
    compete(
        version("pydantic-ai-slim"),
        mend,
        {
            "repair_messages (objects at hand)": on_objects,
            "make objects, repair_messages": lambda messages: lambda: repair_messages(objects(messages, together=True)),
        },
    )
