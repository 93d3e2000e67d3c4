"""`rejoinder doctor`: which sessions on this machine are damaged, and where."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import click

from rejoinder.edge import doctor
from rejoinder.edge.cli import doctor_fix, doctor_one, options, output
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.edge.doctor import Checkup, Place
from rejoinder.render.checkups import Row, table_lines
from rejoinder.render.findings import count
from rejoinder.render.terminal import Line
from rejoinder.transcripts.transcript import KINDS

_KINDS = "\n".join(f"  {name:<12} {says}" for name, says in KINDS.items())
EXAMPLES = f"""\b
Examples:
  rejoinder doctor                                 all sessions of all tools on this machine
  rejoinder doctor ~/.claude/projects --json | jq '.sessions[].file'
  rejoinder doctor ./sessions --kind pending --kind orphan
  rejoinder doctor f048d5e5                        one session: the places, and what resuming meets
  rejoinder doctor session.jsonl --fix --dry-run   the change, line by line
  rejoinder doctor session.jsonl --fix

\b
Kinds of defects (--kind chooses):
{_KINDS}

\b
Exit codes: 0 no defect; 1 defects, or with --fix some on the active path that it cannot mend; 2 a file could
not be read or written, or the command was called wrongly."""
# From here on a terminal shows how far the work has come.
_LONG = 20


@click.command("doctor", epilog=EXAMPLES, short_help="Which sessions are damaged, and where.")
@click.argument("paths", metavar="[PATH|SESSION]...", nargs=-1)
@click.option("-k", "--kind", "kinds", metavar="KIND", multiple=True, help="Only defects of this kind.")
@click.option("--all", "everything", is_flag=True, help="Show sessions without a defect too.")
@click.option("--fix", is_flag=True, help="Mend them, each in its tool's own form; FILE.bak keeps what was there.")
@click.option("--dry-run", is_flag=True, help="With --fix: show the change by lines, and write nothing.")
@click.option("--limit", metavar="N", type=click.IntRange(0), default=50, help="Sessions or changes to show (0: all).")
@options.as_json
@options.colour
def command(
    paths: tuple[str, ...],
    kinds: tuple[str, ...],
    everything: bool,
    fix: bool,
    dry_run: bool,
    limit: int,
    as_json: bool,
    colour: bool | None,
) -> int:
    """Look at the sessions of agents, and tell which are damaged, where, and what that does.

    PATH is a session file or a folder, SESSION the id of one, or how it begins. Without any, all homes
    of all tools that are known are looked through. Nothing is written without --fix.
    """
    _must_make_sense(paths, kinds, fix, dry_run)
    paper = Paper(colour)
    places = doctor.places(paths)
    room = limit or sys.maxsize
    if fix:
        return doctor_fix.run(places, paper, frozenset(kinds), dry=dry_run, as_json=as_json, limit=room)
    if len(places) == 1 and places[0].named:
        return doctor_one.run(places[0], paper, frozenset(kinds), as_json=as_json, limit=room)
    done = list(_looked_at(places, frozenset(kinds), paper))
    read, unread = [each for each in done if not each.trouble], [each for each in done if each.trouble]
    bad = [each for each in read if each.defects]
    if as_json:
        output.say_json(_as_dict(read if everything else bad, len(read), unread))
    else:
        paper.say(table_lines([_row(each) for each in (read if everything else bad)][:room], paper.width))
        paper.talk(*_farewell(paths, read, bad, room))
    return 2 if unread else int(bool(bad))


def _must_make_sense(paths: tuple[str, ...], kinds: tuple[str, ...], fix: bool, dry_run: bool) -> None:
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise click.UsageError(f"--kind {unknown[0]!r}: the kinds are {', '.join(KINDS)}")
    if dry_run and not fix:
        raise click.UsageError("--dry-run goes with --fix: it shows what that would write")
    if fix and not paths:
        raise click.UsageError("--fix wants to be told which: name a session, a file or a folder")


def _looked_at(places: list[Place], kinds: frozenset[str], paper: Paper) -> Iterator[Checkup]:
    """Each session looked at, one at a time; of what cannot be read it is told at once."""
    for place in _with_progress(places):
        found = doctor.checkup(place, kinds)
        if found is not None and found.trouble:
            paper.talk(plain(f"rejoinder: {found.trouble}"))
        if found is not None:
            yield found


def _with_progress(places: list[Place]) -> Iterable[Place]:
    """The files; where they are many, a bar on the terminal tells how far we are."""
    return _bar(places) if len(places) >= _LONG and sys.stderr.isatty() else places


def _bar(places: list[Place]) -> Iterator[Place]:
    with click.progressbar(places, label="looking", file=sys.stderr) as bar:
        yield from bar


def _row(found: Checkup) -> Row:
    when = (found.ended or found.began)[:16].replace("T", " ")
    return Row(found.tool, found.session, when, found.messages, found.kinds, found.path)


def _farewell(paths: tuple[str, ...], read: list[Checkup], bad: list[Checkup], room: int) -> Iterator[Line]:
    """How many there are, and what to do next."""
    if not read:
        where = "in these places" if paths else "in the homes of the tools that are known"
        yield plain(f"no session was found {where}", "dim")
        return
    if len(bad) > room:
        yield plain(f"… {count(len(bad) - room, 'more session')} with defects; --limit 0 shows all", "dim")
    number = sum(len(each.defects) for each in bad)
    words = f"{count(number, 'defect')} in {len(bad):,} of {count(len(read), 'session')}"
    yield ((("error" if bad else "good"), words if bad else f"no defect in {count(len(read), 'session')}"),)
    if bad:
        yield plain("rejoinder doctor FILE   shows the places, and what resuming would meet", "dim")


def _as_dict(shown: list[Checkup], read: int, unread: list[Checkup]) -> dict[str, Any]:
    return {
        "ok": not any(each.defects for each in shown) and not unread,
        "looked_at": read,
        "sessions": [each.as_dict() for each in shown],
        "unreadable": [{"file": each.path, "says": each.trouble} for each in unread],
    }
