"""What a block is, where its one member tells."""

from __future__ import annotations

from collections.abc import Iterator

from rejoinder.values.edit import Edit, Insert, Replace
from rejoinder.values.finding import Finding, Fix
from rejoinder.values.loose import is_object
from rejoinder.values.parts import Opaque
from rejoinder.values.place import Place
from rejoinder.values.view import View

__all__ = ["one_member"]


def one_member(view: View) -> Iterator[Finding]:
    """A block has several members, each of which says what it is, where only one may.

    Bad: `{"text": "Look:", "image": {...}}`. Good: `{"text": "Look:"}, {"image": {...}}`.
    """
    for place, part in view.parts(Opaque):
        if "kinds:several" not in part.quirks or not is_object(part.source):
            continue
        each = [Opaque(kind=name, source={name: held}) for name, held in part.source.items() if held is not None]
        behind = Place(place.message, (place.part or 0) + 1)
        edits: tuple[Edit, ...] = (Replace(place, each[0]), *(Insert(behind, one) for one in each[1:]))
        fix = Fix("split", "free", "make a block of each", edits if place.inner is None else ())
        yield Finding(at=place, says=f"a block that is {len(each)} things at once", fixes=(fix,))
