"""Messages that nobody would write on purpose: odd types, unknown fields and unknown blocks, in every dialect."""

from typing import Any

from hypothesis import strategies as st

_WORDS = st.sampled_from(("", " ", "a", "call_1", "toolu_1", "functions.f:0", "\ud83d", "{}", '{"n": 1}', "null"))
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | _WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_WORDS, inner, max_size=2),
    max_leaves=6,
)
_ROLES = st.sampled_from(("user", "assistant", "tool", "system", "developer", "human", ""))
_KINDS = st.sampled_from(
    (
        *("text", "thinking", "redacted_thinking", "tool_use", "tool_result", "tool-result", "image", "image_url"),
        *("input_audio", "file", "document", "refusal", "reasoning", "server_tool_use", "web_search_tool_result"),
        *("mcp_tool_use", "compaction", "search_result", "block_of_tomorrow"),
    )
)
_MEMBERS = st.sampled_from(
    (
        *("text", "thinking", "signature", "data", "id", "name", "input", "tool_use_id", "toolCallId", "content"),
        *("is_error", "result", "source", "image_url", "cache_control", "citations", "refusal", "x_unknown"),
    )
)
_FIELDS = st.sampled_from(
    (
        *("tool_calls", "toolCalls", "tool_call_id", "toolCallId", "refusal", "audio", "function_call", "name"),
        *("segments", "cache_control", "uuid", "x_unknown"),
    )
)


@st.composite
def _blocks(draw: st.DrawFn) -> Any:
    """A block: mostly an object of some type, with members that fit it or do not."""
    if draw(st.integers(0, 9)) == 9:
        return draw(_JSON)
    block = draw(st.dictionaries(_MEMBERS, _JSON, max_size=4))
    return {"type": draw(_KINDS), **block} if draw(st.booleans()) else {**block, "type": draw(_KINDS)}


@st.composite
def _calls(draw: st.DrawFn) -> Any:
    """An item of a list of calls."""
    if draw(st.integers(0, 9)) == 9:
        return draw(_JSON)
    kind = draw(st.sampled_from(("function", "custom", "unheard_of")))
    call = {"id": draw(_WORDS), "type": kind, kind: {"name": draw(_WORDS), "arguments": draw(_JSON)}}
    gone = draw(st.sampled_from(("", "id", "type", kind)))
    call.pop(gone, None)
    return call | draw(st.dictionaries(st.just("x_unknown"), _JSON, max_size=1))


@st.composite
def messages(draw: st.DrawFn) -> Any:
    """One message; rarely something that is none at all."""
    if draw(st.integers(0, 19)) == 19:
        return draw(_JSON)
    message: dict[str, Any] = {"role": draw(_ROLES)}
    message |= draw(st.dictionaries(_FIELDS, _JSON, max_size=2))
    if draw(st.booleans()):
        message["content"] = draw(st.lists(_blocks(), max_size=3) | _WORDS | _JSON)
    if draw(st.integers(0, 2)) == 2:
        message[draw(st.sampled_from(("tool_calls", "toolCalls")))] = draw(st.lists(_calls(), max_size=3))
    return message


def conversations() -> st.SearchStrategy[list[Any]]:
    """A few wild messages in a row."""
    return st.lists(messages(), max_size=4)
