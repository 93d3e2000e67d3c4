"""`rejoinder sessions`: what sessions there are, what was said in them, and where they went."""

from __future__ import annotations

from typing import Any

import click

from rejoinder.edge import dates, shelf
from rejoinder.edge.cli import options, output, sessions_out
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.edge.session_detail import as_plain, detail_of
from rejoinder.edge.stories import story_of
from rejoinder.render.findings import count
from rejoinder.render.session_lists import Hit, Shown, fork_lines, hit_lines, list_lines
from rejoinder.render.talk import Look, story_lines

EXAMPLES = """\b
Examples:
  rejoinder sessions list --since 2d
  rejoinder sessions show 3f2a --last 5
  rejoinder sessions search "time table"
  rejoinder sessions show ~/.claude/projects/-home-me/0a1b.jsonl
  rejoinder sessions export 3f2a -o talk.html --redact

\b
SESSION is an id, the beginning of one, or the path of a session file of any agent.

\b
Exit codes: 0 done, 1 nothing was found, 2 it could not be read or written, or was called wrongly."""
since = click.option("--since", metavar="WHEN", help="Only what was changed since: 30min, 3h, 2d, 1w, or 2026-11-01.")
every = click.option("--all", "every", is_flag=True, help="All of them, however many.")


@click.group("sessions", epilog=EXAMPLES, short_help="Conversations on disk.")
def command() -> None:
    """Sessions on disk: list them, read them, search in them, fork them, and take them elsewhere.

    Our own are kept in REJOINDER_HOME/sessions; those of other agents are read where they are, and never changed.
    """


LIST = """\b
Examples:
  rejoinder sessions list
  rejoinder sessions list --since 2026-11-01 --all
  rejoinder sessions list ~/.claude/projects/-home-me --json | jq '.sessions[].title'"""


@command.command("list", epilog=LIST)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@since
@click.option("--limit", metavar="N", type=click.IntRange(1), default=20, help="How many to show (20).")
@every
@options.as_json
@options.colour
def listed(
    paths: tuple[str, ...], since: str | None, limit: int, every: bool, as_json: bool, colour: bool | None
) -> int:
    """The sessions, the one that was last changed first. PATH is a session file, or a folder of them."""
    oldest = dates.since(since) if since else None
    unread: list[str] = []
    found = [each for each in shelf.readable(paths, unread) if oldest is None or each.changed >= oldest]
    found.sort(key=lambda each: (-each.changed, each.path))
    shown = found if every else found[:limit]
    if as_json:
        told = {"sessions": [each.as_dict() for each in shown], "more": len(found) - len(shown), "unreadable": unread}
        output.say_json(told)
        return _code(bool(found), unread)
    paper = Paper(colour)
    ours = not paths
    paper.say(
        list_lines(
            [
                Shown(
                    each.session if ours or each.tool == "rejoinder-session" else each.path,
                    dates.ago(each.changed),
                    shelf.size(each.size),
                    each.title,
                    "" if ours else each.tool,
                )
                for each in shown
            ],
            paper.width,
        )
    )
    _tell_unread(paper, unread)
    if len(shown) < len(found):
        paper.talk(plain(f"… {count(len(found) - len(shown), 'more session')}; --all shows them", "dim"))
    if not found:
        paper.talk(plain("there are no sessions here" + (f" since {since}" if since else ""), "dim"))
    return _code(bool(found), unread)


def _tell_unread(paper: Paper, unread: list[str]) -> None:
    for says in unread:
        paper.talk(plain(f"rejoinder: {says}"))


def _code(found: bool, unread: list[str]) -> int:
    return 2 if unread else int(not found)


SHOW = """\b
Examples:
  rejoinder sessions show 3f2a
  rejoinder sessions show 3f2a --last 3 --full
  rejoinder sessions show rollout-2026-11-01.jsonl | less -R
  rejoinder sessions show 3f2a --at 77ab --json | jq '.messages[-1]'"""


@command.command("show", epilog=SHOW)
@click.argument("session", metavar="SESSION")
@click.option("--last", metavar="N", type=click.IntRange(1), default=None, help="Only the last N turns of the user.")
@click.option("--at", metavar="ROW", help="Up to this row: the end of a branch, or any other.")
@click.option("--full", is_flag=True, help="Nothing folded and nothing shortened.")
@options.as_json
@options.colour
def show(session: str, last: int | None, at: str | None, full: bool, as_json: bool, colour: bool | None) -> int:
    """What was said in a session: the active path, with calls, results, and marks where something is to be known."""
    story = story_of(session, at=at, last=last or 0)
    if as_json:
        output.say_json(as_plain(detail_of(story)))
        return 0
    paper = Paper(colour)
    times = tuple(dates.clock(when) for when in story.times)
    paper.say(story_lines(story, Look(paper.width, full, times)))
    return 0


SEARCH = """\b
Examples:
  rejoinder sessions search "time table"
  rejoinder sessions search ENOSPC --since 1w
  rejoinder sessions search TimeoutError ~/.claude/projects/-home-me --json"""


@command.command("search", epilog=SEARCH)
@click.argument("text", metavar="TEXT")
@click.argument("paths", metavar="[SESSION]...", nargs=-1)
@since
@click.option("--limit", metavar="N", type=click.IntRange(1), default=3, help="Messages to show of each session (3).")
@every
@options.as_json
@options.colour
def search(
    text: str, paths: tuple[str, ...], since: str | None, limit: int, every: bool, as_json: bool, colour: bool | None
) -> int:
    """The messages with a text in them, in whichever field, upper and lower case alike. Without SESSION, in all."""
    if not text.strip():
        raise click.UsageError("there is nothing to search for: give a text")
    oldest = dates.since(since) if since else None
    unread: list[str] = []
    items = [each for each in shelf.readable(paths, unread) if oldest is None or each.changed >= oldest]
    found: list[tuple[shelf.Item, list[Hit]]] = []
    for each in sorted(items, key=lambda each: (-each.changed, each.path)):
        hits = list(shelf.hits(each.path, text))
        if hits:
            found.append((each, hits))
    paper = Paper(colour)
    if as_json:
        output.say_json({"sessions": [_hits_as_dict(*each) for each in found], "unreadable": unread})
        return _code(bool(found), unread)
    for each, hits in found:
        shown = hits if every else hits[:limit]
        paper.say(hit_lines(each.session, each.title, shown, len(hits) - len(shown), paper.width))
    _tell_unread(paper, unread)
    total = sum(len(hits) for _, hits in found)
    paper.talk(plain(f"{count(total, 'message')} in {count(len(found), 'session')} of {len(items):,}", "dim"))
    return _code(bool(found), unread)


def _hits_as_dict(item: shelf.Item, hits: list[Hit]) -> dict[str, Any]:
    return {"session": item.session, "path": item.path, "title": item.title, "hits": [hit._asdict() for hit in hits]}


BRANCHES = """\b
Examples:
  rejoinder sessions branches 3f2a
  rejoinder sessions branches 3f2a --json"""


@command.command("branches", epilog=BRANCHES)
@click.argument("session", metavar="SESSION")
@options.as_json
@options.colour
def branches(session: str, as_json: bool, colour: bool | None) -> int:
    """All ways through a session, in the order in which they ended; the active one is marked."""
    story = story_of(session)
    if as_json:
        output.say_json({"session": story.session, "branches": [fork._asdict() for fork in story.forks]})
        return 0
    paper = Paper(colour)
    whens = [dates.ago(dates.moment(fork.ended)) for fork in story.forks]
    paper.say(fork_lines(story.forks, whens, paper.width))
    if not story.forks:
        paper.talk(plain("it has no branches", "dim"))
    return 0


for each in (sessions_out.fork, sessions_out.export, sessions_out.import_):
    command.add_command(each)
