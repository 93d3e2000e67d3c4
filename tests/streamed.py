"""Answers as each API gives them at once, and the same as its streams: written by hand after the providers' pages."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]

CITY = '{"city":"Zürich","why":"it \\"rains\\" {there}"}'


def sse(events: list[Json], *, named: bool = False, end: str = "\n", last: str = "") -> bytes:
    """Events as the bytes of a stream."""
    out = ""
    for event in events:
        name = f"event: {event['type']}{end}" if named else ""
        out += f"{name}data: {json.dumps(event, ensure_ascii=False)}{end}{end}"
    return (out + last).encode()


# --- OpenAI Chat ---------------------------------------------------------------------------------


def _chunk(delta: Json, finish: str | None = None, **more: Any) -> Json:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-6", **more}
    return {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}


def _call(index: int, **more: Any) -> Json:
    return {"tool_calls": [{"index": index, **more}]}


CHAT_EVENTS = [
    _chunk({"role": "assistant", "content": "", "refusal": None}),
    _chunk({"content": "Let me "}),
    _chunk({"content": "sée 🎈."}),
    _chunk(_call(0, id="call_a", type="function", function={"name": "weather", "arguments": ""})),
    _chunk(_call(0, function={"arguments": CITY[:9]})),
    _chunk(_call(0, function={"arguments": CITY[9:]})),
    _chunk(_call(1, id="call_b", type="function", function={"name": "time", "arguments": ""})),
    _chunk(_call(1, function={"arguments": "{}"})),
    _chunk({}, "tool_calls"),
    {
        **_chunk({}),
        "choices": [],
        "usage": {
            "prompt_tokens": 20,
            "completion_tokens": 12,
            "total_tokens": 32,
            "prompt_tokens_details": {"cached_tokens": 8},
            "completion_tokens_details": {"reasoning_tokens": 4},
        },
    },
]
CHAT_WHOLE: Json = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-6",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Let me sée 🎈.",
                "refusal": None,
                "tool_calls": [
                    {"id": "call_a", "type": "function", "function": {"name": "weather", "arguments": CITY}},
                    {"id": "call_b", "type": "function", "function": {"name": "time", "arguments": "{}"}},
                ],
            },
            "logprobs": None,
            "finish_reason": "tool_calls",
        }
    ],
    "usage": CHAT_EVENTS[-1]["usage"],
}


# --- Anthropic -----------------------------------------------------------------------------------


def _start(index: int, block: Json) -> Json:
    return {"type": "content_block_start", "index": index, "content_block": block}


def _delta(index: int, kind: str, **more: Any) -> Json:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **more}}


def _stop(index: int) -> Json:
    return {"type": "content_block_stop", "index": index}


_ASKED = {"input_tokens": 10, "cache_read_input_tokens": 8, "cache_creation_input_tokens": 2, "output_tokens": 1}
_MESSAGE: Json = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-7"}
ANTHROPIC_EVENTS = [
    {
        "type": "message_start",
        "message": {**_MESSAGE, "content": [], "stop_reason": None, "stop_sequence": None, "usage": _ASKED},
    },
    {"type": "ping"},
    _start(0, {"type": "thinking", "thinking": "", "signature": ""}),
    _delta(0, "thinking_delta", thinking="Räin"),
    _delta(0, "thinking_delta", thinking="?"),
    _delta(0, "signature_delta", signature="c2ln"),
    _stop(0),
    _start(1, {"type": "text", "text": ""}),
    _delta(1, "text_delta", text="Let me "),
    _delta(1, "text_delta", text="sée 🎈."),
    _stop(1),
    _start(2, {"type": "tool_use", "id": "toolu_a", "name": "weather", "input": {}}),
    _delta(2, "input_json_delta", partial_json=""),
    _delta(2, "input_json_delta", partial_json=CITY[:9]),
    _delta(2, "input_json_delta", partial_json=CITY[9:]),
    _stop(2),
    _start(3, {"type": "tool_use", "id": "toolu_b", "name": "time", "input": {}}),
    _delta(3, "input_json_delta", partial_json=""),
    _stop(3),
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 12},
    },
    {"type": "message_stop"},
]
ANTHROPIC_WHOLE: Json = {
    **_MESSAGE,
    "content": [
        {"type": "thinking", "thinking": "Räin?", "signature": "c2ln"},
        {"type": "text", "text": "Let me sée 🎈."},
        {"type": "tool_use", "id": "toolu_a", "name": "weather", "input": json.loads(CITY)},
        {"type": "tool_use", "id": "toolu_b", "name": "time", "input": {}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {**_ASKED, "output_tokens": 12},
}


# --- OpenAI Responses ----------------------------------------------------------------------------


_REASONING: Json = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "Räin?"}],
    "encrypted_content": "ZW5j",
}
_SAID: Json = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Let me sée 🎈.", "annotations": [], "logprobs": []}],
}
_CALLED: Json = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_a",
    "name": "weather",
    "arguments": CITY,
}
_SCRIPT: Json = {
    "id": "ctc_1",
    "type": "custom_tool_call",
    "status": "completed",
    "call_id": "call_b",
    "name": "shell",
    "input": 'ls "räw"',
}
RESPONSES_WHOLE: Json = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "status": "completed",
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "metadata": {},
    "model": "gpt-6",
    "output": [_REASONING, _SAID, _CALLED, _SCRIPT],
    "parallel_tool_calls": True,
    "temperature": 1.0,
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
    "usage": {
        "input_tokens": 20,
        "input_tokens_details": {"cached_tokens": 8},
        "output_tokens": 12,
        "output_tokens_details": {"reasoning_tokens": 4},
        "total_tokens": 32,
    },
}
_BEGUN = {**RESPONSES_WHOLE, "status": "in_progress", "output": [], "usage": None}


def _event(kind: str, **more: Any) -> Json:
    return {"type": f"response.{kind}", **more}


def _grown(kind: str, text: str, cut: int, done: str, **at: Any) -> list[Json]:
    pieces = [_event(f"{kind}.delta", **at, delta=piece) for piece in (text[:cut], text[cut:])]
    return [*pieces, _event(f"{kind}.done", **at, **{done: text})]


def _numbered(events: list[Json]) -> list[Json]:
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


_AT = [{"item_id": item["id"], "output_index": index} for index, item in enumerate(RESPONSES_WHOLE["output"])]
RESPONSES_EVENTS = _numbered(
    [
        _event("created", response=_BEGUN),
        _event("in_progress", response=_BEGUN),
        _event("output_item.added", output_index=0, item={**_REASONING, "summary": []}),
        _event("reasoning_summary_part.added", **_AT[0], summary_index=0, part={"type": "summary_text", "text": ""}),
        *_grown("reasoning_summary_text", "Räin?", 2, "text", **_AT[0], summary_index=0),
        _event("reasoning_summary_part.done", **_AT[0], summary_index=0, part=_REASONING["summary"][0]),
        _event("output_item.done", output_index=0, item=_REASONING),
        _event("output_item.added", output_index=1, item={**_SAID, "status": "in_progress", "content": []}),
        _event("content_part.added", **_AT[1], content_index=0, part={**_SAID["content"][0], "text": ""}),
        *_grown("output_text", "Let me sée 🎈.", 9, "text", **_AT[1], content_index=0, logprobs=[]),
        _event("content_part.done", **_AT[1], content_index=0, part=_SAID["content"][0]),
        _event("output_item.done", output_index=1, item=_SAID),
        _event("output_item.added", output_index=2, item={**_CALLED, "status": "in_progress", "arguments": ""}),
        *_grown("function_call_arguments", CITY, 9, "arguments", **_AT[2]),
        _event("output_item.done", output_index=2, item=_CALLED),
        _event("output_item.added", output_index=3, item={**_SCRIPT, "status": "in_progress", "input": ""}),
        *_grown("custom_tool_call_input", _SCRIPT["input"], 5, "input", **_AT[3]),
        _event("output_item.done", output_index=3, item=_SCRIPT),
        _event("completed", response=RESPONSES_WHOLE),
    ]
)


# --- Gemini --------------------------------------------------------------------------------------


def _parts(*parts: Json, **more: Any) -> Json:
    content = {"role": "model", "parts": list(parts)}
    candidate = {"content": content, "index": 0, **{name: more.pop(name) for name in ("finishReason",) if name in more}}
    return {"candidates": [candidate], "modelVersion": "gemini-4", "responseId": "r1", **more}


_COUNTED = {
    "promptTokenCount": 20,
    "candidatesTokenCount": 8,
    "thoughtsTokenCount": 4,
    "cachedContentTokenCount": 8,
    "totalTokenCount": 32,
}
_ASK: Json = {
    "functionCall": {"id": "fc_1", "name": "weather", "args": json.loads(CITY)},
    "thoughtSignature": "c2ln",
}
GEMINI_EVENTS = [
    _parts({"text": "Rä", "thought": True}, usageMetadata={"promptTokenCount": 20, "totalTokenCount": 20}),
    _parts({"text": "in?", "thought": True}),
    _parts({"text": "Let me "}),
    _parts({"text": "sée 🎈."}),
    _parts(_ASK),
    _parts({"functionCall": {"id": "fc_2", "name": "time", "args": {}}}),
    _parts({"text": ""}, finishReason="STOP", usageMetadata=_COUNTED),
]
GEMINI_WHOLE: Json = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "Räin?", "thought": True},
                    {"text": "Let me sée 🎈."},
                    _ASK,
                    {"functionCall": {"id": "fc_2", "name": "time", "args": {}}},
                ],
            },
            "index": 0,
            "finishReason": "STOP",
        }
    ],
    "modelVersion": "gemini-4",
    "responseId": "r1",
    "usageMetadata": _COUNTED,
}

EVENTS: dict[str, list[Json]] = {
    "openai-chat": CHAT_EVENTS,
    "anthropic": ANTHROPIC_EVENTS,
    "openai-responses": RESPONSES_EVENTS,
    "gemini": GEMINI_EVENTS,
}
WHOLE: dict[str, Json] = {
    "openai-chat": CHAT_WHOLE,
    "anthropic": ANTHROPIC_WHOLE,
    "openai-responses": RESPONSES_WHOLE,
    "gemini": GEMINI_WHOLE,
}
NAMED = frozenset({"anthropic", "openai-responses"})
DIALECTS = tuple(EVENTS)
LAST = {"openai-chat": "data: [DONE]\n\n"}


def wire(dialect: str, events: list[Json] | None = None, end: str = "\n") -> bytes:
    """The sample of a dialect as its API sends it."""
    sent = EVENTS[dialect] if events is None else events
    return sse(sent, named=dialect in NAMED, end=end, last=LAST.get(dialect, "").replace("\n", end))
