"""The outcome of a conversion: what was written, what it took, what was lost, and what leads back."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec

from rejoinder.carry import side as table
from rejoinder.dialects.carries import Loss
from rejoinder.mend.report import Step
from rejoinder.values.finding import Finding
from rejoinder.values.loose import as_json, is_object
from rejoinder.values.payload import Payload, holder_of, messages_of


class Converted(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A payload in another shape.

    `losses` names all that the target could not hold; `steps` what was mended; `left` what its reader would still
    refuse. `needs` are settings that its API asks for and nobody gave. `origins` tells for each message of `payload`
    the index of the first message it was made of, -1 for one that was made of none. `encoded` are its messages as
    JSON, where they are known. `source` is what was converted; `handed` what was handed in, where that had one string
    in the place of its messages. `form` is the full name of the dialect, with the form that it was read in.
    """

    payload: Any
    steps: tuple[Step, ...] = ()
    losses: tuple[Loss, ...] = ()
    left: tuple[Finding, ...] = ()
    needs: tuple[str, ...] = ()
    dialect: str = ""
    form: str = ""
    target: str = ""
    source: Any = None
    handed: Any = None
    origins: tuple[int, ...] = ()
    ids: dict[str, str] = {}
    encoded: bytes | None = None
    turned_back: Callable[[], Converted] | None = None

    @property
    def body(self) -> bytes:
        """The payload as the bytes of a request. Messages that were encoded on the way are not encoded again."""
        if self.encoded is None:
            return msgspec.json.encode(self.payload)
        if not is_object(self.payload):
            return self.encoded
        return msgspec.json.encode({**self.payload, holder_of(self.payload): msgspec.Raw(self.encoded)})

    @cached_property
    def side(self) -> dict[str, Any]:
        """What the payload cannot hold, as plain JSON: with it, `convert` gives the original again."""
        if self.turned_back is None:
            return {}
        back = self.turned_back()
        original, written = messages_of(self.source), messages_of(self.payload)
        cuts = table.segments(len(original), list(self.origins))
        held = table.by_origin(messages_of(back.payload), list(back.origins), len(written))
        kept: list[list[Any]] = []
        for start, stop, first, end in cuts:
            was, again = original[first:end], [each for at in range(start, stop) for each in held[at]]
            same = table.exact(was) == table.exact(again)
            names = [table.digest(message) for message in written[start:stop]]
            kept.append([names, None if same else was])
        told = {
            "format": table.FORMAT,
            "from": self.dialect,
            "form": self.form,
            "to": self.target,
            "ids": self.ids,
            "segments": kept,
            "lead": [table.exact(held[-1]), original[: cuts[0][2] if cuts else len(original)]],
            **self._heads(back),
        }
        plain = table.packed(told)
        return told if plain is told else {**plain, "bytes": True}

    def _heads(self, back: Converted) -> dict[str, Any]:
        """The body around the messages, as it was and as it would come back."""
        if not is_object(self.source):
            return {"head": None}
        again = table.without(back.payload, holder_of(back.payload)) if is_object(back.payload) else {}
        holder = holder_of(self.source)
        words = {} if self.handed is None else {"words": self.handed[holder], "listed": self.source[holder]}
        head = table.without(self.source, holder)
        return {"head": head, "back": again, "keys": list(self.source), "holds": holder, **words}

    def as_dict(self) -> dict[str, Any]:
        """The outcome as plain data, for JSON."""
        return {
            "dialect": self.dialect,
            "target": self.target,
            "payload": as_json(self.payload),
            "losses": [loss.as_dict() for loss in self.losses],
            "needs": list(self.needs),
            "steps": [step.as_dict() for step in self.steps],
            "left": [finding.as_dict() for finding in self.left],
        }


def restored(side: dict[str, Any], matches: list[table.Match], back: Converted) -> Payload:
    """What was converted back, with the originals in it where nothing was edited since."""
    written = messages_of(back.source)
    messages = table.rebuilt(matches, written, messages_of(back.payload), list(back.origins))
    lead = table.leading(messages_of(back.payload), list(back.origins))
    was, original = side["lead"]
    if table.exact(lead) == was:
        messages = [*original, *messages[len(lead) :]]
    if side["head"] is None:
        return messages
    again = table.without(back.payload, holder_of(back.payload)) if is_object(back.payload) else {}
    head = table.merged_head(side["head"], side["back"], again)
    held = side["words"] if "words" in side and table.exact(messages) == table.exact(side["listed"]) else messages
    return table.ordered({**head, side["holds"]: held}, side["keys"])
