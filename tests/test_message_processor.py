"""The message processor: what its document asks, method by method, and conversations out of templates."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import rejoinder as rj
from rejoinder import MessageProcessor, MissingVariableError, PayloadError, TemplateError
from rejoinder.assemble.message_rules import MESSAGE_RULES
from test_template import cases

VALUES = {"name": "Ann", "user": {"name": "Bo"}, "list": [1, {"a": "ü"}], "none": None, "n": 5}


# --- render_template --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{variable_name}} {{ name }}", " Ann"),
        ("{{user.name}} {{user.mail.host}}", "Bo "),
        ("{{title|default_value}} {{name|x}} {{none|x}}", "default_value Ann x"),
        ("{{#if name}}yes{{/if}}{{#if none}}no{{/if}}", "yes"),
        ("{{#each list}}[{{this}}]{{/each}}", '[1][{"a":"ü"}]'),
        ("{{user}} {{list}} {{none}}", '{"name":"Bo"} [1,{"a":"ü"}] '),
    ],
)
def test_render_template(template: str, text: str):
    assert MessageProcessor().render_template(template, VALUES) == text


def test_a_template_that_fails_is_given_back_and_the_error_recorded(caplog: pytest.LogCaptureFixture):
    processor = MessageProcessor()
    assert processor.render_template("Hello {{#if name}}", VALUES) == "Hello {{#if name}}"
    assert [error.column for error in processor.errors] == [7]
    assert "the block 'if' is not closed" in caplog.text
    with pytest.raises(TemplateError):
        MessageProcessor(on_error="raise").render_template("Hello {{#if name}}", VALUES)
    with pytest.raises(ValueError, match="on_error"):
        MessageProcessor(on_error="ignore")  # pyright: ignore[reportArgumentType]


def test_the_errors_that_are_remembered_are_bounded():
    processor = MessageProcessor()
    for _ in range(500):
        processor.render_template("{{", {})
    assert len(processor.errors) == 100


def test_a_missing_variable_takes_its_default_or_nothing_or_raises():
    assert MessageProcessor().render_template("[{{gone}}{{gone|x}}]", {}) == "[x]"
    with pytest.raises(MissingVariableError):
        MessageProcessor(missing="raise").render_template("{{gone}}", {})
    assert MessageProcessor(missing="raise").render_template("{{gone|x}}", {}) == "x"


# --- parse_variables, validate_variables ------------------------------------------------------------------------------


def test_parse_variables():
    text = "{{b}} {{a|x}} {{user.name}} {{b}} {{#if c}}{{#each xs as |x|}}{{x.y}}{{this}}{{../d}}{{/each}}{{/if}}"
    assert MessageProcessor().parse_variables(text) == ["b", "a", "user.name", "c", "xs", "d"]


def test_validate_variables():
    check = MessageProcessor().validate_variables("{{a}} {{user.name}} {{b|x}}", {"a": None})
    assert (check.valid, check.missing) == (False, ["user.name"])
    assert not check
    valid, missing = MessageProcessor().validate_variables("{{a}}", {"a": 0})
    assert (valid, missing) == (True, [])


# --- render_message ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("calls", ["tool_calls", "toolCalls"])
def test_render_message_fills_content_and_arguments_and_nothing_else(calls: str):
    message = {
        "role": "assistant",
        "name": "{{name}}",
        "content": ["Hi {{name}}", {"type": "text", "text": "{{n}}", "more": {"deep": ["{{user.name}}", 1]}}, 7],
        calls: [
            {
                "id": "{{n}}",
                "type": "function",
                "function": {"name": "f", "arguments": '{"q": "{{name}}", "n": {{n}}}'},
            },
            {
                "id": "c2",
                "type": "function",
                "function": {"name": "g", "arguments": {"n": "{{n}}", "q": "to {{name}}"}},
            },
        ],
        "meta": {"kept": "{{name}}"},
    }
    before = copy.deepcopy(message)
    made = MessageProcessor().render_message(message, VALUES)
    assert message == before
    assert made["content"] == ["Hi Ann", {"type": "text", "text": "5", "more": {"deep": ["Bo", 1]}}, 7]
    first, second = (call["function"]["arguments"] for call in made[calls])
    assert json.loads(first) == {"q": "Ann", "n": 5}
    assert second == {"n": 5, "q": "to Ann"}
    assert (made["name"], made["meta"], made[calls][0]["id"]) == ("{{name}}", {"kept": "{{name}}"}, "{{n}}")


def test_a_call_among_the_parts_has_typed_arguments():
    part = {"type": "tool_use", "id": "t", "name": "f", "input": {"n": "{{n}}", "l": "{{list}}"}}
    made = MessageProcessor().render_message({"role": "assistant", "content": [part]}, VALUES)
    assert made["content"][0]["input"] == {"n": 5, "l": [1, {"a": "ü"}]}
    made["content"][0]["input"]["l"].append(2)
    assert VALUES["list"] == [1, {"a": "ü"}]


@pytest.mark.parametrize("case", cases("arguments"))
def test_arguments_are_json(case: dict[str, Any]):
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": case["arguments"]}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    if "fails" in case:
        with pytest.raises(TemplateError, match=case["fails"]):
            MessageProcessor(on_error="raise").render_message(message, case["values"])
        case = {**case, "is": case["arguments"]}
        made = MessageProcessor().render_message(message, case["values"])
        assert made["tool_calls"][0]["function"]["arguments"] == case["arguments"]
        return
    made = MessageProcessor(on_error="raise").render_message(message, case["values"])
    arguments = made["tool_calls"][0]["function"]["arguments"]
    assert (json.loads(arguments) if isinstance(arguments, str) else arguments) == case["is"]


def test_what_is_no_message_is_refused():
    with pytest.raises(PayloadError, match="a message is an object"):
        MessageProcessor().render_message(["hi"])  # pyright: ignore[reportArgumentType]
    deep: Any = "x"
    for _ in range(5_000):
        deep = [deep]
    assert MessageProcessor().render_message({"role": "user", "content": deep})["content"] is deep


# --- validate_message -------------------------------------------------------------------------------------------------

GOOD = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("message", "errors"),
    [
        ({"role": "user", "content": "hi"}, []),
        ({"role": "user", "content": [{"type": "text", "text": "hi"}]}, []),
        ({"role": "assistant", "content": None, "tool_calls": [GOOD]}, []),
        ({"role": "assistant", "content": "", "toolCalls": [GOOD]}, []),
        ({"role": "tool", "content": "ok", "tool_call_id": "c"}, []),
        ({"role": "tool", "content": "ok", "toolCallId": "c"}, []),
        ({}, ["role: is missing", "content: is missing"]),
        ({"role": "bot", "content": 5}, ["role: 'bot' is none of", "content: is of the type integer"]),
        ({"role": ["user"], "content": None}, ["role: the array here is none of", "content: is of the type null"]),
        ({"role": "assistant", "content": "", "tool_calls": "x"}, ["tool_calls: is of the type string"]),
        (
            {"role": "assistant", "content": "", "toolCalls": [{}, 5, {"id": "a", "type": "web", "function": {}}]},
            [
                "toolCalls[0].id: is missing",
                "toolCalls[0].type: is missing",
                "toolCalls[0].function: is missing",
                "toolCalls[1]: is of the type integer",
                "toolCalls[2].type: is 'web'",
                "toolCalls[2].function.name: is missing",
                "toolCalls[2].function.arguments: is missing",
            ],
        ),
        ({"role": "tool", "content": "ok"}, ["tool_call_id: is missing"]),
        ({"role": "tool", "content": "ok", "toolCallId": 5}, ["toolCallId: is of the type integer"]),
        ("hi", ["the message is of the type string"]),
    ],
)
def test_validate_message_says_all_that_is_wrong_each_with_its_place(message: Any, errors: list[str]):
    check = MessageProcessor().validate_message(message)
    assert check.valid is (not errors)
    assert bool(check) is check.valid
    assert len(check.errors) == len(errors)
    assert all(found.startswith(wanted) for found, wanted in zip(check.errors, errors, strict=True)), check.errors


def test_rules_of_ones_own():
    def no_shouting(message: dict[str, Any]):
        if str(message.get("content")).isupper():
            yield "content: is shouted"

    processor = MessageProcessor(rules=(*MESSAGE_RULES, no_shouting))
    assert processor.validate_message({"role": "user", "content": "HI"}).errors == ["content: is shouted"]


# --- conversations ----------------------------------------------------------------------------------------------------

TEMPLATE = [
    {"role": "system", "content": "You help {{user}}."},
    "{{#each history}}",
    "{{this}}",
    "{{/each}}",
    {"role": "user", "content": "{{question}}"},
]


def call(name: str) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [{**GOOD, "id": name}]}


def result(name: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": "{{ok}}"}


@pytest.mark.parametrize("target", ["openai-chat", "strict"])
def test_a_conversation_is_spliced_and_accepted(target: str):
    history = [
        {"role": "user", "content": "hi {{secret}}"},
        call("c1"),
        result("c1"),
        {"role": "assistant", "content": "."},
    ]
    made = MessageProcessor(on_error="raise").render_messages(
        TEMPLATE, {"user": "Ann", "history": history, "question": "why?"}, target=target
    )
    assert rj.check(made.payload, target) == []
    assert (made.steps, made.left) == ((), ())
    assert [message is there for message, there in zip(made.payload[1:5], history, strict=True)] == [True] * 4
    assert made.payload[5] == {"role": "user", "content": "why?"}


def test_a_history_that_is_cut_is_mended_for_the_target():
    made = MessageProcessor().render_messages(
        TEMPLATE, {"history": [USER, call("c1")], "question": "?"}, target="openai-chat"
    )
    assert rj.check(made.payload, "openai-chat") == []
    assert [step.rule for step in made.steps] == ["tool_pairing.unanswered"]


USER = {"role": "user", "content": "hi"}
REMINDER = {"role": "system", "content": "Remember {{this.role}} {{@index}}."}


def test_a_reminder_never_stands_between_a_call_and_its_result():
    """It is written after each message; behind a call it waits for the results."""
    history = [USER, call("c1"), result("c1"), call("c2"), result("c2"), USER]
    template = ["{{#each history}}", "{{this}}", REMINDER, "{{/each}}"]
    made = MessageProcessor(on_error="raise").render_messages(template, {"history": history}).payload
    assert [message.get("content") for message in made if message["role"] == "system"] == [
        f"Remember {message['role']} {index}." for index, message in enumerate(history)
    ]
    roles = " ".join(message["role"] for message in made)
    assert roles == "user system assistant tool system system assistant tool system system user system"


@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic"])
def test_reminders_in_recorded_shapes_are_accepted(dialect: str):
    """In any intact history, a user's reminder behind each message adds no fault of pairing."""
    import random

    import faults

    template = ["{{#each history}}", "{{this}}", {"role": "user", "content": "Go on."}, "{{/each}}"]
    for seed in range(60):
        history = faults.history(random.Random(seed), dialect, 4)
        made = MessageProcessor(on_error="raise").render_messages(template, {"history": history}).payload
        assert [found.says for found in rj.check(made, "pairs", dialect=dialect)] == []
        assert len(made) == 2 * len(history)


def test_blocks_between_messages():
    template = [
        "{{#if system}}",
        {"role": "system", "content": "{{system}}"},
        "{{/if}}",
        "{{#each examples as |e number|}}",
        {"role": "user", "content": "{{number}}: {{e.q}} {{../x}}"},
        {"role": "assistant", "content": "{{e.a}}"},
        "{{else}}",
        {"role": "user", "content": "none"},
        "{{/each}}",
    ]
    processor = MessageProcessor(on_error="raise")
    made = processor.render_messages(template, {"examples": [{"q": "q", "a": "a"}], "x": "X"}).payload
    assert made == [{"role": "user", "content": "0: q X"}, {"role": "assistant", "content": "a"}]
    assert processor.render_messages(template, {"system": "s"}).payload == [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "none"},
    ]


def test_a_body_stays_a_body():
    body = {"model": "m", "system": "Be {{x}}", "messages": ["{{history}}", {"role": "user", "content": "{{x}}"}]}
    made = MessageProcessor().render_messages(body, {"x": "X", "history": [USER]}).payload
    assert made == {"model": "m", "system": "Be X", "messages": [USER, {"role": "user", "content": "X"}]}


@pytest.mark.parametrize(
    ("template", "values", "says"),
    [
        (["{{history}}"], {"history": "system: obey"}, "string is no message"),
        (["{{history}}"], {"history": ["hi"]}, "string is no message"),
        (["hello"], {}, "stands between messages"),
        (["{{#each history}}"], {}, "line 1, column 1: the block 'each' is not closed"),
        ([5], {}, "a message is an object, and this is integer"),
        ({"model": "m"}, {}, "a template of messages is a list"),
    ],
)
def test_what_is_no_conversation_is_one_clear_error(template: Any, values: Any, says: str):
    with pytest.raises((TemplateError, PayloadError), match=says):
        MessageProcessor(on_error="raise").render_messages(template, values)
