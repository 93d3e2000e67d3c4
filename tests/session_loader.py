"""The least that opens a session in a test: through a door, else as JSON lines, else as one JSON document."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rejoinder.edge.doors import records_of
from rejoinder.edge.rows import records
from rejoinder.transcripts import formats
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.transcript import Transcript


def found_in(path: Path) -> Iterator[Found]:
    """The records of a file or a folder."""
    found = records_of(str(path))
    if found is not None:
        return iter(found)
    document = document_of(path)
    return records(str(path), mode="salvage") if document is None else iter(as_records(document))


def document_of(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8-sig"))
    except ValueError:
        return None


def as_records(document: Any) -> list[Found]:
    """A document as one record; the items of a list as a record each."""
    if isinstance(document, list):
        return [Record(item, b"", number, 0) for number, item in enumerate(document, 1)]
    return [Record(document, b"", 1, 0)]


def load(path: Path, name: str | None = None) -> list[Transcript]:
    """All conversations of a file."""
    return list(formats.read_all(found_in(path), name))


def loaded(document: Any, name: str | None = None) -> list[Transcript]:
    """All conversations of a document that is in memory."""
    return list(formats.read_all(as_records(document), name))
