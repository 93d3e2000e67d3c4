"""Law 7: no result is made up but the one that says nothing was recorded, and free fixes keep every text and call."""

import json
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import faults
import histories
from laws.cases import PLACEHOLDERS, Case, broken_cases, calls_in, each_reader, messages_of, results_in, strings
from rejoinder.rules.empty_content import PLACEHOLDER
from rejoinder.rules.message_order import CARRY_ON
from rejoinder.values.exchange import UNRECORDED

_SUCCESS = re.compile(r"\b(?:ok|okay|success\w*|succeed\w*|done|complete\w*|finished|did not run)\b", re.IGNORECASE)


def test_no_word_of_ours_claims_anything():
    """The texts that a repair may write are these, and none of them says what a tool did."""
    assert (PLACEHOLDER, CARRY_ON, UNRECORDED) == PLACEHOLDERS
    for words in PLACEHOLDERS:
        assert not _SUCCESS.search(words)


@each_reader
@given(data=st.data())
def test_each_result_was_there_or_says_that_nobody_recorded_it(dialect: str, target: str, data: st.DataObject):
    """A result of the output says what a result of the input said, or the one fixed text; and no other."""
    case: Case = data.draw(broken_cases(dialect, target))
    known = {json.dumps(words_of(result)) for result in results_in(case.messages)}
    # A result whose content was null or missing is given the empty text, which says as little.
    known |= {json.dumps([]), json.dumps([""])}
    for result in results_in(messages_of(case.repaired().payload)):
        words = words_of(result)
        assert words == [UNRECORDED] or json.dumps(words) in known, words


@each_reader
@given(data=st.data())
def test_there_are_as_many_synthetic_results_as_the_steps_tell(dialect: str, target: str, data: st.DataObject):
    """Each synthetic result is one id of an `answer` step, and is marked as an error where that can be said."""
    case: Case = data.draw(broken_cases(dialect, target))
    outcome = case.repaired()
    made = [result for result in results_in(messages_of(outcome.payload)) if words_of(result) == [UNRECORDED]]
    told = [call_id for step in outcome.steps if step.fix == "answer" for call_id in step.ids]
    assert len(made) == len(told)
    assert all(step.cost == "invents" for step in outcome.steps if step.fix == "answer")
    if dialect == "anthropic":
        assert all(result["is_error"] is True for result in made)


@each_reader
@given(data=st.data())
def test_free_fixes_keep_every_text_and_every_call(dialect: str, target: str, data: st.DataObject):
    """What a free step took away, and was not blank, is still in the output, or another step names its loss."""
    case: Case = data.draw(broken_cases(dialect, target))
    outcome = case.repaired()
    paid = [gone for step in outcome.steps if step.cost != "free" for gone in step.removed]
    kept = [messages_of(outcome.payload), *paid]
    texts, asked = "\n".join(strings(kept)), arguments_in(kept)
    own = {id(each) for message in case.messages for each in (message, *histories.blocks(message))}
    for step in outcome.steps:
        if step.cost == "free":
            gone = [each for each in step.removed if id(each) in own]
            assert [text for text in texts_of(gone) if text.strip() and text not in texts] == [], step.says
            assert arguments_in(gone) <= asked, step.says


def words_of(result: faults.Message) -> list[str]:
    """What a result says, wherever its dialect keeps it."""
    if "response" in result:
        return [words for words in result["response"].values() if words is not None]
    inner = result.get("result", result.get("output", result.get("content")))
    content = inner.get("llmContent") if isinstance(inner, dict) else inner
    blocks = [{"text": content}] if isinstance(content, str) else content or []
    return [block["text"] for block in blocks if "text" in block]


def texts_of(messages: list[Any]) -> list[str]:
    whole = [message for message in messages if "role" in message]
    blocks = [message for message in messages if message.get("type") == "text" or message.keys() == {"text"}]
    spoken = [text for role in ("user", "assistant") for text in texts_by(whole, role)]
    return spoken + [block["text"] for block in blocks]


def texts_by(messages: faults.Messages, role: str) -> list[str]:
    return faults.user_texts(messages) if role == "user" else faults.assistant_texts(messages)


def arguments_in(values: Any) -> set[str]:
    """What calls ask for, wherever they stand in a value; the generated ones are numbered, so each has its own."""
    if isinstance(values, list | tuple):
        return set[str]().union(*(arguments_in(each) for each in values))
    if not isinstance(values, dict):
        return set()
    if values.get("role") in ("assistant", "model"):
        return arguments_in(histories.calls(values))
    if "functionCall" in values or "args" in values:
        return {str(values.get("functionCall", values)["args"])}
    if values.get("type") == "function_call":
        return {str(json.loads(values["arguments"]))}
    if "toolUse" in values or "toolUseId" in values:
        return {str(values.get("toolUse", values)["input"])}
    if "function" in values:
        return {str(json.loads(values["function"]["arguments"]))}
    return {str(values["input"])} if values.get("type") == "tool_use" else set()


def test_the_arguments_of_all_calls_are_seen():
    """The law above looks at something: each dialect's calls are found by it."""
    for dialect in faults.DIALECTS:
        held = "parts" if dialect == "gemini" else "content"
        message = {"role": "assistant", held: [histories.write_call(dialect, histories.Call("a", "f", 7))]}
        if dialect == "openai-responses":
            (message,) = message["content"]
        if dialect in (*histories.CHAT, "app"):
            message = {"role": "assistant", ("toolCalls" if dialect == "app" else "tool_calls"): message["content"]}
        assert arguments_in([message]) == {"{'n': 7}"}
        assert len(calls_in([message])) == 1
