"""Hostile templates and hostile values: nothing gets out, nothing gets in, and all of it in linear time."""

from __future__ import annotations

import gc
import json
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rejoinder import MessageProcessor, Template, TemplateError, TemplateLimitError
from rejoinder.template.fill import fill
from rejoinder.template.parse import parse

PAIRS = max(20_000, int(os.environ.get("REJOINDER_FUZZ", "0")))
MOST = 2.3
HOSTILE: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[1] / "vectors" / "template" / "hostile.json").read_text("utf-8")
)
SECRET = "the secret"


def value(rng: random.Random) -> str:
    return "".join(rng.choice(HOSTILE["values"]) for _ in range(rng.randint(1, 4)))


def shape(value: Any) -> Any:
    """JSON without its texts and numbers: what must not depend on what a value says."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    return [shape(inner) for inner in value] if isinstance(value, list) else "leaf"


def test_twenty_thousand_hostile_pairs():
    """Escapes, injections, reparses, broken JSON: none. A text is plain substitution, arguments keep their shape."""
    rng, processor = random.Random("hostile"), MessageProcessor(on_error="raise")
    plain = {"x": "v", "l": ["v"], "o": {"k": "v"}, "secret": SECRET}
    shapes = {text: shape(json.loads(arguments_of(processor, text, plain))) for text in HOSTILE["arguments"]}
    for _ in range(PAIRS):
        x = value(rng)
        values = {"x": x, "l": [x], "o": {"k": x}, "secret": SECRET}
        (text, plainly), arguments = rng.choice(HOSTILE["texts"]), rng.choice(HOSTILE["arguments"])
        assert processor.render_template(text, values) == plainly.replace("⟨x⟩", x)
        filled = arguments_of(processor, arguments, values)
        assert shape(json.loads(filled)) == shapes[arguments], (arguments, x)
        assert SECRET not in filled
        assert x in json.dumps(leaves(json.loads(filled)), ensure_ascii=False) or x in "".join(
            leaves(json.loads(filled))
        )


def arguments_of(processor: MessageProcessor, text: str, values: Any) -> str:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": text}}
    message = processor.render_message({"role": "assistant", "content": None, "tool_calls": [call]}, values)
    assert list(message) == ["role", "content", "tool_calls"]
    return message["tool_calls"][0]["function"]["arguments"]


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    return [leaf for inner in value for leaf in leaves(inner)] if isinstance(value, list) else [str(value)]


def test_a_value_never_becomes_a_message():
    """Whatever a value says, the roles of the outcome are those of the template, and nothing is read again."""
    rng, processor = random.Random("roles"), MessageProcessor(on_error="raise")
    template = [
        {"role": "system", "content": "Be {{x}}."},
        "{{#each l}}",
        {"role": "user", "content": [{"type": "text", "text": "{{this}}"}, "{{../x}}"]},
        "{{/each}}",
        {"role": "user", "content": "{{x}}"},
    ]
    for _ in range(2_000):
        x = value(rng)
        made = processor.render_messages(template, {"x": x, "l": [x, x], "secret": SECRET}).payload
        assert [message["role"] for message in made] == ["system", "user", "user", "user"]
        assert made[1]["content"] == [{"type": "text", "text": x}, x]
        assert made[3]["content"] == x


# --- bad input of every size ------------------------------------------------------------------------------------------


def outcome(text: str, values: Any) -> str | TemplateError:
    """Read and filled without any cache."""
    try:
        return fill(text, parse(text), values)
    except TemplateError as error:
        return error


def seconds(task: Callable[[], object]) -> float:
    task()
    best = float("inf")
    gc.collect()
    gc.disable()
    try:
        for _ in range(5):
            began = time.process_time()
            task()
            best = min(best, time.process_time() - began)
    finally:
        gc.enable()
    return best


def doubling(task: Callable[[int], Callable[[], object]], size: int) -> float:
    """How many times as long twice the size takes; measured again where the machine may have been busy."""
    least = float("inf")
    for _ in range(10):
        least = min(least, seconds(task(2 * size)) / max(seconds(task(size)), 1e-5))
        if least <= MOST:
            break
    return least


@pytest.mark.parametrize("unit", HOSTILE["units"])
def test_twice_the_template_takes_about_twice_as_long(unit: str):
    def task(size: int) -> Callable[[], object]:
        text = unit * (size // len(unit))
        return lambda: outcome(text, {"a": "x", "b": 1})

    assert doubling(task, 12_000) <= MOST


LOOPS = (
    "{{x}}",
    "{{#each x}}{{this}}{{/each}}",
    "{{#each x}}{{#if this}}{{@index}}{{/if}}{{/each}}",
    "{{#each x as |y|}}{{y.a}}{{/each}}",
)


@pytest.mark.parametrize("text", LOOPS)
def test_twice_the_values_take_about_twice_as_long(text: str):
    template = Template(text)
    assert doubling(lambda size: lambda: template.render({"x": [1000] * size}), 8_000) <= MOST


def test_a_chain_of_else_ifs_is_linear():
    def task(size: int) -> Callable[[], object]:
        text = "{{#if a}}" + "".join(f"\n{{{{else if b{number}}}}} x " for number in range(size)) + "{{/if}}"
        return lambda: outcome(text, {})

    assert isinstance(task(5_000)(), str)
    assert doubling(task, 2_000) <= MOST


def test_arguments_are_filled_in_linear_time():
    processor = MessageProcessor(on_error="raise")

    def task(size: int) -> Callable[[], object]:
        text = "[" + ", ".join('"a\\" {{x}}"' for _ in range(size)) + "]"
        return lambda: arguments_of(processor, text, {"x": '"'})

    assert doubling(task, 2_000) <= MOST


def test_fifty_megabytes_are_refused_or_filled_at_once():
    text = "{{name}} and some words\n" * 2_200_000
    began = time.perf_counter()
    with pytest.raises(TemplateLimitError, match="limit: size"):
        Template(text)
    assert time.perf_counter() - began < 1


@pytest.mark.parametrize("unit", ["{{#if a}}", "{{#each a}}", "{{#a}}", "{{^a}}"])
def test_a_hundred_thousand_nested_blocks_are_one_error(unit: str):
    with pytest.raises(TemplateLimitError, match="limit: depth") as caught:
        Template(unit * 100_000)
    assert (caught.value.line, caught.value.column) == (1, 100 * len(unit) + 1)


def test_as_many_blocks_as_are_allowed_are_filled():
    text = "{{#if a}}" * 100 + "x" + "{{/if}}" * 100
    assert {Template(text).render({"a": 1}) for _ in range(12)} == {"x"}


def test_random_bytes_of_a_template_are_one_clear_error_or_a_text():
    rng = random.Random("bytes")
    letters = "{}{}{}#/^~!|\\.@ab \n\"'=*&>-[]()éelseifachwtusn"
    for _ in range(max(5_000, PAIRS // 10)):
        text = "".join(rng.choice(letters) for _ in range(rng.randint(0, 60)))
        said = outcome(text, {"a": [1, {"b": "{{a}}"}], "b": {"a": 2}})
        assert isinstance(said, str) or (said.line and said.column and len(str(said).splitlines()) == 1)
