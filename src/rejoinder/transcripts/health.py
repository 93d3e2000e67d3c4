"""What is the matter with the calls and results of a conversation, by the pairing that all rules go by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rejoinder.dialects.detect import find_dialect
from rejoinder.transcripts.transcript import Defect
from rejoinder.values.conversation import Message
from rejoinder.values.exchange import Call, Result
from rejoinder.values.parts import ToolResult
from rejoinder.values.view import View


def unpaired(
    messages: Sequence[Any],
    lines: Sequence[int],
    dialect: str,
    *,
    unit: str = "message",
    why: Mapping[int, str] | None = None,
    last: str = "pending",
    live: bool = True,
) -> Iterator[Defect]:
    """Calls without a result, results without a call or in front of it, and ids that are used twice.

    `why` says by the number of a message what became of the calls in it that have no result, where the file tells;
    `last` is said of the calls that the conversation ends with.
    """
    view = _view(messages, dialect)
    pairing = view.pairing
    said = _said(view)
    waiting = {_id(call.part.id): call for call in reversed(pairing.calls) if call.result is None}
    early = _early(pairing.orphans, waiting)

    def told(kind: str, message: int, says: str, name: str) -> Defect:
        return Defect(kind=kind, line=lines[message], says=says, ids=(name,) if name else (), live=live, unit=unit)

    for call in pairing.calls:
        name, at = _id(call.part.id), call.place.message
        if call.result is not None and call.result.place < call.place:
            yield told("early", call.result.place.message, f"the result of call {name} stands in front of it", name)
        elif call.result is None and call.place not in pairing.copies and name not in early:
            kind = (why or {}).get(at) or ("interrupted" if said and at < said[-1] else last)
            yield told(kind, at, f"call {name} has no result" if name else "a call without an id has no result", name)
        if call.extras:
            yield told("duplicate", call.extras[0].place.message, f"call {name} has {_times(call)} results", name)
    for result in pairing.orphans:
        name, at = _id(result.part.call_id), result.place.message
        if name in early:
            yield told("early", at, f"the result of call {name} stands in front of it", name)
        else:
            yield told("orphan", at, f"no call has the id {name}" if name else "a result names no call", name)
    for name, calls in _used_twice(pairing.calls, pairing.copies):
        yield told("duplicate", calls[1].place.message, f"the id {name} is used for {len(calls)} calls", name)


def _view(messages: Sequence[Any], dialect: str) -> View:
    known = find_dialect(dialect)
    return View(known.decode(list(messages)), known.layout)


def _said(view: View) -> list[int]:
    """The numbers of the messages that say more than results."""
    return [at for at, message in view.messages if not _only_brings(message)]


def _only_brings(message: Message) -> bool:
    return bool(message.parts) and all(isinstance(part, ToolResult) for part in message.parts)


def _early(orphans: Iterable[Result], waiting: Mapping[str, Call]) -> set[str]:
    """The ids of results in front of the only call that could be theirs."""
    return {
        name
        for result in orphans
        if (name := _id(result.part.call_id)) in waiting and result.place < waiting[name].place
    }


def _used_twice(calls: Iterable[Call], copies: Iterable[Any]) -> list[tuple[str, list[Call]]]:
    by_id: dict[str, list[Call]] = {}
    beside = set(copies)
    for call in calls:
        if call.place not in beside and (name := _id(call.part.id)):
            by_id.setdefault(name, []).append(call)
    return [(name, found) for name, found in by_id.items() if len(found) > 1]


def _times(call: Call) -> int:
    return len(call.extras) + 1


def _id(name: Any) -> str:
    return name if isinstance(name, str) else "" if name is None else str(name)
