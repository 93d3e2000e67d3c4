"""Where in a template something is wrong: an error with line, column and the words that stand there."""

from __future__ import annotations

import json

from rejoinder.errors import MissingVariableError, TemplateError, TemplateLimitError

_SHOWN = 48


def error_at(text: str, at: int, says: str) -> TemplateError:
    """The error of a place in a template."""
    return TemplateError(says, *_place(text, at))


def missing_at(text: str, at: int, name: str) -> MissingVariableError:
    """The error of a variable that is not there."""
    error = MissingVariableError(f"there is no value for {name!r}", *_place(text, at))
    error.name = name
    return error


def limit_at(text: str, at: int, limit: str, says: str) -> TemplateLimitError:
    """The error of a limit that was reached."""
    error = TemplateLimitError(f"{says} (limit: {limit})", *_place(text, at))
    error.limit = limit
    return error


def _place(text: str, at: int) -> tuple[int, int, str]:
    start = text.rfind("\n", 0, at) + 1
    return text.count("\n", 0, at) + 1, at - start + 1, _excerpt(text, start, at)


def _excerpt(text: str, start: int, at: int) -> str:
    """What stands there, in quotes and on one line."""
    first = max(start, at - _SHOWN // 4)
    stop = text.find("\n", at, first + _SHOWN)
    last = min(len(text), first + _SHOWN) if stop < 0 else stop
    shown = f"{'…' if first > start else ''}{text[first:last]}{'…' if stop < 0 and last < len(text) else ''}"
    return json.dumps(shown, ensure_ascii=False)
