"""A template that is read once and filled often."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from rejoinder.errors import TemplateError
from rejoinder.template.compile import UNSURE, Quick, quick
from rejoinder.template.fill import Filter, How, Missing, Resolver, fill
from rejoinder.template.limits import DEFAULT, Limits
from rejoinder.template.needs import Need, missing, needs, schema, variables
from rejoinder.template.nodes import Nodes
from rejoinder.template.parse import Parser, parse
from rejoinder.template.syntax import Syntax

# To write a function costs as much as filling in the exact way does about this often.
_FILLED_BEFORE = 8
_MOST_UNSURE = 8
_CACHED, _LONGEST_CACHED = 256, 100_000


class Template:
    """A text with slots: `Template("Hello {{name}}").render({"name": "Ann"})`.

    `missing="raise"` makes a name without a value an error. `filters` are functions that the template may call by
    name (`{{upper name}}`), `resolver` is asked for names that the values do not have, `syntax` has other marks than
    `{{` and `}}`, `parser` is one of your own, `limits` are the bounds. Reading raises a `TemplateError` that says
    line, column and excerpt. Templates of one text share what was read; they can be used by many threads at once.
    """

    __slots__ = ("_how", "_plan", "text")

    def __init__(
        self,
        text: str,
        *,
        missing: Missing = "empty",
        filters: Mapping[str, Filter] | None = None,
        resolver: Resolver | None = None,
        syntax: Syntax | None = None,
        parser: Parser | None = None,
        limits: Limits = DEFAULT,
    ) -> None:
        if missing not in ("empty", "raise"):
            raise ValueError(f"missing is 'empty' or 'raise', not {missing!r}")
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TemplateError(f"a template is a text, and this is of the type {type(text).__name__!r}")
        self.text = text
        self._how = How(missing, limits, dict(filters or {}), resolver)
        names = frozenset(self._how.filters)
        if parser is not None:
            self._plan = _Plan(parser(text), self._how)
        elif len(text) > _LONGEST_CACHED:
            self._plan = _Plan(parse(text, syntax=syntax, limits=limits, filters=names), self._how)
        else:
            self._plan = _read(text, syntax, limits, names, missing)

    def render(self, values: Any = None) -> str:
        """The text with these values in it, which are JSON data: mappings, lists, texts, numbers, true, false, null."""
        plan, how = self._plan, self._how
        given: Any = {} if values is None else values
        quickly = plan.quick  # asked once: another thread may give it up
        if quickly is not None and how.resolver is None and how.limits.clock is None:
            try:
                return quickly(given, how.limits.output, how.limits.steps)
            except KeyError:
                plan.expect_gaps(how)
            except UNSURE:
                plan.doubt()
        elif plan.filled < _FILLED_BEFORE:
            plan.count(how)
        return fill(self.text, plan.nodes, given, how)

    @property
    def nodes(self) -> Nodes:
        """What was read: texts, slots and blocks."""
        return self._plan.nodes

    @property
    def variables(self) -> tuple[str, ...]:
        """The names that the template wants of its values, as they first come: `user.name`, not those of a loop."""
        return variables(self._needs())

    def missing(self, values: Any = None) -> tuple[str, ...]:
        """Those of the variables that have neither a value nor a default."""
        return missing(self._needs(), {} if values is None else values)

    def schema(self) -> dict[str, Any]:
        """The variables as a JSON Schema of the values."""
        return schema(self._needs())

    def _needs(self) -> tuple[Need, ...]:
        return needs(self._plan.nodes)


class _Plan:
    """What was read, and the function that it becomes once it has been filled a few times.

    Threads may count wrong among each other, which changes nothing but when the function is written.
    """

    __slots__ = ("filled", "nodes", "quick", "unsure")

    def __init__(self, nodes: Nodes, how: How) -> None:
        self.nodes = nodes
        self.quick: Quick | None = None
        self.filled = _FILLED_BEFORE if how.resolver or how.limits.clock else 0
        self.unsure = 0

    def count(self, how: How) -> None:
        """One more filling; the last that is counted writes the function."""
        self.filled += 1
        if self.filled == _FILLED_BEFORE:
            self.quick = _quick(self.nodes, how, eager=True)

    def expect_gaps(self, how: How) -> None:
        """A name was not there: from now on that is asked first."""
        self.quick = None if how.missing == "raise" and self.unsure > _MOST_UNSURE else self.quick
        if how.missing == "empty":
            self.quick = _quick(self.nodes, how, eager=False)
        self.unsure += 1

    def doubt(self) -> None:
        """Where the function is not sure time and again, it is not asked any more."""
        self.unsure += 1
        if self.unsure > _MOST_UNSURE:
            self.quick = None


def _quick(nodes: Nodes, how: How, *, eager: bool) -> Quick | None:
    return quick(nodes, depth=how.limits.depth, strict=how.missing == "raise", eager=eager)


@lru_cache(maxsize=_CACHED)
def _read(text: str, syntax: Syntax | None, limits: Limits, filters: frozenset[str], missing: Missing) -> _Plan:
    """The plan of a text. The bound is on the number, and each is of a bounded length."""
    return _Plan(parse(text, syntax=syntax, limits=limits, filters=filters), How(missing, limits))
