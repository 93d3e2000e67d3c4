"""Asking what a piece of JSON data is, in words that the type checker understands."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Is it a JSON object?"""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Is it a JSON array? A tuple is written as one."""
    return isinstance(value, list | tuple)


_KIND_NAMES = {
    "bool": "boolean",
    "int": "integer",
    "float": "number",
    "str": "string",
    "list": "array",
    "tuple": "array",
    "dict": "object",
    "NoneType": "null",
}


def kind_of(value: object) -> str:
    """The JSON name of a value's type, as an error message would say it."""
    name = type(value).__name__
    return _KIND_NAMES.get(name, name)
