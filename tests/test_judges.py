"""The judges judged: recorded answers and measured cases say who is right, and random histories are held to both."""

import gzip
import json
import random
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faults
import grammar
import histories
from histories import call_key, calls, result_key, results
from judges.sdk_types import adapter, refusals_by_types
from judges.structure import refusals

JUDGED = ("openai-chat", "anthropic", "gemini", "openai-responses", "bedrock")
SEEDS = 800

# What one request cannot show: whether its thinking is the thinking that the model signed.
UNSEEN = {
    "an-no-thinking-modified": "needs the original response",
    "an-no-thinking-prefix-changed": "needs the prefix that the signature was made for",
}

# Recorded with status 200, yet against a rule: one id for the calls of two turns.
REUSED_ID = "google-gemini-3-flash-preview-anthropic-claude-sonnet-4-5"


def wire_cases(folder: Path, verdict: str) -> list[dict[str, Any]]:
    rows = map(json.loads, (folder / "cases" / "wire-cases.jsonl").read_text("utf-8").splitlines())
    return [row for row in rows if row["dialect"] in JUDGED and row["verdict"] == verdict]


def recorded(folder: Path) -> list[dict[str, Any]]:
    with gzip.open(folder / "cases" / "recorded-traffic.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = map(json.loads, lines)
        return [row for row in rows if row["dialect"] in JUDGED and row["status"] == 200]


def payload_of(case: dict[str, Any]) -> Any:
    return case.get("request") or case["messages"]


def messages_of(payload: Any) -> list[Any]:
    """The messages of a payload; none where one string stands in their place."""
    if not isinstance(payload, dict):
        return payload
    held = next((payload[name] for name in ("input", "contents", "messages") if name in payload), [])
    return held if isinstance(held, list) else []


# --- Against the evidence ---------------------------------------------------------------------------------------------


def test_accepted_cases_pass_both_judges(evidence: Path):
    for case in wire_cases(evidence, "accept"):
        assert refusals(case["dialect"], payload_of(case), case.get("model")) == [], case["id"]
        assert refusals_by_types(case["dialect"], messages_of(payload_of(case))) == [], case["id"]


def test_recorded_requests_that_were_answered_pass_both_judges(evidence: Path):
    rows = recorded(evidence)
    assert len(rows) > 100
    for row in rows:
        assert refusals(row["dialect"], row["request"], row["model"]) == [], row["source"]
        assert refusals_by_types(row["dialect"], messages_of(row["request"])) == [], row["source"]


def test_refused_cases_are_refused_by_the_right_rule(evidence: Path):
    cases = wire_cases(evidence, "reject")
    missed = {
        case["id"]
        for case in cases
        if case["rule"] not in refusals(case["dialect"], payload_of(case), case.get("model"))
    }
    assert missed == UNSEEN.keys() & {case["id"] for case in cases}


def test_only_one_recorded_request_reuses_a_call_id(evidence: Path):
    reusing = [row["source"] for row in recorded(evidence) if refusals(row["dialect"], row["request"], reuse=False)]
    assert [source for source in reusing if REUSED_ID not in source] == []


# --- Rules that the cases at hand do not show -------------------------------------------------------------------------

USER = {"role": "user", "content": "q"}


def chat_call(call_id: str = "call_1", **function: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "f", "arguments": "{}", **function}}


def chat_result(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "ok"}


def asks(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def use(call_id: str = "toolu_1", **changed: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "f", "input": {}, **changed}


def answers(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def result(call_id: str = "toolu_1", **changed: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "ok", **changed}


def text(said: str = "x", **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def marked(ttl: str) -> dict[str, Any]:
    return text(cache_control={"type": "ephemeral", "ttl": ttl})


def thinking(**changed: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": "t", "signature": "s", **changed}


IMAGE = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
SYSTEM = {"role": "system", "content": "s"}

REFUSED = [
    ("openai-chat/message-object", ["ping"]),
    ("openai-chat/role-known", [{"content": "ping"}]),
    ("openai-chat/content-required", [{"role": "user"}]),
    ("openai-chat/tool-calls-nonempty", [USER, {"role": "assistant", "content": "x", "tool_calls": []}]),
    ("openai-chat/tool-calls-type", [USER, {"role": "assistant", "content": "x", "tool_calls": "x"}]),
    (
        "openai-chat/tool-name",
        [USER, {"role": "assistant", "tool_calls": [chat_call(name="a.b")]}, chat_result("call_1")],
    ),
    ("openai-chat/tool-after-call", [chat_result("call_1"), USER]),
    ("openai-chat/tool-id-known", [USER, {"role": "assistant", "tool_calls": [chat_call()]}, chat_result("other")]),
    ("openai-chat/call-answered", [USER, {"role": "assistant", "tool_calls": [chat_call()]}]),
    ("openai-chat/part-type", [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}]),
    ("anthropic/role-known", [{"content": "ping"}]),
    ("anthropic/content-type", [{"role": "user"}]),
    ("anthropic/block-shape", [answers(7)]),
    ("anthropic/block-shape", [answers({"text": "no type"})]),
    ("anthropic/extra-member", [answers(text(id="msg_1"))]),
    ("anthropic/content-nonempty", [USER, {"role": "assistant", "content": ""}, USER]),
    ("anthropic/system-position", [SYSTEM, USER]),
    ("anthropic/system-position", [USER, SYSTEM, USER]),
    ("anthropic/system-content", [USER, {"role": "system", "content": "  "}]),
    ("anthropic/call-answered", [USER, asks(use()), USER]),
    ("anthropic/call-answered", [USER, asks(use())]),
    ("anthropic/result-first", [USER, asks(use("a"), use("b")), answers(result("a"), text(), result("b"))]),
    ("anthropic/result-has-call", [answers(result()), asks(text()), USER]),
    ("anthropic/result-has-call", [USER, asks(use()), answers(result()), asks(text()), answers(result())]),
    ("anthropic/call-unique", [USER, asks(use(), use(name="g")), answers(result())]),
    ("anthropic/server-tool-id-pattern", [USER, asks({**SEARCH, "id": "toolu_1"}, text()), USER]),
    ("anthropic/block-role", [answers(use()), asks(text()), USER]),
    ("anthropic/text-nonempty", [answers(text("Hi"), text(""))]),
    ("anthropic/cache-max-4", [answers(*[marked("5m")] * 5)]),
    ("anthropic/cache-ttl-order", [answers(marked("5m"), marked("1h"))]),
    ("anthropic/cache-on-thinking", [USER, asks(thinking(cache_control={"type": "ephemeral"}), text()), USER]),
    ("anthropic/thinking-signature", [USER, asks(thinking(signature=""), text()), USER]),
    ("anthropic/error-text-only", [USER, asks(use()), answers(result(content=[IMAGE], is_error=True))]),
    ("anthropic/error-nonempty", [USER, asks(use()), answers(result(content="", is_error=True))]),
    ("anthropic/result-no-citations", [USER, asks(use()), answers(result(content=[text(citations=[{}])]))]),
]

ACCEPTED = [
    ("openai-chat", [{"role": "user", "content": []}]),
    ("openai-chat", [{"role": "user", "content": "x", "tool_calls": []}]),
    ("openai-chat", [USER, {"role": "assistant", "content": "x", "refusal": None}]),
    ("anthropic", [USER, asks(use()), answers({"type": "tool_result", "tool_use_id": "toolu_1"})]),
    ("anthropic", [USER, asks(thinking(thinking=""), use()), answers(result(is_error=True), text())]),
    ("anthropic", [USER, {"role": "assistant", "content": "Say: "}, USER]),
    ("anthropic", [answers(marked("1h"), marked("5m")), asks(marked("5m")), answers(marked("5m"))]),
    ("anthropic", [USER, asks(SEARCH)]),
]


@pytest.mark.parametrize(("rule", "messages"), REFUSED)
def test_refused_by_rule(rule: str, messages: list[Any]):
    assert rule in refusals(rule.partition("/")[0], messages)


@pytest.mark.parametrize(("dialect", "messages"), ACCEPTED)
def test_accepted(dialect: str, messages: list[Any]):
    assert refusals(dialect, messages, "claude-opus-4-8" if dialect == "anthropic" else "gpt-5") == []


def test_the_model_narrows():
    ends_with_assistant = [USER, {"role": "assistant", "content": "The answer is ("}]
    assert refusals("anthropic", ends_with_assistant) == []
    assert refusals("anthropic", ends_with_assistant, "claude-sonnet-4-20250514") == []
    assert refusals("anthropic", {"messages": ends_with_assistant, "model": "claude-opus-4-6"}) == [
        "anthropic/prefill-model"
    ]
    audio = [{"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}]}]
    assert refusals("openai-chat", audio, "gpt-4o-audio-preview") == []
    assert refusals("openai-chat", audio, "gpt-5-mini") == ["openai-chat/audio-model"]


def test_disputed_readings_are_the_callers_choice():
    unanswered = [USER, {"role": "assistant", "tool_calls": [chat_call()]}]
    assert refusals("openai-chat", unanswered, trailing=False) == []
    reused = [USER, asks(use()), answers(result()), asks(use()), answers(result())]
    assert refusals("anthropic", reused) == []
    assert refusals("anthropic", reused, reuse=False) == ["anthropic/call-unique"]


def test_an_unknown_dialect_is_an_error_that_names_the_known_ones():
    with pytest.raises(ValueError, match="'openai-chat', 'anthropic' or 'gemini'"):
        refusals("cohere", [])


WORDS = st.sampled_from(
    "role content type text id tool_calls tool_call_id tool_use_id user assistant tool system tool_use tool_result "
    "image function name arguments input source base64 media_type data thinking signature is_error".split()
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=25,
)


@given(st.sampled_from(JUDGED), st.lists(JSON, max_size=4) | st.dictionaries(st.just("messages"), JSON))
def test_no_junk_makes_a_judge_fail(dialect: str, payload: Any):
    assert isinstance(refusals(dialect, payload), list)
    assert isinstance(refusals_by_types(dialect, payload if isinstance(payload, list) else []), list)


@pytest.mark.parametrize("dialect", JUDGED)
def test_the_judge_is_linear(dialect: str):
    """Counted, not timed: twice the messages, twice the calls of Python functions."""

    def work(messages: faults.Messages) -> int:
        counted = Counter[str]()
        sys.setprofile(lambda *told: counted.update(told[1:2]))  # told: frame, event, what it is about
        try:
            refusals(dialect, messages)
        finally:
            sys.setprofile(None)
        return counted["call"] + counted["c_call"]

    once = faults.history(random.Random(7), dialect, 100)
    assert work(once * 2) < 2.2 * work(once)


# --- Types that validate lazily ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic"])
def test_an_undrained_iterator_would_pass_and_ours_does_not(dialect: str):
    nonsense: list[Any] = [{"role": "user", "content": [{"type": "nonsense"}]}]
    if dialect == "openai-responses":
        nonsense = [{"type": "reasoning", "id": "rs_1", "summary": [{"type": "nonsense"}]}]
    adapter(dialect).validate_python(nonsense)  # no error: nobody has looked at the parts
    assert refusals_by_types(dialect, nonsense) != []


def test_types_look_at_what_lies_two_iterators_deep():
    nested = [USER, asks(use()), answers(result(content=[{"type": "nonsense"}]))]
    assert refusals_by_types("anthropic", nested) != []


def test_beta_blocks_are_shown_to_the_beta_types():
    compacted = [asks({"type": "compaction", "content": "so far"}), USER]
    assert refusals_by_types("anthropic", compacted) == []
    assert refusals_by_types("anthropic", [*compacted, {"role": "user", "content": 7}]) != []


# --- Random histories -------------------------------------------------------------------------------------------------


def as_chat(messages: faults.Messages) -> faults.Messages:
    """The pairing of a history of any dialect as OpenAI Chat messages, for the dialects that have no judge."""
    found: faults.Messages = []
    for message in messages:
        asked = [chat_call(call[call_key(call)]) for call in calls(message)]
        given_back = [chat_result(answer[result_key(answer)]) for answer in results(message)]
        role = "assistant" if message["role"] == "model" else message["role"]
        spoken = [{"role": role, "content": "x", **({"tool_calls": asked} if asked else {})}]
        found += given_back or spoken
    return found


@pytest.mark.parametrize("dialect", JUDGED)
def test_intact_histories_pass_both_judges(dialect: str):
    for seed in range(SEEDS):
        messages = faults.history(random.Random(seed), dialect, 1 + seed % 8)
        assert refusals(dialect, messages, reuse=False) == [], seed
        assert refusals_by_types(dialect, messages) == [], seed


@pytest.mark.parametrize("dialect", [name for name in faults.DIALECTS if name not in JUDGED])
def test_intact_histories_are_paired(dialect: str):
    for seed in range(SEEDS // 4):
        messages = faults.history(random.Random(seed), dialect, 1 + seed % 8)
        assert refusals("openai-chat", as_chat(messages)) == [], seed


@pytest.mark.parametrize("dialect", JUDGED)
def test_most_broken_histories_are_refused(dialect: str):
    rng = random.Random(11)
    verdicts = [
        refusals(dialect, faults.broken(rng, faults.history(rng, dialect, 8), dialect, 4)[0]) for _ in range(SEEDS)
    ]
    # Among items a result may stand anywhere behind its call, so that some faults of order are none.
    assert sum(map(bool, verdicts)) > (0.75 if dialect == "openai-responses" else 0.8) * SEEDS


@pytest.mark.parametrize("dialect", faults.DIALECTS)
def test_the_same_seed_gives_the_same_bytes_and_touches_nothing(dialect: str):
    def draw(seed: int) -> tuple[faults.Messages, faults.Messages, list[str]]:
        rng = random.Random(seed)
        messages = faults.history(rng, dialect, 5)
        before = json.dumps(messages)
        after, names = faults.broken(rng, messages, dialect, 4)
        assert json.dumps(messages) == before
        assert not objects(messages) & objects(after)
        return messages, after, names

    def objects(value: Any) -> set[int]:
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        own = {id(value)} if isinstance(value, dict | list) else set[int]()
        return own.union(*map(objects, inside))

    for seed in range(200):
        assert json.dumps(draw(seed)) == json.dumps(draw(seed))


@pytest.mark.parametrize("dialect", faults.DIALECTS)
def test_texts_are_traceable_and_every_fault_happens(dialect: str):
    seen = Counter[str]()
    for seed in range(SEEDS // 2):
        rng = random.Random(seed)
        messages = faults.history(rng, dialect, 1 + seed % 8)
        texts = faults.user_texts(messages)
        assert len(set(texts)) == len(texts) >= 1 + seed % 8
        after, names = faults.broken(rng, messages, dialect, 4)
        assert after
        assert 1 <= len(names) <= 4
        assert {said for said in faults.user_texts(after) if not said.startswith("stray ")} <= set(texts)
        assert set(faults.assistant_texts(after)) <= set(faults.assistant_texts(messages))
        seen.update(names)
    nowhere = {
        **{name: {"reverse_mixed"} for name in histories.CHAT},
        "app": {"reverse_mixed", "lose_text"},
        "neovate": {"reverse_mixed", "empty_calls"},
        "anthropic": {"empty_calls"},
        "gemini": {"empty_calls"},
        "bedrock": {"empty_calls"},
        "openai-responses": {"reverse_mixed", "empty_calls"},
    }
    assert faults.FAULTS.keys() - seen.keys() == nowhere[dialect]


@pytest.mark.parametrize("dialect", JUDGED)
def test_the_grammar_draws_from_the_same_histories(dialect: str):
    accepted = partial(refusals, dialect, reuse=False)

    @given(grammar.histories(dialect), grammar.broken_histories(dialect))
    def check(intact: faults.Messages, damaged: faults.Messages):
        assert accepted(intact) == []
        assert damaged

    check()
