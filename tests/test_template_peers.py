"""Handlebars itself as the judge of what templates mean, and dotpromptz-handlebars beside it, over random templates.

`REJOINDER_NODE_MODULES` names a folder of node modules with `handlebars` in it, `REJOINDER_DOTPROMPT_PYTHON` a Python
that has `dotpromptz-handlebars`; `REJOINDER_FUZZ` says how many templates.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import template_grammar
from rejoinder import Template, TemplateError

JUDGES = Path(__file__).parent / "judges"
TEMPLATES = int(os.environ.get("REJOINDER_FUZZ", "8000"))
WAIT_SECONDS = 600

Case = tuple[str, Any]


def generated(seed: str, count: int) -> list[Case]:
    made: list[Case] = []
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        made.append((template_grammar.template(rng), template_grammar.values(rng)))
    return made


def ours(template: str, values: Any) -> str | None:
    try:
        return Template(template).render(values)
    except TemplateError:
        return None


def judged(command: list[str], cases: list[Case]) -> list[str | None]:
    """What a judge makes of each template; None where it refuses."""
    done = subprocess.run(
        command, input=json.dumps(cases), capture_output=True, text=True, check=True, timeout=WAIT_SECONDS
    )
    return [answer.get("is") for answer in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def handlebars() -> list[str]:
    modules, node = os.environ.get("REJOINDER_NODE_MODULES"), shutil.which("node")
    if not modules or not node:
        pytest.skip("NOT CHECKED against Handlebars: REJOINDER_NODE_MODULES names no node modules, or there is no node")
    return [node, str(JUDGES / "handlebars.mjs"), str(Path(modules).resolve())]


@pytest.fixture(scope="module")
def dotprompt() -> list[str]:
    python = os.environ.get("REJOINDER_DOTPROMPT_PYTHON")
    if not python:
        pytest.skip("NOT CHECKED against dotpromptz-handlebars: REJOINDER_DOTPROMPT_PYTHON names no Python that has it")
    return [python, str(JUDGES / "dotprompt_handlebars.py")]


def test_handlebars_says_the_same(handlebars: list[str]):
    """Text for text; and what Handlebars refuses is refused."""
    cases = generated("peers", TEMPLATES)
    answers = judged(handlebars, cases)
    assert sum(answer is not None for answer in answers) > 0.9 * len(cases)
    differ = [(case, answer) for case, answer in zip(cases, answers, strict=True) if ours(*case) != answer]
    differ.sort(key=lambda each: len(each[0][0]))
    assert not differ, f"{len(differ)} of {len(cases)}; the shortest: {differ[0]}, ours: {ours(*differ[0][0])!r}"


def test_the_vectors_are_what_handlebars_says(handlebars: list[str]):
    """All but those whose meaning Handlebars does not have, and one in which it breaks down."""
    path = Path(__file__).resolve().parents[1] / "vectors" / "template" / "language.json"
    cases = [case for case in json.loads(path.read_text("utf-8"))["cases"] if "default" not in case["label"]]
    answers = judged(handlebars, [(case["template"], case["values"]) for case in cases])
    differ = [case["label"] for case, answer in zip(cases, answers, strict=True) if answer != case["is"]]
    assert differ == [
        "an item of a list by its number",
        "a parameter of a block on a value",
        "a brace right behind a tag is text",
    ]


def test_where_dotprompt_says_something_else_handlebars_does_not(dotprompt: list[str], handlebars: list[str]):
    cases = generated("dotprompt", TEMPLATES)
    answers = judged(dotprompt, cases)
    said = [ours(*case) for case in cases]
    agreed = sum(answer == mine for answer, mine in zip(answers, said, strict=True))
    assert agreed > 0.7 * len(cases)
    others = [(case, mine) for case, answer, mine in zip(cases, answers, said, strict=True) if answer != mine]
    judge = judged(handlebars, [case for case, _ in others])
    assert [case for (case, mine), truth in zip(others, judge, strict=True) if truth != mine] == []
