"""LangChain's dumped messages, with langchain-core as the judge where it is installed."""

import json
import os
import random
from typing import Any

import pytest

import faults
import rejoinder as rj
import stores

NUMBER = int(os.environ.get("REJOINDER_JUDGED", "60"))
CALL = {"name": "f", "args": {"n": 1}, "id": "c1", "type": "tool_call"}
INVALID = {"type": "invalid_tool_call", "id": "c2", "name": "g", "args": "{bad", "error": "no JSON"}
USE = {"type": "tool_use", "id": "c1", "name": "f", "input": {"n": 1}}
RAW = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"n": 1}'}}


@pytest.fixture(scope="module")
def core() -> Any:
    """langchain-core; not part of the environment, so its absence is told."""
    return pytest.importorskip("langchain_core.messages", reason="NOT CHECKED: langchain-core is not installed")


def human(words: Any) -> dict[str, Any]:
    return {"type": "human", "data": {"content": words, "type": "human"}}


def ai(content: Any, **members: Any) -> dict[str, Any]:
    return {"type": "ai", "data": {"content": content, "type": "ai", **members}}


def tool(call_id: str, words: str = "r", **members: Any) -> dict[str, Any]:
    return {"type": "tool", "data": {"content": words, "type": "tool", "tool_call_id": call_id, **members}}


# --- What is read -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["langchain", "langchain:dumpd", "langchain:flat"])
def test_each_form_is_told_from_other_shapes(form: str):
    """`type` says who speaks, and no provider writes it so."""
    history = faults.history(random.Random(4), "openai-chat", 4)
    found = rj.detect(stores.FORMS[form](history))
    assert (found.dialect, found.candidates) == ("langchain", ("langchain",))
    assert rj.check(stores.FORMS[form](history)) == []


def test_a_call_whose_arguments_are_no_json_is_a_call():
    """It is answered like any other, its text goes as it is where arguments are text, and comes back invalid."""
    history = [human("q"), ai("", tool_calls=[CALL], invalid_tool_calls=[INVALID]), tool("c1"), tool("c2"), human("y")]
    assert rj.check(history, "pairs") == []
    done = rj.convert(history, "openai-chat")
    assert done.payload[1]["tool_calls"][1]["function"] == {"name": "g", "arguments": "{bad"}
    again = rj.convert(rj.convert(history, "anthropic").payload, "langchain", dialect="anthropic").payload
    assert again[1]["data"]["invalid_tool_calls"] == [{**INVALID, "error": None}]
    assert again[1]["data"]["tool_calls"] == [CALL]


def test_the_pointer_leads_to_the_call_in_its_own_list():
    """Calls and invalid calls are one list for us, and two in the file."""
    history = [human("q"), ai("", tool_calls=[CALL], invalid_tool_calls=[INVALID]), tool("c1"), human("y")]
    (found,) = rj.check(history, "pairs")
    assert found.pointer == "/1/data/invalid_tool_calls/0"


def test_a_call_that_is_told_again_goes_with_all_its_copies():
    """In the content, in the raw answer, in the chunks: LangChain would make a call of any that is left."""
    chunk = {"name": "f", "args": '{"n": 1}', "id": "c1", "index": 0, "type": "tool_call_chunk"}
    told = {"additional_kwargs": {"tool_calls": [RAW], "kept": 1}, "tool_call_chunks": [chunk]}
    history = [human("q"), ai([{"type": "text", "text": "a"}, USE], tool_calls=[CALL], **told), human("y")]
    (_, asked, _) = rj.repair(history, "pairs", policy="strip").payload
    left = {"additional_kwargs": {"kept": 1}, "tool_call_chunks": [], "tool_calls": []}
    assert {name: asked["data"][name] for name in left} == left
    assert asked["data"]["content"] == [{"type": "text", "text": "a"}]


def test_a_call_that_is_told_twice_is_converted_once():
    history = [human("q"), ai([{"type": "text", "text": "a"}, USE], tool_calls=[CALL]), tool("c1"), human("y")]
    done = rj.convert(history, "anthropic")
    assert done.losses == ()
    assert [block["type"] for block in done.payload[1]["content"]] == ["text", "tool_use"]


def test_calls_that_only_the_raw_answer_has_are_calls():
    """Dumps of the first versions: LangChain reads them so too."""
    history = [human("q"), ai("", additional_kwargs={"tool_calls": [RAW]}), tool("c1"), human("y")]
    assert rj.check(history, "pairs") == []
    assert rj.convert(history, "anthropic").payload[1]["content"] == [USE]
    broken = [history[0], history[1], history[3]]
    assert rj.check(broken, "pairs")[0].pointer == "/1/data/additional_kwargs/tool_calls/0"
    assert rj.repair(broken, "pairs").payload == [history[0], history[3]]


def test_the_oldest_calls_are_calls_for_a_conversion():
    """`function_call` and a function message: a call and its result, where another API has to take them."""
    asked = ai("", additional_kwargs={"function_call": {"name": "f", "arguments": "{}"}})
    answered = {"type": "function", "data": {"content": "r", "type": "function", "name": "f"}}
    done = rj.convert([human("q"), asked, answered, human("y")], "openai-chat")
    assert [message["role"] for message in done.payload] == ["user", "assistant", "tool", "user"]
    assert done.payload[2]["tool_call_id"] == done.payload[1]["tool_calls"][0]["id"]


def test_an_error_and_what_only_a_tool_message_has():
    """`status` is a mark that Anthropic has too; an artifact is for nobody else, and is told."""
    history = [human("q"), ai("", tool_calls=[CALL]), tool("c1", status="error", artifact={"x": 1}), human("y")]
    done = rj.convert(history, "anthropic")
    assert done.payload[2]["content"][0]["is_error"] is True
    assert [(loss.what, loss.where) for loss in done.losses] == [("artifact", "/2")]


# --- What langchain-core says -----------------------------------------------------------------------------------------


def test_what_is_converted_loads(core: Any):
    """Histories of both APIs, told in LangChain's words: it loads each message, and finds the same calls."""
    for number in range(NUMBER):
        for source in ("openai-chat", "anthropic"):
            messages = faults.history(random.Random(number), source, 1 + number % 5)
            done = rj.convert(messages, "langchain", dialect=source)
            loaded = core.messages_from_dict(done.payload)
            assert [message.type for message in loaded] == [raw["type"] for raw in done.payload]
            calls = [call["id"] for message in loaded for call in getattr(message, "tool_calls", ())]
            assert sorted(calls) == sorted(message.tool_call_id for message in loaded if message.type == "tool")
            assert rj.check(core.messages_to_dict(loaded), "pairs") == []


@pytest.mark.filterwarnings("ignore:The function `load` is in beta")
def test_each_form_of_a_conversion_loads(core: Any):
    """`load`, `convert_to_messages` and `messages_from_dict` make the same messages of the three forms."""
    load = pytest.importorskip("langchain_core.load").load
    for number in range(NUMBER):
        messages = faults.history(random.Random(number), "openai-chat", 1 + number % 5)
        dumped = rj.convert(messages, "langchain:dumpd", dialect="openai-chat").payload
        flat = rj.convert(messages, "langchain:flat", dialect="openai-chat").payload
        one = [load(raw, allowed_objects="messages") for raw in dumped]
        assert (
            one
            == core.convert_to_messages(flat)
            == core.messages_from_dict(rj.convert(messages, "langchain", dialect="openai-chat").payload)
        )


def test_what_is_repaired_loads_and_has_no_call_that_was_taken_away(core: Any):
    """Each form of broken histories, under each policy: what LangChain loads has exactly the calls that are left."""
    for number in range(NUMBER):
        rng = random.Random(number)
        near, _ = faults.broken(rng, faults.history(rng, "openai-chat", 1 + number % 5), "openai-chat", 3)
        for policy in ("drop", "strip", "answer"):
            loaded = core.messages_from_dict(rj.repair(stores.langchain(near), "pairs", policy=policy).payload)
            asked = [call["id"] for message in loaded for call in getattr(message, "tool_calls", ())]
            assert sorted(asked) == sorted(message.tool_call_id for message in loaded if message.type == "tool")


def test_copies_of_a_call_do_not_come_back(core: Any):
    """The trap: `tool_calls` is empty, and LangChain takes them from the raw answer again."""
    message = ai("a", tool_calls=[CALL], additional_kwargs={"tool_calls": [RAW]})
    mended = rj.repair([human("q"), message, human("y")], "pairs", policy="strip").payload
    assert core.messages_from_dict(mended)[1].tool_calls == []
    stale = [human("q"), ai("a", tool_calls=[], additional_kwargs={"tool_calls": [RAW]})]
    assert core.messages_from_dict(stale)[1].tool_calls != []


def test_the_openai_messages_are_those_that_langchain_makes(core: Any):
    """Both read the same dump: roles, texts, calls and results are equal."""
    for number in range(NUMBER):
        near = faults.history(random.Random(number), "openai-chat", 1 + number % 5)
        dumped = stores.langchain(near)
        theirs = core.convert_to_openai_messages(core.messages_from_dict(dumped))
        ours = rj.convert(dumped, "openai-chat").payload
        assert [plain(message) for message in ours] == [plain(message) for message in theirs]


def plain(message: dict[str, Any]) -> list[Any]:
    """What an OpenAI message says, however it is spelled."""
    content = message.get("content")
    texts = [block.get("text") for block in content] if isinstance(content, list) else [content or None]
    calls = [
        (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
        for call in message.get("tool_calls") or ()
    ]
    return [message["role"], "\n".join(text for text in texts if text), calls, message.get("tool_call_id")]
