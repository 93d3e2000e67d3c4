"""Renders chat templates as transformers does, in Jinja2's immutable sandbox, with all that they do counted.

Only the worker process imports this. What is counted gives a clear and repeatable error; what cannot be counted (a
filter that makes a huge string) meets the limits of the process.
"""

from __future__ import annotations

import json
import random
from datetime import datetime
from typing import Any

from jinja2 import Template, TemplateError, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

# What a template may do while it renders one conversation.
STEPS = 1_000_000
CHARACTERS = 20_000_000
# Templates print the date; the same history has to give the same text on every day.
_NOW = datetime(2025, 1, 1, 12, 0, 0)


class OverLimitError(Exception):
    """A template did more than it may; the words name the limit."""


class _Generation(Extension):
    """`{% generation %}`, which marks what the model wrote: for a reader of the text it says nothing."""

    tags = {"generation"}  # noqa: RUF012 (the name and the form are Jinja's)

    def parse(self, parser: Parser) -> nodes.Node:
        """The body, in a scope of its own."""
        line = next(parser.stream).lineno
        return nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True), lineno=line)


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment that transformers renders in, with loops and multiplications counted."""

    intercepted_binops = frozenset({"*", "**"})

    def __init__(self) -> None:
        # Without the optimizer nothing is computed before it is rendered, and so counted.
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols], optimized=False, cache_size=0
        )
        self.steps = 0
        self._filters()["tojson"] = tojson
        self._globals().update(raise_exception=raise_exception, strftime_now=strftime_now)

    def tick(self) -> str:
        """One turn of a loop, or one call of a macro."""
        self.steps += 1
        if self.steps > STEPS:
            raise OverLimitError(f"its loops and macros took more than {STEPS:,} turns")
        return ""

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """A product or a power, unless it would be huge."""
        big = _product(left, right) if operator == "*" else _power(left, right)
        if big > CHARACTERS:
            raise OverLimitError(f"{operator!r} would make a value of more than {CHARACTERS:,} characters")
        return super().call_binop(context, operator, left, right)

    def counted(self, source: str) -> Template:
        """The template of a text, with a tick in each turn of each loop, and in each call of a macro."""
        tree = self.parse(source)
        for again in list(tree.find_all((nodes.For, nodes.Macro, nodes.CallBlock))):
            tick = nodes.Call(nodes.EnvironmentAttribute("tick"), [], [], None, None, lineno=again.lineno)
            again.body.insert(0, nodes.ExprStmt(tick, lineno=again.lineno))
        tree.set_environment(self)
        code: Any = self.compile(tree)
        return Template.from_code(self, code, dict(self._globals()))

    def _filters(self) -> dict[str, Any]:
        return self.filters  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

    def _globals(self) -> dict[str, Any]:
        return self.globals  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def _product(left: Any, right: Any) -> int:
    """How long a repeated string or list would be, or how many bits a product."""
    for held, times in ((left, right), (right, left)):
        if isinstance(times, int) and isinstance(held, str | bytes | list | tuple):
            return len(held) * times  # pyright: ignore[reportUnknownArgumentType]
    return left.bit_length() + right.bit_length() if isinstance(left, int) and isinstance(right, int) else 0


def _power(left: Any, right: Any) -> int:
    """How many bits a power would have."""
    return left.bit_length() * right if isinstance(left, int) and isinstance(right, int) and right > 0 else 0


def tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON as transformers writes it: letters as they are, and nothing escaped for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message: Any) -> None:
    """What a template calls to refuse."""
    raise TemplateError(str(message))


def strftime_now(form: str) -> str:
    """The date, which here is always the same."""
    return _NOW.strftime(form)


def render(environment: Sandbox, template: Template, variables: dict[str, Any]) -> dict[str, str]:
    """One conversation as text (`text`), or why it is none: `refused`, or a limit that was met (`over`)."""
    environment.steps = 0
    random.seed(0)  # `lipsum` and `|random` exist in Jinja; nothing here may depend on luck
    pieces: list[str] = []
    length = 0
    try:
        for piece in template.generate(**variables):
            length += len(piece)
            if length > CHARACTERS:
                return {"over": f"it wrote more than {CHARACTERS:,} characters"}
            pieces.append(piece)
    except OverLimitError as error:
        return {"over": str(error)}
    except MemoryError:
        return {"over": "it needs more memory than a template may have"}
    except SecurityError as error:
        return {"refused": f"forbidden in the sandbox: {error}"}
    except Exception as error:  # a template can fail with any exception that Python has
        return {"refused": str(error) or type(error).__name__}
    return {"text": "".join(pieces)}
