"""One template engine on the prompt, beside the prompt by hand: `with_templates.py ENGINE` prints its figures."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from itertools import count
from typing import Any

import prompt
from race import race

Fill = Callable[[], str]


class Engine:
    """How an engine fills a prompt that it has read, and how it reads and fills a new one."""

    def __init__(self, package: str, again: Fill, first: Fill) -> None:
        self.version = version(package) if package != "rejoinder" else ""
        self.again = again
        self.first = first


def rejoinder(values: Any) -> Engine:
    from rejoinder import Template

    template = Template(prompt.SOURCE)
    for _ in range(20):  # it writes its function after a few fillings
        template.render(values)
    # A text that is known would be found; so each has another number in a comment.
    numbers = count()
    return Engine(
        "rejoinder",
        lambda: template.render(values),
        lambda: Template(f"{prompt.SOURCE}{{{{! {next(numbers)} }}}}").render(values),
    )


def jinja2(values: Any) -> Engine:
    from jinja2 import Environment

    environment = Environment(keep_trailing_newline=True)
    text = prompt.as_jinja()
    template = environment.from_string(text)
    return Engine("jinja2", lambda: template.render(values), lambda: environment.from_string(text).render(values))


def minijinja(values: Any) -> Engine:
    from minijinja import Environment

    text = prompt.as_jinja()
    environment = Environment(templates={"prompt": text}, keep_trailing_newline=True)
    new = Environment(keep_trailing_newline=True)
    return Engine(
        "minijinja", lambda: environment.render_template("prompt", **values), lambda: new.render_str(text, **values)
    )


def chevron(values: Any) -> Engine:
    from chevron.renderer import g_token_cache, render

    text = prompt.as_mustache()

    def first() -> str:
        g_token_cache.clear()
        return render(text, values)

    return Engine("chevron", lambda: render(text, values), first)


def pystache(values: Any) -> Engine:
    from pystache import Renderer, parse

    renderer, text = Renderer(escape=lambda text: text), prompt.as_mustache()
    parsed = parse(text)
    return Engine("pystache", lambda: renderer.render(parsed, values), lambda: renderer.render(parse(text), values))


def dotprompt(values: Any) -> Engine:
    from dotpromptz_handlebars import Handlebars

    engine = Handlebars(escape_fn="no_escape")
    filled = engine.compile(prompt.SOURCE)
    return Engine("dotpromptz-handlebars", lambda: filled(values), lambda: engine.compile(prompt.SOURCE)(values))


ENGINES = {each.__name__: each for each in (rejoinder, jinja2, minijinja, chevron, pystache, dotprompt)}


def main() -> None:
    values = json.loads(json.dumps(prompt.values()))
    wanted = prompt.by_hand(values)
    engine = ENGINES[sys.argv[1]](values)
    for fill in (engine.again, engine.first):
        if str(fill()) != wanted:
            raise SystemExit(f"{sys.argv[1]} fills the prompt with something else")
    seconds = race({"hand": lambda: prompt.by_hand(values), "again": engine.again, "first": engine.first})
    print(json.dumps({"version": engine.version, **seconds}))


if __name__ == "__main__":
    main()
