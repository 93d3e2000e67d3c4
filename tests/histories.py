"""Random intact histories in several dialects, drawn from one `random.Random`: the same seed, the same bytes.

Only `rng.random()` is ever called: it is the cheapest draw, and where Hypothesis stands behind it, small numbers mean
the plain choice (`chance` says no, `pick` takes the first), so that failing examples shrink to something readable.
"""

from collections.abc import Callable, Sequence
from itertools import count
from random import Random
from typing import Any, NamedTuple, TypeVar

from bedrock_shape import as_converse, taking_turns
from gemini_shape import as_contents

Message = dict[str, Any]
Messages = list[Message]
T = TypeVar("T")

DIALECTS = (
    *("openai-chat", "anthropic", "app", "neovate", "gemini", "openai-responses", "mistral", "deepseek"),
    "bedrock",
)
# Those in the shape of OpenAI Chat.
CHAT = ("openai-chat", "mistral", "deepseek")
# Where the messages of a body are, if not in `messages`.
HELD_IN = {"gemini": "contents", "openai-responses": "input"}
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
_TOOLS = ("read_file", "search", "run_tests", "get_weather")
_FEW, _SOME, _HALF, _MOST = 0.12, 0.3, 0.5, 0.7


def chance(rng: Random, share: float) -> bool:
    return rng.random() >= 1.0 - share


def below(rng: Random, end: int) -> int:
    return int(rng.random() * end)


def pick(rng: Random, items: Sequence[T]) -> T:
    return items[below(rng, len(items))]


# --- Reading a message of any dialect ---------------------------------------------------------------------------------


def blocks(message: Message) -> list[Message]:
    content = message.get("content", message.get("parts"))
    return content if isinstance(content, list) else []


def calls(message: Message) -> list[Message]:
    if "parts" in message:
        return [part["functionCall"] for part in blocks(message) if "functionCall" in part]
    if message.get("type") == "function_call":
        return [message]
    inside = [block["toolUse"] for block in blocks(message) if "toolUse" in block]
    if inside:
        return inside
    held = message.get("tool_calls") or message.get("toolCalls")
    if held is None and message.get("role") == "assistant":
        return [block for block in blocks(message) if block.get("type") == "tool_use"]
    return held or []


def results(message: Message) -> list[Message]:
    """The results in a message: the message itself where a tool message is one result, else those of its blocks."""
    if "parts" in message:
        return [part["functionResponse"] for part in blocks(message) if "functionResponse" in part]
    if "tool_call_id" in message or "toolCallId" in message or message.get("type") == "function_call_output":
        return [message]
    content = message.get("content")
    if isinstance(content, list) and message.get("role") in ("user", "tool"):
        if any("toolResult" in block for block in content):
            return [block["toolResult"] for block in content if "toolResult" in block]
        return [block for block in content if block.get("type") in ("tool_result", "tool-result")]
    return []


def result_key(result: Message) -> str:
    return next(
        key for key in ("tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "call_id", "id") if key in result
    )


def call_key(call: Message) -> str:
    """The member that names a call; its `id` is another thing where it has a `call_id`."""
    return next(key for key in ("call_id", "toolUseId", "id") if key in call)


def texts_in(message: Message) -> list[Message]:
    if "parts" in message:
        return [part for part in blocks(message) if "text" in part and not part.get("thought")]
    kinds = ("text", "input_text", "output_text")
    return [block for block in blocks(message) if block.get("type") in kinds or block.keys() == {"text"}]


_ALSO = {"user": "user", "assistant": "model"}


def user_texts(messages: Messages) -> list[str]:
    """What users wrote, in order, without what is blank."""
    return _spoken(messages, "user")


def assistant_texts(messages: Messages) -> list[str]:
    """What assistants wrote, in order, without what is blank (thinking and calls are no texts)."""
    return _spoken(messages, "assistant")


def _spoken(messages: Messages, role: str) -> list[str]:
    found: list[str] = []
    for message in messages:
        if message.get("role") in (role, _ALSO[role]):
            content = message.get("content")
            found += [content] if isinstance(content, str) else [block["text"] for block in texts_in(message)]
    return [text for text in found if text.strip()]


# --- Writing a message in each dialect --------------------------------------------------------------------------------


class Call(NamedTuple):
    id: str
    tool: str
    number: int


def _parts(*texts: str) -> list[Message]:
    return [{"type": "text", "text": text} for text in texts]


def parts_in(dialect: str, role: str, *texts: str) -> list[Message]:
    """Texts as the blocks that the dialect has for who speaks."""
    if dialect != "openai-responses":
        return _parts(*texts)
    if role == "assistant":
        return [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return [{"type": "input_text", "text": text} for text in texts]


def write_text(dialect: str, role: str, content: str | list[Message]) -> Message:
    message: Message = {"role": role, "content": content}
    if dialect == "gemini":
        return as_contents([message])[0]
    if dialect == "bedrock":
        return as_converse([message])[0]
    if dialect == "app":
        message["segments"] = []
    if dialect == "deepseek" and role == "assistant":
        message["reasoning_content"] = "thinking"
    return message


def _image(dialect: str) -> Message:
    if dialect == "anthropic":
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _PIXEL}}
    if dialect == "openai-responses":
        return {"type": "input_image", "image_url": "data:image/png;base64," + _PIXEL, "detail": "auto"}
    return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + _PIXEL}}


def write_call(dialect: str, call: Call) -> Message:
    if dialect == "gemini":
        return {"functionCall": {"id": call.id, "name": call.tool, "args": {"n": call.number}}}
    if dialect == "bedrock":
        return {"toolUse": {"toolUseId": call.id, "name": call.tool, "input": {"n": call.number}}}
    if dialect in (*CHAT, "app"):
        function = {"name": call.tool, "arguments": f'{{"n": {call.number}}}'}
        return {"id": call.id, "type": "function", "function": function}
    if dialect == "openai-responses":
        said = f'{{"n": {call.number}}}'
        return {"type": "function_call", "call_id": call.id, "name": call.tool, "arguments": said}
    return {"type": "tool_use", "id": call.id, "name": call.tool, "input": {"n": call.number}}


def write_turn(rng: Random, dialect: str, text: str | None, asked: list[Call]) -> Messages:
    """What the assistant says when it calls: one message, or one item each, perhaps behind reasoning."""
    if dialect != "openai-responses":
        return [write_asking(rng, dialect, text, asked)]
    said = [] if text is None else [{"role": "assistant", "content": text}]
    items: Messages = [*said, *(write_call(dialect, call) for call in asked)]
    if not chance(rng, _SOME):
        return items
    # Reasoning is only sent again with the ids of all that came with it.
    thought = {"type": "reasoning", "summary": [], "encrypted_content": f"sealed {asked[0].number}"}
    named = [thought, *items]
    for number, item in enumerate(named):
        prefix = {"reasoning": "rs", "function_call": "fc"}.get(item.get("type", ""), "msg")
        item["id"] = f"{prefix}_{asked[0].number:040x}{number:08x}"
        if prefix == "msg":
            item |= {"type": "message", "status": "completed", "content": parts_in(dialect, "assistant", text or "")}
    return named


def write_asking(rng: Random, dialect: str, text: str | None, asked: list[Call]) -> Message:
    """An assistant message with calls, and perhaps a text or thinking in front of them."""
    if dialect == "gemini":
        return as_contents([write_asking(rng, "anthropic", text, asked)])[0]
    if dialect == "bedrock":
        return as_converse([write_asking(rng, "anthropic", text, asked)])[0]
    written = [write_call(dialect, call) for call in asked]
    if dialect == "app":
        return {"role": "assistant", "content": text or "", "toolCalls": written, "segments": []}
    if dialect in CHAT:
        message: Message = {"role": "assistant", "content": text, "tool_calls": written}
        if dialect == "deepseek":
            message["reasoning_content"] = f"thinking {asked[0].number}"
        if text is None and chance(rng, _SOME):
            del message["content"]
        return message
    content = (_parts(text) if text else []) + written
    if dialect == "anthropic" and chance(rng, _SOME):
        n = asked[0].number
        content.insert(0, {"type": "thinking", "thinking": f"thinking {n}", "signature": f"signature{n}"})
    return {"role": "assistant", "content": content}


def write_result(rng: Random, dialect: str, call: Call) -> Message:
    """One result: a message of its own for openai-chat and app, else a block."""
    text = f"result {call.number}"
    if dialect == "app":
        return {"role": "tool", "toolCallId": call.id, "content": text}
    if dialect == "neovate":
        result = {"llmContent": text, "isError": False}
        head = {"type": "tool-result", "toolCallId": call.id, "toolName": call.tool}
        return {**head, "input": {"n": call.number}, "result": result}
    content = parts_in(dialect, "user", text) if chance(rng, _FEW) else text
    if dialect == "openai-responses":
        return {"type": "function_call_output", "call_id": call.id, "output": content}
    if dialect in CHAT:
        # As in the wild: DeepSeek wants a string here, Mistral takes the name of the tool.
        content = text if dialect == "deepseek" else content
        named = {"name": call.tool} if dialect == "mistral" and chance(rng, _SOME) else {}
        return {"role": "tool", "tool_call_id": call.id, "content": content, **named}
    error = {"is_error": True} if chance(rng, _FEW) else {}
    return {"type": "tool_result", "tool_use_id": call.id, "content": content, **error}


def write_answers(rng: Random, dialect: str, asked: list[Call], after: str) -> Messages:
    """The messages with the results, in any order; an Anthropic turn may go on with the user's text (`after`)."""
    if dialect == "gemini":
        asking = write_asking(rng, "anthropic", None, asked)
        return as_contents([asking, *write_answers(rng, "anthropic", asked, after)])[1:]
    if dialect == "bedrock":
        return taking_turns(as_converse(write_answers(rng, "anthropic", asked, after)))
    written = [write_result(rng, dialect, call) for call in asked]
    if len(written) > 1 and chance(rng, _SOME):
        written.sort(key=lambda _: rng.random())
    if dialect in (*CHAT, "app", "openai-responses"):
        return written
    role = "user" if dialect == "anthropic" else "tool"
    apart = len(written) > 1 and chance(rng, _FEW if dialect == "anthropic" else _MOST)
    found = (
        [{"role": role, "content": [result]} for result in written] if apart else [{"role": role, "content": written}]
    )
    if dialect == "anthropic" and chance(rng, _SOME):
        found[-1]["content"] += _parts(after)
    return found


# --- Intact histories -------------------------------------------------------------------------------------------------


class Story:
    """One history in the making: numbers every text and call, so that each can be traced through a repair."""

    def __init__(self, rng: Random, dialect: str) -> None:
        self.rng, self.dialect = rng, dialect
        self.messages: Messages = []
        self.number: Callable[[], int] = count(1).__next__
        # Some servers give the same id to every call: legal where ids are matched within one run of results only.
        self.constant_ids = dialect == "openai-chat" and chance(rng, _FEW)

    def system(self) -> None:
        self.messages.append(write_text(self.dialect, "system", f"system text {self.number()}"))

    def user(self) -> None:
        rng, text = self.rng, f"user text {self.number()}"
        content: str | list[Message] = text
        if self.dialect != "app" and chance(rng, _FEW):
            texts = (text, f"user text {self.number()}") if chance(rng, _SOME) else (text,)
            content = parts_in(self.dialect, "user", *texts)
            if self.dialect not in ("neovate", "deepseek") and chance(rng, _SOME):
                content.append(_image(self.dialect))
        self.messages.append(write_text(self.dialect, "user", content))

    def assistant(self) -> None:
        text = f"assistant text {self.number()}"
        as_parts = self.dialect == "neovate" or (self.dialect not in ("app", "deepseek") and chance(self.rng, _FEW))
        self.messages.append(
            write_text(self.dialect, "assistant", parts_in(self.dialect, "assistant", text) if as_parts else text)
        )

    def exchange(self) -> None:
        rng = self.rng
        numbers = [self.number() for _ in range(2 + below(rng, 3) if chance(rng, _SOME) else 1)]
        stem = "toolu_" if self.dialect in ("anthropic", "neovate") else "call_"
        ids = range(len(numbers)) if self.constant_ids else numbers
        # For Mistral nine letters and digits, neither more nor fewer.
        spelled = [f"id{i:07}" if self.dialect == "mistral" else f"{stem}{i}" for i in ids]
        asked = [Call(name, pick(rng, _TOOLS), n) for name, n in zip(spelled, numbers, strict=True)]
        # Some of Mistral's models take no words beside calls.
        text = f"assistant text {self.number()}" if chance(rng, _SOME) and self.dialect != "mistral" else None
        self.messages += write_turn(rng, self.dialect, text, asked)
        self.messages += write_answers(rng, self.dialect, asked, f"user text {self.number()}")


def history(rng: Random, dialect: str, turns: int) -> Messages:
    """An intact history of so many user turns: nothing in it breaks a rule of its dialect.

    An Anthropic one ends with a user turn (newer models refuse a prefill), and so does one of Mistral; and the former
    holds no system text (older models refuse it between messages; the first one belongs beside them). In one of
    Bedrock the speakers take turns besides.
    """
    if dialect not in DIALECTS:
        raise ValueError(f"no histories in dialect {dialect!r}: wanted one of {', '.join(DIALECTS)}")
    if dialect == "gemini":
        return as_contents(history(rng, "anthropic", turns))
    if dialect == "bedrock":
        return taking_turns(as_converse(history(rng, "anthropic", turns)))
    story = Story(rng, dialect)
    if dialect != "anthropic" and chance(rng, _SOME):
        story.system()
    for _ in range(max(1, turns)):
        story.user()
        if chance(rng, _FEW):
            story.user()
        asked = len(story.messages)
        while chance(rng, _HALF):
            story.exchange()
        # For Mistral the assistant has the word between results and the user.
        if chance(rng, _MOST) or (dialect == "mistral" and len(story.messages) > asked):
            story.assistant()
    if dialect in ("anthropic", "mistral") and story.messages[-1]["role"] == "assistant":
        story.user()
    return story.messages
