"""More forms that are made here: OpenHands, training data without ids, LangChain, the AI SDK, and rows of our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from rejoinder.edge.sessions import Session
from session_loader import load, loaded
from test_agent_forms import chat_call, in_order, kinds, one

Json = dict[str, Any]


# --- OpenHands -------------------------------------------------------------------------------------------------------


def action(kind: str, **more: Any) -> Json:
    return {"action": kind, "args": {**more, "thought": more.get("thought", "")}, "message": "…"}


def observation(kind: str, content: str, **more: Any) -> Json:
    return {"observation": kind, "content": content, "extras": {}, "message": "…", **more}


def test_the_oldest_history_is_a_list_of_pairs():
    """Of an action and what was observed; nothing was observed of a message."""
    history = [
        [action("message", content="fix it", wait_for_response=False), observation("null", "")],
        [action("run", command="ls", thought="Look"), observation("run", "a.py")],
        [action("read", path="a.py"), observation("null", "")],
        [action("finish", thought="All done"), observation("null", "")],
    ]
    found = one({"instance_id": "django-1", "git_patch": "", "metrics": {}, "history": history}, "openhands")
    assert [message["role"] for message in found.messages] == ["user", "assistant", "tool", "assistant", "assistant"]
    assert found.messages[1] == {
        "role": "assistant",
        "content": "Look",
        "tool_calls": [chat_call("run", "call_2", command="ls")],
    }
    assert kinds(found) == [("interrupted", 3, "call_4")]
    assert found.session == "django-1"


def numbered(*events: Json) -> Json:
    """A run of 2025: events with ids, which may have gaps."""
    said = {"id": 1, "source": "user", "timestamp": "2025-04-01T10:00:00", **action("message", content="fix it")}
    rows = [said, *events]
    return {"instance_id": "i", "history": rows, "metadata": {"llm_config": {"model": "claude"}}, "metrics": {}}


def made(identity: str, answer: str = "r1", *calls: Json) -> Json:
    choices = [{"message": {"role": "assistant", "tool_calls": list(calls)}}]
    response = {"id": answer, "choices": choices}
    return {"tool_call_id": identity, "function_name": "execute_bash", "model_response": response}


def test_events_with_ids_are_paired_by_their_cause():
    """Calls of one answer are one message, though each was carried out before the next; `finish` is only words."""
    calls = [chat_call("execute_bash", "c1", command="ls"), chat_call("execute_bash", "c2", command="pwd")]
    first, second = made("c1", "r1", *calls), made("c2", "r1", *calls)
    found = one(
        numbered(
            {"id": 4, "source": "agent", **action("run", command="ls"), "tool_call_metadata": first},
            observation("run", "a.py", id=5, cause=4, tool_call_metadata=first, source="agent"),
            {"id": 7, "source": "agent", **action("run", command="pwd"), "tool_call_metadata": second},
            observation("agent_state_changed", "", id=8, source="environment"),
            observation("run", "here", id=9, cause=7, tool_call_metadata=second, source="agent"),
            {"id": 11, "source": "agent", **action("think", thought="hm"), "tool_call_metadata": made("c3", "r2")},
            observation("think", "noted", id=12, cause=11),
            {"id": 13, "source": "agent", **action("finish", thought="Done"), "tool_call_metadata": made("c4", "r3")},
        ),
        "openhands",
    )
    assert kinds(found) == []
    assert [message["role"] for message in found.messages] == [
        "user",
        "assistant",
        *["tool"] * 2,
        "assistant",
        "tool",
        "assistant",
    ]
    assert found.messages[1]["tool_calls"] == calls
    assert in_order(found)
    assert (found.model, found.began) == ("claude", "2025-04-01T10:00:00")


def test_an_observation_whose_action_is_gone_is_an_orphan_and_a_lost_one_leaves_its_call_open():
    """Where the file tells which call it was."""
    found = one(
        numbered(
            observation("run", "a.py", id=5, cause=3, tool_call_metadata=made("c1")),
            {"id": 7, "source": "agent", **action("run", command="pwd"), "tool_call_metadata": made("c2", "r2")},
        ),
        "openhands",
    )
    assert kinds(found) == [("orphan", 2, "c1"), ("pending", 3, "c2")]


def event(kind: str, identity: str, **more: Any) -> Json:
    return {"id": identity, "timestamp": "2026-06-16T05:39:18", "source": "agent", "kind": kind, **more}


def acted(identity: str, call: str, answer: str) -> Json:
    tool = {"id": call, "name": "terminal", "arguments": "{}", "origin": "completion"}
    thought = [{"type": "text", "text": "Look"}]
    made = {"tool_name": "terminal", "tool_call_id": call, "tool_call": tool, "llm_response_id": answer}
    return event("ActionEvent", identity, action={"kind": "TerminalAction"}, thought=thought, **made)


def observed(identity: str, call: str, of: str) -> Json:
    content = {"content": [{"type": "text", "text": "a.py"}], "is_error": False, "kind": "TerminalObservation"}
    return event("ObservationEvent", identity, tool_call_id=call, action_id=of, observation=content)


def said(identity: str, words: str) -> Json:
    message = {"role": "user", "content": [{"type": "text", "text": words}]}
    return event("MessageEvent", identity, llm_message=message) | {"source": "user"}


def test_actions_of_one_answer_are_one_message():
    """Parallel calls, each with its result, an error, or a refusal."""
    found = one(
        [
            event("SystemPromptEvent", "e0", system_prompt={"text": "be kind"}, tools=[]),
            said("e1", "go"),
            acted("e2", "c1", "r1"),
            acted("e3", "c2", "r1"),
            acted("e4", "c3", "r1"),
            observed("e5", "c1", "e2"),
            event("UserRejectObservation", "e6", tool_call_id="c2", action_id="e3", rejection_reason="no"),
            event("AgentErrorEvent", "e7", tool_call_id="c3", error="no such tool"),
        ],
        "openhands-sdk",
    )
    assert kinds(found) == []
    assert in_order(found)
    assert [message["role"] for message in found.messages] == ["system", "user", "assistant", *["tool"] * 3]
    assert [message["content"] for message in found.messages[-2:]] == ["no", "no such tool"]


@pytest.mark.parametrize(
    ("behind", "kind"),
    [
        ([], "pending"),
        ([said("e3", "stop")], "interrupted"),
        ([event("PauseEvent", "e3")], "interrupted"),
        ([event("ConversationErrorEvent", "e3", code="x")], "errored"),
        ([event("Condensation", "e3", forgotten_event_ids=[], summary="s")], "cut"),
        ([event("ConversationStateUpdateEvent", "e3", key="k", value="waiting_for_confirmation")], "paused"),
    ],
)
def test_why_an_action_was_never_observed(behind: list[Json], kind: str):
    """By what comes behind it."""
    found = one([said("e1", "go"), acted("e2", "c1", "r1"), *behind], "openhands-sdk")
    assert kinds(found) == [(kind, 2, "c1")]


def test_what_was_forgotten_is_out_of_the_conversation():
    """With what was observed of it; its summary stands where it says."""
    events = [
        said("e1", "go"),
        acted("e2", "c1", "r1"),
        observed("e3", "c1", "e2"),
        said("e4", "more"),
        event("Condensation", "e5", forgotten_event_ids=["e1", "e2"], summary="so far", summary_offset=0),
    ]
    found = one(events, "openhands-sdk")
    assert [message["content"] for message in found.messages] == ["so far", [{"type": "text", "text": "more"}]]
    assert kinds(found) == []
    assert found.lossy == "events that a condensation forgot are in the file, and not in the conversation"


# --- training data ---------------------------------------------------------------------------------------------------


def turns(*pairs: tuple[str, str]) -> Json:
    return {"conversations": [{"from": who, "value": value} for who, value in pairs], "tools": "[]", "system": "s"}


def test_tags_in_the_text_are_calls_and_results():
    """As Hermes has them; the words around them stay, and what only Python reads is read."""
    spoken = 'Let me see.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    older = "<tool_call>{'arguments': {'b': True}, 'name': 'g'}</tool_call>"
    responses = "<tool_response>one</tool_response>\n<tool_response>two</tool_response>"
    found = one(turns(("human", "q"), ("gpt", spoken + older), ("tool", responses), ("gpt", "done")), "sharegpt")
    assert kinds(found) == []
    assert in_order(found)
    assert found.messages[1]["content"] == "Let me see."
    assert found.messages[1]["tool_calls"] == [chat_call("f", "call_1", a=1), chat_call("g", "call_2", b=True)]
    assert [message["content"] for message in found.messages[2:4]] == ["one", "two"]
    assert found.system == "s"


def test_parallel_calls_in_one_value_share_one_observation():
    """A list as long as the calls are many is one for each; any other value is that of all."""
    calls = json.dumps([{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}])
    each = one(turns(("human", "q"), ("function_call", calls), ("observation", '["one", {"two": 2}]')), "sharegpt")
    assert [message["content"] for message in each.messages[2:]] == ["one", '{"two": 2}']
    shared = one(turns(("human", "q"), ("function_call", calls), ("observation", "both")), "sharegpt")
    assert [message["content"] for message in shared.messages[2:]] == ["both", "both"]
    assert kinds(each) == kinds(shared) == []


def test_of_data_without_ids_too_much_and_too_little_is_told():
    """An observation that nothing asked for; a call that nothing answers; a call that is no JSON."""
    broken = '<tool_call>{"name": "f", "arguments": {"a": "x"y"}}</tool_call>'
    found = one(
        turns(
            ("human", "q"),
            ("observation", "r"),
            ("function_call", '{"name": "f", "arguments": {}}'),
            ("human", "well?"),
            ("gpt", broken),
            ("tool", "r"),
            ("gpt", "<tool_call>nothing at all"),
        ),
        "sharegpt",
    )
    assert [(kind, line) for kind, line, _ in kinds(found)] == [
        ("orphan", 2),
        ("interrupted", 3),
        ("unreadable", 5),
        ("pending", 7),
        ("unreadable", 7),
    ]


def test_typed_parts_of_llama_factory_keep_their_reasoning():
    """Beside the words; a result answers by its place."""
    parts = [{"type": "reasoning", "value": "hm"}, {"type": "tool_call", "value": '{"name": "f", "arguments": {}}'}]
    messages = [
        {"role": "user", "content": [{"type": "text", "value": "q"}]},
        {"role": "assistant", "content": parts, "loss_weight": 0.0},
        {"role": "tool", "content": [{"type": "text", "value": "r"}]},
    ]
    found = one([{"messages": messages, "tools": "[]"}], "llama-factory")
    assert found.messages[1]["reasoning_content"] == "hm"
    assert kinds(found) == []
    assert in_order(found)


# --- LangChain, the AI SDK -------------------------------------------------------------------------------------------


def test_langchain_messages_are_kept_in_their_envelope():
    """Both envelopes, in a list or in a document; what the model could not spell right is a call all the same."""
    human = {"type": "human", "data": {"content": "q", "type": "human"}}
    calls = [{"name": "f", "args": {}, "id": "c1", "type": "tool_call"}, {"name": "g", "args": {}, "id": "c2"}]
    broken = [{"name": "h", "args": "{", "id": "c3", "error": "no JSON", "type": "invalid_tool_call"}]
    data = {"content": "", "tool_calls": calls, "invalid_tool_calls": broken, "response_metadata": {"model": "m"}}
    ai = {"type": "ai", "data": data}
    results = [{"type": "tool", "data": {"content": "r", "tool_call_id": name}} for name in ("c1", "c3", "c9")]
    for document in ([human, ai, *results], {"messages": [human, ai, *results]}):
        found = one(document, "langchain")
        assert found.messages == (human, ai, *results)
        assert (found.dialect, found.title, found.model) == ("langchain", "q", "m")
        assert kinds(found) == [("pending", 2, "c2"), ("orphan", 5, "c9")]
    path = ["langchain", "schema", "messages"]
    dumped = [
        {"lc": 1, "type": "constructor", "id": [*path, "HumanMessage"], "kwargs": {"content": "q"}},
        {
            "lc": 1,
            "type": "constructor",
            "id": [*path, "AIMessageChunk"],
            "kwargs": {"content": "", "tool_calls": calls},
        },
        {"lc": 1, "type": "constructor", "id": [*path, "ToolMessage"], "kwargs": {"content": "", "tool_call_id": "c1"}},
    ]
    assert kinds(one(dumped, "langchain")) == [("pending", 2, "c2")]


def tool_part(state: str, identity: str = "c1", **more: Any) -> Json:
    return {"type": "tool-weather", "toolCallId": identity, "state": state, "input": {}, **more}


def chat(*parts: Json, behind: bool = False) -> list[Json]:
    messages: list[Json] = [
        {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "q"}]},
        {"id": "m2", "role": "assistant", "parts": [{"type": "step-start"}, *parts]},
    ]
    return [*messages, {"id": "m3", "role": "user", "parts": [{"type": "text", "text": "so?"}]}] if behind else messages


@pytest.mark.parametrize(
    ("part", "last", "before"),
    [
        (tool_part("input-streaming"), "interrupted", "interrupted"),
        (tool_part("input-available"), "pending", "interrupted"),
        (tool_part("approval-requested", approval={"id": "a"}), "paused", "interrupted"),
        (tool_part("approval-responded", approval={"id": "a", "approved": True}), "pending", "interrupted"),
        (tool_part("approval-responded", approval={"id": "a", "approved": False}), "denied", "denied"),
        (tool_part("output-available", output=1), "", ""),
        (tool_part("output-error", errorText="no"), "", ""),
        (tool_part("output-denied", approval={"id": "a", "approved": False}), "", ""),
        ({"type": "tool-invocation", "toolInvocation": tool_part("call")}, "pending", "interrupted"),
        ({"type": "tool-invocation", "toolInvocation": tool_part("result", result=1)}, "", ""),
    ],
)
def test_the_state_of_a_part_tells_its_health(part: Json, last: str, before: str):
    """And whether somebody went on without it."""
    for behind, kind in ((False, last), (True, before)):
        found = one(chat(part, behind=behind), "ai-sdk")
        assert kinds(found) == ([(kind, 2, "c1")] if kind else [])
        assert (found.dialect, found.title) == ("ai-sdk", "q")


def test_chats_of_the_ai_sdk_come_in_documents_and_in_older_forms():
    """With an id of their own; one id for two calls is told once."""
    parts = [tool_part("output-available", output=at) for at in range(3)]
    found = one({"id": "chat-1", "messages": chat(*parts)}, "ai-sdk")
    assert found.session == "chat-1"
    assert kinds(found) == [("duplicate", 2, "c1")]
    old = {"id": "m", "role": "assistant", "content": "", "toolInvocations": [tool_part("partial-call")]}
    assert kinds(
        one([{"role": "user", "content": "q", "id": "u", "parts": [{"type": "text", "text": "q"}]}, old], "ai-sdk")
    ) == [("interrupted", 2, "c1")]


# --- our own ---------------------------------------------------------------------------------------------------------


def test_our_own_session_is_read_as_it_was_written(tmp_path: Path):
    """The active path, branches, calls that wait for a person, and a row whose bytes were changed."""
    with Session.create("s1", folder=str(tmp_path), cwd="w") as session:
        session.append({"role": "user", "content": "q"})
        first = session.append(
            {"role": "assistant", "content": None, "tool_calls": [chat_call("f", n) for n in ("c1", "c2")]}
        )
        session.append({"role": "tool", "tool_call_id": "c1", "content": "r"})
        session.append({"role": "user", "content": "left"})
        session.rewind(first)
        session.append({"role": "tool", "tool_call_id": "c1", "content": "again"})
        session.pause("c2")
        stored = session.messages()
    path = tmp_path / "s1.jsonl"
    found = load(path)[0]
    assert (found.tool, found.session, found.folder, found.title) == ("rejoinder", "s1", "w", "q")
    assert list(found.messages) == stored
    assert kinds(found) == [("paused", 3, "c2")]
    assert [(way.line, way.messages) for way in found.branches] == [(5, 2)]
    path.write_bytes(path.read_bytes().replace(b'"again"', b'"wrong"'))
    hit = load(path)[0]
    assert ("unreadable", 7, "") in kinds(hit)
    assert [message["content"] for message in hit.messages] != [message["content"] for message in stored]


def test_rows_without_our_header_are_a_tree_too():
    """Parallel results hang on their call; a parent that was never written is told, but for that of the first row."""

    def row(name: str, parent: str | None, role: str, content: Any) -> Json:
        return {
            "type": "message",
            "uuid": name,
            "parentUuid": parent,
            "role": role,
            "content": content,
            "timestamp": "t",
        }

    def result(call: str) -> list[Json]:
        return [{"type": "tool-result", "toolCallId": call, "toolName": "f", "result": {"llmContent": "r"}}]

    calls = [{"type": "tool_use", "id": name, "name": "f", "input": {}} for name in ("c1", "c2", "c3")]
    rows = [
        row("a", "cut", "user", "q"),
        row("b", "a", "assistant", calls),
        row("c", "b", "tool", result("c1")),
        row("d", "b", "tool", result("c2")),
        row("e", "b", "user", "go on"),
        row("x", "lost", "user", "who?"),
        row("f", "e", "assistant", "ok"),
    ]
    found = loaded(rows, "rows")[0]
    assert (found.dialect, found.lines) == ("neovate", (1, 2, 3, 4, 5, 7))
    assert kinds(found) == [("interrupted", 2, "c3"), ("gap", 6, "lost")]
    assert (
        loaded([{"type": {}, **{k: v for k, v in each.items() if k != "type"}} for each in rows], "rows")[0].messages
        == ()
    )
