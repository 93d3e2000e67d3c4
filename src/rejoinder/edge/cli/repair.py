"""`rejoinder repair`: mend a history, tell each step, write only where it is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import click

from rejoinder.edge import documents, files, json_write
from rejoinder.edge.cli import options, output
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.edge.documents import Document, History
from rejoinder.errors import PayloadError, RefusedError, RejoinderError
from rejoinder.journey import repair
from rejoinder.mend.policy import PHENOMENA, Policy
from rejoinder.mend.report import Repaired
from rejoinder.render.align import Hunk
from rejoinder.render.diff import change_lines, changes, field_lines, impact_words
from rejoinder.render.findings import count, tally
from rejoinder.render.steps import left_lines, step_lines
from rejoinder.render.terminal import Line

_CHOICES = "\n".join(f"  {name:<11} {', '.join(choices)}" for name, (_, choices) in PHENOMENA.items())
EXAMPLES = f"""\b
Examples:
  rejoinder repair history.json                            show what would be done
  rejoinder repair history.json -t anthropic -o mended.json
  rejoinder repair history.json --write                    in place, with a backup
  rejoinder repair - -o - < request.json | curl -d @- …
  rejoinder repair history.json --policy unanswered=answer --policy orphan=as_text
  rejoinder repair history.json --policy call:call_1=keep --paused call_2

\b
Policies (the default first; `keep` and `raise` can be said for each):
{_CHOICES}

\b
Exit codes: 0 nothing to do, or written and clean; 1 it would change something and nothing was
written, or errors are left; 2 it could not be read or written, or was called wrongly."""
_LONG = 200


class Mended(NamedTuple):
    """One conversation, and what became of it."""

    history: History
    document: Document
    repaired: Repaired

    def errors(self) -> int:
        """How many errors are left."""
        return sum(finding.severity == "error" for finding in self.repaired.left)


class Wish(NamedTuple):
    """Where the outcome is to go."""

    out: str | None
    in_place: bool
    steps: str | None
    as_json: bool
    limit: int

    def writes(self) -> bool:
        """Is anything to be written?"""
        return self.in_place or self.out is not None


@click.command("repair", epilog=EXAMPLES, short_help="Mend a history.")
@click.argument("file", metavar="FILE")
@options.target
@options.dialect
@options.model
@click.option("-o", "--output", "out", metavar="OUT", help="Write the mended history here; `-` is standard output.")
@click.option("--write", "in_place", is_flag=True, help="Write it in place; FILE.bak keeps what was there.")
@click.option("-p", "--policy", "choices", metavar="NAME=CHOICE", multiple=True, help="Which fix to take (see below).")
@click.option("--pending", metavar="CHOICE", help="What to do with calls at the very end: keep, answer, drop, strip.")
@options.paused
@click.option("--steps", metavar="OUT", help="Write the record of the steps here, as JSON.")
@click.option("--limit", metavar="N", type=click.IntRange(0), default=50, help="Steps and changes to show (0: all).")
@options.as_json
@options.colour
def command(
    file: str,
    target: str | None,
    dialect: str | None,
    model: str | None,
    choices: tuple[str, ...],
    pending: str | None,
    paused: tuple[str, ...],
    colour: bool | None,
    **wishes: Any,
) -> int:
    """Mend a history so that the target accepts it, and tell each step.

    Without -o or --write nothing is written: the steps and the difference are shown. What is not
    touched keeps its very letters. Without --target, the history is mended for the API in whose form
    it is written. FILE is a JSON list of messages, a request body, or JSON Lines; `-` is standard input.
    """
    options.must_be_known(target, dialect)
    wish = Wish(**wishes)
    if wish.out == "/dev/stdout":
        wish = wish._replace(out=files.STDIN)
    _must_make_sense(file, wish)
    paper = Paper(colour, words_to_stderr=wish.out == files.STDIN)
    how = options.policy(choices, pending, paused)
    source = files.read(file)
    history = documents.read(source.name, source.text)
    if history.faults:
        raise PayloadError(f"{history.told(history.faults[0])}; {_others(history)}nothing was written")
    try:
        mended = list(_mended(history, target, dialect, model, how))
    except RefusedError as refused:
        paper.talk(plain(f"rejoinder: {history.name}: {refused} (the policy says raise); nothing was written"))
        return 1
    _tell_choice(paper, mended, target, dialect)
    if not wish.as_json:
        _show(paper, mended, wish)
    _write(paper, source, history, mended, wish)
    if wish.as_json:
        output.say_json(_as_dict(mended))
    left = any(each.errors() for each in mended)
    changed = any(each.repaired.changed for each in mended)
    return int(left or (changed and not wish.writes()))


def _must_make_sense(file: str, wish: Wish) -> None:
    if wish.in_place and file == files.STDIN:
        raise click.UsageError("--write needs a file to write to; standard input has none: say -o OUT")
    if wish.in_place and wish.out is not None:
        raise click.UsageError("-o and --write at once: say where it is to go, there or in place")
    if wish.out == files.STDIN and wish.as_json:
        raise click.UsageError("--json and -o - both want standard output: give -o a file")
    same = wish.out and file != files.STDIN and os.path.realpath(wish.out) == os.path.realpath(file)
    if same and os.path.isfile(file):
        raise click.UsageError(f"-o {wish.out} is FILE itself: --write does that, and keeps a backup")


def _others(history: History) -> str:
    others = len(history.faults) - 1
    return f"{count(others, 'other line')} cannot be read either; " if others else ""


def _mended(
    history: History, target: str | None, dialect: str | None, model: str | None, policy: Policy
) -> Iterator[Mended]:
    for document in _with_progress(history):
        try:
            outcome = repair(document.payload, target, dialect=dialect, model=model, policy=policy)
        except RefusedError:
            raise
        except RejoinderError as error:
            where = f"{history.name}:{history.line(document.extent[0])}"
            raise type(error)(f"{where}: {options.for_a_shell(error)}") from None
        yield Mended(history, document, outcome)


def _with_progress(history: History) -> Iterable[Document]:
    """The conversations; where they are many, a bar on the terminal tells how far we are."""
    if len(history.documents) < _LONG or not sys.stderr.isatty():
        return history.documents
    return _bar(history)


def _bar(history: History) -> Iterator[Document]:
    with click.progressbar(history.documents, label="mending", file=sys.stderr, update_min_steps=50) as bar:
        yield from bar


def _tell_choice(paper: Paper, mended: list[Mended], target: str | None, dialect: str | None) -> None:
    for each in mended[:1]:
        reader = options.reader(each.document.payload, target, dialect)
        words = options.chosen(reader, target, dialect, "mended for")
        if words:
            paper.talk(plain(words, "dim"), ())


# --- in words --------------------------------------------------------------------------------------------------------


def _show(paper: Paper, mended: list[Mended], wish: Wish) -> None:
    room = wish.limit or sys.maxsize
    hidden = 0
    for each in mended:
        told = len(each.repaired.steps) + len(each.repaired.left)
        if len(mended) > 1 and not told:
            continue
        if told and room <= 0:
            hidden += 1
            continue
        paper.say(_report(each, paper.width, room, with_difference=not wish.writes()))
        room -= told
    if len(mended) > 1:
        paper.say(_summary(mended, hidden))
    if not wish.writes() and any(each.repaired.changed for each in mended):
        name = mended[0].history.name
        words = "Nothing was written: -o OUT writes the mended history"
        words += "" if name == "stdin" else f", --write changes {name} and keeps a backup"
        paper.talk(plain(words + ".", "dim"))


def _summary(mended: list[Mended], hidden: int) -> Iterator[Line]:
    changed = sum(each.repaired.changed for each in mended)
    left = sum(bool(each.errors()) for each in mended)
    words = f"{count(len(mended), 'conversation')}: {changed:,} to mend, {left:,} that would still be refused"
    yield (("bold", f"{mended[0].history.name}: "), ("error" if left else "good", words))
    if hidden:
        yield plain(f"  … {count(hidden, 'more conversation')} with steps or findings; --limit 0 shows all", "dim")
    yield ()


def _report(mended: Mended, width: int, limit: int, *, with_difference: bool) -> Iterator[Line]:
    repaired, name = mended.repaired, _named(mended)
    errors, warnings = mended.errors(), len(mended.repaired.left) - mended.errors()
    if not repaired.changed and not repaired.left:
        yield (("bold", f"{name}: "), ("good", f"nothing to do: {repaired.target} would accept this"))
        return
    after = f" after {count(len(repaired.steps), 'step')}" if repaired.steps else ""
    verdict = "would still refuse this" if errors else "would accept this"
    yield (("bold", f"{name}: "), ("error" if errors else "good", f"{repaired.target} {verdict}{after}"))
    yield ()
    if repaired.steps:
        yield from step_lines(repaired.steps, width, limit)
        yield ()
        if with_difference:
            yield from difference(repaired, width, limit)
    if repaired.left:
        yield plain(f"Left as it is: {tally(errors, warnings)}", "bold")
        yield from left_lines(repaired.left, width, limit)
        yield ()


def difference(repaired: Repaired, width: int, limit: int) -> Iterator[Line]:
    """What the steps changed, message by message, and what that costs."""
    hunks: list[Hunk] = []
    shift = 0
    for hunk in repaired.patch.hunks:
        hunks.append(Hunk(hunk.at, hunk.at + shift, hunk.removed, hunk.inserted))
        shift += len(hunk.inserted) - len(hunk.removed)
    found = changes(hunks, repaired.dialect)
    if repaired.patch.fields:
        yield from field_lines(*_fields(repaired), width)
        yield ()
    for change in found[:limit]:
        yield from change_lines(change, repaired.dialect, width)
        yield ()
    if len(found) > limit:
        yield plain(f"  … {count(len(found) - limit, 'more message')}; --limit 0 shows all", "dim")
        yield ()
    impact = repaired.impact
    yield plain(impact_words(impact.first_changed, len(impact.thinking), len(impact.cache_marks)))
    yield ()


def _fields(repaired: Repaired) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of the body that changed, before and after; one that is not there is left out."""
    sides: list[dict[str, Any]] = [
        {name: change[side] for name, change in repaired.patch.fields.items() if not _is_unset(change[side])}
        for side in (0, 1)
    ]
    return sides[0], sides[1]


def _is_unset(value: Any) -> bool:
    return type(value).__name__ == "UnsetType"


def _named(mended: Mended) -> str:
    history = mended.history
    lines = history.form == "conversation lines"
    return f"{history.name}:{history.line(mended.document.extent[0])}" if lines else history.name


# --- writing ---------------------------------------------------------------------------------------------------------


def _write(paper: Paper, source: files.Source, history: History, mended: list[Mended], wish: Wish) -> None:
    if wish.steps is not None:
        record = json_write.written(_records(mended), json_write.PAGE) + "\n"
        _put(wish.steps, lambda path: files.write(path, record), record)
        paper.talk(plain(f"wrote the steps to {wish.steps}"))
    if not wish.writes():
        return
    text = json_write.written_back(history, [each.repaired.payload for each in mended])
    if wish.out is not None:
        out = wish.out
        _put(out, lambda path: files.write(path, text), text)
        if out != files.STDIN:
            paper.talk(plain(f"wrote {out}"))
    elif text == source.text:
        paper.talk(plain(f"{source.name} is as it was: nothing had to be written"))
    else:
        backup = files.write_over(source, text)
        paper.talk(plain(f"wrote {source.name}; {backup} keeps what was there"))


def _put(path: str, to_file: Callable[[str], None], text: str) -> None:
    if path == files.STDIN:
        output.say_data(text)
    else:
        to_file(path)


# --- as data ---------------------------------------------------------------------------------------------------------


def _records(mended: list[Mended]) -> Any:
    records = [{**_place(each), **each.repaired.as_dict()} for each in mended]
    return records[0] if len(records) == 1 else {"conversations": records}


def _as_dict(mended: list[Mended]) -> Any:
    all_of = [{**_place(each), **each.repaired.as_dict(), "payload": each.repaired.payload} for each in mended]
    return all_of[0] if len(all_of) == 1 else {"conversations": all_of}


def _place(mended: Mended) -> dict[str, Any]:
    return {"file": mended.history.name, "line": mended.history.line(mended.document.extent[0])}
