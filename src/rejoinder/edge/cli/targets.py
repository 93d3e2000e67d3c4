"""`rejoinder targets`: who can refuse a history, and for what."""

from __future__ import annotations

from typing import Any

import click

from rejoinder.dialects.clause import Clause, Target
from rejoinder.edge.cli import options, output
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.render.pages import target_page, target_table
from rejoinder.targets import TARGETS, find_target

EXAMPLES = """\b
Examples:
  rejoinder targets
  rejoinder targets anthropic
  rejoinder targets --json | jq '.targets[].name'"""


@click.command("targets", epilog=EXAMPLES, short_help="The APIs that a history can be held against.")
@click.argument("name", metavar="[NAME]", required=False)
@options.as_json
@options.colour
def command(name: str | None, as_json: bool, colour: bool | None) -> int:
    """The APIs that a history can be held against; of one of them, all that it demands, and how we know."""
    paper = Paper(colour)
    chosen = [find_target(name)] if name else list(TARGETS.values())
    if as_json:
        output.say_json(target_dict(chosen[0]) if name else {"targets": [_brief(target) for target in chosen]})
    elif name:
        paper.say(target_page(chosen[0], paper.width))
    else:
        paper.say(target_table(chosen, paper.width))
        paper.talk((), plain("rejoinder targets NAME   shows what one of them demands", "dim"))
    return 0


def _brief(target: Target) -> dict[str, Any]:
    return {"name": target.name, "dialect": target.dialect, "says": target.says, "clauses": len(target.clauses)}


def target_dict(target: Target) -> dict[str, Any]:
    """A target and all its clauses as plain data."""
    return {**_brief(target), "clauses": [clause_dict(clause) for clause in target.clauses]}


def clause_dict(clause: Clause) -> dict[str, Any]:
    """A clause as plain data."""
    evidence = [{"source": each.source, "kind": each.kind, "seen": each.seen} for each in clause.evidence]
    return {
        "id": clause.id,
        "rule": clause.rule,
        "severity": clause.severity,
        "models": clause.models,
        "says": clause.says,
        "provider_says": clause.provider_says,
        "params": clause.params,
        "evidence": evidence,
    }
