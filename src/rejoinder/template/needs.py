"""What a template wants: which names, of which shape, and which of them it can do without. Found without filling it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from rejoinder.template.nodes import Arm, Block, Call, Constant, Nodes, Operand, Path, Slot
from rejoinder.template.read import MISSING, member

# Stands in a place for "each item of".
ITEM = None
Where = tuple[str | None, ...]
_SCHEMA = "https://json-schema.org/draft/2020-12/schema"


class Need(NamedTuple):
    """A name that is looked up: where in the values, how it is used, and its default."""

    where: Where
    use: str = "shown"
    default: str | None = None


class _Scope(NamedTuple):
    """Where in the values the contexts and the block parameters stand, as far as that can be told."""

    levels: tuple[Where | None, ...] = ((),)
    params: tuple[tuple[Where | None, ...], ...] = ()


def needs(nodes: Nodes) -> tuple[Need, ...]:
    """All names that are looked up in the values, in the order of the template."""
    return tuple(_of(nodes, _Scope()))


def _of(nodes: Nodes, scope: _Scope) -> Iterator[Need]:
    for node in nodes:
        if isinstance(node, Slot):
            yield from _used(node.subject, scope, "shown", node.default)
        elif isinstance(node, Block):
            for arm in node.arms:
                yield from _arm(arm, scope)
            yield from _of(node.otherwise, scope)


def _arm(arm: Arm, scope: _Scope) -> Iterator[Need]:
    yield from _used(arm.subject, scope, {"each": "looped", "with": "entered"}.get(arm.kind, "asked"))
    if arm.zero is not None:
        yield from _used(arm.zero, scope, "asked")
    if arm.kind in ("if", "unless"):
        yield from _of(arm.body, scope)
        return
    found = _where(arm.subject, scope) if isinstance(arm.subject, Path) else None
    inner = None if found is None or arm.kind == "section" else (*found, ITEM) if arm.kind == "each" else found
    params = ((inner, None), *scope.params) if arm.params else scope.params
    yield from _of(arm.body, _Scope((inner, *scope.levels), params))


def _used(operand: Operand | Call, scope: _Scope, use: str, default: str | None = None) -> Iterator[Need]:
    if isinstance(operand, Call):
        for each in (*operand.operands, *(named for _, named in operand.named)):
            yield from _used(each, scope, use, default)
    elif not isinstance(operand, Constant):
        where = _where(operand, scope)
        if where:
            yield Need(where, use, default)


def _where(path: Path, scope: _Scope) -> Where | None:
    """Where in the values a path leads; None where that is not known, or not in them."""
    base: Where | None
    parts = path.parts
    if path.data:
        base, parts = ((), parts[1:]) if parts[:1] == ("root",) else (None, ())
    elif path.param is not None:
        names = scope.params[path.param[0]]
        base = names[path.param[1]] if path.param[1] < len(names) else None
    else:
        base = scope.levels[path.up] if path.up < len(scope.levels) else None
    return None if base is None else (*base, *parts)


def variables(found: tuple[Need, ...]) -> tuple[str, ...]:
    """The names by which the values are asked, each once. What is in an item of a loop is a matter of the loop."""
    return tuple(dict.fromkeys(_spelled(need.where) for need in found if ITEM not in need.where))


def missing(found: tuple[Need, ...], values: Any) -> tuple[str, ...]:
    """The names without a value and without a default, each once."""
    gone = (need.where for need in found if need.default is None and ITEM not in need.where)
    return tuple(dict.fromkeys(_spelled(where) for where in gone if _looked_up(where, values) is MISSING))


def _looked_up(where: Where, values: Any) -> Any:
    for part in where:
        values = member(values, part or "")
    return values


def _spelled(where: Where) -> str:
    return ".".join(part if part and _is_word(part) else f"[{part}]" for part in where)


def _is_word(part: str) -> bool:
    return not any(sign in part for sign in " .[]/\"'|~{}") and part not in ("this", "true", "false", "null")


# --- as a JSON Schema -------------------------------------------------------------------------------------------------


def schema(found: tuple[Need, ...]) -> dict[str, Any]:
    """The shape of the values. Of an item of a loop, too, the members are named."""
    root: dict[str, Any] = {"$schema": _SCHEMA, "type": "object"}
    for need in found:
        at = root
        for part in need.where:
            at = _stepped(at, part, needed=_is_wanted(need))
        if need.default is not None:
            at.setdefault("default", need.default)
        if need.use == "looped":
            at["type"] = ["array", "object"]
    return root


def _is_wanted(need: Need) -> bool:
    return need.default is None and need.use != "asked"


def _stepped(at: dict[str, Any], part: str | None, *, needed: bool) -> dict[str, Any]:
    if part is None:
        items: dict[str, Any] = at.setdefault("items", {})
        at["additionalProperties"] = items
        return items
    if part == "length" or part.isdecimal():
        return {}
    if "items" not in at:
        at["type"] = "object"
    inner: dict[str, Any] = at.setdefault("properties", {}).setdefault(part, {})
    if needed and part not in at.setdefault("required", []):
        at["required"].append(part)
    return inner
