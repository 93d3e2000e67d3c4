"""`rejoinder check`: would the API take it?"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import click

from rejoinder.edge import documents, files
from rejoinder.edge.cli import options, output
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.edge.documents import Document, History
from rejoinder.errors import RejoinderError
from rejoinder.journey import check
from rejoinder.mend.policy import Policy
from rejoinder.render.findings import Seen, count, message_lines, tally
from rejoinder.render.message import head, portrait
from rejoinder.render.terminal import Line
from rejoinder.values.finding import Finding
from rejoinder.values.payload import messages_of

EXAMPLES = """\b
Examples:
  rejoinder check history.json
  rejoinder check history.json --target anthropic --model claude-sonnet-5
  rejoinder check logs/*.jsonl --json | jq '.findings[].rule'
  curl -s https://example.com/history | rejoinder check - -t openai-chat

\b
Exit codes: 0 clean (warnings may be told), 1 errors, with --strict warnings too,
2 a file could not be read or the command was called wrongly."""
# From here on a terminal shows how far the work has come.
_LONG = 200


class Checked(NamedTuple):
    """One conversation, and what was found in it."""

    history: History
    document: Document
    reader: options.Reader
    findings: list[Finding]

    def errors(self) -> int:
        """How many findings would be refused."""
        return sum(finding.severity == "error" for finding in self.findings)


@click.command("check", epilog=EXAMPLES, short_help="Would the API take this history?")
@click.argument("files_", metavar="FILE...", nargs=-1, required=True)
@options.target
@options.dialect
@options.model
@options.paused
@click.option("--strict", is_flag=True, help="Warnings count as errors for the exit code.")
@click.option("--limit", metavar="N", type=click.IntRange(0), default=50, help="Messages to show (50; 0 shows all).")
@options.as_json
@options.colour
def command(
    files_: tuple[str, ...],
    target: str | None,
    dialect: str | None,
    model: str | None,
    paused: tuple[str, ...],
    strict: bool,
    limit: int,
    as_json: bool,
    colour: bool | None,
) -> int:
    """Would the API take this history?

    Each finding is shown with the message it is in, the rule, what the API would answer, and the
    fixes that exist. Without --target, the history is held against the API in whose form it is
    written. FILE is a JSON list of messages, a request body, or JSON Lines; `-` is standard input.
    """
    options.must_be_known(target, dialect)
    paper = Paper(colour)
    ask = Ask(target, dialect, model, Policy(paused=frozenset(paused)))
    checked: list[Checked] = []
    unread: list[dict[str, str]] = []
    room = limit or sys.maxsize
    for name in files_:
        outcomes = list(_checked(name, ask))
        these = [outcome for outcome in outcomes if isinstance(outcome, Checked)]
        for fault in (outcome for outcome in outcomes if isinstance(outcome, str)):
            unread.append({"file": name, "says": fault})
            paper.talk(plain(f"rejoinder: {fault}"))
        if these and not as_json:
            if not checked:
                _tell_choice(paper, these[0], ask)
            room -= _show(paper, these, room)
        checked += these
    if as_json:
        output.say_json(_as_dict(checked, unread))
    elif any(found.findings for found in checked):
        paper.talk(*_farewell(checked, files_))
    bad = any(found.errors() or (strict and found.findings) for found in checked)
    return 2 if unread else int(bad)


class Ask(NamedTuple):
    """What is wanted to be known."""

    target: str | None
    dialect: str | None
    model: str | None
    policy: Policy


def _checked(name: str, ask: Ask) -> Iterator[Checked | str]:
    """Each conversation of a file with its findings; or a line that says why it cannot be read."""
    try:
        source = files.read(name)
        history = documents.read(source.name, source.text)
    except RejoinderError as error:
        yield str(error)
        return
    yield from map(history.told, history.faults)
    for document in _with_progress(history):
        try:
            yield one(history, document, ask)
        except RejoinderError as error:
            yield f"{history.name}:{history.line(document.extent[0])}: {options.for_a_shell(error)}"


def one(history: History, document: Document, ask: Ask) -> Checked:
    """One conversation with its findings."""
    reader = options.reader(document.payload, ask.target, ask.dialect)
    found = check(document.payload, ask.target, dialect=ask.dialect, model=ask.model, policy=ask.policy)
    return Checked(history, document, reader, found)


def _with_progress(history: History) -> Iterable[Document]:
    """The conversations; where they are many, a bar on the terminal tells how far we are."""
    if len(history.documents) < _LONG or not sys.stderr.isatty() or sys.stdout.isatty():
        return history.documents
    return _bar(history)


def _bar(history: History) -> Iterator[Document]:
    with click.progressbar(history.documents, label="checking", file=sys.stderr, update_min_steps=50) as bar:
        yield from bar


def _tell_choice(paper: Paper, found: Checked, ask: Ask) -> None:
    """Say what was chosen, where nobody chose it."""
    words = options.chosen(found.reader, ask.target, ask.dialect, "held against")
    if words:
        paper.talk(plain(words, "dim"), ())


# --- in words --------------------------------------------------------------------------------------------------------


def _show(paper: Paper, these: list[Checked], room: int) -> int:
    """Show the conversations of a file, as far as there is room for messages; return how many were shown."""
    shown = hidden = 0
    for each in these:
        if not each.findings and len(these) > 1:
            continue
        if each.findings and shown >= room:
            hidden += 1
            continue
        paper.say(report(each, paper.width, room - shown))
        shown += min(len(_by_message(each.findings)), room - shown)
    if len(these) > 1:
        paper.say(_summary(these, hidden))
    return shown


def _summary(these: list[Checked], hidden: int) -> Iterator[Line]:
    refused = sum(bool(each.errors()) for each in these)
    words = f"{count(len(these), 'conversation')}, {refused:,} would be refused"
    yield (("bold", f"{these[0].history.name}: "), ("error" if refused else "good", words))
    if hidden:
        yield plain(f"  … {count(hidden, 'more conversation')} with findings; --limit 0 shows all", "dim")
    yield ()


def report(checked: Checked, width: int, limit: int) -> Iterator[Line]:
    """What was found, message by message."""
    name, target = _named(checked), checked.reader.target
    errors = checked.errors()
    warnings = len(checked.findings) - errors
    if not checked.findings:
        size = count(len(checked.document.messages), "message")
        yield (("bold", f"{name}: "), ("good", f"{target} would accept this"), ("dim", f" ({size})"))
        return
    verdict = "would refuse this" if errors else "would accept this"
    style = "error" if errors else "warning"
    yield (("bold", f"{name}: "), (style, f"{target} {verdict}"), ("plain", f" ({tally(errors, warnings)})"))
    yield ()
    groups = list(_by_message(checked.findings).items())
    for index, findings in groups[:limit]:
        yield from message_lines(seen(checked, index, findings), width)
    if len(groups) > limit:
        yield plain(f"  … {count(len(groups) - limit, 'more message')} with findings; --limit 0 shows all", "dim")
        yield ()


def _named(checked: Checked) -> str:
    history = checked.history
    if history.form != "conversation lines":
        return history.name
    return f"{history.name}:{history.line(checked.document.extent[0])}"


def _by_message(findings: list[Finding]) -> dict[int, list[Finding]]:
    held: dict[int, list[Finding]] = {}
    for finding in findings:
        held.setdefault(finding.at.message, []).append(finding)
    return held


def seen(checked: Checked, index: int, findings: list[Finding]) -> Seen:
    """A message of a conversation as it is shown, with what was found in it."""
    payload = checked.document.payload
    messages = messages_of(payload)
    where = f"{checked.history.name}:{checked.history.line_of(checked.document, index)}"
    if index < 0:
        return Seen("system" if index == -1 else "tools", where, head(checked.reader.dialect, payload, index), findings)
    shown = portrait(checked.reader.dialect, messages[index]) if index < len(messages) else None
    return Seen(f"messages[{index}]", where, shown, findings)


def _farewell(checked: list[Checked], names: tuple[str, ...]) -> list[Line]:
    """What to do next."""
    target = next(found.reader.target for found in checked if found.findings)
    file = names[0] if len(names) == 1 else "FILE"
    return [
        plain(f"rejoinder repair {file} --target {target}   shows how the first fix of each would mend it", "dim"),
        plain("rejoinder explain RULE   says more about a rule", "dim"),
    ]


# --- as data ---------------------------------------------------------------------------------------------------------


def _as_dict(checked: list[Checked], unread: list[dict[str, str]]) -> dict[str, Any]:
    errors = sum(found.errors() for found in checked)
    return {
        "ok": not errors and not unread,
        "errors": errors,
        "warnings": sum(len(found.findings) for found in checked) - errors,
        "findings": [_finding(found, finding) for found in checked for finding in found.findings],
        "conversations": [_conversation(found) for found in checked],
        "unreadable": unread,
    }


def _place(found: Checked) -> dict[str, Any]:
    return {"file": found.history.name, "line": found.history.line(found.document.extent[0])}


def _conversation(found: Checked) -> dict[str, Any]:
    return {
        **_place(found),
        "target": found.reader.target,
        "dialect": found.reader.dialect,
        "messages": len(found.document.messages),
        "errors": found.errors(),
        "warnings": len(found.findings) - found.errors(),
    }


def _finding(found: Checked, finding: Finding) -> dict[str, Any]:
    line = found.history.line_of(found.document, finding.at.message)
    return {**_place(found), "message_line": line, "message": finding.at.message, **finding.as_dict()}
