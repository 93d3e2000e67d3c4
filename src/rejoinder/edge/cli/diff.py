"""`rejoinder diff`: what changed between two histories, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

import click

from rejoinder.edge import documents, files
from rejoinder.edge.cli import options, output
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.edge.documents import Document, History
from rejoinder.errors import PayloadError
from rejoinder.mend.prefix import PrefixImpact, prefix_impact
from rejoinder.render.align import hunks
from rejoinder.render.diff import Change, change_lines, changes, field_lines, impact_words
from rejoinder.render.findings import count
from rejoinder.render.terminal import Line
from rejoinder.values.loose import is_object
from rejoinder.values.payload import messages_of

EXAMPLES = """\b
Examples:
  rejoinder diff before.json after.json
  rejoinder repair history.json -o - | rejoinder diff history.json -
  rejoinder diff before.json after.json --json | jq .impact

\b
Exit codes: 0 the same, 1 they differ, 2 one could not be read or the command was called wrongly."""


_NO_FIELDS: tuple[dict[str, Any], dict[str, Any]] = ({}, {})


class Compared(NamedTuple):
    """Two conversations, and in what they differ."""

    name: str
    dialect: str
    fields: tuple[dict[str, Any], dict[str, Any]]
    changes: list[Change]
    impact: PrefixImpact

    def same(self) -> bool:
        """Is there no difference at all?"""
        return not self.changes and self.fields[0] == self.fields[1]


@click.command("diff", epilog=EXAMPLES, short_help="What changed between two histories.")
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER")
@options.dialect
@click.option("--limit", metavar="N", type=click.IntRange(0), default=50, help="Messages to show (50; 0 shows all).")
@options.as_json
@options.colour
def command(before: str, after: str, dialect: str | None, limit: int, as_json: bool, colour: bool | None) -> int:
    """What changed between two histories: message by message, and what it does to prompt caches and thinking.

    Compared is what the messages say, not how their JSON is laid out. `-` is standard input.
    """
    if before == after == files.STDIN:
        raise click.UsageError("BEFORE and AFTER are both `-`, and there is one standard input: name a file")
    options.must_be_known(None, dialect)
    paper = Paper(colour)
    compared = list(_compared(_read(before), _read(after), dialect))
    if as_json:
        all_of = [_as_dict(each) for each in compared]
        output.say_json(all_of[0] if len(all_of) == 1 else {"conversations": all_of})
    else:
        for each in compared:
            paper.say(_lines(each, paper.width, limit))
    return int(not all(each.same() for each in compared))


def _read(name: str) -> History:
    source = files.read(name)
    history = documents.read(source.name, source.text)
    if history.faults:
        raise PayloadError(history.told(history.faults[0]))
    return history


def _compared(before: History, after: History, dialect: str | None) -> Iterator[Compared]:
    if len(before.documents) != len(after.documents):
        sizes = " and ".join(count(len(each.documents), "conversation") for each in (before, after))
        raise PayloadError(f"{before.name} and {after.name} hold {sizes}: give it histories with as many")
    for number, (one, other) in enumerate(zip_longest(before.documents, after.documents), 1):
        many = f" (conversation {number:,})" if len(before.documents) > 1 else ""
        yield _pair(f"{before.name} → {after.name}{many}", one, other, dialect)


def _pair(name: str, one: Document, other: Document, dialect: str | None) -> Compared:
    reader = options.reader(one.payload, None, dialect).dialect
    found = changes(hunks(messages_of(one.payload), messages_of(other.payload)), reader)
    # A list against a body: the body's settings are nothing that the list could have had.
    both = is_object(one.payload) and is_object(other.payload)
    fields = (_settings(one.payload), _settings(other.payload))
    return Compared(
        name, reader, fields if both else _NO_FIELDS, found, prefix_impact(one.payload, other.payload, dialect=reader)
    )


def _settings(payload: Any) -> dict[str, Any]:
    return {key: value for key, value in payload.items() if key != "messages"} if is_object(payload) else {}


def _lines(compared: Compared, width: int, limit: int) -> Iterator[Line]:
    if compared.same():
        yield (("bold", f"{compared.name}: "), ("good", "the same messages"))
        return
    parts = [count(len(compared.changes), "message")] if compared.changes else []
    other = sum(compared.fields[0].get(key) != compared.fields[1].get(key) for key in _keys(compared))
    parts += [count(other, "field")] if other else []
    differ = "differs" if (len(compared.changes) + other) == 1 else "differ"
    yield (("bold", f"{compared.name}: "), ("warning", f"{' and '.join(parts)} {differ}"))
    yield ()
    if other:
        yield from field_lines(*compared.fields, width)
        yield ()
    for change in compared.changes[: limit or None]:
        yield from change_lines(change, compared.dialect, width)
        yield ()
    if limit and len(compared.changes) > limit:
        yield plain(f"  … {count(len(compared.changes) - limit, 'more message')}; --limit 0 shows all", "dim")
        yield ()
    impact = compared.impact
    yield plain(impact_words(impact.first_changed, len(impact.thinking), len(impact.cache_marks)))


def _keys(compared: Compared) -> list[str]:
    return list(dict.fromkeys((*compared.fields[0], *compared.fields[1])))


def _as_dict(compared: Compared) -> dict[str, Any]:
    was, now = compared.fields
    fields = {key: {"before": was.get(key), "after": now.get(key)} for key in _keys(compared)}
    impact = compared.impact
    return {
        "same": compared.same(),
        "dialect": compared.dialect,
        "fields": {key: change for key, change in fields.items() if change["before"] != change["after"]},
        "changes": [_change(change) for change in compared.changes],
        "impact": {
            "first_changed": impact.first_changed,
            "thinking": impact.thinking,
            "cache_marks": impact.cache_marks,
        },
    }


def _change(change: Change) -> dict[str, Any]:
    what = "added" if change.before < 0 else "removed" if change.after < 0 else "changed"
    places = {
        "before": None if change.before < 0 else change.before,
        "after": None if change.after < 0 else change.after,
    }
    return {"change": what, **places, "old": change.old, "new": change.new}
