"""What an event's members are, asked so that a wrong type is one clear error; JSON in and out of events."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec

from rejoinder.errors import StreamError
from rejoinder.values.loose import is_array, is_object, kind_of

Json = dict[str, Any]


def decoded(data: bytes) -> Json:
    """The data of one event, which is a JSON object."""
    try:
        value: Any = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        value = _surrogates(data, error)
    if not is_object(value):
        raise StreamError(f"the data of an event is {kind_of(value)}; it has to be a JSON object")
    return value


def _surrogates(data: bytes, error: Exception) -> Any:
    """JSON with half a character in it, which a server may send in two deltas; anything else is an error."""
    if b"\\ud" in data.lower():
        try:
            return json.loads(data, parse_constant=_refused, parse_float=_finite)
        except (ValueError, RecursionError):
            pass
    raise StreamError(f"the data of an event is no JSON ({error})") from None


def _refused(name: str) -> Any:
    raise ValueError(name)


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(number)
    return value


def encoded(event: Json) -> bytes:
    """An event as JSON text."""
    try:
        return msgspec.json.encode(event)
    except UnicodeEncodeError:
        # Half a character cannot be UTF-8, but it can be spelled.
        return json.dumps(event, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise StreamError(f"an event cannot be written as JSON ({error})") from None


def whole_object(text: str) -> Json | None:
    """Arguments as the object that they say; None where they are not one whole object, or say one key twice.

    Nothing is completed: what is not whole could run as something that nobody wrote.
    """
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return found if is_object(found) else None


def _once(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def words(holder: Json, key: str) -> str | None:
    """A member that is text; None where it is absent or null."""
    value = holder.get(key)
    if value is None or isinstance(value, str):
        return value
    raise StreamError(f"`{key}` is {kind_of(value)}; it has to be a string")


def inner(holder: Json, key: str) -> Json:
    """A member that is an object; an empty one where it is absent or null."""
    value = holder.get(key)
    if value is None:
        return {}
    if is_object(value):
        return value
    raise StreamError(f"`{key}` is {kind_of(value)}; it has to be an object")


def objects(holder: Json, key: str) -> list[Json]:
    """A member that is a list of objects; an empty one where it is absent or null."""
    value = holder.get(key)
    if value is None:
        return []
    if is_array(value) and all(is_object(each) for each in value):
        return value
    raise StreamError(f"`{key}` is {kind_of(value)}; it has to be a list of objects")


def number(holder: Json, key: str, otherwise: int | None = None) -> int | None:
    """A member that counts; `otherwise` where it is absent or null."""
    value = holder.get(key)
    if value is None:
        return otherwise
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise StreamError(f"`{key}` is {kind_of(value)}; it has to be a whole number that is not negative")


def count(holder: object, key: str) -> int | None:
    """A number of tokens as a usage says it; None where it says none. A wrong type is nothing to fail for."""
    value = holder.get(key) if is_object(holder) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def present(holder: Json) -> Json:
    """The members that are not null."""
    return {name: value for name, value in holder.items() if value is not None}
