"""Filling a template, exactly: each step is counted, each value looked at, each error has its place.

This is what a template means. The compiled form in `compile` may only be quicker; where it is not sure it comes here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from rejoinder.errors import TemplateError
from rejoinder.template.limits import DEFAULT, Limits
from rejoinder.template.nodes import Arm, Block, Call, Constant, Nodes, Operand, Path, Slot, Text
from rejoinder.template.place import error_at, limit_at, missing_at
from rejoinder.template.read import (
    MISSING,
    OverLimitError,
    UnwritableError,
    at_hand,
    holds,
    is_empty,
    is_list,
    json_of,
    member,
    plain,
    rounds,
    same,
    text_of,
    written,
)

Filter = Callable[..., Any]
Resolver = Callable[[str], Any]
Missing = Literal["empty", "raise"]
_CLOCK_EVERY = 256
_SHORT = 10**18
_FILTER_FAULTS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


class How(msgspec.Struct, frozen=True):
    """How a template is filled: what becomes of a name that is not there, who else knows names, and the bounds."""

    missing: Missing = "empty"
    limits: Limits = DEFAULT
    filters: Mapping[str, Filter] = {}
    resolver: Resolver | None = None


PLAINLY = How()


class Round(msgspec.Struct, frozen=True):
    """What `@index`, `@key`, `@first` and `@last` are in one round of a loop, and the round around it."""

    index: int
    key: int | str
    last: bool
    outer: Round | None


class Scope(msgspec.Struct, frozen=True):
    """Where names are looked up: the value a block is on, the scope around it, the round, and block parameters."""

    context: Any
    outer: Scope | None = None
    round: Round | None = None
    params: Any = None


class Filling:
    """One filling of one template: what has come out so far, and what is left of the bounds."""

    __slots__ = ("_asked", "_asks", "_clock", "_until", "how", "out", "room", "root", "steps", "text")

    def __init__(self, text: str, values: Any, how: How) -> None:
        self.text = text
        self.root = values
        self.how = how
        self.out: list[str] = []
        self.room = how.limits.output
        self.steps = how.limits.steps
        self._asked: dict[str, Any] = {}
        self._asks = self.steps
        self._clock = how.limits.clock
        self._until = self._clock() + (how.limits.seconds or 0) if self._clock else 0.0

    # --- going through the nodes ---

    def scope(self) -> Scope:
        """The outermost scope."""
        return Scope(self.root)

    def apart(self, text: str) -> Filling:
        """The filling of another text with the same values, out of the same bounds; `take_back` ends it."""
        inner = Filling(text, self.root, self.how)
        inner.room, inner.steps, inner._asks = self.room, self.steps, self._asks
        inner._asked, inner._until = self._asked, self._until
        return inner

    def take_back(self, inner: Filling) -> None:
        """What another text has left of the bounds."""
        self.room, self.steps, self._asks = inner.room, inner.steps, inner._asks

    def run(self, nodes: Nodes, scope: Scope, at: int = 0) -> None:
        """Write what the nodes are in a scope."""
        self.steps -= len(nodes) + 1
        if self.steps < 0 or self._clock is not None:
            self.count(0, at)
        write = self.out.append
        # The names of a plain mapping are looked up here, without the detours that all others take.
        near = at_hand(scope.context) if scope.outer is not None or self.how.resolver is None else {}
        room = self.room
        for node in nodes:
            if isinstance(node, Text):
                text = node.text
            elif isinstance(node, Slot):
                value = near.get(node.name) if node.name is not None else None
                if type(value) is str:
                    text = value
                elif type(value) is int and -_SHORT < value < _SHORT:
                    text = str(value)
                else:
                    text = self._shown(node, scope)
            else:
                self.room = room
                self._block(node, scope)
                room = self.room
                continue
            room -= len(text)
            write(text)
        self.room = room
        if room < 0:
            raise limit_at(self.text, at, "output", f"more than {self.how.limits.output:,} characters come out")

    def count(self, steps: int, at: int) -> None:
        """Take steps from what is left, and see whether the time is up. The clock is asked every so many steps."""
        self.steps -= steps
        if self.steps < 0:
            raise limit_at(self.text, at, "steps", f"filling takes more than {self.how.limits.steps:,} steps")
        if self._clock is not None and self.steps < self._asks:
            self._asks = self.steps - _CLOCK_EVERY
            if self._clock() > self._until:
                raise limit_at(self.text, at, "seconds", f"filling takes longer than {self.how.limits.seconds} seconds")

    def _block(self, block: Block, scope: Scope) -> None:
        for arm in block.arms:
            if self.arm(arm, scope, self.run, bare=not block.otherwise):
                return
        if block.otherwise:
            self.run(block.otherwise, scope, block.at)

    def arm(self, arm: Arm, scope: Scope, run: Callable[[Any, Scope, int], None], *, bare: bool) -> bool:
        """Take a way if it is open; was it? `run` is done with its body; `bare`: there is nothing else in the block."""
        value = self.value(arm.subject, scope)
        kind = arm.kind
        if kind == "if" or kind == "unless":
            zero = arm.zero is not None and holds(self.value(arm.zero, scope))
            if holds(value, zero) is (kind == "unless"):
                return False
            run(arm.body, scope, arm.at)
            return True
        if value is MISSING and bare and kind != "section" and self.how.missing == "raise":
            raise missing_at(self.text, arm.at, arm.subject.says)
        if kind == "with":
            return not is_empty(value) and self._inwards(arm, scope, value, run)
        if kind == "section" and not is_list(value):
            if value is None or value is MISSING or value is False:
                return False
            return self._inwards(arm, scope, scope.context if value is True else value, run)
        return self._each(arm, scope, value, run)

    def _inwards(self, arm: Arm, scope: Scope, value: Any, run: Callable[[Any, Scope, int], None]) -> bool:
        params = ((value,), scope.params) if arm.params else scope.params
        # On the value that is looked at already, a block is no step inwards.
        outer = scope.outer if same(value, scope.context) else scope
        run(arm.body, Scope(value, outer, scope.round, params), arm.at)
        return True

    def _each(self, arm: Arm, scope: Scope, value: Any, run: Callable[[Any, Scope, int], None]) -> bool:
        items = rounds(value)
        if not items:
            return False
        final = len(items) - 1
        context, params, body, at = scope.context, scope.params, arm.body, arm.at
        for index, (key, item) in enumerate(items):
            if arm.params:
                params = ((item, key), scope.params)
            outer = scope.outer if same(item, context) else scope
            run(body, Scope(item, outer, Round(index, key, index == final, scope.round), params), at)
        return True

    # --- values ---

    def value(self, operand: Operand | Call, scope: Scope) -> Any:
        """What an operand is in a scope; MISSING where there is nothing."""
        if isinstance(operand, Path):
            return self._found(operand, scope)
        return operand.value if isinstance(operand, Constant) else self._called(operand, scope)

    def _found(self, path: Path, scope: Scope) -> Any:
        parts = path.parts
        value: Any
        if path.data:
            return self._data(path, scope)
        if path.param is not None:
            out, index = path.param
            params = scope.params
            for _ in range(out):
                params = params[1]
            value = params[0][index] if index < len(params[0]) else MISSING
        else:
            for _ in range(path.up):
                if scope.outer is None:
                    return MISSING
                scope = scope.outer
            value = scope.context
            if scope.outer is None and parts and self.how.resolver is not None:
                value, parts = self._resolved(parts[0]), parts[1:]
        for part in parts:
            value = member(value, part)
        return value

    def _resolved(self, name: str) -> Any:
        """A name of the outermost scope: of the values, or else asked for, once."""
        value = member(self.root, name)
        if value is not MISSING or self.how.resolver is None:
            return value
        if name not in self._asked:
            try:
                self._asked[name] = self.how.resolver(name)
            except LookupError:
                self._asked[name] = MISSING
        return self._asked[name]

    def _data(self, path: Path, scope: Scope) -> Any:
        first, *rest = path.parts or ("",)
        turn = scope.round
        for _ in range(path.up):
            turn = turn.outer if turn is not None else None
        value: Any = MISSING
        if first == "root":
            value = self.root
            if rest and self.how.resolver is not None:
                value, rest = self._resolved(rest[0]), rest[1:]
        elif turn is not None:
            known = {"index": turn.index, "key": turn.key, "first": turn.index == 0, "last": turn.last}
            value = known.get(first, MISSING)
        for part in rest:
            value = member(value, part)
        return value

    def _called(self, call: Call, scope: Scope) -> Any:
        """What a filter makes of its values. A name that is not there is given to it as None."""
        given = [self._given(operand, scope) for operand in call.operands]
        named = {name: self._given(operand, scope) for name, operand in call.named}
        try:
            return self.how.filters[call.filter](*given, **named)
        except _FILTER_FAULTS as error:
            says = f"the filter {call.filter!r} failed: {type(error).__name__}: {error}"
            raise error_at(self.text, call.at, says[:300]) from error

    def _given(self, operand: Operand, scope: Scope) -> Any:
        value = self.value(operand, scope)
        return None if value is MISSING else value

    # --- what is shown of a value ---

    def _shown(self, slot: Slot, scope: Scope) -> str:
        value = self._wanted(slot, scope)
        try:
            if slot.form == "value":
                return self._whole(slot, value)
            shown = text_of(value, self.how.limits.depth, self.steps)
        except UnwritableError as error:
            raise self._unwritable(slot, error) from None
        if shown is None:
            shown = slot.default or ""
        return shown if slot.form == "text" else written(shown)[1:-1]

    def _wanted(self, slot: Slot, scope: Scope) -> Any:
        value = self.value(slot.subject, scope)
        if value is MISSING and slot.default is None and self.how.missing == "raise":
            raise missing_at(self.text, slot.at, slot.subject.says if isinstance(slot.subject, Path) else "")
        return value

    def _whole(self, slot: Slot, value: Any) -> str:
        """A value as JSON text; what is not there is null, and a default is JSON if it can be read as that."""
        if value is MISSING or value is None:
            return written(default_of(slot))
        return json_of(value, self.how.limits.depth, self.steps)

    def typed(self, slot: Slot, scope: Scope) -> Any:
        """The value of a slot itself, as a copy that is plain data."""
        value = self._wanted(slot, scope)
        if value is MISSING or value is None:
            return default_of(slot)
        try:
            return plain(value, self.how.limits.depth, self.steps)
        except UnwritableError as error:
            raise self._unwritable(slot, error) from None

    def _unwritable(self, slot: Slot, error: UnwritableError) -> TemplateError:
        if isinstance(error, OverLimitError):
            return limit_at(self.text, slot.at, error.limit, str(error))
        return error_at(self.text, slot.at, str(error))


def fill(text: str, nodes: Nodes, values: Any, how: How = PLAINLY) -> str:
    """The text that a template is with these values. `text` is the template's own, for errors."""
    filling = Filling(text, values, how)
    filling.run(nodes, filling.scope())
    return "".join(filling.out)


def default_of(slot: Slot) -> Any:
    """The default of a slot that stands for a whole value: null, what it is as JSON, or the text that it is."""
    if slot.default is None or slot.quoted:
        return slot.default
    try:
        value: Any = json.loads(slot.default)
    except (ValueError, RecursionError):
        return slot.default
    return value if isinstance(value, bool | int | float | None) else slot.default
