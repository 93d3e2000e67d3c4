"""Asking what a piece of JSON data is, in words that the type checker understands."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Is it a JSON object?"""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Is it a JSON array? A tuple is written as one."""
    return isinstance(value, list | tuple)
