"""The strict target held to what chat templates ask: one system text, turns in turn, nothing empty, and strings."""

from typing import Any

from hypothesis import given

import rejoinder as rj
from laws.cases import Case, broken_cases, messages_of


def plain(content: Any) -> bool:
    """Is it a string; or a list, because it holds more than text?"""
    if isinstance(content, list):
        return any(block.get("type") != "text" for block in content)
    return isinstance(content, str)


@given(case=broken_cases("openai-chat", "strict"))
def test_what_is_mended_for_strict_templates_is_in_their_form(case: Case):
    """System text first and once; content a string that says something, unless calls say it."""
    messages = messages_of(case.repaired().payload)
    assert all(message["role"] != "system" for message in messages[1:])
    for message in messages:
        called = message["role"] == "assistant" and message.get("tool_calls")
        assert plain(message.get("content")) or called, message
        assert called or message["role"] == "tool" or message["content"], message


def test_arguments_that_are_cut_are_kept_whole_as_an_object():
    """Who parses them gets an object, and nothing is made up that could run."""
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"x": '}}
    history = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
    ]
    done = rj.repair(history, "strict")
    assert done.payload[1]["tool_calls"][0]["function"]["arguments"] == '{"_raw_arguments":"{\\"x\\": "}'
    assert done.undo() == history
