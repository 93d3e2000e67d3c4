"""`rejoinder doctor --fix`: sessions mended in their own form, or, with --dry-run, what that would write."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from rejoinder.edge import doctor, own_surgery, surgery
from rejoinder.edge.cli import output
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.edge.doctor import Place
from rejoinder.edge.session_files import open_session
from rejoinder.edge.sessions import Session
from rejoinder.errors import RejoinderError
from rejoinder.render.checkups import Edit, edit_lines
from rejoinder.render.findings import count
from rejoinder.transcripts.change import Change
from rejoinder.transcripts.rows import OURS
from rejoinder.transcripts.transcript import Defect


class Outcome(NamedTuple):
    """What became of one session."""

    path: str
    edits: list[Edit]
    left: list[Defect]
    backup: str = ""
    aside: str = ""
    trouble: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The outcome as plain data, for JSON."""
        return {
            "file": self.path,
            "changes": [edit._asdict() for edit in self.edits],
            "backup": self.backup or None,
            "set_aside": self.aside or None,
            "left": [defect.as_dict() for defect in self.left],
            "trouble": self.trouble or None,
        }


def run(places: list[Place], paper: Paper, kinds: frozenset[str], *, dry: bool, as_json: bool, limit: int) -> int:
    """Mend the sessions, each by itself: what cannot be mended in one does not hold the others up."""
    outcomes: list[Outcome] = []
    for place in places:
        found = doctor.checkup(place, kinds)
        if found is None or (not found.defects and not found.trouble):
            continue
        if found.trouble:
            outcome = Outcome(place.path, [], [], trouble=found.trouble)
        else:
            outcome = _mended(place.path, found.tool, list(found.defects), dry=dry)
        outcomes.append(outcome)
        if not as_json:
            _tell(outcome, paper, dry, limit)
    if as_json:
        output.say_json({"dry_run": dry, "sessions": [outcome.as_dict() for outcome in outcomes]})
    elif not outcomes:
        paper.talk(plain("nothing to mend", "good"))
    if any(outcome.trouble for outcome in outcomes):
        return 2
    return int(any((dry and outcome.edits) or any(each.live for each in outcome.left) for outcome in outcomes))


def _mended(path: str, tool: str, defects: list[Defect], *, dry: bool) -> Outcome:
    if not any(surgery.can_mend(tool, defect) for defect in defects):
        return Outcome(path, [], defects)
    try:
        return _own(path, dry=dry) if tool == OURS.name else _foreign(path, tool, dry=dry)
    except RejoinderError as error:
        return Outcome(path, [], defects, trouble=str(error))


def _foreign(path: str, tool: str, *, dry: bool) -> Outcome:
    """A session of another tool: the change by lines."""
    plan = surgery.planned(path, tool)
    edits = [_edit(change) for change in plan.changes]
    if dry:
        return Outcome(path, edits, plan.left)
    done = surgery.operate(plan)
    return Outcome(path, edits, plan.left, done.backup, done.aside)


def _own(path: str, *, dry: bool) -> Outcome:
    """A session of our own: what is appended."""
    if dry:
        with Session.open(path, read_only=True) as session:
            plan, backup = own_surgery.planned(session), ""
    else:
        plan, backup = own_surgery.operate(path)
    rows = [json.dumps(message, ensure_ascii=True) for message in plan.messages]
    back = [f"go on from row {plan.back_to}"] if plan.goes_back else []
    says = tuple(step.says for step in plan.steps)
    left = [] if dry else [defect for defect in doctor.real(open_session(path)) if defect.live]
    return Outcome(path, [Edit("appended", says, (), (*back, *rows))], left, backup)


def _edit(change: Change) -> Edit:
    return Edit(f"line {change.line}", change.says, _lines(change.old), _lines(change.new))


def _lines(data: bytes) -> tuple[str, ...]:
    return tuple(data.decode("utf-8", "backslashreplace").split("\n")[:-1]) if data.endswith(b"\n") else _whole(data)


def _whole(data: bytes) -> tuple[str, ...]:
    return tuple(data.decode("utf-8", "backslashreplace").split("\n")) if data else ()


def _tell(outcome: Outcome, paper: Paper, dry: bool, limit: int) -> None:
    """What was done to one session, or would be."""
    if outcome.trouble:
        paper.talk(plain(f"rejoinder: {outcome.trouble}"))
        return
    number = count(len(outcome.edits), "change")
    words = "nothing to change" if not outcome.edits else f"{number}, not written" if dry else f"{number} written"
    paper.say([(("bold", f"{outcome.path}: "), ("good" if outcome.edits else "warning", words))])
    paper.say(edit_lines(outcome.edits, paper.width, limit))
    if outcome.backup:
        paper.talk(plain(f"  what was there is in {outcome.backup}", "dim"))
    if outcome.aside:
        paper.talk(plain(f"  what could not be read is in {outcome.aside}", "dim"))
    for defect in outcome.left[:limit]:
        where = "" if defect.live else " (off the active path: resuming does not meet it)"
        paper.say([plain(f"  left as it is: {defect}{where}", "warning" if defect.live else "dim")])
