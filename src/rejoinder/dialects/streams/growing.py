"""Texts that come in a million pieces: kept as pieces, and joined once."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def joined(pieces: list[str]) -> str:
    """One text; a character whose two halves came in two pieces is one again."""
    text = "".join(pieces)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


class Growing:
    """Members of objects that are still growing. `settle` writes them into their objects, each joined once."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[tuple[int, str], tuple[Json, str, list[str]]] = {}

    def add(self, holder: Json, key: str, piece: str) -> None:
        """One more piece of a member."""
        held = self._held.get((id(holder), key))
        if held is None:
            was = holder.get(key)
            held = self._held[id(holder), key] = (holder, key, [was] if isinstance(was, str) else [])
        held[2].append(piece)

    def text(self, holder: Json, key: str) -> str:
        """A member as far as it came; what was joined is kept as one piece."""
        held = self._held.get((id(holder), key))
        if held is None:
            was = holder.get(key)
            return was if isinstance(was, str) else ""
        text = joined(held[2])
        held[2][:] = [text]
        return text

    def forget(self, holder: Json, key: str) -> None:
        """The pieces of a member that has been said anew as a whole."""
        self._held.pop((id(holder), key), None)

    def settle(self) -> None:
        """Every member as far as it came, in its object."""
        for holder, key, pieces in self._held.values():
            holder[key] = joined(pieces)
        self._held.clear()
