"""`rejoinder sessions fork | export | import`: a session that goes its own way, goes elsewhere, or comes in."""

from __future__ import annotations

from typing import Any

import click

from rejoinder.edge import files
from rejoinder.edge.cli import options, output
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.edge.exports import FINETUNE, Exported, exported, form_of
from rejoinder.edge.imports import imported
from rejoinder.edge.own_stories import row_id
from rejoinder.edge.sessions import Session
from rejoinder.edge.stories import find, is_own, story_of
from rejoinder.errors import SessionError
from rejoinder.render.findings import count
from rejoinder.render.losses import loss_lines, need_lines
from rejoinder.render.story import Story
from rejoinder.transcripts.redact import redacted

Masked = dict[str, dict[str, int]]
FORK = """\b
Examples:
  rejoinder sessions fork 3f2a
  rejoinder sessions fork 3f2a --at 77ab --id second-try"""


@click.command("fork", epilog=FORK)
@click.argument("session", metavar="SESSION")
@click.option("--at", metavar="ROW", help="The last row that it takes along; else the end of the active path.")
@click.option("--id", "name", metavar="ID", help="The id of the new session; else it gets one of its own.")
@options.as_json
def fork(session: str, at: str | None, name: str | None, as_json: bool) -> int:
    """A new session with what was said up to a row. The one it comes from stays as it is."""
    path = find(session)
    if not is_own(path):
        raise SessionError(f"{path}: this is no session of ours; `rejoinder sessions import` makes one of it")
    row = row_id(path, at) if at else None
    with Session.open(path, read_only=True) as source, source.fork(row, session=name) as made:
        messages = len(made.messages())
        if as_json:
            output.say_json({"session": made.id, "path": made.path, "messages": messages, "from": source.id, "at": row})
        else:
            click.echo(made.id)
            Paper().talk(plain(f"{count(messages, 'message')} in {made.path}", "dim"))
    return 0


IMPORT = """\b
Examples:
  rejoinder sessions import history.json
  rejoinder sessions import rollout-2026-11-01.jsonl --id fix-login
  cat request.json | rejoinder sessions import -"""


@click.command("import", epilog=IMPORT)
@click.argument("file", metavar="FILE")
@click.option("--id", "name", metavar="ID", help="The id of the session; else it gets one of its own.")
@options.dialect
@options.as_json
def import_(file: str, name: str | None, dialect: str | None, as_json: bool) -> int:
    """Make one of our sessions of a history: a list of messages, a request, or a session of another agent.

    The messages are kept as they are, in their dialect. Of JSON Lines with a conversation on each line, each becomes
    a session.
    """
    options.must_be_known(None, dialect)
    made = list(imported(file, name, dialect))
    if as_json:
        output.say_json({"sessions": [each._asdict() for each in made]})
        return 0
    for each in made:
        click.echo(each.session)
        Paper().talk(plain(f"{count(each.messages, 'message')}, read as {each.read_as}, in {each.path}", "dim"))
    return 0


EXPORT = """\b
Examples:
  rejoinder sessions export 3f2a > talk.md
  rejoinder sessions export 3f2a -o talk.html --redact
  rejoinder sessions export 3f2a --to anthropic -o request.json
  rejoinder sessions export 3f2a 77ab 9c01 --to finetune -o train.jsonl

\b
Forms: markdown, html (one file, nothing in it runs or is fetched), finetune (a line of OpenAI's
training data for each session), and each target and dialect (`rejoinder targets`, `rejoinder dialects`).
Without --to, the name of OUT tells."""


@click.command("export", epilog=EXPORT)
@click.argument("sessions", metavar="SESSION...", nargs=-1, required=True)
@click.option("-t", "--to", metavar="FORM", help="markdown, html, finetune, or who is to accept it.")
@click.option("-o", "--output", "out", metavar="OUT", help="Write it here instead of to standard output.")
@click.option("--last", metavar="N", type=click.IntRange(1), default=None, help="Only the last N turns of the user.")
@click.option("--at", metavar="ROW", help="Up to this row: the end of a branch, or any other.")
@click.option("--redact", "redacts", is_flag=True, help="Put a mask in the place of keys, tokens and passwords.")
@options.as_json
@options.colour
def export(
    sessions: tuple[str, ...],
    to: str | None,
    out: str | None,
    last: int | None,
    at: str | None,
    redacts: bool,
    as_json: bool,
    colour: bool | None,
) -> int:
    """A session as a page to read, as a request for an API, or as data to train on.

    With --redact, secrets of two dozen kinds are masked in every field, the same one always alike; what was found is
    told on stderr. No pattern knows every secret: read what you publish.
    """
    form = form_of(to, out)
    if len(sessions) > 1 and form != FINETUNE:
        raise click.UsageError(f"{len(sessions)} sessions at once go into training data only; export them one by one")
    stories = [story_of(session, at=at, last=last or 0) for session in sessions]
    masked: Masked = {}
    if redacts:
        stories, masked = redacted(stories)
    done = [exported(story, form) for story in stories]
    text = "".join(each.text for each in done)
    if out is not None and out != files.STDIN:
        files.write(out, text)
    elif not as_json:
        output.say_data(text)
    if as_json:
        output.say_json({**_as_dict(form, out, stories, done, text), "redacted": masked if redacts else None})
    else:
        paper = Paper(colour, words_to_stderr=True)
        _tell(paper, form, out, done)
        if redacts:
            _tell_masked(paper, masked)
    return int(any(finding.severity == "error" for each in done for finding in each.left))


def _as_dict(form: str, out: str | None, stories: list[Story], done: list[Exported], text: str) -> dict[str, Any]:
    return {
        "form": form,
        "sessions": [story.session for story in stories],
        "file": out,
        "text": text if out in (None, files.STDIN) else None,
        "losses": [loss.as_dict() for each in done for loss in each.losses],
        "left": [finding.as_dict() for each in done for finding in each.left],
    }


def _tell_masked(paper: Paper, masked: Masked) -> None:
    """Of each kind of secret how many there were, and in how many places."""
    for kind, found in masked.items():
        words = f"redacted {kind}: {count(found['secrets'], 'secret')} in {count(found['places'], 'place')}"
        paper.talk(plain(words))
    if not masked:
        paper.talk(plain("redacted nothing: no secret was found"))


def _tell(paper: Paper, form: str, out: str | None, done: list[Exported]) -> None:
    for each in done:
        paper.say(loss_lines(each.losses, paper.width))
        paper.say(need_lines(each.needs, form))
        for finding in each.left:
            paper.talk(plain(f"  {form} would still refuse this: {finding.says}", finding.severity))
    if out not in (None, files.STDIN):
        paper.talk(plain(f"wrote {out}"))
