"""What sessions there are, quickly told by their first rows and their last; and where in them a text stands."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from rejoinder.edge import dates
from rejoinder.edge.own_stories import title_of
from rejoinder.edge.rows import backwards, records
from rejoinder.edge.sessions import session_files
from rejoinder.edge.stories import find, is_own, read_transcript
from rejoinder.errors import SessionError
from rejoinder.render.session_lists import Hit
from rejoinder.render.story import headline
from rejoinder.transcripts import own
from rejoinder.transcripts.lines import Record
from rejoinder.values.loose import is_array, is_object

_HEAD, _TAIL = 40, 20
_NAMES = (".jsonl", ".json", ".zst", ".db", ".eval", ".traj")
_AROUND = 200


class Item(NamedTuple):
    """A session on the shelf. `changed` is when something was last said in it, in seconds since 1970."""

    path: str
    session: str
    title: str
    tool: str
    began: str
    ended: str
    changed: float
    size: int

    def as_dict(self) -> dict[str, Any]:
        """The item as plain data, for JSON."""
        return {**self._asdict(), "changed": dates.of_seconds(self.changed)}


def files(paths: Iterable[str]) -> Iterator[str]:
    """The session files that paths, ids or folders mean; without any, all of our own."""
    named = list(paths)
    if not named:
        yield from session_files()
    for path in named:
        if os.path.isdir(path):
            names = sorted(os.listdir(path))
            yield from (os.path.join(path, name) for name in names if name.endswith(_NAMES) and name[0] != ".")
        else:
            yield find(path)


def item(path: str) -> Item:
    """What a session is, without reading the whole of it where it is one of ours."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        found = None
    if found is None or not is_own(path):
        read = read_transcript(path)
        name = read.session or os.path.basename(path)
        changed = dates.moment(read.ended) or (found.st_mtime if found else 0.0)
        return Item(path, name, read.title, read.tool, read.began, read.ended, changed, found.st_size if found else 0)
    first = [each.value for each in islice(records(path), _HEAD) if isinstance(each, Record)]
    head = first[0]
    last = next((row for row in _last(path) if isinstance(row.get("timestamp"), str)), head)
    ended = str(last.get("timestamp", ""))
    said = [own.message_of(row) for row in first if row.get("type") == "message"]
    title = headline(str(head.get("title") or "") or title_of(said))
    began = str(head.get("timestamp", ""))
    name = os.path.basename(path).removesuffix(".jsonl")
    return Item(path, name, title, own.FORMAT, began, ended, dates.moment(ended) or found.st_mtime, found.st_size)


def _last(path: str) -> Iterator[dict[str, Any]]:
    for record in islice(backwards(path, checked=True), _TAIL):
        if record.value.get("type") in own.SAID:
            yield record.value


def size(length: int) -> str:
    """A number of bytes, in words."""
    if length < 1000:
        return f"{length} B"
    for unit in ("kB", "MB", "GB"):
        length_in = length / 1000 ** (("kB", "MB", "GB").index(unit) + 1)
        if length_in < 1000 or unit == "GB":
            return f"{length_in:.3g} {unit}"
    return ""


# --- searching -------------------------------------------------------------------------------------------------------


def hits(path: str, wanted: str) -> Iterator[Hit]:
    """Each message that has a text in it, upper and lower case alike: the first place where."""
    wanted = wanted.casefold()
    for where, message in _messages(path):
        for text in _texts(message):
            at = text.casefold().find(wanted)
            if at >= 0:
                role = message.get("role", message.get("type", "")) if is_object(message) else ""
                yield _hit(where, role if isinstance(role, str) else "", text, at, len(wanted))
                break


def _hit(where: str, role: str, text: str, at: int, length: int) -> Hit:
    before = " ".join(text[max(at - _AROUND, 0) : at].split(" "))
    return Hit(where, role, before, text[at : at + length], text[at + length : at + length + _AROUND])


def _messages(path: str) -> Iterator[tuple[str, Any]]:
    """The messages of a session with the line they stand on, those that were left too."""
    if is_own(path):
        for found in records(path, checked=True):
            if isinstance(found, Record) and found.value.get("type") in own.SAID:
                yield f"line {found.line}", own.message_of(found.value)
        return
    read = read_transcript(path)
    for number, message in enumerate(read.messages):
        yield f"line {read.lines[number]}" if number < len(read.lines) else f"message {number}", message


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value, in order."""
    left = [value]
    while left:
        held = left.pop()
        if isinstance(held, str):
            yield held
        elif is_object(held):
            left.extend(reversed(held.values()))
        elif is_array(held):
            left.extend(reversed(held))


def readable(paths: Iterable[str], unread: list[str]) -> Iterator[Item]:
    """The sessions of these files; what cannot be read is told in `unread`."""
    for path in files(paths):
        try:
            yield item(path)
        except SessionError as error:
            unread.append(str(error) if str(error).startswith(path) else f"{path}: {error}")
