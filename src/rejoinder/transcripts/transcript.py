"""What a session file of any agent comes down to: a conversation in some dialect, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from rejoinder.transcripts.lines import Found, Oddity, Record

# What can be the matter with a call or a result, a row or a way. A call that only waits is told, and is no defect.
KINDS: dict[str, str] = {
    "pending": "the last turn made this call; its tool may still run",
    "paused": "this call waits for a person",
    "interrupted": "the call was cut short, by a crash or by the user, and nothing was recorded of it",
    "cut": "a compaction came before the call was answered",
    "errored": "the turn that made the call ended in an error, or was aborted",
    "denied": "a person denied the call, and the result does not say so",
    "orphan": "a result without its call",
    "early": "a result stands in front of its call",
    "duplicate": "one id is used for two calls, or a call has two results",
    "glued": "two records stand on one line",
    "unreadable": "a line that cannot be read",
    "torn": "the last record was cut off",
    "gap": "a row names a parent that was never written",
    "circle": "the parents of a row lead back to it",
    "twin": "two rows have one id",
}


class Defect(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong: what, on which line, about which ids, and whether it is on the active path.

    Where a file does not keep a message a line, `line` counts what it does keep, and `unit` is its name.
    """

    kind: str
    line: int
    says: str
    ids: tuple[str, ...] = ()
    live: bool = True
    unit: str = "line"

    def __str__(self) -> str:
        return f"{self.unit} {self.line}: {self.kind}: {self.says}"

    def as_dict(self) -> dict[str, Any]:
        """The defect as plain data, for JSON."""
        return msgspec.structs.asdict(self)


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """One way through a session that was left: the line it ends on, and how many messages it has of its own."""

    line: int
    messages: int
    ended: str = ""


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """A session as it was read. `lines` tells for each of `messages` the line, or the item, that it begins on.

    `messages` are those of the active path, in `dialect`; `system` is what stands in front of them. `branches` are the
    ways that were left. `lossy` names what the file does not hold, where that is so by its nature.
    """

    tool: str
    dialect: str
    messages: tuple[Any, ...]
    lines: tuple[int, ...] = ()
    system: Any = None
    session: str = ""
    title: str = ""
    folder: str = ""
    model: str = ""
    began: str = ""
    ended: str = ""
    records: int = 0
    branches: tuple[Way, ...] = ()
    defects: tuple[Defect, ...] = ()
    oddities: tuple[Oddity, ...] = ()
    lossy: str = ""

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain data, for JSON."""
        plain = {name: getattr(self, name) for name in self.__struct_fields__}
        for name in ("branches", "oddities"):
            plain[name] = [msgspec.structs.asdict(each) for each in plain[name]]
        return plain | {
            "messages": list(self.messages),
            "lines": list(self.lines),
            "defects": [defect.as_dict() for defect in self.defects],
        }


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """One tool's way to keep a session: `knows` tells it by the first records, `read` makes a transcript of all.

    A file may hold many conversations: then `read` gives one transcript after the other. `homes` are the places where
    its sessions are, with a variable of the environment in front where the tool asks one.
    """

    name: str
    says: str
    knows: Callable[[list[Any]], bool]
    read: Callable[[Iterable[Found]], Transcript | Iterable[Transcript]]
    homes: tuple[str, ...] = ()


# What of a line's oddities is a defect of the session.
_ODD = (
    *(("glued", "glued"), ("torn", "torn"), ("unreadable", "unreadable"), ("not UTF-8", "unreadable")),
    *(("broken escape", "unreadable"), ("NUL bytes", "unreadable"), ("no record", "unreadable")),
)


def parted(found: Iterable[Found]) -> tuple[list[Record], list[Oddity]]:
    """The records, and what was odd about the lines."""
    records: list[Record] = []
    oddities: list[Oddity] = []
    for each in found:
        if isinstance(each, Record):
            records.append(each)
        else:
            oddities.append(each)
    return records, oddities


def odd_defects(oddities: Iterable[Oddity]) -> Iterator[Defect]:
    """The defects that lines show."""
    for odd in oddities:
        kind = next((kind for words, kind in _ODD if words in odd.kind), None)
        if kind is not None:
            yield Defect(kind=kind, line=odd.line, says=f"{odd.kind}; {odd.done}")


def in_order(defects: Iterable[Defect]) -> tuple[Defect, ...]:
    """The defects by line."""
    return tuple(sorted(defects, key=lambda defect: (defect.line, defect.kind, defect.ids)))
