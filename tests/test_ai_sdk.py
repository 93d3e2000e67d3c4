"""The AI SDK's messages, with the npm package `ai` as the judge, where REJOINDER_NODE_MODULES says that it is."""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import faults
import rejoinder as rj
import stores

NUMBER = int(os.environ.get("REJOINDER_JUDGED", "60"))
Judge = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
USER = {"id": "1", "role": "user", "parts": [{"type": "text", "text": "q"}]}
MORE = {"id": "3", "role": "user", "parts": [{"type": "text", "text": "y"}]}
DONE = {"type": "tool-f", "toolCallId": "c0", "state": "output-available", "input": {}, "output": "x"}
STEP = {"type": "step-start"}
GRANTED = {"id": "a", "approved": True}
REFUSED = {"id": "a", "approved": False, "reason": "not on a Friday"}


def assistant(*parts: Any, **members: Any) -> dict[str, Any]:
    return {"id": "2", "role": "assistant", "parts": list(parts), **members}


def part(state: str, **members: Any) -> dict[str, Any]:
    return {"type": "tool-f", "toolCallId": "c1", "state": state, "input": {"n": 1}, **members}


@pytest.fixture(scope="module")
def judge() -> Judge:
    """What the package says of each of many payloads; without it or node, what is not checked is told."""
    folder = os.environ.get("REJOINDER_NODE_MODULES")
    node = shutil.which("node")
    if not folder or node is None:
        pytest.skip("NOT CHECKED against the AI SDK: REJOINDER_NODE_MODULES names no folder, or there is no node")
    if not (Path(folder) / "ai" / "package.json").is_file():
        pytest.fail(f"REJOINDER_NODE_MODULES is {folder!r}, which holds no package `ai`")
    script = Path(__file__).parent / "judges" / "ai_sdk.mjs"

    def ask(payloads: list[dict[str, Any]]) -> list[dict[str, Any]]:
        lines = "\n".join(map(json.dumps, payloads))
        done = subprocess.run([node, str(script)], input=lines, capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return ask


# --- What is read -----------------------------------------------------------------------------------------------------


def test_both_forms_are_told_from_other_shapes():
    history = faults.history(random.Random(3), "openai-chat", 6)
    for form in ("ai-sdk", "ai-sdk:ui"):
        found = rj.detect(stores.FORMS[form](history))
        assert (found.dialect, found.candidates) == ("ai-sdk", ("ai-sdk",))
        assert rj.check(stores.FORMS[form](history)) == []


@pytest.mark.parametrize(
    ("state", "members", "says"),
    [
        ("input-streaming", {}, "call c1 has no result (cut short)"),
        ("input-available", {}, "call c1 has no result (pending)"),
        ("approval-requested", {"approval": {"id": "a"}}, "call c1 has no result yet, and is left alone"),
        ("approval-responded", {"approval": GRANTED}, "call c1 has no result (pending)"),
        ("approval-responded", {"approval": REFUSED}, None),
        ("output-available", {"output": {"x": 1}}, None),
        ("output-error", {"errorText": "boom"}, None),
        ("output-denied", {"approval": REFUSED}, None),
    ],
)
def test_each_state_is_read_as_what_it_means(state: str, members: dict[str, Any], says: str | None):
    """A call and its result are one part; only the states without a result are open."""
    found = rj.check([USER, assistant(STEP, DONE, STEP, part(state, **members))], "pairs")
    assert [finding.says for finding in found] == ([] if says is None else [says])
    assert all(finding.pointer == "/1/parts/3" for finding in found)


def test_a_call_that_waits_for_a_person_waits_only_at_the_end():
    """Once the user went on, nobody answers any more."""
    asked = assistant(part("approval-requested", approval={"id": "a"}))
    assert rj.repair([USER, asked], "pairs").steps == ()
    assert rj.repair([USER, asked, MORE], "pairs").payload == [USER, MORE]
    there = rj.convert([USER, asked], "anthropic")
    assert there.payload[-1]["content"][0]["type"] == "tool_use"
    assert [finding.says for finding in there.left] == ["call c1 has no result yet, and is left alone"]


def test_a_denial_and_an_error_are_results_that_say_so():
    history = [USER, assistant(part("output-denied", approval=REFUSED)), MORE]
    (result,) = rj.convert(history, "anthropic").payload[2]["content"][:1]
    assert (result["content"], result["is_error"]) == ("not on a Friday", True)
    history = [USER, assistant(part("output-error", errorText="boom")), MORE]
    (result,) = rj.convert(history, "anthropic").payload[2]["content"][:1]
    assert (result["content"], result["is_error"]) == ("boom", True)


def test_only_the_step_that_is_broken_goes():
    """A message may hold a whole run of an agent: what came before the open call stays."""
    words = {"type": "text", "text": "and now"}
    mended = rj.repair([USER, assistant(STEP, DONE, STEP, words, part("input-available")), MORE], "pairs")
    assert mended.payload == [USER, assistant(STEP, DONE), MORE]
    assert mended.payload[1]["parts"][1] is DONE
    stripped = rj.repair([USER, assistant(STEP, words, part("input-available")), MORE], "pairs", policy="strip")
    assert stripped.payload[1]["parts"] == [STEP, words]


def test_an_invented_result_is_written_into_the_part_of_its_call():
    asked = part("approval-requested", approval={"id": "a"}, callProviderMetadata={"x": {"kept": 1}})
    (_, answered, _) = rj.repair([USER, assistant(asked), MORE], "pairs", policy="answer").payload
    (ended,) = answered["parts"]
    assert ended["state"] == "output-error"
    assert "no result was recorded" in ended["errorText"]
    assert "approval" not in ended
    assert ended["callProviderMetadata"] == {"x": {"kept": 1}}


def test_what_the_provider_ran_by_itself_is_no_call_of_ours():
    """In a ModelMessage too, where its result stands among the assistant's own parts."""
    ran = part("input-available", providerExecuted=True)
    assert rj.check([USER, assistant(ran, {"type": "text", "text": "a"}), MORE], "pairs") == []
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "f", "input": {}, "providerExecuted": True}
    output = {"type": "json", "value": [1]}
    result = {"type": "tool-result", "toolCallId": "c1", "toolName": "f", "output": output}
    assert rj.check([{"role": "user", "content": "q"}, {"role": "assistant", "content": [call, result]}], "pairs") == []


def test_a_state_of_tomorrow_is_kept_and_is_no_call():
    history = [USER, assistant(part("output-imagined", x=1)), MORE]
    assert rj.repair(history, "pairs").payload is history
    assert [loss.what for loss in rj.convert(history, "anthropic").losses] == ["tool-f", "empty turn"]


@pytest.mark.parametrize(
    ("data", "source"),
    [
        ("iVBORw0KGgo=", "base64"),
        ("data:image/png;base64,iVBORw0KGgo=", "base64"),
        ({"type": "data", "data": "iVBORw0KGgo="}, "base64"),
        ("https://example.com/a.png", "url"),
        ({"type": "url", "url": "https://example.com/a.png"}, "url"),
    ],
)
def test_a_file_says_in_several_ways_where_its_bytes_are(data: Any, source: str):
    """Bare, as a data URL, and since version 7 with a word for what it is."""
    file = {"type": "file", "data": data, "mediaType": "image/png"}
    there = rj.convert([{"role": "user", "content": [file]}], "anthropic", dialect="ai-sdk")
    assert there.payload[0]["content"][0]["source"]["type"] == source
    assert there.losses == ()


def test_what_version_four_stored_is_read():
    """`toolInvocations` beside a text: the text came behind the results, or with the calls that still wait."""
    ended = {"state": "result", "step": 0, "toolCallId": "c1", "toolName": "f", "args": {}, "result": {"t": 17}}
    old = {"id": "2", "role": "assistant", "content": "17 degrees", "toolInvocations": [ended]}
    history = [{"id": "1", "role": "user", "content": "q"}, old, {"id": "3", "role": "user", "content": "y"}]
    done = rj.convert(history, "openai-chat", dialect="ai-sdk")
    assert [message["role"] for message in done.payload] == ["user", "assistant", "tool", "assistant", "user"]
    back = rj.convert(done.payload, "ai-sdk", dialect="openai-chat", side=json.loads(json.dumps(done.side)))
    assert back.payload == history
    cut = {**old, "toolInvocations": [{**ended, "state": "partial-call"}]}
    assert rj.check([history[0], cut], "pairs")[0].says == "call c1 has no result (cut short)"
    assert rj.check([history[0], cut], "pairs")[0].pointer == "/1/toolInvocations/0"


def test_what_version_four_tells_twice_stays_the_same_twice():
    call = {"state": "call", "step": 0, "toolCallId": "c1", "toolName": "f", "args": {}}
    parts = [STEP, {"type": "text", "text": "hm"}, {"type": "tool-invocation", "toolInvocation": call}]
    old = {"id": "2", "role": "assistant", "content": "hm", "parts": parts, "toolInvocations": [call]}
    mended = rj.repair([USER, old, MORE], "pairs", policy="strip").payload[1]
    assert mended == {**old, "parts": parts[:2], "toolInvocations": []}
    answered = rj.repair([USER, old, MORE], "pairs", policy="answer").payload[1]
    assert answered["toolInvocations"] == [answered["parts"][2]["toolInvocation"]]
    assert answered["toolInvocations"][0]["state"] == "result"


def test_new_messages_have_ids_that_are_the_same_each_time():
    history = faults.history(random.Random(3), "openai-chat", 6)
    one, other = (rj.convert(history, "ai-sdk:ui", dialect="openai-chat").payload for _ in range(2))
    assert one == other
    assert len({message["id"] for message in one}) == len(one)


# --- What the package says --------------------------------------------------------------------------------------------


def test_what_is_converted_is_valid(judge: Judge):
    """Histories of both APIs as ModelMessages and as UIMessages, broken ones too: the SDK's schemas take all."""
    asked: list[dict[str, Any]] = []
    for number in range(NUMBER):
        for source in ("openai-chat", "anthropic"):
            rng = random.Random(number)
            messages = faults.history(rng, source, 1 + number % 5)
            broken, _ = faults.broken(rng, messages, source, 3)
            for each in (messages, broken):
                asked.append({"kind": "model", "messages": listed(rj.convert(each, "ai-sdk", dialect=source).payload)})
                asked.append({"kind": "ui", "messages": listed(rj.convert(each, "ai-sdk:ui", dialect=source).payload)})
    assert [answer["error"] for answer in judge(asked) if answer["error"]] == []


def test_what_is_repaired_is_valid_and_whole(judge: Judge):
    """Broken UIMessages, mended under each policy: valid, and each call of theirs has its result for the SDK too."""
    asked: list[dict[str, Any]] = []
    for number in range(NUMBER):
        rng = random.Random(number)
        near, _ = faults.broken(rng, faults.history(rng, "openai-chat", 1 + number % 5), "openai-chat", 3)
        for policy in ("drop", "strip", "answer"):
            mended = rj.repair(stores.ai_sdk_ui(near), "pairs", policy=policy, dialect="ai-sdk").payload
            asked.append({"kind": "ui", "messages": [message for message in mended if message["parts"]]})
    answers = judge(asked)
    assert [answer["error"] for answer in answers if answer["error"]] == []
    for answer in answers:
        assert rj.check(answer["model"], "pairs", dialect="ai-sdk") == []


def test_the_model_messages_are_those_that_the_sdk_makes(judge: Judge):
    """Both read the same UIMessages: who speaks, the texts, the calls and the results are equal."""
    stored = [stores.ai_sdk_ui(faults.history(random.Random(n), "openai-chat", 1 + n % 5)) for n in range(NUMBER)]
    answers = judge([{"kind": "ui", "messages": messages} for messages in stored])
    for messages, answer in zip(stored, answers, strict=True):
        assert answer["error"] is None
        ours = rj.convert(messages, "openai-chat", dialect="ai-sdk").payload
        theirs = rj.convert(answer["model"], "openai-chat", dialect="ai-sdk").payload
        assert ours == theirs


def test_the_examples_above_are_what_the_sdk_stores(judge: Judge):
    """The states as they are written here are valid, so that what is read above is not our own invention."""
    states = [
        part("input-streaming"),
        part("input-available"),
        part("approval-requested", approval={"id": "a"}),
        part("approval-responded", approval=GRANTED),
        part("approval-responded", approval=REFUSED),
        part("output-available", output={"x": 1}),
        part("output-error", errorText="boom"),
        part("output-denied", approval=REFUSED),
    ]
    answers = judge([{"kind": "ui", "messages": [USER, assistant(STEP, DONE, STEP, each)]} for each in states])
    assert [answer["error"] for answer in answers] == [None] * len(states)
    (denied,) = (each for each in answers[7]["model"][-1]["content"] if each["type"] == "tool-result")
    assert denied["output"].get("value", denied["output"].get("reason")) == "not on a Friday"


def test_the_judge_refuses_what_is_wrong(judge: Judge):
    """It can say no: a part without its state, a tool message without its name, a message without an id."""
    stateless = {"type": "tool-f", "toolCallId": "c1", "input": {}}
    result = {"type": "tool-result", "toolCallId": "c1", "output": {"type": "text", "value": ""}}
    wrong = [
        {"kind": "ui", "messages": [USER, assistant(stateless)]},
        {"kind": "ui", "messages": [{"role": "user", "parts": USER["parts"]}]},
        {"kind": "model", "messages": [{"role": "tool", "content": [result]}]},
    ]
    assert all(answer["error"] for answer in judge(wrong))


def listed(payload: Any) -> list[Any]:
    return payload if isinstance(payload, list) else payload["messages"]
