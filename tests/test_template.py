"""What templates mean: the vectors in `vectors/template`, the exact way against the quick one, and a plain oracle."""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import template_grammar
from rejoinder import Limits, MissingVariableError, Syntax, Template, TemplateError, TemplateLimitError
from rejoinder.template.compile import UNSURE, quick, source_of
from rejoinder.template.fill import fill
from rejoinder.template.nodes import Path as Name
from rejoinder.template.nodes import Slot, Text
from rejoinder.template.parse import parse

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "template"
GENERATED = 1_500
ENOUGH = 12


def cases(name: str) -> list[Any]:
    found = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))["cases"]
    return [pytest.param(case, id=case["label"]) for case in found]


@pytest.mark.parametrize("case", cases("language"))
def test_the_language(case: dict[str, Any]):
    """Filled once in the exact way, and then often enough to be filled in the quick one."""
    template = Template(case["template"])
    assert {template.render(case["values"]) for _ in range(ENOUGH)} == {case["is"]}


@pytest.mark.parametrize("text", [None, 5, b"{{a}}", ["{{a}}"]])
def test_what_is_no_text_is_one_clear_error(text: Any):
    with pytest.raises(TemplateError, match="a template is a text"):
        Template(text)


@pytest.mark.parametrize("case", cases("errors"))
def test_what_is_wrong_is_said_with_its_place(case: dict[str, Any]):
    with pytest.raises(TemplateError) as caught:
        Template(case["template"])
    error = caught.value
    assert case["says"] in error.says
    assert (error.line, error.column) == (case["line"], case["column"])
    assert error.excerpt == case.get("excerpt", error.excerpt)
    assert error.excerpt
    assert len(str(error).splitlines()) == 1


def test_the_quick_way_is_the_exact_one_or_none():
    """Over random templates: where the function that was written answers, it says what going through the nodes says."""
    answered = 0
    for number in range(GENERATED):
        rng = random.Random(f"quick {number}")
        text, values = template_grammar.template(rng), template_grammar.values(rng)
        try:
            nodes = parse(text)
        except TemplateError:
            continue
        for eager in (True, False):
            written = quick(nodes, depth=100, strict=False, eager=eager)
            try:
                said = written(values, 10**6, 10**6) if written else None
            except (KeyError, *UNSURE):
                continue
            if said is not None:
                answered += 1
                assert said == fill(text, nodes, values), text
    assert answered > GENERATED


LIKE_TAGS = st.sampled_from(["{{a}}", "{{#if b}}", "\\{{", "}}", "{{{"])
PLAIN = st.text().map(lambda text: re.sub(r"[{\\]", "", text))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(st.lists(st.tuples(PLAIN, st.sampled_from("abcd"), PLAIN), max_size=8), st.data())
def test_filling_is_plain_substitution_for_values_of_any_content(texts: list[Any], data: st.DataObject):
    """Texts without tags, slots, and values that look like templates: what comes out is what the parts say."""
    values = {name: data.draw(st.text() | LIKE_TAGS) for name in "abcd"}
    template = Template("".join(f"{before}{{{{{name}}}}}{after}" for before, name, after in texts))
    for _ in range(ENOUGH):
        assert template.render(values) == "".join(f"{before}{values[name]}{after}" for before, name, after in texts)


@given(JSON)
def test_objects_and_lists_are_written_as_json(value: Any):
    said = Template("{{x}}").render({"x": [value]})
    assert json.loads(said) == [value]
    assert said == json.dumps([value], ensure_ascii=False, separators=(",", ":"))


@given(st.text(alphabet="{}#/^~!|\\.@ab \n\"'=*&>-", max_size=60))
def test_any_text_is_a_template_or_one_clear_error(text: str):
    fault = fault_of(lambda: Template(text).render({"a": "A", "b": {"a": [1]}}))
    assert fault is None or (fault.line > 0 and fault.says and len(str(fault).splitlines()) == 1)


def fault_of(run: Callable[[], object]) -> TemplateError | None:
    try:
        run()
    except TemplateError as error:
        return error
    return None


# --- missing names, other names, other marks --------------------------------------------------------------------------


@pytest.mark.parametrize("often", [1, ENOUGH])
def test_a_missing_name_is_an_error_where_that_is_asked_for(often: int):
    template = Template("{{a}} {{#if c}}{{/if}}{{d|x}}\n  {{user.mail}}", missing="raise")
    for _ in range(often):
        assert template.render({"a": None, "user": {"mail": "m"}}) == " x\n  m"
    with pytest.raises(MissingVariableError) as caught:
        template.render({"a": 1, "user": {}})
    assert caught.value.name == "user.mail"
    assert (caught.value.line, caught.value.column) == (2, 3)


@pytest.mark.parametrize("block", ["each", "with"])
def test_a_block_on_a_missing_name_is_one_unless_it_has_an_else(block: str):
    with pytest.raises(MissingVariableError):
        Template(f"{{{{#{block} a}}}}x{{{{/{block}}}}}", missing="raise").render({})
    assert Template(f"{{{{#{block} a}}}}x{{{{else}}}}y{{{{/{block}}}}}", missing="raise").render({}) == "y"


def test_a_resolver_is_asked_once_for_what_the_values_do_not_have():
    asked: list[str] = []

    def resolver(name: str) -> str:
        asked.append(name)
        return {"home": "/h"}[name]

    template = Template("{{home}} {{home}} {{name}} {{gone|-}} {{@root.home}}", resolver=resolver)
    assert template.render({"name": "n"}) == "/h /h n - /h"
    assert asked == ["home", "gone"]


def test_other_marks():
    assert Template("<% a %> {{a}} <%#if a%>x<%/if%>", syntax=Syntax("<%", "%>")).render({"a": 1}) == "1 {{a}} x"
    with pytest.raises(ValueError, match="two signs"):
        Syntax("x", "}}")


def test_a_parser_of_ones_own():
    def dollars(text: str):
        pieces = re.split(r"\$(\w+)", text)
        return tuple(Slot(Name((piece,), says=piece)) if odd % 2 else Text(piece) for odd, piece in enumerate(pieces))

    assert Template("Hi $name, {{name}}", parser=dollars).render({"name": "Ann"}) == "Hi Ann, {{name}}"


def test_filters_are_the_only_thing_that_is_called():
    template = Template(
        '{{upper name}} {{join tags sep="; "}} {{pick m "k"|none}}',
        filters={"upper": str.upper, "join": lambda items, sep: sep.join(items), "pick": lambda m, key: m.get(key)},
    )
    assert template.render({"name": "ann", "tags": ["a", "b"], "m": {}}) == "ANN a; b none"
    with pytest.raises(TemplateError, match="the filter 'upper' failed: TypeError"):
        template.render({"name": 1})


def test_a_template_is_shared_by_threads():
    template, said = Template("{{#each xs}}{{this}},{{/each}}{{gone}}"), set[str]()

    def work(number: int):
        for _ in range(200):
            said.add(template.render({"xs": [number, number]}))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {f"{number},{number}," for number in range(8)}


# --- what a template wants --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{{b}} {{a}} {{b}}", ("b", "a")),
        ("{{user.name}} {{user.mail|x}}", ("user.name", "user.mail")),
        ("{{#if a}}{{b}}{{else if c}}{{/if}}", ("a", "b", "c")),
        ("{{#each xs}}{{name}}{{this}}{{@index}}{{../title}}{{@root.r}}{{/each}}", ("xs", "title", "r")),
        ("{{#each xs as |x i|}}{{x.y}}{{i}}{{z}}{{/each}}", ("xs",)),
        ("{{#with user}}{{name}}{{../a}}{{/with}}", ("user", "user.name", "a")),
        ("\\{{no}} {{!-- {{no}} --}} {{[a b]}}", ("[a b]",)),
    ],
)
def test_variables_are_listed_as_they_first_come(text: str, names: tuple[str, ...]):
    assert Template(text).variables == names


def test_the_schema_names_what_is_wanted_and_its_shape():
    schema = Template("{{a}} {{u.n|x}} {{#if c}}{{/if}}{{#each xs}}{{name}}{{/each}}").schema()
    assert schema["required"] == ["a", "xs"]
    assert schema["properties"]["u"] == {"type": "object", "properties": {"n": {"default": "x"}}}
    assert schema["properties"]["xs"]["items"] == {"type": "object", "properties": {"name": {}}, "required": ["name"]}


# --- limits, and nothing but data -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values", "limits", "limit"),
    [
        ("x" * 11, {}, Limits(size=10), "size"),
        ("{{#if a}}" * 101, {}, Limits(), "depth"),
        ("{{#each xs}}{{#each ../xs}}x{{/each}}{{/each}}", {"xs": [1] * 2_000}, Limits(steps=10_000), "steps"),
        ("{{#each xs}}{{../big}}{{/each}}", {"xs": [1] * 100, "big": "x" * 1_000}, Limits(output=50_000), "output"),
        ("{{a}}{{a}}", {"a": "xxxxxx"}, Limits(output=10), "output"),
    ],
)
def test_a_limit_that_is_reached_is_named(text: str, values: Any, limits: Limits, limit: str):
    for often in range(ENOUGH):
        with pytest.raises(TemplateLimitError) as caught:
            Template(text, limits=limits).render(values)
        assert caught.value.limit == limit, often
        assert f"limit: {limit}" in str(caught.value)


def test_time_is_counted_where_a_clock_is_given():
    ticks = iter(range(10**6))
    limits = Limits(seconds=3, clock=lambda: next(ticks))
    with pytest.raises(TemplateLimitError, match="limit: seconds"):
        Template("{{#each xs}}{{this}}{{/each}}", limits=limits).render({"xs": list(range(5_000))})
    with pytest.raises(ValueError, match="clock"):
        Limits(seconds=1)


class Trap:
    """An object that tells when anything of it is read or called."""

    touched = 0

    def __getattribute__(self, name: str) -> Any:
        Trap.touched += 1
        raise AssertionError(name)

    def __getitem__(self, name: Any) -> Any:
        raise AssertionError(name)

    def __call__(self) -> Any:
        raise AssertionError


NOSY = (
    "{{x}}",
    "{{x.__class__}}",
    "{{x.a.b}}",
    "{{#each x}}a{{/each}}",
    "{{#with x}}{{a}}{{/with}}",
    "{{#if x}}{{x.a}}{{/if}}",
    "{{#x}}{{a}}{{/x}}",
    "{{l}}",
    "{{l.0.__init__}}",
)


@pytest.mark.parametrize("text", NOSY)
def test_nothing_of_an_object_is_read_and_nothing_called(text: str):
    Trap.touched = 0
    template, trap = Template(text), Trap()
    for _ in range(ENOUGH):
        fault = fault_of(lambda: template.render({"x": trap, "l": [trap]}))
        assert fault is None or "'Trap' cannot be JSON" in str(fault)
    assert Trap.touched == 0


def test_a_defaultdict_does_not_grow():
    from collections import defaultdict

    values: Any = defaultdict(str, a="x")
    template = Template("{{a}}{{b}}{{#if c}}{{/if}}{{#each d}}{{/each}}")
    assert {template.render(values) for _ in range(ENOUGH)} == {"x"}
    assert dict(values) == {"a": "x"}


def cycle() -> list[Any]:
    inner: list[Any] = []
    inner.append(inner)
    return inner


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"k": value}
    return value


def laughs() -> Any:
    value: Any = "ha"
    for _ in range(90):
        value = [value, value]
    return value


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (cycle, "contains itself"),
        (lambda: deep(500), "limit: depth"),
        (laughs, "limit: steps"),
        (lambda: {"a", "b"}, "type 'set' cannot be JSON"),
        (lambda: b"bytes", "type 'bytes' cannot be JSON"),
        (lambda: float("nan"), "number nan cannot be JSON"),
        (lambda: [float("inf")], "number inf cannot be JSON"),
        (lambda: 10**5000, "cannot be JSON"),
        (lambda: {(1, 2): 3}, "member name of the type 'tuple'"),
    ],
)
def test_a_value_that_cannot_be_written_is_one_error_with_its_place(value: Callable[[], Any], says: str):
    template = Template("ab\n {{x}}", limits=Limits(steps=10_000))
    for often in range(ENOUGH):
        with pytest.raises(TemplateError, match=re.escape(says)) as caught:
            template.render({"x": value()})
        assert (caught.value.line, caught.value.column) == (2, 2), often


OUR_WORDS = set(
    "if else elif for in is not or and raise len enumerate pass s w room steps c D I M S T U d h l m n t f o".split()
)


def test_nothing_of_a_template_is_in_the_source_that_is_written():
    """Whatever a template says, the function is made of our own words, and names that are numbered."""
    nodes = parse("a');import os#{{[x') + y]}}{{q|\"'''\"}}{{#each [__import__]}}\\{{z}}{{@index}}{{/each}}")
    words = set(re.findall(r"[A-Za-z_]+", re.sub(r"\b[kx][0-9]+\b", "", source_of(nodes))))
    assert words <= OUR_WORDS
    assert Template("a');import os#{{[x') + y]}}").render({"x') + y": 1}) == "a');import os#1"
