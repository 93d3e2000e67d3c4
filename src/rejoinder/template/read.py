"""Asking values: what is in them, whether they hold, and how they are written. Mappings and lists only, by type alone.

No attribute of a value is read and none of its methods called; that a class calls itself something else does not count.
"""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# (Values are anything at all: that is what this file is for.)

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rejoinder.errors import RejoinderError


class _Missing:
    """The one value that stands for no value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()
_LONGEST_INDEX = 12


class UnwritableError(RejoinderError):
    """A value that cannot be JSON, and why; whoever knows the place makes a `TemplateError` of it."""


def member(value: Any, name: str) -> Any:
    """The member of a mapping, or the item or the length of a list; MISSING where there is none."""
    kind = type(value)
    if kind is dict:
        return value.get(name, MISSING)
    if kind is str or value is MISSING or value is None:
        return MISSING
    if kind is list or kind is tuple or issubclass(kind, list | tuple):
        return _item(value, name)
    if issubclass(kind, dict):
        # Not its own `get` or `[]`: a defaultdict would grow.
        return dict.get(value, name, MISSING)
    if issubclass(kind, Mapping):
        try:
            return value[name]
        except KeyError:
            return MISSING
    return MISSING


def _item(value: Any, name: str) -> Any:
    value = items_of(value)
    length = len(value)
    if name == "length":
        return length
    if name.isdecimal() and name.isascii() and len(name) <= _LONGEST_INDEX and int(name) < length:
        return value[int(name)]
    return MISSING


def is_list(value: Any) -> bool:
    """Is it a list, or a tuple?"""
    return issubclass(type(value), list | tuple)


def items_of(value: Any) -> list[Any] | tuple[Any, ...]:
    """The items of a list or a tuple, whatever its class makes of the asking."""
    kind = type(value)
    if kind is list or kind is tuple:
        return value
    return list.__getitem__(value, slice(None)) if issubclass(kind, list) else tuple.__getitem__(value, slice(None))


def is_mapping(value: Any) -> bool:
    """Is it a mapping?"""
    return issubclass(type(value), Mapping)


def rounds(value: Any) -> Sequence[tuple[int | str, Any]]:
    """The keys and the items of a list or of a mapping; none of anything else."""
    kind = type(value)
    if issubclass(kind, list | tuple):
        return tuple(enumerate(items_of(value)))
    if issubclass(kind, dict):
        return tuple(dict.items(value))
    return tuple(value.items()) if issubclass(kind, Mapping) else ()


def at_hand(value: Any) -> dict[str, Any]:
    """The members of a plain mapping; nothing of anything else, which has to be asked in another way."""
    return value if type(value) is dict else {}


def holds(value: Any, zero: bool = False) -> bool:
    """Does a condition hold: neither missing, null, false, empty text, an empty list, nor (unless asked) a zero?"""
    kind = type(value)
    if kind is bool:
        return value
    if value is None or value is MISSING:
        return False
    if kind is str or issubclass(kind, str):
        return str.__len__(value) > 0
    if issubclass(kind, list | tuple):
        return len(items_of(value)) > 0
    if issubclass(kind, int | float):
        return value == value and (zero or value != 0)
    return True


def is_empty(value: Any) -> bool:
    """Is there nothing to go into for `with`: all that does not hold, but for a zero?"""
    return not holds(value, True)


def same(one: Any, other: Any) -> bool:
    """Would Handlebars take them for one context? Then a block on it is no step inwards, and `../` leads past it."""
    if one is other:
        return True
    if issubclass(type(one), int | float):
        return issubclass(type(other), int | float) and one == other
    return type(one) is str and type(other) is str and one == other


def text_of(value: Any, depth: int, steps: int) -> str | None:
    """A value as it is shown; None where there is nothing to show. Objects and lists are compact JSON."""
    kind = type(value)
    if kind is str:
        return value
    if value is None or value is MISSING:
        return None
    if kind is bool:
        return "true" if value else "false"
    if issubclass(kind, str):
        return str.__str__(value)
    return json_of(value, depth, steps)


def json_of(value: Any, depth: int, steps: int) -> str:
    """A value as compact JSON, letters as they are."""
    return written(plain(value, depth, steps))


def written(value: Any) -> str:
    """Plain data as compact JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise UnwritableError(f"a number cannot be JSON: {error}") from None


def plain(value: Any, depth: int, steps: int) -> Any:
    """A copy of a value that is JSON data and nothing else; what cannot be is an `UnwritableError`."""
    return _Copy(depth, steps).of(value, depth)


class _Copy:
    """A walk through a value, with an eye on what it is inside of."""

    __slots__ = ("around", "depth", "steps")

    def __init__(self, depth: int, steps: int) -> None:
        self.depth = depth
        self.steps = steps
        self.around: set[int] = set()

    def of(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is str or value is None or kind is bool or kind is int:
            return value
        if kind is float or issubclass(kind, float):
            return self._number(value)
        if issubclass(kind, str):
            return str.__str__(value)
        if issubclass(kind, int):
            return int.__int__(value)
        if not issubclass(kind, list | tuple | Mapping):
            raise UnwritableError(f"a value of the type {kind.__name__!r} cannot be JSON")
        self._enter(value, depth)
        made: Any
        if issubclass(kind, list | tuple):
            made = [self.of(item, depth - 1) for item in items_of(value)]
        else:
            members: Any = dict.items(value) if issubclass(kind, dict) else value.items()
            made = {_key(key): self.of(item, depth - 1) for key, item in members}
        self.around.discard(id(value))
        return made

    def _enter(self, value: Any, depth: int) -> None:
        if id(value) in self.around:
            raise UnwritableError("a value that contains itself cannot be JSON")
        if depth <= 0:
            raise OverLimitError("depth", f"a value is nested deeper than {self.depth}")
        self.steps -= 1 + len(value)
        if self.steps < 0:
            raise OverLimitError("steps", "a value takes too many steps to write")
        self.around.add(id(value))

    @staticmethod
    def _number(value: float) -> float:
        number = float.__float__(value)
        if number - number != 0:
            raise UnwritableError(f"the number {number} cannot be JSON")
        return number


def _key(key: Any) -> str:
    if issubclass(type(key), str):
        return str.__str__(key)
    if key is None or issubclass(type(key), int):
        return written(key)  # as JSON writers do
    raise UnwritableError(f"a member name of the type {type(key).__name__!r} cannot be JSON")


class OverLimitError(UnwritableError):
    """A value is over a limit, which is named."""

    def __init__(self, limit: str, says: str) -> None:
        super().__init__(says)
        self.limit = limit
