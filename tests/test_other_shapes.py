"""Payloads that are nearly right: other words for roles, other shapes, lone calls, rows of any dialect."""

from __future__ import annotations

from typing import Any

import pytest

import rejoinder as rj

USER: dict[str, Any] = {"role": "user", "content": "q"}
MORE: dict[str, Any] = {"role": "user", "content": "y"}
CALL: dict[str, Any] = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RESULT: dict[str, Any] = {"role": "tool", "tool_call_id": "c", "content": "real"}
USE: dict[str, Any] = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
BROUGHT: dict[str, Any] = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "real"}]}


def test_another_providers_history_is_left_alone():
    """What a repair would have to take away is what it says: it is told, not taken."""
    history = [USER, {"role": "assistant", "content": None, "tool_calls": [CALL]}, RESULT, MORE]
    mended = rj.repair(history, "anthropic")
    assert mended.payload is history
    assert mended.steps == ()
    assert "anthropic/role-known" in [finding.clause for finding in mended.left]


def test_calls_under_another_word_for_the_assistant_are_calls():
    """`ai` is called assistant, and its exchange stays whole."""
    history = [USER, {"role": "ai", "content": None, "tool_calls": [CALL]}, RESULT, MORE]
    mended = rj.repair(history, "openai-chat")
    assert mended.payload == [USER, {"role": "assistant", "content": None, "tool_calls": [CALL]}, RESULT, MORE]
    assert mended.left == ()


def test_a_lone_call_is_put_into_a_list():
    """A call that is not in a list is still a call, and its result is not an orphan."""
    history = [USER, {"role": "assistant", "content": "x", "tool_calls": CALL}, RESULT]
    mended = rj.repair(history, "openai-chat")
    assert mended.payload == [USER, {"role": "assistant", "content": "x", "tool_calls": [CALL]}, RESULT]


def test_tuples_are_arrays():
    """`json` and both SDKs write a tuple as an array."""
    history = [{"role": "user", "content": ({"type": "text", "text": "IMPORTANT"},)}]
    assert rj.check(history, "openai-chat") == []


def test_blank_system_text_goes_with_its_field():
    """What a step says is gone is gone."""
    body = {"messages": [USER], "system": [{"type": "text", "text": " "}]}
    mended = rj.repair(body, "anthropic")
    assert mended.payload == {"messages": [USER]}
    assert mended.undo() == body


def test_an_empty_string_at_the_end_hides_nothing():
    """The API merges turns: the words in front of an empty string are the closing words."""
    history = [USER, {"role": "assistant", "content": "Say: "}, {"role": "assistant", "content": ""}]
    assert "anthropic/final-trailing-whitespace" in [finding.clause for finding in rj.check(history, "anthropic")]


@pytest.mark.parametrize("model", ["claude-opus-4.6", "anthropic/Claude-Opus-4-6", "claude-opus-4-10", "claude-opus-6"])
def test_models_as_routers_write_them(model: str):
    """Dots, capitals and later versions belong to the family as well."""
    history = [USER, {"role": "assistant", "content": "The answer is ("}]
    found = [finding for finding in rj.check(history, "anthropic", model=model) if finding.severity == "error"]
    assert [finding.clause for finding in found] == ["anthropic/prefill-model"]


def test_half_of_the_tools_of_the_last_turn_are_still_running():
    """Parallel tools end one by one: as long as nothing else stands behind the calls they are pending."""
    other = {**CALL, "id": "d"}
    history = [USER, {"role": "assistant", "content": None, "tool_calls": [CALL, other]}, RESULT]
    assert rj.repair(history, "openai-chat", policy=rj.Policy(pending="keep")).payload is history


def test_an_orphan_in_the_assistants_message_is_quoted_by_the_user():
    """No word that the assistant did not say is put into its mouth."""
    reply = {"role": "assistant", "content": [{"type": "text", "text": "Done."}, BROUGHT["content"][0]]}
    mended = rj.repair([USER, reply], "anthropic", policy=rj.Policy(orphan="as_text"))
    assert mended.payload[1] == {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}
    assert mended.payload[2]["role"] == "user"


@pytest.mark.parametrize(
    "choice",
    [
        {"rules": {"tool_pairing.unanswered": "anwser"}},
        {"rules": {"openai-chat/nope": "keep"}},
        {"calls": {"call_1": "kep"}},
        {"paused": "call_1"},
        {"unanswered": "merge"},
    ],
)
def test_a_misspelt_policy_is_an_error(choice: dict[str, Any]):
    """It is not taken for no choice at all."""
    with pytest.raises(rj.PolicyError):
        rj.Policy(**choice)


def test_the_same_object_twice_in_a_list():
    """Each place is told for itself."""
    asks = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    result = rj.sanitize_messages([USER, asks, USER, asks, MORE])
    assert [each.index for each in result.removed_messages] == [1, 3]
    assert {each.reason for each in result.removed_messages} == {"Missing tool responses for: c"}


def rows(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages as rows of a session, each the child of the one before."""
    return [
        {"type": "message", "uuid": str(index), "parentUuid": str(index - 1) if index else None, **message}
        for index, message in enumerate(messages)
    ]


@pytest.mark.parametrize(
    "exchange",
    [
        [{"role": "assistant", "content": None, "tool_calls": [CALL]}, RESULT],
        [{"role": "assistant", "content": [USE]}, BROUGHT],
        [{"role": "assistant", "toolCalls": [CALL]}, {"role": "tool", "toolCallId": "c", "content": "real"}],
    ],
    ids=["openai-chat", "anthropic", "app"],
)
def test_rows_of_any_dialect(exchange: list[dict[str, Any]]):
    """An intact exchange stays, one without its result goes, and the ids are seen."""
    whole = rows(USER, *exchange, MORE)
    assert rj.filter_messages(whole) == whole
    assert rj.get_tool_use_ids(whole) == rj.get_tool_result_ids(whole) == {"c"}
    broken = rows(USER, exchange[0], MORE)
    assert [use.id for use in rj.find_incomplete_tool_uses(broken)] == ["c"]
    assert rj.filter_messages(broken) == [broken[0], broken[2]]


def test_results_beside_the_path_are_told_apart_by_position():
    """An id that repeats: the later call's results hang beside the path although the id was answered before."""

    def row(uuid: str, parent: str | None, role: str, *content: dict[str, Any]) -> dict[str, Any]:
        return {"type": "message", "uuid": uuid, "parentUuid": parent, "role": role, "content": list(content)}

    old, new = ({"type": "tool-result", "toolCallId": "c", "result": words} for words in ("old", "new"))
    stored = [
        row("1", None, "user", {"type": "text", "text": "go"}),
        row("2", "1", "assistant", USE),
        row("3", "2", "tool", old),
        row("4", "3", "assistant", USE),
        row("5", "4", "tool", new),
        row("6", "4", "user", {"type": "text", "text": "thanks"}),
    ]
    assert [each["uuid"] for each in rj.filter_messages(stored)] == ["1", "2", "3", "4", "5", "6"]


def test_a_mark_is_no_text():
    """Moving a cache mark changes nothing that a model reads; new words do, and say what stands behind them."""
    mark = {"cache_control": {"type": "ephemeral"}}
    plain = [{"role": "user", "content": [{"type": "text", "text": "a"}]}]
    marked = [{"role": "user", "content": [{"type": "text", "text": "a", **mark}]}]
    assert rj.prefix_impact(plain, marked, dialect="anthropic").first_changed is None
    other = [{"role": "user", "content": [{"type": "text", "text": "b", **mark}]}]
    impact = rj.prefix_impact(marked, other, dialect="anthropic")
    assert (impact.first_changed, impact.cache_marks) == (0, ("/0/content/0",))


@pytest.mark.parametrize("payload", [7, None, "text", {"messages": None}, {}])
def test_what_is_no_conversation_is_an_error_that_says_so(payload: Any):
    """Never a traceback of ours: one error, in words."""
    with pytest.raises(rj.PayloadError):
        rj.check(payload, "openai-chat")


def test_depth_is_no_danger():
    """Arguments nested deeper than any parser goes are kept, and nothing recurses into them."""
    deep: Any = {}
    for _ in range(5000):
        deep = {"a": deep}
    asks = {"role": "assistant", "content": [{**USE, "input": deep}]}
    mended = rj.repair([USER, asks, MORE], "anthropic", policy="answer")
    assert mended.payload[1]["content"][0]["input"] is deep
    spoken = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{**CALL, "function": {"name": "f", "arguments": deep}}],
    }
    assert [finding.clause for finding in rj.repair([USER, spoken, RESULT], "openai-chat").left] == [
        "openai-chat/arguments-string"
    ]


@pytest.mark.parametrize(
    ("target", "reply", "clause"),
    [
        ("openai-chat", [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "x"}], "openai-chat/part-type"),
        ("openai-chat", {"type": "text", "text": "x"}, "openai-chat/content-type"),
        ("anthropic", [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "x"}], "anthropic/block-shape"),
    ],
)
def test_one_sign_of_a_store_is_a_fault_of_the_request(target: str, reply: Any, clause: str):
    """A single block that some store has too does not make a request for an API something else."""
    found = rj.check([USER, {"role": "assistant", "content": reply}, MORE], target)
    assert [finding.clause for finding in found] == [clause]


def test_a_result_with_its_id_under_the_wrong_name_is_refused():
    """`id` in place of `tool_use_id`: no result that Anthropic knows, and no store's older form either."""
    brought = {"role": "user", "content": [{"type": "tool_result", "id": "c", "content": "real"}]}
    found = {
        finding.clause for finding in rj.check([USER, {"role": "assistant", "content": [USE]}, brought], "anthropic")
    }
    assert {"anthropic/result-id-required", "anthropic/extra-member"} <= found


@pytest.mark.parametrize("target", ["openai-chat", "anthropic"])
@pytest.mark.parametrize(
    "results",
    [
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c", "toolName": "f", "result": "real"}]},
        {"role": "user", "content": [{"type": "tool_result", "id": "c", "name": "f", "result": "real"}]},
    ],
)
def test_a_store_that_shows_is_judged_by_what_it_means(target: str, results: dict[str, Any]):
    """A part that only the store writes: the JSON of the API is not asked for."""
    assert rj.check([USER, {"role": "assistant", "content": [USE]}, results, MORE], target) == []
