"""`rejoinder doctor SESSION`: the places of what is wrong, the reasons, and what resuming would meet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from rejoinder.edge import doctor, surgery
from rejoinder.edge.cli import output
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.edge.doctor import Place
from rejoinder.edge.session_files import open_session
from rejoinder.errors import RejoinderError
from rejoinder.journey import check, repair
from rejoinder.mend.report import Repaired
from rejoinder.render.checkups import Spot, spot_lines
from rejoinder.render.findings import count
from rejoinder.render.steps import left_lines, step_lines
from rejoinder.render.terminal import Line
from rejoinder.transcripts.transcript import KINDS, Defect, Transcript
from rejoinder.values.finding import Finding


class Resuming(NamedTuple):
    """What sending the conversation again would meet, and what repair would do about it."""

    target: str
    errors: list[Finding]
    repaired: Repaired | None


def run(place: Place, paper: Paper, kinds: frozenset[str], *, as_json: bool, limit: int) -> int:
    """Show one session; 1 if something is wrong with it."""
    read = open_session(place.path)
    defects = [defect for defect in doctor.real(read) if not kinds or defect.kind in kinds]
    starts = doctor.offsets(place.path, {defect.line for defect in defects})
    meets = resuming(read)
    if as_json:
        output.say_json(_as_dict(place.path, read, defects, starts, meets))
        return int(bool(defects))
    paper.say(_head(place.path, read, len(defects)))
    spots = [_spot(read.tool, defect, starts.get(defect.line)) for defect in defects]
    paper.say(spot_lines(spots[:limit], paper.width))
    if len(spots) > limit:
        paper.say([plain(f"  … {count(len(spots) - limit, 'more defect')}; --limit 0 shows all", "dim")])
    paper.say([()] if spots else [])
    paper.say(_resuming_lines(meets, paper.width, limit))
    if any(surgery.can_mend(read.tool, defect) for defect in defects):
        paper.talk((), plain(f"rejoinder doctor {place.path} --fix --dry-run   shows what --fix would write", "dim"))
    return int(bool(defects))


def resuming(read: Transcript) -> Resuming:
    """What the API of the session's own dialect would refuse. What is only missing because nobody spoke yet is no part
    of it: warnings are left out.
    """
    messages = list(read.messages)
    try:
        errors = [each for each in check(messages, dialect=read.dialect) if each.severity == "error"]
        repaired = repair(messages, dialect=read.dialect) if errors else None
    except RejoinderError:
        return Resuming(read.dialect, [], None)
    return Resuming(repaired.target if repaired else read.dialect, errors, repaired)


# --- in words --------------------------------------------------------------------------------------------------------


def _head(path: str, read: Transcript, defects: int) -> Iterator[Line]:
    words = f"{count(defects, 'defect')}" if defects else "no defect"
    yield (("bold", f"{path}: "), ("error" if defects else "good", words))
    facts = [f"{read.tool} session {read.session or os.path.basename(path)}", count(len(read.messages), "message")]
    facts += [f"{read.records:,} rows"]
    if read.branches:
        facts.append(f"{count(len(read.branches), 'way')} left")
    yield plain("  " + ", ".join(facts), "dim")
    for words in (read.title, _span(read), read.folder):
        if words:
            yield plain("  " + words[:200], "dim")
    yield ()


def _span(read: Transcript) -> str:
    began, ended = (time[:16].replace("T", " ") for time in (read.began, read.ended))
    return f"{began} to {ended}" if began and ended else began or ended


def _spot(tool: str, defect: Defect, start: int | None) -> Spot:
    where = f"line {defect.line}" + (f", byte {start}" if start is not None else "")
    more = [KINDS.get(defect.kind, "")]
    if not defect.live:
        more.append("It is off the active path: resuming does not meet it.")
    elif surgery.can_mend(tool, defect):
        more.append("--fix mends it.")
    return Spot(where, defect.kind, defect.says, tuple(words for words in more if words), grave=defect.live)


def _resuming_lines(meets: Resuming, width: int, limit: int) -> Iterator[Line]:
    if not meets.errors:
        yield plain(f"Resuming meets nothing that {meets.target} would refuse.", "good")
        return
    yield plain(f"Resuming would be refused by {meets.target}: {count(len(meets.errors), 'error')}", "error")
    yield from left_lines(meets.errors, width, limit)
    if meets.repaired is not None and meets.repaired.steps:
        yield plain(f"repair would take {count(len(meets.repaired.steps), 'step')}:", "bold")
        yield from step_lines(meets.repaired.steps, width, limit)


# --- as data ---------------------------------------------------------------------------------------------------------


def _as_dict(
    path: str, read: Transcript, defects: list[Defect], starts: dict[int, int], meets: Resuming
) -> dict[str, Any]:
    """One session as the table has it, with what only the view of one has besides."""
    return {
        "ok": not defects,
        "file": path,
        **{name: getattr(read, name) for name in ("tool", "session", "title", "folder", "model", "began", "ended")},
        "messages": len(read.messages),
        "records": read.records,
        "branches": len(read.branches),
        "defects": [
            {**defect.as_dict(), "offset": starts.get(defect.line), "mends": surgery.can_mend(read.tool, defect)}
            for defect in defects
        ],
        "oddities": [odd.as_dict() for odd in read.oddities],
        "resuming": {
            "target": meets.target,
            "errors": [finding.as_dict() for finding in meets.errors],
            "steps": [step.as_dict() for step in meets.repaired.steps] if meets.repaired else [],
        },
    }
