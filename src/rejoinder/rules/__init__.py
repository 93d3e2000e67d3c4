"""The demands, one function each. A rule knows no provider and no other rule.

A rule is a generator over a `View` that yields a `Finding` for each place where its demand
is not met, with the fixes that exist. Its numbers come from the clause that names it.
Its docstring is its page: what is wrong, a bad and a good example, what the fixes mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType

from rejoinder.rules import (
    block_kind,
    block_text,
    cache_marks,
    documents,
    empty_content,
    media,
    message_order,
    opaque,
    result_form,
    sealed_items,
    system_text,
    text_encoding,
    thinking,
    tool_arguments,
    tool_declarations,
    tool_ids,
    tool_pairing,
    tool_traffic,
    wire_form,
)
from rejoinder.values.finding import Finding

Rule = Callable[..., Iterator[Finding]]

_MODULES: tuple[ModuleType, ...] = (
    block_kind,
    block_text,
    cache_marks,
    documents,
    empty_content,
    media,
    message_order,
    opaque,
    result_form,
    sealed_items,
    system_text,
    text_encoding,
    thinking,
    tool_arguments,
    tool_declarations,
    tool_ids,
    tool_pairing,
    tool_traffic,
    wire_form,
)


def rule_name(rule: Rule) -> str:
    """`tool_pairing.unanswered`: the file and the function."""
    return f"{rule.__module__.rpartition('.')[2]}.{rule.__name__}"


RULES: dict[str, Rule] = {
    rule_name(getattr(module, name)): getattr(module, name) for module in _MODULES for name in module.__all__
}
