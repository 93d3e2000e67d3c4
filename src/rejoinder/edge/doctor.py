"""Sessions looked at: where they are, what is wrong with each, and the places of it in the file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from glob import iglob
from typing import Any, NamedTuple

from rejoinder.edge.rows import opened
from rejoinder.edge.session_files import open_sessions
from rejoinder.edge.sessions import session_files
from rejoinder.errors import RejoinderError, SessionError
from rejoinder.transcripts import formats
from rejoinder.transcripts.transcript import Defect, Transcript

# What is told, and is no defect.
_NO_DEFECT = frozenset({"paused"})
_NAMES = (".jsonl", ".json", ".jsonl.zst", ".db", ".traj", ".eval")


class Place(NamedTuple):
    """A file that may be a session. `named`: somebody asked for this very file."""

    path: str
    named: bool = False


class Checkup(NamedTuple):
    """What was found in a session; or, with `trouble`, why it was not read."""

    path: str
    tool: str = ""
    session: str = ""
    title: str = ""
    folder: str = ""
    began: str = ""
    ended: str = ""
    messages: int = 0
    records: int = 0
    defects: tuple[Defect, ...] = ()
    trouble: str = ""

    @property
    def kinds(self) -> dict[str, int]:
        """How many defects there are of each kind, the commonest first."""
        return dict(Counter(defect.kind for defect in self.defects).most_common())

    def as_dict(self) -> dict[str, Any]:
        """The checkup as plain data, for JSON."""
        plain = {name: value for name, value in self._asdict().items() if name not in ("path", "defects", "trouble")}
        return {
            "file": self.path,
            **plain,
            "kinds": self.kinds,
            "defects": [defect.as_dict() for defect in self.defects],
        }


def checkup(place: Place, kinds: frozenset[str] = frozenset()) -> Checkup | None:
    """What is wrong with a session, of some kinds or of all; None for a file of a folder that is no session."""
    try:
        read, *others = open_sessions(place.path)
    except RejoinderError as error:
        if not place.named and not _is_trouble(place.path):
            return None
        words = str(error)
        return Checkup(place.path, trouble=words if place.path in words else f"{place.path}: {words}")
    found = (defect for each in (read, *others) for defect in real(each))
    defects = tuple(defect for defect in found if not kinds or defect.kind in kinds)
    several = f"{len(others) + 1:,} conversations" if others else ""
    return Checkup(
        path=place.path,
        tool=read.tool,
        session=several or read.session or os.path.basename(place.path),
        title=read.title,
        folder=read.folder,
        began=read.began,
        ended=read.ended,
        messages=sum(len(each.messages) for each in (read, *others)),
        records=sum(each.records for each in (read, *others)),
        defects=defects,
    )


def _is_trouble(path: str) -> bool:
    """Can a file not be read at all? Else it is only no session, as many files in a folder are."""
    try:
        with opened(path) as file:
            file.peek(1)
    except (RejoinderError, OSError):
        return True
    return False


def real(read: Transcript) -> list[Defect]:
    """The defects without what is only told."""
    return [defect for defect in read.defects if defect.kind not in _NO_DEFECT]


# --- where sessions are ----------------------------------------------------------------------------------------------


def places(paths: Sequence[str]) -> list[Place]:
    """The files that are meant: by name, by the id of a session, in folders; without any, in all homes."""
    found = _in_homes() if not paths else (place for path in paths for place in _meant(path))
    seen: set[str] = set()
    return [place for place in found if not (_same(place.path) in seen or seen.add(_same(place.path)))]


def _same(path: str) -> str:
    return os.path.realpath(path)


def _meant(path: str) -> Iterator[Place]:
    if os.path.isdir(path):
        yield from _in_folder(path)
    elif os.path.lexists(path) or os.sep in path or path.endswith(_NAMES):
        yield Place(path, named=True)
    else:
        yield Place(_by_id(path), named=True)


def _in_folder(path: str) -> Iterator[Place]:
    for folder, folders, names in os.walk(path):
        folders.sort()
        yield from (Place(os.path.join(folder, name)) for name in sorted(names) if name.endswith(_NAMES))


def _by_id(name: str) -> str:
    """The one session in all homes whose id begins so."""
    found = [each.path for each in _in_homes() if os.path.basename(each.path).startswith(name)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise SessionError(f"there is no file {name!r}, and no session whose id begins so")
    raise SessionError(f"{len(found)} sessions have an id that begins with {name!r}: {', '.join(found[:3])}, …")


def _in_homes() -> Iterator[Place]:
    yield from map(Place, session_files())
    for each in formats.FORMATS:
        yield from (Place(path) for pattern in homes_of(each.homes) for path in sorted(iglob(pattern, recursive=True)))


def homes_of(homes: Iterable[str]) -> list[str]:
    """The patterns of a tool's homes: where its variable says, and else where it is when none is set."""
    named = [home for home in homes if home.startswith("$")]
    told = [home for home in named if os.environ.get(_variable(home))]
    left = told or [home for home in homes if home not in named]
    return [os.path.expanduser(os.path.expandvars(home)) for home in left]


def _variable(home: str) -> str:
    return home[1:].partition("/")[0].strip("{}")


# --- where defects are -----------------------------------------------------------------------------------------------


def offsets(path: str, lines: Iterable[int]) -> dict[int, int]:
    """Where lines begin in a file, in bytes; nothing for a file that cannot be read in lines."""
    wanted = set(lines)
    found: dict[int, int] = {}
    at = 0
    try:
        with opened(path) as file:
            for number, raw in enumerate(file, 1):
                if number in wanted:
                    found[number] = at
                    if len(found) == len(wanted):
                        break
                at += len(raw)
    except (RejoinderError, OSError):
        return found
    return found
