"""`rejoinder probe`: what a model's own chat template takes, refuses, and leaves out without a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from rejoinder.dialects.chat_template.probe import Heard, Probed
from rejoinder.edge.chat_template.files import Source
from rejoinder.edge.chat_template.load import probed
from rejoinder.edge.cli import options, output
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.render.probes import probe_lines
from rejoinder.render.terminal import in_a_line

EXAMPLES = """\b
Examples:
  rejoinder probe chat_template.jinja
  rejoinder probe tokenizer_config.json#tool_use --json | jq '.plays[] | select(.verdict == "refused")'
  rejoinder probe ~/models/Qwen3-8B
  rejoinder repair history.json --target template:chat_template.jinja -o mended.json

\b
Exit codes: 0 it was probed; 2 it cannot be read, is no template, or ran over a limit."""


@click.command("probe", epilog=EXAMPLES, short_help="What a chat template takes and refuses.")
@click.argument("template", metavar="TEMPLATE")
@click.option("--refused", "only", is_flag=True, help="Show what is not accepted, and leave out the rest.")
@options.as_json
@options.colour
def command(template: str, only: bool, as_json: bool, colour: bool | None) -> int:
    """Play small conversations at a chat template, and show what it makes of each.

    TEMPLATE is a Jinja file, a tokenizer_config.json, a chat_template.json, or a folder with one of them; #NAME chooses
    one of several. It is rendered as transformers does, in a sandbox and in a process of its own, with its time and its
    memory bounded. `refused` is an error that the template raises; `lost` are words that it leaves out without one;
    `garbled` is a structure that it prints as it stands.
    """
    source, found = probed(template)
    if as_json:
        output.say_json(_as_dict(template, source, found))
        return 0
    paper = Paper(colour)
    rows = [row for row in found.heard.values() if not only or row.verdict != "accepted"]
    paper.talk(plain(_headline(template, found), "bold"), ())
    paper.say(probe_lines(((row.says, row.verdict, _told(row)) for row in rows), paper.width))
    paper.talk((), *_hints(template))
    return 0


def _headline(template: str, found: Probed) -> str:
    if not found.heard:
        return f"{template}: it refuses every conversation: {in_a_line(found.words)}"
    refused = sum(row.verdict == "refused" for row in found.heard.values())
    takes = "takes calls" if found.calls else "takes no calls"
    return f"{template}: {takes}; {refused} of {len(found.heard)} conversations refused"


def _told(row: Heard) -> str:
    """What the template said, or what is missing in its text."""
    if row.verdict == "refused":
        return in_a_line(row.words) + (" (with tools declared)" if row.declared else "")
    return f"left out: {', '.join(row.lost)}" if row.lost else ""


def _hints(template: str) -> Iterator[Any]:
    yield plain(f"rejoinder repair FILE --target template:{template}   mends a history for it", "dim")


def _as_dict(template: str, source: Source, found: Probed) -> dict[str, Any]:
    return {
        "template": template,
        "digest": source.digest,
        "calls": found.calls,
        "form": {name: getattr(found.form, name) for name in found.form.__struct_fields__},
        "plays": [row.as_dict() for row in found.heard.values()],
    }
