"""Asking what a piece of JSON data is, in words that the type checker understands."""

from __future__ import annotations

import base64
from collections.abc import Callable
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


# Deeper than this, nobody looks: what is nested so deep holds no bytes that anybody put there.
_DEEPEST = 200


def without_bytes(value: Any, spelled: Callable[[bytes], Any], depth: int = 0) -> Any:
    """The value with all bytes in it spelled otherwise; the very same object where there are none."""
    if isinstance(value, bytes | bytearray):
        return spelled(bytes(value))
    if depth > _DEEPEST or isinstance(value, str):
        return value
    if is_object(value):
        new = {key: without_bytes(each, spelled, depth + 1) for key, each in value.items()}
        return value if all(new[key] is each for key, each in value.items()) else new
    if is_array(value):
        items = [without_bytes(each, spelled, depth + 1) for each in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    return value


def as_json(value: Any) -> Any:
    """The value as JSON can hold it: bytes, which some SDKs take for media, are base64."""
    return without_bytes(value, lambda data: base64.b64encode(data).decode())


def kind_of(value: object) -> str:
    """The JSON name of a value's type, as an error message would say it."""
    name = type(value).__name__
    return _KIND_NAMES.get(name, name)
