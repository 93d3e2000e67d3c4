"""`rejoinder convert`: a history for another API or another store, and what it could not carry."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import click

from rejoinder.carry.converted import Converted
from rejoinder.crossing import convert
from rejoinder.dialects.detect import DIALECTS, find_dialect
from rejoinder.edge import documents, files, json_write
from rejoinder.edge.cli import options, output
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.edge.documents import Document, History
from rejoinder.edge.fetch import fetcher
from rejoinder.errors import PayloadError, RejoinderError
from rejoinder.mend.policy import Policy
from rejoinder.render.findings import count
from rejoinder.render.losses import loss_lines, need_lines, outcome_line
from rejoinder.values.loose import is_array, is_object

EXAMPLES = """\b
Examples:
  rejoinder convert history.json --to anthropic
  rejoinder convert request.json --from openai-chat --to gemini --model gemini-3-flash-preview -o request.gemini.json
  rejoinder convert history.json --to anthropic --side history.side.json -o there.json
  rejoinder convert there.json --to openai-chat --side history.side.json    the original again
  rejoinder convert history.json --to bedrock --fetch     images by URL are fetched, and put inline
  cat history.json | rejoinder convert - --to langchain | jq .

\b
With --side, a file that is there leads back to the original; one that is not is written.

\b
Exit codes: 0 converted; 1 converted, and the target would still refuse it, or (--strict) something was
lost; 2 it could not be read or written, or was called wrongly."""
Answers = tuple[Document, Converted]


class Wish(NamedTuple):
    """Where the outcome is to go, and what may not happen on the way."""

    out: str | None
    side: str | None
    strict: bool
    as_json: bool
    limit: int


@click.command("convert", epilog=EXAMPLES, short_help="A history for another API or another store.")
@click.argument("file", metavar="FILE")
@click.option("-t", "--to", "target", metavar="NAME", required=True, help="Who is to accept it: a target or a dialect.")
@click.option("-f", "--from", "dialect", metavar="NAME", help="How to read it, where that cannot be told from it.")
@click.option("-m", "--model", metavar="NAME", help="The model that it is for.")
@click.option("-o", "--output", "out", metavar="OUT", help="Write it here instead of to standard output.")
@click.option("--side", metavar="FILE", help="The side table: what the target could not hold.")
@click.option(
    "-p", "--policy", "choices", metavar="NAME=CHOICE", multiple=True, help="Which fix to take, as in repair."
)
@click.option("--fetch", "fetches", is_flag=True, help="Fetch media that the target takes inline only.")
@click.option("--strict", is_flag=True, help="Exit with 1 when anything was lost.")
@click.option("--limit", metavar="N", type=click.IntRange(0), default=50, help="Losses to show (0: all).")
@options.as_json
@options.colour
def command(
    file: str,
    target: str,
    dialect: str | None,
    model: str | None,
    choices: tuple[str, ...],
    fetches: bool,
    colour: bool | None,
    **wishes: Any,
) -> int:
    """Convert a history to the shape of another API or store; each loss is told on stderr.

    Nothing is faked: no signature goes to a provider who did not make it, media that cannot stay leave a note, and
    what the target cannot hold is named and kept in the side table. FILE is a JSON list of messages, a request body,
    or JSON Lines; `-` is standard input.
    """
    wish = Wish(**wishes)
    if dialect is not None:
        find_dialect(dialect)
    if target.partition(":")[0] not in DIALECTS:
        options.must_be_known(target, None)
    paper = Paper(colour, words_to_stderr=True)
    source = files.read(file)
    history = documents.read(source.name, source.text)
    if history.faults:
        raise PayloadError(f"{history.told(history.faults[0])}; nothing was written")
    side = _side(wish, history)
    how = options.policy(choices, None, ())
    fetch = fetcher() if fetches else None
    answers = list(_converted(history, target, dialect, model, how, side, fetch))
    _write(wish, history, answers)
    if wish.side is not None and side is None:
        _write_side(wish.side, answers)
    if not wish.as_json:
        _tell(paper, wish, history, answers)
    lost = wish.strict and any(each.losses for _, each in answers)
    return int(lost or any(finding.severity == "error" for _, each in answers for finding in each.left))


def _side(wish: Wish, history: History) -> list[dict[str, Any]] | None:
    """The side tables of a file that is there: one for each conversation."""
    if wish.side is None or not files.exists(wish.side):
        return None
    try:
        document = json.loads(files.read(wish.side).text)
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"{wish.side}: this is no side table: {error}; name the one that was kept") from None
    tables: list[Any] = document if is_array(document) else [document]
    if len(tables) != len(history.documents) or not all(is_object(table) for table in tables):
        wanted = count(len(history.documents), "conversation")
        raise PayloadError(f"{wish.side}: {count(len(tables), 'side table')} for {wanted}; name the one that was kept")
    return tables


def _converted(
    history: History,
    target: str,
    dialect: str | None,
    model: str | None,
    policy: Policy,
    side: list[dict[str, Any]] | None,
    fetch: Any,
) -> Iterator[Answers]:
    for index, document in enumerate(history.documents):
        held = side[index] if side else None
        try:
            done = convert(
                document.payload, target, dialect=dialect, model=model, policy=policy, side=held, fetch=fetch
            )
        except RejoinderError as error:
            where = f"{history.name}:{history.line(document.extent[0])}"
            words = options.for_a_shell(error).replace("--dialect", "--from").replace("with model=", "with --model")
            raise PayloadError(f"{where}: {words}") from None
        yield document, done


def _write(wish: Wish, history: History, answers: list[Answers]) -> None:
    lines = history.form == "conversation lines"
    if wish.as_json:
        every = [{"file": history.name, **done.as_dict(), "side": done.side} for _, done in answers]
        output.say_json(every if lines else every[0])
    if wish.as_json and wish.out is None:
        return
    style = json_write.LINE if lines else json_write.PAGE
    text = "".join(json_write.written(done.payload, style) + "\n" for _, done in answers)
    if wish.out is None or wish.out == files.STDIN:
        output.say_data(text)
    else:
        files.write(wish.out, text)


def _write_side(path: str, answers: list[Answers]) -> None:
    tables = [done.side for _, done in answers]
    files.write(path, json_write.written(tables[0] if len(tables) == 1 else tables, json_write.PAGE) + "\n")


def _tell(paper: Paper, wish: Wish, history: History, answers: list[Answers]) -> None:
    room = wish.limit or sys.maxsize
    for document, done in answers:
        where = f"{history.name}:{history.line(document.extent[0])}" if len(answers) > 1 else history.name
        if len(answers) == 1 or done.losses or done.left:
            paper.say([outcome_line(where, done.dialect, done.target, done.losses, done.steps, done.left)])
        paper.say(loss_lines(done.losses[: max(room, 0)], paper.width))
        paper.say(need_lines(done.needs, done.target))
        room -= len(done.losses)
    if room < 0:
        paper.talk(plain(f"  … {-room:,} more; --limit 0 shows all", "dim"))
    if wish.out not in (None, files.STDIN):
        paper.talk(plain(f"wrote {wish.out}"))
