"""`rejoinder dialects`: the shapes a history can be read in, and what each of them can hold."""

from __future__ import annotations

from typing import Any

import click

from rejoinder.carry.matrix import KINDS, holds
from rejoinder.dialects.detect import DIALECTS, find_dialect
from rejoinder.edge.cli import options, output
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.render.matrix import matrix_lines

EXAMPLES = """\b
Examples:
  rejoinder dialects
  rejoinder dialects --model gemini-3-flash-preview
  rejoinder dialects gemini --json"""


@click.command("dialects", epilog=EXAMPLES, short_help="The shapes a history can be read in.")
@click.argument("name", metavar="[NAME]", required=False)
@options.model
@options.as_json
@options.colour
def command(name: str | None, model: str | None, as_json: bool, colour: bool | None) -> int:
    """The shapes a history can be read and written in, and for each kind of content whether it can hold it.

    The table is made by converting one of each kind to each dialect and looking at what was lost.
    """
    names = [find_dialect(name).name] if name else sorted(DIALECTS)
    table = {each: holds(each, model) for each in names}
    if as_json:
        output.say_json({"dialects": [_described(each, table[each]) for each in names]})
        return 0
    paper = Paper(colour)
    paper.say(matrix_lines(KINDS, table, paper.width))
    paper.talk((), plain("yes: carried  note: something stands in its place  -: lost", "dim"))
    return 0


def _described(name: str, held: dict[str, str]) -> dict[str, Any]:
    dialect = DIALECTS[name]
    return {"name": name, "says": dialect.says, "stored": dialect.stored, "holds": held}
