"""Results that hang beside the path: where parallel tools write one by one, each has its call's row for a parent."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from rejoinder.dialects.detect import detect, find_dialect
from rejoinder.dialects.dialect import Dialect
from rejoinder.dialects.neovate import DIALECT as NEOVATE
from rejoinder.errors import DialectError
from rejoinder.transcripts import own
from rejoinder.transcripts.own import Row
from rejoinder.values.view import View


def dialect_of(messages: list[Any]) -> Dialect:
    """The dialect of the messages; where nothing but `tool_use` blocks tell, the one that session rows are in."""
    try:
        found = detect(messages)
    except DialectError:
        return NEOVATE
    return NEOVATE if NEOVATE.name in found.candidates else find_dialect(found.dialect)


def view_of(messages: list[Any]) -> View:
    """A walk over the messages of rows."""
    dialect = dialect_of(messages)
    return View(dialect.decode(messages), dialect.layout)


def result_ids(messages: list[Any]) -> set[str]:
    """The ids of all calls that some result names."""
    return {part.call_id for _, part in view_of(messages).results if isinstance(part.call_id, str)}


def with_results(rows: list[Row], path: list[Row]) -> list[Row]:
    """The path, and the results that hang beside it on a call of the path, in the order of the rows.

    Where that is not the order of the path (a parent was written behind its child), each stands behind its parent.
    """
    calls = view_of([own.message_of(row) for row in path]).pairing.calls
    wanted = {str(call.part.id) for call in calls if call.result is None}
    if not wanted:
        return path
    on_path = {id(row) for row in path}
    names = {str(row.get("uuid")) for row in path}
    beside: list[Row] = []
    for row in rows:
        hangs = row.get("type") == "message" and id(row) not in on_path and str(row.get("parentUuid")) in names
        if hangs and not wanted.isdisjoint(result_ids([own.message_of(row)])):
            beside.append(row)
            names.add(str(row.get("uuid")))
    return _merged(rows, path, beside) if beside else path


def _merged(rows: list[Row], path: list[Row], beside: list[Row]) -> list[Row]:
    at = {id(row): number for number, row in enumerate(rows)}
    if all(at[id(one)] < at[id(other)] for one, other in pairwise(path)):
        return sorted([*path, *beside], key=lambda row: at[id(row)])
    under: dict[str, list[Row]] = {}
    for row in beside:
        under.setdefault(str(row.get("parentUuid")), []).append(row)
    return [each for row in path for each in (row, *under.get(str(row.get("uuid")), ()))]
