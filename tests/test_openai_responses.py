"""OpenAI Responses: items of every type, both safe ways to send reasoning again, and conversion without invention."""

import json
import os
import random
from itertools import pairwise
from typing import Any

import pytest

import faults
import rejoinder as rj
from judges.responses_structure import responses
from judges.sdk_types import refusals_by_types
from judges.structure import refusals
from laws.cases import POLICIES
from rejoinder.dialects.detect import DIALECTS, find_dialect
from rejoinder.dialects.openai_responses.kinds import KINDS

TARGET = "openai-responses"
HISTORIES = int(os.environ.get("REJOINDER_FUZZ", "300"))
# Enough digits for an id that the API could have given.
HEX = "05f27bc922c0206f00698a2c6ee98081"
USER: dict[str, Any] = {"role": "user", "content": "q"}
PNG = "data:image/png;base64,iVBORw0KGgo="
Items = list[dict[str, Any]]


def call(name: str = "c1", **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": name, "name": "f", "arguments": "{}", **more}


def output(name: str = "c1", said: Any = "1") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": name, "output": said}


def thought(number: int = 1) -> dict[str, Any]:
    return {"type": "reasoning", "id": f"rs_{HEX}{number}", "summary": [], "encrypted_content": f"sealed {number}"}


def clauses(payload: Any, **asked: Any) -> list[str]:
    return [finding.clause.removeprefix("openai-responses/") for finding in rj.check(payload, TARGET, **asked)]


# --- Items of every type ----------------------------------------------------------------------------------------------

EVERY: Items = [
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}},
    {"type": "file_search_call", "id": "fs_1", "status": "searching", "queries": ["q"], "results": None},
    {"type": "code_interpreter_call", "id": "ci_1", "status": "interpreting", "code": "1", "container_id": "c"},
    {"type": "image_generation_call", "id": "ig_1", "status": "generating", "result": None},
    {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []},
    {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}", "server_label": "s"},
    {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
    {"type": "mcp_call", "id": "mcp_1", "name": "f", "arguments": "{}", "server_label": "s", "output": "1"},
    {"type": "tool_search_call", "call_id": None, "execution": "server", "arguments": {}, "status": "completed"},
    {"type": "tool_search_output", "call_id": None, "execution": "server", "tools": [], "status": "completed"},
    {"type": "tool_search_call", "call_id": "s1", "execution": "client", "arguments": {}},
    {"type": "tool_search_output", "call_id": "s1", "execution": "client", "tools": []},
    {"type": "custom_tool_call", "call_id": "x1", "name": "patch", "input": "*** Begin"},
    {"type": "custom_tool_call_output", "call_id": "x1", "output": [{"type": "input_text", "text": "done"}]},
    {"type": "computer_call", "id": "cu_1", "call_id": "p1", "action": {"type": "wait"}, "status": "completed"},
    {"type": "computer_call_output", "call_id": "p1", "output": {"type": "computer_screenshot", "image_url": PNG}},
    {"type": "local_shell_call", "id": "lsh_1", "call_id": "l1", "action": {"type": "exec"}, "status": "completed"},
    {"type": "local_shell_call_output", "id": "l1", "output": "{}"},
    {"type": "shell_call", "call_id": "h1", "action": {"commands": ["ls"]}},
    {"type": "shell_call_output", "call_id": "h1", "output": [{"stdout": "a", "stderr": "", "outcome": {}}]},
    {"type": "apply_patch_call", "call_id": "a1", "operation": {"type": "delete_file"}, "status": "completed"},
    {"type": "apply_patch_call_output", "call_id": "a1", "status": "completed"},
    {"type": "program", "id": "p_1", "call_id": "g1", "code": "1", "fingerprint": "f"},
    {"type": "program_output", "id": "po_1", "call_id": "g1", "result": "1", "status": "completed"},
    {"type": "additional_tools", "role": "developer", "tools": []},
    {"type": "configuration_update", "reasoning": {"effort": "low"}},
    {"type": "compaction", "id": "cmp_1", "encrypted_content": "sealed"},
    {"type": "item_reference", "id": f"msg_{HEX}"},
    {"id": f"msg_{HEX}9"},
    thought(),
    {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [], "phase": None},
    {"type": "function_call", "call_id": "f1", "name": "f", "arguments": "", "namespace": "n", "status": None},
    {"type": "function_call_output", "call_id": "f1", "output": [{"type": "input_image", "file_id": "file_1"}]},
    {"type": "compaction_trigger"},
]


def test_every_type_of_item_is_read_and_written_and_has_no_finding():
    """All types that there are stand here, and each comes back as the object that it was."""
    assert {item.get("type", "item_reference") for item in EVERY} == set(KINDS)
    payload = [USER, *EVERY]
    assert clauses(payload) == []
    assert rj.repair(payload, TARGET).payload is payload
    shape = find_dialect(TARGET)
    again = [shape.write(message) for message in shape.decode(payload).messages]  # pyright: ignore[reportArgumentType]
    assert json.dumps(again) == json.dumps(payload)


def test_an_item_of_tomorrow_is_kept():
    """Nobody knows it, so it is told; and it stays as it is while another item is mended."""
    unknown = {"type": "item_of_tomorrow", "deep": [{"x": 1}]}
    payload = [USER, unknown, call()]
    outcome = rj.repair(payload, TARGET)
    assert outcome.payload == [USER, unknown]
    assert outcome.payload[1] is unknown
    assert [finding.clause for finding in outcome.left] == ["openai-responses/item-type"]


@pytest.mark.parametrize("held", [None, "x", 7, [], {}, [7], [[]], {"type": 7}, "\ud83d"])
@pytest.mark.parametrize("name", [*sorted(KINDS), "item_of_tomorrow"])
def test_no_member_of_any_item_is_an_accident(name: str, held: Any):
    """Whatever stands in a member of any item, a check and a repair come to an end, and the undoing fits."""
    members = ("id", "role", "content", "call_id", "name", "arguments", "input", "output", "summary", "status", "phase")
    for member in (*members, "encrypted_content", "execution", "action", "tools"):
        payload = [USER, {"type": name, "role": "user", member: held}, call(), output()]
        outcome = rj.repair(payload, TARGET)
        assert json.dumps(outcome.undo()) == json.dumps(payload)
        rj.check(outcome.payload, TARGET)
        for goal in ("openai-chat", "anthropic"):
            done = rj.convert(payload, goal, dialect=TARGET)
            back = rj.convert(done.payload, TARGET, dialect=goal, side=done.side)
            assert json.dumps(back.payload) == json.dumps(payload)


# --- A string, a list, a body -----------------------------------------------------------------------------------------


def test_an_input_that_is_a_string_is_what_the_user_says():
    """It has no finding, comes back as it is, is detected, and leads there and back again."""
    body = {"model": "gpt-5.4", "input": "Hi", "instructions": "Be terse"}
    assert rj.detect(body).dialect == TARGET
    assert rj.repair(body).payload is body
    done = rj.convert(body, "openai-chat", model="gpt-5.4")
    said = [{"role": "system", "content": "Be terse"}, {"role": "user", "content": "Hi"}]
    assert done.payload == {"model": "gpt-5.4", "messages": said}
    assert rj.convert(done.payload, TARGET, dialect="openai-chat", side=done.side).payload == body
    longer = {**done.payload, "messages": [*said, {"role": "assistant", "content": "Yes?"}]}
    back = rj.convert(longer, TARGET, dialect="openai-chat", side=done.side)
    assert back.payload == {**body, "input": [said[1], {"role": "assistant", "content": "Yes?"}]}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"input": ""}, ["input-nonempty"]),
        ({"input": []}, ["input-nonempty"]),
        ({"input": None}, ["input-type"]),
        ({"input": 7}, ["input-type"]),
        ({"input": {"role": "user", "content": "q"}}, ["input-type"]),
        ({"model": "gpt-5.4"}, ["input-required"]),
        ({"prompt": {"id": "pmpt_1"}}, []),
        ({"previous_response_id": "resp_1", "input": []}, []),
        ({"conversation": "conv_1", "input": ""}, []),
        ({"input": "q"}, []),
    ],
)
def test_what_stands_in_the_place_of_the_input(body: dict[str, Any], found: list[str]):
    """Each oddity has the clause of its own, and the judge says the same."""
    assert clauses(body) == found
    assert list(responses(body, "")) == found


def test_outputs_may_answer_what_nobody_can_see():
    """With a stored response, a conversation, a reference or a compaction in front, an output is no orphan."""
    assert clauses([output()]) == ["output-has-call"]
    assert clauses({"previous_response_id": "resp_1", "input": [output()]}) == []
    assert clauses({"conversation": "conv_1", "input": [output()]}) == []
    assert clauses([{"type": "item_reference", "id": f"fc_{HEX}"}, output()]) == []
    assert clauses([{"type": "compaction", "encrypted_content": "x"}, output()]) == []
    assert clauses([call(), {"type": "item_reference", "id": f"fc_{HEX}"}, USER]) == []


# --- Reasoning --------------------------------------------------------------------------------------------------------


def test_a_call_that_goes_takes_the_reasoning_along_and_the_ids_of_the_others():
    """The answer that is cut falls back to the form without ids; the answer in front of it stays as it came."""
    whole = [thought(1), call("c1", id=f"fc_{HEX}1"), output("c1")]
    cut = [thought(2), call("c2", id=f"fc_{HEX}2"), call("c3", id=f"fc_{HEX}3"), output("c3")]
    payload = [USER, *whole, *cut, USER]
    outcome = rj.repair(payload, TARGET, model="gpt-5.6")
    assert outcome.payload == [USER, *whole, call("c3"), output("c3"), USER]
    assert all(new is old for new, old in zip(outcome.payload, [USER, *whole], strict=False))
    kept = rj.repair(payload, TARGET, model="gpt-5.6", policy="answer").payload
    assert [item.get("type") for item in kept].count("reasoning") == 2


def test_reasoning_goes_when_what_it_led_to_says_something_else_now():
    """A half character in the arguments is mended: then they are not what was issued."""
    broken = call("c1", id=f"fc_{HEX}1", arguments='{"a": "\ud83d"}')
    outcome = rj.repair([USER, thought(), broken, output()], TARGET)
    assert [item.get("type") for item in outcome.payload] == [None, "function_call", "function_call_output"]
    assert "id" not in outcome.payload[1]


def test_a_member_that_is_not_known_goes_and_the_reasoning_stays():
    """What the API never issued is taken away; what it did issue is there, whole."""
    parsed = call("c1", id=f"fc_{HEX}1", parsed_arguments={})
    outcome = rj.repair([USER, thought(), parsed, output()], TARGET)
    assert outcome.payload == [USER, thought(), call("c1", id=f"fc_{HEX}1"), output()]


@pytest.mark.parametrize("policy", POLICIES)
def test_reasoning_that_stays_is_followed_by_what_it_was_issued_with(policy: str):
    """In many broken histories: each piece of reasoning that is left is the very object, and so is what follows it."""
    stayed = 0
    for number in range(HISTORIES):
        rng = random.Random(f"reasoning {number}")
        messages = faults.history(rng, TARGET, 1 + number % 6)
        damaged, _ = faults.broken(rng, messages, TARGET, 4)
        # What a tool said between the two is no answer, and may go.
        said = [item for item in damaged if item.get("type") != "function_call_output"]
        follows = {id(one): id(other) for one, other in pairwise(said)}
        out: Any = rj.repair(damaged, TARGET, policy=policy).payload
        assert refusals(TARGET, out) == []
        for one, other in zip(out, [*out[1:], None], strict=True):
            if one.get("type") == "reasoning":
                assert follows[id(one)] == id(other)
                stayed += 1
    assert stayed > HISTORIES / 10


# --- Conversion -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [name for name in faults.DIALECTS if name != TARGET])
def test_what_is_converted_fits_the_types_and_no_id_is_made_up(source: str):
    """Broken or not: the SDK's types and the judge accept what it becomes, and nothing in it has an id or reasoning."""
    for number in range(min(HISTORIES, 2000) // 3):
        rng = random.Random(f"to items {source} {number}")
        messages, _ = faults.broken(rng, faults.history(rng, source, 1 + number % 6), source, 4)
        done: Any = rj.convert(messages, TARGET, dialect=source)
        items = done.payload["input"] if isinstance(done.payload, dict) else done.payload
        # Where nobody said anything, nothing is sent, and that is told.
        broken = [] if items else ["openai-responses/input-nonempty"]
        assert refusals(TARGET, done.payload) == broken == [finding.clause for finding in done.left]
        assert [item for item in items if "id" in item or item.get("type") == "reasoning"] == []
        if number % 10 == 0:
            assert refusals_by_types(TARGET, items) == []


def test_settings_are_carried_under_their_names_and_come_back():
    """Flat tools, the choice, the format, the effort and the limit: of OpenAI Chat nothing of this is lost."""
    schema = {"type": "object", "properties": {}}
    tool = {"type": "function", "function": {"name": "f", "description": "d", "parameters": schema, "strict": True}}
    form = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema, "strict": True}}
    body = {
        "model": "gpt-5.4",
        "messages": [USER],
        "tools": [tool],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
        "response_format": form,
        "reasoning_effort": "low",
        "max_completion_tokens": 9,
        "parallel_tool_calls": False,
        "stop": ["END"],
    }
    done = rj.convert(body, TARGET)
    assert done.payload == {
        "model": "gpt-5.4",
        "input": [USER],
        "tools": [{"type": "function", **tool["function"]}],  # pyright: ignore[reportGeneralTypeIssues]
        "tool_choice": {"type": "function", "name": "f"},
        "text": {"format": {"type": "json_schema", "name": "n", "schema": schema, "strict": True}},
        "reasoning": {"effort": "low"},
        "max_output_tokens": 9,
        "parallel_tool_calls": False,
    }
    assert [(loss.what, loss.where) for loss in done.losses] == [("stop", "/stop")]
    assert rj.convert(done.payload, "openai-chat", side=done.side).payload == body


def test_a_tool_that_nobody_called_strict_says_so():
    """Left out, it would be strict here, and is not in OpenAI Chat."""
    tool = {"type": "function", "function": {"name": "f"}}
    done = rj.convert({"model": "gpt-5.4", "messages": [USER], "tools": [tool]}, TARGET)
    assert done.payload["tools"][0]["strict"] is False


def test_media_refusals_and_free_text_calls_cross_to_openai_chat_and_back():
    """Each kind has the part that the other API has for it; what a result shows moves behind it with a note."""
    image = {"type": "input_image", "image_url": PNG, "detail": "high"}
    file = {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}
    custom = {"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "*** Begin"}
    answer = {"type": "custom_tool_call_output", "call_id": "c1", "output": "done"}
    refused = {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}
    items = [{"role": "user", "content": [image, file]}, custom, answer, refused]
    done = rj.convert(items, "openai-chat", dialect=TARGET)
    assert done.losses == ()
    there = done.payload
    assert there[0]["content"] == [
        {"type": "image_url", "image_url": {"url": PNG, "detail": "high"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": file["file_data"]}},
    ]
    assert there[1]["tool_calls"] == [{"id": "c1", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}]
    assert there[3]["content"] == [{"type": "refusal", "refusal": "No."}]
    # Without the table, too: nothing of this needs one.
    assert rj.convert(there, TARGET, dialect="openai-chat").payload == items


def test_reasoning_ids_and_phases_are_losses_and_are_in_the_table():
    """What only this API understands crosses to nobody, is named, and comes back byte for byte."""
    answer = {
        "type": "message",
        "id": f"msg_{HEX}",
        "role": "assistant",
        "status": "completed",
        "phase": "final_answer",
    }
    items = [USER, thought(), {**answer, "content": [{"type": "output_text", "text": "a", "annotations": []}]}, USER]
    for goal in DIALECTS.keys() - {TARGET}:
        done = rj.convert(items, goal, dialect=TARGET)
        assert {loss.what for loss in done.losses} >= {"thinking", "id", "phase"}
        assert HEX not in json.dumps(done.payload)
        back = rj.convert(done.payload, TARGET, dialect=goal, side=json.loads(json.dumps(done.side)))
        assert json.dumps(back.payload) == json.dumps(items)


def test_a_call_of_a_tool_that_only_this_api_has_keeps_what_it_asked_for():
    """It becomes a call of the tool's name, its answer a result, and the difference is named."""
    items = [
        USER,
        {"type": "shell_call", "call_id": "h1", "action": {"commands": ["ls"]}},
        {"type": "shell_call_output", "call_id": "h1", "output": []},
    ]
    done = rj.convert(items, "openai-chat", dialect=TARGET)
    function = {"name": "shell", "arguments": '{"commands":["ls"]}'}
    assert done.payload[1]["tool_calls"] == [{"id": "h1", "type": "function", "function": function}]
    assert "shell_call" in {loss.what for loss in done.losses}


def test_a_body_of_anthropic_says_its_system_text_as_instructions():
    """One text is the one string that there is for it; several are a message that holds them all."""
    body = {"model": "claude-opus-5", "max_tokens": 9, "system": "Be terse", "messages": [USER]}
    done = rj.convert(body, TARGET, model="gpt-5.4")
    assert done.payload == {
        "model": "gpt-5.4",
        "max_output_tokens": 9,
        "instructions": "Be terse",
        "input": [USER],
    }
    two = {**body, "system": [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]}
    parts = [{"type": "input_text", "text": "A"}, {"type": "input_text", "text": "B"}]
    assert rj.convert(two, TARGET, model="gpt-5.4").payload["input"] == [{"role": "system", "content": parts}, USER]
