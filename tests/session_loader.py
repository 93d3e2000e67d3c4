"""How tests open a session: through its door, or from a document that is in memory."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rejoinder.edge.session_files import session_records
from rejoinder.transcripts import formats
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.transcript import Transcript


def found_in(path: Path) -> Iterator[Found]:
    """The records of a file or a folder."""
    return iter(session_records(str(path)))


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
