"""The events of an OpenAI Responses stream as the response that it would have been at once."""

from __future__ import annotations

from typing import Any

from rejoinder.dialects.streams.codec import Joined, Unfinished
from rejoinder.dialects.streams.fields import Json, inner, number, whole_object, words
from rejoinder.dialects.streams.growing import Growing
from rejoinder.dialects.streams.openai_responses.tables import BEGINS, CALLS, DONE, ENDS, GROWS, PARTS, Text
from rejoinder.errors import StreamError
from rejoinder.values.loose import is_array, is_object

# Parts that an event names may be a few ahead of those that came; more is nothing that a server means.
_AHEAD = 1000


class Join:
    """Joins events. Only what was begun here is ever changed, never an event."""

    def __init__(self) -> None:
        self._body: Json = {}
        self._items: dict[int, Json] = {}
        self._places: dict[str, int] = {}
        self._whole: set[int] = set()
        self._ours: dict[int, list[Json]] = {}  # lists that we made, and may change
        self._growing = Growing()
        self._ended: str | None = None
        self._error: Any = None

    def take(self, event: Json) -> bool:
        """One event."""
        kind = words(event, "type") or ""
        if kind in GROWS:
            holder = self._holder(event, GROWS[kind])
            self._growing.add(holder, GROWS[kind].member, words(event, "delta") or "")
        elif kind in DONE:
            text = DONE[kind]
            self._say(self._holder(event, text), text.member, words(event, text.done))
        elif kind in PARTS:
            self._part(event, *PARTS[kind])
        elif kind in ("response.output_item.added", "response.output_item.done"):
            self._item(event, whole=kind.endswith("done"))
        elif kind == "response.output_text.annotation.added":
            self._annotation(event)
        elif kind in BEGINS or kind in ENDS:
            self._body = self._body | inner(event, "response")
            self._ended = kind if kind in ENDS else self._ended
        elif kind == "error":
            self._error = event.get("error") or {name: value for name, value in event.items() if name != "type"}
        else:
            return False
        return True

    def _place(self, event: Json) -> int:
        """Which item is meant: by its place, or by its id where a server does not say the place."""
        known = self._places.get(words(event, "item_id") or "", len(self._items) - 1)
        return number(event, "output_index", max(known, 0)) or 0

    def _item(self, event: Json, *, whole: bool) -> None:
        item = inner(event, "item")
        place = number(event, "output_index")
        if place is None:
            place = self._places.get(words(item, "id") or "", len(self._items)) if whole else len(self._items)
        was = self._items.get(place)
        if not item and was is not None:
            return
        if was is not None:
            for member in CALLS.values():
                self._growing.forget(was, member)
        self._items[place] = {**item}
        self._places[words(item, "id") or ""] = place
        if whole:
            self._whole.add(place)

    def _part(self, event: Json, within: str, index: str) -> None:
        item = self._known(event)
        parts = self._listed(item, within, number(event, index, 0) or 0)
        parts[number(event, index, 0) or 0] = {**inner(event, "part")}

    def _holder(self, event: Json, text: Text) -> Json:
        """What holds the text that an event is about."""
        item = self._known(event)
        if not text.within:
            return item
        place = number(event, text.index, 0) or 0
        parts = self._listed(item, text.within, place)
        if not parts[place]:
            parts[place] = {"type": text.part}
        return parts[place]

    def _known(self, event: Json) -> Json:
        item = self._items.get(self._place(event))
        if item is None:
            raise StreamError(f"a `{event.get('type')}` came for an output item that was never added")
        return item

    def _listed(self, item: Json, within: str, place: int) -> list[Json]:
        """The parts of an item, ours to change, with room for one at this place."""
        given: Any = item.get(within)
        held = self._ours.get(id(given))
        if held is None:
            held = [{**part} if is_object(part) else {} for part in (given if is_array(given) else ())]
            item[within] = self._ours[id(held)] = held
        if place > len(held) + _AHEAD:
            raise StreamError(f"part {place} of an item came where there are {len(held)}")
        while len(held) <= place:
            held.append({})
        return held

    def _say(self, holder: Json, member: str, text: str | None) -> None:
        """A text that is said whole, whatever its pieces were."""
        if text is not None:
            self._growing.forget(holder, member)
            holder[member] = text

    def _annotation(self, event: Json) -> None:
        place = number(event, "content_index", 0) or 0
        part = self._listed(self._known(event), "content", place)[place]
        held = part.get("annotations")
        part["annotations"] = [*(held if is_array(held) else ()), event.get("annotation")]

    def joined(self) -> Joined:
        """The response: as the last event has it, or as far as its items came."""
        self._growing.settle()
        ended = self._ended in ("response.completed", "response.incomplete") and self._error is None
        body = self._body
        if self._items and not (self._ended and body.get("output")):
            output = [_settled(self._items[place], place in self._whole or ended) for place in sorted(self._items)]
            body = {**body, "output": output}
        error = self._error
        if error is None and self._ended == "response.failed":
            error = body.get("error") or {"message": "the response failed"}
        return Joined(body=body, ended=ended, unfinished=unfinished(body), error=error)


def _settled(item: Json, whole: bool) -> Json:
    """An item as far as it came; a word of its own says that it did not come whole."""
    if not whole and item.get("status") in ("in_progress", "completed", None):
        return {**item, "status": "incomplete"}
    return item


def unfinished(body: Json) -> tuple[Unfinished, ...]:
    """The calls of a response that are marked as incomplete, or whose arguments are no whole object."""
    found: list[Unfinished] = []
    output: Any = body.get("output")
    for index, item in enumerate(output if is_array(output) else ()):
        member = CALLS.get(str(item.get("type"))) if is_object(item) else None
        if member is None:
            continue
        raw = item.get(member)
        raw = raw if isinstance(raw, str) else ""
        broken = item["type"] == "function_call" and bool(raw.strip()) and whole_object(raw) is None
        if broken or item.get("status") in ("incomplete", "in_progress"):
            name, id_ = item.get("name"), item.get("call_id")
            found.append(
                Unfinished(
                    pointer=f"/output/{index}",
                    id=id_ if isinstance(id_, str) else None,
                    name=name if isinstance(name, str) else None,
                    raw=raw,
                )
            )
    return tuple(found)
