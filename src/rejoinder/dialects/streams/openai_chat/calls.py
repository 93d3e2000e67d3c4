"""Which call a piece of a call belongs to, on a stream of OpenAI Chat or of a server that is almost like it.

OpenAI numbers the calls, and sends id and name once. Others leave the number out, give each call the number 0, send
the id or the name with every piece, one constant id for all, or the arguments whole, as an object, or twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rejoinder.dialects.streams.fields import Json, encoded, inner, number, words
from rejoinder.dialects.streams.growing import joined
from rejoinder.dialects.streams.text import Nesting
from rejoinder.errors import StreamError
from rejoinder.values.loose import is_array, is_object


class Call:
    """One call that is growing."""

    __slots__ = ("_nesting", "_unseen", "_whole", "custom", "id", "members", "name", "pieces", "position", "size")

    def __init__(self, position: int) -> None:
        self.position = position
        self.id: str | None = None
        self.name = ""
        self.custom = False
        self.members: Json = {}  # what else stands in it, and in its function
        self.pieces: list[str] = []
        self.size = 0
        self._unseen = 0
        self._nesting = Nesting()
        self._whole = False

    @property
    def arguments(self) -> str:
        """What came of its arguments."""
        if len(self.pieces) > 1 and self._unseen >= len(self.pieces):
            self._unseen = 1
            self.pieces[:] = [joined(self.pieces)]
        return joined(self.pieces)

    @property
    def whole(self) -> bool:
        """Are its brackets closed? Each piece is counted once."""
        for piece in self.pieces[self._unseen :]:
            self._whole = self._nesting.end(piece.encode("utf-8", "surrogatepass")) >= 0 or self._whole
        self._unseen = len(self.pieces)
        return self._whole

    def says(self, text: str) -> bool:
        """Is this text all of its arguments?"""
        return self.size == len(text) > 1 and self.whole and self.arguments == text


class Calls:
    """The calls of one message in the order in which they came."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._at: dict[int, Call] = {}
        self._named: dict[str, Call] = {}

    def take(self, delta: Json) -> Iterator[tuple[Call, bool, str]]:
        """For each piece of a delta: its call, whether that is new, and what its arguments grew by."""
        listed = delta.get("tool_calls")
        if listed is None:
            return
        if not is_array(listed):
            raise StreamError("`tool_calls` is no list")
        for piece in listed:
            if not is_object(piece):
                raise StreamError("one of the `tool_calls` is no object")
            yield self._piece(piece)

    def _piece(self, piece: Json) -> tuple[Call, bool, str]:
        custom = piece.get("custom") is not None
        body = inner(piece, "custom" if custom else "function")
        number_, id_, name = number(piece, "index"), words(piece, "id") or None, words(body, "name") or ""
        text = _text(body.get("input" if custom else "arguments"))
        call = self._find(number_, id_, name, text)
        new = call is None
        if call is None:
            call = Call(len(self.calls))
            self.calls.append(call)
        if number_ is not None:
            self._at[number_] = call
        if id_ is not None and (call.id is None or new):
            call.id = id_
            self._named[id_] = call
        if name and name != call.name:
            call.name += name
        call.custom = call.custom or custom
        _keep(call, piece, body)
        if not new and id_ is not None and id_ == call.id and call.says(text):
            return call, False, ""  # all of it once more
        if text:
            call.pieces.append(text)
            call.size += len(text)
        return call, new, text

    def _find(self, number_: int | None, id_: str | None, name: str, text: str) -> Call | None:
        """The call that goes on; None where this begins another."""
        if number_ is not None:
            found = self._at.get(number_)
            if found is None:
                return None if name else self._went_on(id_)
            other = id_ is not None and found.id is not None and id_ != found.id
            if not name:
                return self._named.get(id_ or "", found) if other else found
            if not other and not found.whole and (name == found.name or not found.pieces):
                return found
            return found if _repeats(found, id_, name, text) else None
        found = self._named.get(id_) if id_ is not None else None if name else self._went_on(None)
        if found is None or not name or not found.whole:
            return found
        return found if _repeats(found, id_, name, text) else None

    def _went_on(self, id_: str | None) -> Call | None:
        """What a piece without a name goes on with: the call of its id, or the last one."""
        return self._named.get(id_) if id_ is not None else self.calls[-1] if self.calls else None


def _repeats(call: Call, id_: str | None, name: str, text: str) -> bool:
    """Is this the same call once more, or its head again, and no other?"""
    return id_ is not None and id_ == call.id and name == call.name and (not text.strip() or call.says(text))


def _text(arguments: Any) -> str:
    """A piece of the arguments; whole ones that came as an object are text from here on."""
    if arguments is None:
        return ""
    if isinstance(arguments, str):
        return arguments
    if is_object(arguments):
        return encoded(arguments).decode()
    raise StreamError("the arguments of a call are neither text nor an object")


def _keep(call: Call, piece: Json, body: Json) -> None:
    """The members that we have no word for, said last."""
    for name, value in piece.items():
        if name not in ("index", "id", "type", "function", "custom") and value is not None:
            call.members[name] = value
    extra = {name: value for name, value in body.items() if name not in ("name", "arguments", "input")}
    if extra:
        call.members["\0body"] = {**call.members.get("\0body", {}), **extra}
