"""Mending a session of our own: what it should have said is appended, and what it said stays in the file."""

from __future__ import annotations

import os
import shutil
from typing import Any, NamedTuple

from rejoinder.edge.files import reason
from rejoinder.edge.sessions import Session
from rejoinder.errors import PayloadError
from rejoinder.journey import repair
from rejoinder.mend.policy import Policy
from rejoinder.mend.report import Repaired, Step
from rejoinder.transcripts.own import Row
from rejoinder.transcripts.rows import own_dialect
from rejoinder.values.payload import messages_of


class Appending(NamedTuple):
    """What is to be appended: the messages, and the row to go back to first, if there is one."""

    messages: list[Any]
    back_to: str | None
    goes_back: bool
    steps: tuple[Step, ...]


def planned(session: Session) -> Appending:
    """The messages that mend the pairs of a session, said anew from the first that changes."""
    rows = session.active_path()
    messages = session.messages()
    policy = Policy(unanswered="answer", paused=session.paused)
    done: Repaired = repair(messages, "pairs", dialect=own_dialect(messages), policy=policy)
    mended = list(messages_of(done.payload))
    if not done.steps:
        return Appending([], None, goes_back=False, steps=())
    same = next(
        (at for at, (old, new) in enumerate(zip(messages, mended, strict=False)) if old != new),
        min(len(messages), len(mended)),
    )
    if any(row.get("type") == "summary" for row in rows):
        # A summary hangs behind the rows that it stands for: from any row in front of it, it would not be heard.
        same = 0 if same < len(messages) else same
    goes_back = same < len(messages)
    return Appending(mended[same:], _name(rows, same - 1), goes_back=goes_back, steps=done.steps)


def _name(rows: list[Row], at: int) -> str | None:
    return str(rows[at].get("uuid")) if at >= 0 else None


def operate(path: str) -> tuple[Appending, str]:
    """Append what mends a session, which is locked meanwhile; the name of the backup that was made first."""
    with Session.open(path, wait=0.0) as session:
        plan = planned(session)
        if not plan.steps:
            return plan, ""
        if plan.goes_back and plan.back_to is None and not plan.messages:
            raise PayloadError(f"{path}: nothing would be left of this session; nothing was written")
        backup = _copied(path)
        if plan.goes_back:
            session.append_row({"type": "rewind", "to": plan.back_to, "parentUuid": None})
            session.leaf = plan.back_to
        for message in plan.messages:
            session.append(message)
        session.sync()
        return plan, backup


def _copied(path: str) -> str:
    """Copy the file to the first of FILE.bak, FILE.bak1, … that does not exist; it is locked, so it holds still."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    for number in range(10_000):
        name = f"{path}.bak{number or ''}"
        try:
            with open(path, "rb") as source, open(os.open(name, flags, 0o600), "wb") as copy:
                shutil.copyfileobj(source, copy)
                copy.flush()
                os.fsync(copy.fileno())
        except FileExistsError:
            continue
        except OSError as error:
            raise PayloadError(f"{name}: {reason(error)}; nothing was written") from None
        return name
    raise PayloadError(f"{path}: there are 10,000 backups of it; take some away; nothing was written")
