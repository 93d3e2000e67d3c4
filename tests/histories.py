"""Random intact histories in several dialects, drawn from one `random.Random`: the same seed, the same bytes.

Only `rng.random()` is ever called: it is the cheapest draw, and where Hypothesis stands behind it, small numbers mean
the plain choice (`chance` says no, `pick` takes the first), so that failing examples shrink to something readable.
"""

from collections.abc import Callable, Sequence
from itertools import count
from random import Random
from typing import Any, NamedTuple, TypeVar

Message = dict[str, Any]
Messages = list[Message]
T = TypeVar("T")

DIALECTS = ("openai-chat", "anthropic", "app", "neovate", "bedrock")
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
    content = message.get("content")
    return content if isinstance(content, list) else []


def core(block: Message) -> Message:
    """What a call or a result says: the block itself, or in Converse its one member."""
    return next((block[kind] for kind in ("toolUse", "toolResult") if isinstance(block.get(kind), dict)), block)


def call_key(call: Message) -> str:
    return "toolUseId" if "toolUse" in call else "id"


def calls(message: Message) -> list[Message]:
    held = message.get("tool_calls") or message.get("toolCalls")
    if held is None and message["role"] == "assistant":
        return [block for block in blocks(message) if block.get("type") == "tool_use" or "toolUse" in block]
    return held or []


def results(message: Message) -> list[Message]:
    """The results in a message: the message itself where a tool message is one result, else those of its blocks."""
    if "tool_call_id" in message or "toolCallId" in message:
        return [message]
    content = message.get("content")
    if isinstance(content, list) and message["role"] in ("user", "tool"):
        kinds = ("tool_result", "tool-result")
        return [block for block in content if block.get("type") in kinds or "toolResult" in block]
    return []


def result_key(result: Message) -> str:
    return next(key for key in ("tool_call_id", "toolCallId", "tool_use_id", "toolUseId") if key in core(result))


def texts_in(message: Message) -> list[Message]:
    return [block for block in blocks(message) if block.get("type") == "text" or block.keys() == {"text"}]


def user_texts(messages: Messages) -> list[str]:
    """What users wrote, in order, without what is blank."""
    return _spoken(messages, "user")


def assistant_texts(messages: Messages) -> list[str]:
    """What assistants wrote, in order, without what is blank (thinking and calls are no texts)."""
    return _spoken(messages, "assistant")


def _spoken(messages: Messages, role: str) -> list[str]:
    found: list[str] = []
    for message in messages:
        if message.get("role") == role:
            content = message.get("content")
            found += [content] if isinstance(content, str) else [block["text"] for block in texts_in(message)]
    return [text for text in found if text.strip()]


# --- Writing a message in each dialect --------------------------------------------------------------------------------


class Call(NamedTuple):
    id: str
    tool: str
    number: int


def _parts(dialect: str, *texts: str) -> list[Message]:
    return [{"text": text} if dialect == "bedrock" else {"type": "text", "text": text} for text in texts]


def write_text(dialect: str, role: str, content: str | list[Message]) -> Message:
    if dialect == "bedrock" and isinstance(content, str):
        content = _parts(dialect, content)
    message: Message = {"role": role, "content": content}
    if dialect == "app":
        message["segments"] = []
    return message


def _image(dialect: str) -> Message:
    if dialect == "anthropic":
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _PIXEL}}
    if dialect == "bedrock":
        return {"image": {"format": "png", "source": {"bytes": _PIXEL}}}
    return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + _PIXEL}}


def write_call(dialect: str, call: Call) -> Message:
    if dialect in ("openai-chat", "app"):
        function = {"name": call.tool, "arguments": f'{{"n": {call.number}}}'}
        return {"id": call.id, "type": "function", "function": function}
    if dialect == "bedrock":
        return {"toolUse": {"toolUseId": call.id, "name": call.tool, "input": {"n": call.number}}}
    return {"type": "tool_use", "id": call.id, "name": call.tool, "input": {"n": call.number}}


def write_asking(rng: Random, dialect: str, text: str | None, asked: list[Call]) -> Message:
    """An assistant message with calls, and perhaps a text or thinking in front of them."""
    written = [write_call(dialect, call) for call in asked]
    if dialect == "app":
        return {"role": "assistant", "content": text or "", "toolCalls": written, "segments": []}
    if dialect == "openai-chat":
        message: Message = {"role": "assistant", "content": text, "tool_calls": written}
        if text is None and chance(rng, _SOME):
            del message["content"]
        return message
    content = (_parts(dialect, text) if text else []) + written
    if dialect == "anthropic" and chance(rng, _SOME):
        n = asked[0].number
        content.insert(0, {"type": "thinking", "thinking": f"thinking {n}", "signature": f"signature{n}"})
    if dialect == "bedrock" and chance(rng, _SOME):
        n = asked[0].number
        sealed = {"text": f"thinking {n}", "signature": f"signature{n}"}
        content.insert(0, {"reasoningContent": {"reasoningText": sealed}})
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
    if dialect == "bedrock":
        status = {"status": pick(rng, ("success", "error"))} if chance(rng, _SOME) else {}
        return {"toolResult": {"toolUseId": call.id, "content": _parts(dialect, text), **status}}
    content = _parts(dialect, text) if chance(rng, _FEW) else text
    if dialect == "openai-chat":
        return {"role": "tool", "tool_call_id": call.id, "content": content}
    error = {"is_error": True} if chance(rng, _FEW) else {}
    return {"type": "tool_result", "tool_use_id": call.id, "content": content, **error}


def write_answers(rng: Random, dialect: str, asked: list[Call], after: str) -> Messages:
    """The messages with the results, in any order; an Anthropic turn may go on with the user's text (`after`)."""
    written = [write_result(rng, dialect, call) for call in asked]
    if len(written) > 1 and chance(rng, _SOME):
        written.sort(key=lambda _: rng.random())
    if dialect in ("openai-chat", "app"):
        return written
    role = "tool" if dialect == "neovate" else "user"
    apart = dialect != "bedrock" and len(written) > 1 and chance(rng, _FEW if dialect == "anthropic" else _MOST)
    found = (
        [{"role": role, "content": [result]} for result in written] if apart else [{"role": role, "content": written}]
    )
    if dialect in ("anthropic", "bedrock") and chance(rng, _SOME):
        found[-1]["content"] += _parts(dialect, after)
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
            content = _parts(self.dialect, *texts)
            if self.dialect != "neovate" and chance(rng, _SOME):
                content.append(_image(self.dialect))
        self.messages.append(write_text(self.dialect, "user", content))

    def assistant(self) -> None:
        text = f"assistant text {self.number()}"
        as_parts = self.dialect == "neovate" or (self.dialect != "app" and chance(self.rng, _FEW))
        self.messages.append(write_text(self.dialect, "assistant", _parts(self.dialect, text) if as_parts else text))

    def exchange(self) -> None:
        rng = self.rng
        numbers = [self.number() for _ in range(2 + below(rng, 3) if chance(rng, _SOME) else 1)]
        stem = {"anthropic": "toolu_", "neovate": "toolu_", "bedrock": "tooluse_"}.get(self.dialect, "call_")
        ids = range(len(numbers)) if self.constant_ids else numbers
        asked = [Call(f"{stem}{i}", pick(rng, _TOOLS), n) for i, n in zip(ids, numbers, strict=True)]
        text = f"assistant text {self.number()}" if chance(rng, _SOME) else None
        self.messages.append(write_asking(rng, self.dialect, text, asked))
        self.messages += write_answers(rng, self.dialect, asked, f"user text {self.number()}")


def history(rng: Random, dialect: str, turns: int) -> Messages:
    """An intact history of so many user turns: nothing in it breaks a rule of its dialect.

    One of Anthropic or Bedrock ends with a user turn (newer models refuse a prefill) and holds no system text (older
    ones refuse it between messages; the first one belongs beside them). In one of Bedrock the speakers take turns.
    """
    if dialect not in DIALECTS:
        raise ValueError(f"no histories in dialect {dialect!r}: wanted one of {', '.join(DIALECTS)}")
    story = Story(rng, dialect)
    apart = dialect in ("anthropic", "bedrock")
    if not apart and chance(rng, _SOME):
        story.system()
    for _ in range(max(1, turns)):
        story.user()
        if chance(rng, _FEW):
            story.user()
        while chance(rng, _HALF):
            story.exchange()
        if chance(rng, _MOST):
            story.assistant()
    if apart and story.messages[-1]["role"] == "assistant":
        story.user()
    return taking_turns(story.messages) if dialect == "bedrock" else story.messages


def taking_turns(messages: Messages) -> Messages:
    """Neighbours of one role as one message."""
    found: Messages = []
    for message in messages:
        if found and found[-1]["role"] == message["role"]:
            found[-1]["content"] += message["content"]
        else:
            found.append(message)
    return found
