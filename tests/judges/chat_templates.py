"""Renders a chat template as transformers does, without a line of ours: what it says is the verdict on a history."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.nodes import CallBlock
from jinja2.sandbox import ImmutableSandboxedEnvironment

FOLDER = Path(__file__).resolve().parents[1] / "chat_templates"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.jinja")))
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"What {name} does.",
            "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        },
    }
    for name in ("read_file", "search", "run_tests", "get_weather")
]


class Generation(Extension):
    """The tag with which templates mark what the model wrote."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Any) -> Any:
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return CallBlock(self.call_method("_said"), [], [], body).set_lineno(line)

    def _said(self, caller: Any) -> str:
        return caller()


def _raise(words: str) -> None:
    raise jinja2.TemplateError(words)


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


@cache
def compiled(name: str) -> Any:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = _json
    environment.globals.update(raise_exception=_raise, strftime_now=lambda form: f"today as {form}")
    return environment.from_string((FOLDER / f"{name}.jinja").read_text("utf-8"))


def refusal(name: str, messages: Any, tools: Any = None) -> str | None:
    """The words of the refusal; None where the template gives a text."""
    try:
        compiled(name).render(
            messages=messages, tools=tools, add_generation_prompt=True, bos_token="<s>", eos_token="</s>"
        )
    except Exception as error:  # a template can end in anything
        return str(error) or type(error).__name__
    return None
