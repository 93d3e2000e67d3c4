"""Forms of session files that are made here, for there is no sample of them: what is read, and what is the matter."""

import json
from typing import Any

import pytest

import rejoinder as rj
from rejoinder.transcripts.transcript import Transcript
from session_loader import loaded

Json = dict[str, Any]


def kinds(found: Transcript) -> list[tuple[str, int, str]]:
    return [(each.kind, each.line, "".join(each.ids)) for each in found.defects]


def one(document: Any, tool: str) -> Transcript:
    """The only conversation of a document, and what it says of itself."""
    found = loaded(document)
    assert [each.tool for each in found] == [tool]
    return found[0]


def in_order(found: Transcript) -> bool:
    return rj.check(list(found.messages), dialect=found.dialect) == []


def chat_call(name: str, identity: Any, **arguments: Any) -> Json:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": identity, "type": "function", "function": function}


# --- Cline -----------------------------------------------------------------------------------------------------------


def anthropic_call(identity: str, name: str = "read_file") -> Json:
    return {"type": "tool_use", "id": identity, "name": name, "input": {"path": "a.py"}}


def task(*more: Json) -> list[Json]:
    text = "<task>\nMake it quick\n</task>\n<environment_details>\n…"
    return [{"role": "user", "content": [{"type": "text", "text": text}], "ts": 1783376868634}, *more]


def answered(identity: str, *more: Json) -> Json:
    result = {"type": "tool_result", "tool_use_id": identity, "content": "x = 1"}
    return {"role": "user", "content": [result, *more], "ts": 1783376868700}


def test_a_task_of_cline_is_a_list_of_messages():
    """Its title is the task, its notes are no part of the messages, and a call at the end may still run."""
    call = {"role": "assistant", "content": [anthropic_call("t1"), anthropic_call("t2")], "modelInfo": {"modelId": "m"}}
    found = one(task(call, answered("t1")), "cline")
    assert (found.title, found.model, found.began) == ("Make it quick", "m", "2026-07-06T22:27:48.634Z")
    assert kinds(found) == [("pending", 2, "t2")]
    assert [set(message) for message in found.messages] == [{"role", "content"}] * 3
    went_on = one(task(call, answered("t1", {"type": "text", "text": "go on"})), "cline")
    assert kinds(went_on) == [("interrupted", 2, "t2")]


def test_what_the_screen_showed_tells_what_was_cut_away_and_what_waits():
    """Of a task's folder: the range that was deleted is not in the conversation, and an open question is no defect."""
    rows = [*task(), *({"role": role, "content": f"{at}"} for at, role in enumerate(("assistant", "user") * 3))]
    rows.append({"role": "assistant", "content": [anthropic_call("t9", "execute_command")]})
    shown = [
        {"ts": 1, "type": "say", "say": "text", "text": "…", "conversationHistoryDeletedRange": [1, 4]},
        {"ts": 2, "type": "ask", "ask": "command", "text": "rm -r build"},
    ]
    found = one([*rows, *shown], "cline")
    assert found.lines == (1, 6, 7, 8)
    assert kinds(found) == [("paused", 8, "t9")]


def test_a_session_of_the_sdk_goes_on_with_its_compaction():
    """Where a compaction is younger than the messages; the messages are then a way that was left."""
    messages = [{"id": "m1", "role": "user", "content": [{"type": "text", "text": "hello"}]}]
    session = {"version": 1, "sessionId": "s", "agent": "lead", "system_prompt": "be kind", "messages": messages * 3}
    compacted = [{"role": "user", "content": "Context summary", "metadata": {}}]
    full = {**session, "updated_at": "2026-07-15T00:00:00Z"}
    short = {**session, "updated_at": "2026-07-16T00:00:00Z", "messages": compacted}
    manifest = {"session_id": "s", "cwd": "w", "exit_code": 0, "metadata": {"title": "Hello there"}}
    found = one([full, short, manifest], "cline")
    assert found.messages == ({"role": "user", "content": "Context summary"},)
    assert (found.title, found.folder, found.system) == ("Hello there", "w", "be kind")
    assert [way.messages for way in found.branches] == [3]


def test_what_only_cline_knows_is_put_in_terms_of_the_api():
    """Files are texts, and results that are data are their JSON."""
    file = {"type": "file", "path": "a.py", "content": "x = 1"}
    result = {"type": "tool_result", "tool_use_id": "t1", "name": "read", "content": [{"query": "a", "success": True}]}
    messages = [
        {"role": "user", "content": [file]},
        {"role": "assistant", "content": [anthropic_call("t1")]},
        {"role": "user", "content": [result]},
    ]
    found = one({"sessionId": "s", "agent": "lead", "messages": messages}, "cline")
    assert in_order(found)
    assert found.messages[0]["content"][0]["text"] == '<file_content path="a.py">\nx = 1\n</file_content>'
    assert json.loads(found.messages[2]["content"][0]["content"]) == [{"query": "a", "success": True}]


# --- SWE-agent, mini-swe-agent ---------------------------------------------------------------------------------------


def test_a_trajectory_of_steps_alone_is_words():
    """Without a history there is what was answered and what came of it."""
    steps = [{"action": "ls", "observation": "a.py", "response": "Let me look", "thought": "look", "state": "{}"}]
    found = one({"environment": "e", "trajectory": steps, "info": {"exit_status": "submitted"}}, "swe-agent")
    assert [(message["role"], message["content"]) for message in found.messages] == [
        ("assistant", "Let me look"),
        ("user", "a.py"),
    ]


def test_one_observation_of_two_calls_answers_both():
    """`tool_call_ids` is a list."""
    calls = [chat_call("bash", "c1"), chat_call("bash", "c2")]
    history = [
        {"role": "user", "content": "go", "agent": "main", "message_type": "observation"},
        {"role": "assistant", "content": "", "tool_calls": calls, "agent": "main", "message_type": "action"},
        {"role": "tool", "content": "done", "tool_call_ids": ["c1", "c2"], "message_type": "observation"},
        {"role": "assistant", "content": "", "tool_calls": [chat_call("bash", "c3")], "message_type": "action"},
    ]
    found = one({"history": history, "info": {}}, "swe-agent")
    assert found.lines == (1, 2, 3, 3, 4)
    assert kinds(found) == [("pending", 4, "c3")]


def mini(*messages: Json, status: str = "Submitted") -> Json:
    config = {"model": {"model_name": "deepseek/deepseek-chat"}}
    info = {"exit_status": status, "submission": "", "mini_version": "2.3.0", "config": config}
    start = [{"role": "system", "content": "s"}, {"role": "user", "content": "Fix it"}]
    return {
        "info": info,
        "messages": [*start, *messages],
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "i",
    }


def test_the_end_of_a_run_is_the_result_of_the_call_that_handed_it_in():
    """A run that was submitted lacks nothing; what was called beside it, and never answered, is told."""
    hand_in = chat_call("bash", "c2", command="echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt")
    end = {"role": "exit", "content": "diff --git", "extra": {"exit_status": "Submitted"}}
    found = one(
        mini({"role": "assistant", "content": "ok", "tool_calls": [hand_in], "extra": {}}, end), "mini-swe-agent"
    )
    assert (found.model, found.session, found.title) == ("deepseek/deepseek-chat", "i", "Fix it")
    assert kinds(found) == []
    assert in_order(found)
    assert found.messages[-1] == {"role": "tool", "tool_call_id": "c2", "content": "diff --git"}
    both = {"role": "assistant", "content": "ok", "tool_calls": [chat_call("bash", "c1", command="ls"), hand_in]}
    assert kinds(one(mini(both, end), "mini-swe-agent")) == [("interrupted", 3, "c1")]


def test_a_run_that_failed_leaves_its_call_in_error():
    """The last turn called, and the run ended otherwise."""
    call = {"role": "assistant", "content": "ok", "tool_calls": [chat_call("bash", "c1", command="ls")]}
    end = {"role": "exit", "content": "", "extra": {"exit_status": "TimeoutExpired"}}
    assert kinds(one(mini(call, end, status="TimeoutExpired"), "mini-swe-agent")) == [("errored", 3, "c1")]
    assert kinds(one(mini(call), "mini-swe-agent")) == [("pending", 3, "c1")]


def test_answers_of_the_responses_api_are_read_too():
    """There an answer is a list of items, and so is a result."""
    words = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Look"}]}
    call = {"type": "function_call", "name": "bash", "arguments": "{}", "call_id": "c1"}
    answer = {"object": "response", "output": [{"type": "reasoning"}, words, call]}
    found = one(mini(answer, {"type": "function_call_output", "call_id": "c1", "output": "a.py"}), "mini-swe-agent")
    assert kinds(found) == []
    assert found.messages[2]["content"] == "Look"
    assert found.messages[3] == {"role": "tool", "tool_call_id": "c1", "content": "a.py"}


# --- tau2 ------------------------------------------------------------------------------------------------------------


def simulation(*messages: Json, **more: Any) -> Json:
    base = {"id": "s1", "task_id": "7", "trial": 0, "termination_reason": "user_stop", "messages": list(messages)}
    return {**base, "start_time": "2026-01-01T10:00:00", "end_time": "2026-01-01T10:05:00", **more}


def tau_call(identity: str, requestor: str = "assistant", name: str = "look") -> Json:
    return {"id": identity, "name": name, "arguments": {"a": 1}, "requestor": requestor}


def tau_result(identity: str, requestor: str = "assistant") -> Json:
    return {"role": "tool", "id": identity, "content": "ok", "requestor": requestor, "error": False}


def test_in_tau2_results_name_their_calls_with_their_own_id():
    """And the arguments of calls are objects."""
    first = simulation(
        {"role": "assistant", "content": "Hi!"},
        {"role": "user", "content": "cancel it"},
        {"role": "assistant", "content": None, "tool_calls": [tau_call("c1")]},
        tau_result("c1"),
    )
    second = simulation({"role": "assistant", "content": None, "tool_calls": [tau_call("c1")]}, id="s2")
    file = {"timestamp": "t", "info": {"agent_info": {"llm": "gpt-4.1"}}, "tasks": [], "simulations": [first, second]}
    found = loaded(file)
    assert [(each.tool, each.session, each.model) for each in found] == [
        ("tau2-bench", "s1", "gpt-4.1"),
        ("tau2-bench", "s2", "gpt-4.1"),
    ]
    assert [kinds(each) for each in found] == [[], [("pending", 1, "c1")]]
    assert in_order(found[0])
    assert found[0].messages[2]["tool_calls"][0] == chat_call("look", "c1", a=1)
    assert kinds(one(first, "tau2-bench")) == []


def test_what_the_played_user_calls_is_no_part_of_what_the_model_sees():
    """It is looked through by itself, and told as lying beside the conversation."""
    found = one(
        simulation(
            {"role": "assistant", "content": "Restart it"},
            {"role": "user", "content": None, "tool_calls": [tau_call("u1", "user"), tau_call("u2", "user")]},
            {"role": "tool", "tool_messages": [{"id": "u1", "content": "on", "requestor": "user", "role": "tool"}]},
            {"role": "user", "content": "done"},
            {"role": "assistant", "content": None, "tool_calls": [tau_call("c1"), tau_call("c1", name="other")]},
            tau_result("c1"),
            tau_result("c1"),
        ),
        "tau2-bench",
    )
    assert [message["role"] for message in found.messages] == ["assistant", "user", "assistant", "tool", "tool"]
    assert [(each.kind, each.line, each.ids, each.live) for each in found.defects] == [
        ("interrupted", 2, ("u2",), False),
        ("duplicate", 5, ("c1",), True),
    ]


# --- fine-tuning -----------------------------------------------------------------------------------------------------


def test_each_line_of_training_data_is_a_conversation():
    """Weights are no part of what is said, and a line that is no conversation is told with the one behind it."""
    call = {"role": "assistant", "content": None, "tool_calls": [chat_call("f", "c1")], "weight": 1}
    whole = {
        "messages": [{"role": "user", "content": "q"}, call, {"role": "tool", "tool_call_id": "c1", "content": "r"}]
    }
    cut = {"messages": whole["messages"][:2], "tools": [], "parallel_tool_calls": False}
    found = loaded([whole, {"prompt": "old", "completion": "form"}, cut])
    assert [(each.tool, each.session) for each in found] == [("openai-fine-tuning", "1"), ("openai-fine-tuning", "3")]
    assert kinds(found[0]) == []
    assert kinds(found[1]) == [("pending", 2, "c1"), ("unreadable", 2, "")]
    assert found[0].messages[1].get("weight") is None
    assert whole["messages"][1]["weight"] == 1


@pytest.mark.parametrize("document", [{"messages": [], "tools": []}, [], [5, "x", None], {"a": 1}])
def test_what_is_no_session_is_refused_in_one_line(document: Any):
    """With the formats that are known."""
    with pytest.raises(rj.RejoinderError, match="no session in a format that is known") as told:
        loaded(document)
    assert "\n" not in str(told.value)
