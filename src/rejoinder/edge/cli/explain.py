"""`rejoinder explain`: a rule, a clause, a target, or what a provider answered."""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from inspect import getdoc
from typing import Any

import click

from rejoinder.dialects.clause import Clause, Target
from rejoinder.edge import documents, files
from rejoinder.edge.cli import check, options, output, wording
from rejoinder.edge.cli.output import Paper, plain
from rejoinder.edge.cli.targets import clause_dict, target_dict
from rejoinder.edge.cli.wording import Blame, Match
from rejoinder.errors import PayloadError
from rejoinder.mend.policy import PHENOMENA, Policy
from rejoinder.render import pages
from rejoinder.render.findings import message_lines
from rejoinder.render.terminal import Line, wrapped
from rejoinder.rules import RULES
from rejoinder.targets import TARGETS

EXAMPLES = """\b
Examples:
  rejoinder explain                                 all rules
  rejoinder explain tool_pairing.unanswered         a rule
  rejoinder explain anthropic/call-answered         what one API demands, and how we know
  rejoinder explain anthropic                       all that it demands
  rejoinder explain "messages.1: tool_use ids were found without tool_result blocks"
  rejoinder explain - --file history.json < error.txt

\b
Exit codes: 0 explained, 1 not known, 2 called wrongly."""
# What each choice does, where a rule offers it.
_MEANS = {
    "drop": "take it away, with what belongs to it",
    "answer": "say, truthfully, that no result was recorded",
    "strip": "take only the part at fault away",
    "as_text": "quote it as text",
    "fill": "put in what is missing, where only one thing can be meant",
    "move": "put it where the reader looks for it",
    "rename": "give it a name that the reader takes, on both sides",
    "merge": "make one message of the neighbours",
    "placeholder": "put a short text in its place",
    "text": "write the arguments as JSON text",
    "mapping": "write the arguments as an object",
    "lower": "shorten the time of the mark",
    "drop_block": "ask the API to leave the block out",
    "keep": "leave it as it is",
}
_LONGEST = 200_000


@click.command("explain", epilog=EXAMPLES, short_help="What a rule, a target or an error means.")
@click.argument("words", metavar="[RULE | CLAUSE | TARGET | ERROR TEXT | -]", nargs=-1)
@click.option("-f", "--file", metavar="FILE", help="The history that was refused: shows the message to blame.")
@options.as_json
@options.colour
def command(words: tuple[str, ...], file: str | None, as_json: bool, colour: bool | None) -> int:
    """What a rule, a clause, a target, or a provider's error means, and what to do.

    Paste the error as you got it, with or without the JSON around it; `-` reads it from standard input.
    """
    paper = Paper(colour)
    text = _asked(words)
    if not text:
        if words:
            raise PayloadError("there is no text to explain; give a rule, a target, or a provider's error")
        return _all_rules(paper, as_json)
    clauses = [(target, clause) for target in TARGETS.values() for clause in target.clauses if clause.id == text]
    if text in TARGETS:
        return _say(paper, as_json, target_dict(TARGETS[text]), pages.target_page(TARGETS[text], paper.width))
    if clauses:
        facts = {"kind": "clause", "id": text, "clauses": [_of(target, clause) for target, clause in clauses]}
        return _say(paper, as_json, facts, pages.clause_page(clauses, paper.width))
    rule = _rule(text)
    if rule:
        return _say(paper, as_json, _rule_dict(rule), pages.rule_page(rule, choices_of(rule), paper.width))
    if text in PHENOMENA:
        return _phenomenon(paper, as_json, text)
    return _explain_error(paper, text, file, as_json)


def _asked(words: tuple[str, ...]) -> str:
    if words != (files.STDIN,):
        return " ".join(words).strip()
    if sys.stdin.isatty():
        output.Paper().talk(plain("paste the error, then end with Ctrl-D", "dim"))
    return files.read(files.STDIN).text.strip()[:_LONGEST]


def _rule(text: str) -> str:
    """A rule by its name, or by the second half of it, where that is one rule's alone."""
    found = [rule for rule in RULES if text in (rule, rule.partition(".")[2])]
    return text if text in RULES else found[0] if len(found) == 1 else ""


def choices_of(rule: str) -> tuple[str, ...]:
    """What a policy can choose for a rule."""
    return next((choices for rules, choices in PHENOMENA.values() if rule in rules), ())


def _say(paper: Paper, as_json: bool, facts: Any, lines: Any) -> int:
    if as_json:
        output.say_json(facts)
    else:
        paper.say(lines)
    return 0


def _all_rules(paper: Paper, as_json: bool) -> int:
    facts = {"rules": [{"rule": rule, "says": pages.first_line(rule)} for rule in sorted(RULES)]}
    _say(paper, as_json, facts, pages.rule_list(paper.width))
    if not as_json:
        paper.talk((), plain("rejoinder explain RULE   says more; an error text can be pasted, too", "dim"))
    return 0


def _phenomenon(paper: Paper, as_json: bool, name: str) -> int:
    rules, choices = PHENOMENA[name]
    lines: list[Line] = [(("place", name), ("plain", f"  a policy: --policy {name}=CHOICE")), ()]
    lines += [(("name", f"  {choice:<12}"), ("plain", _MEANS.get(choice, ""))) for choice in choices]
    lines += [(), plain("  It decides for the rules"), *[plain(f"    {rule}", "name") for rule in rules]]
    return _say(paper, as_json, {"kind": "policy", "name": name, "choices": choices, "rules": rules}, lines)


# --- a provider's error ----------------------------------------------------------------------------------------------


def _explain_error(paper: Paper, text: str, file: str | None, as_json: bool) -> int:
    message, param = wording.unwrapped(text)
    found = wording.matches(message)
    sure = wording.sure(found)
    if not sure:
        return _unknown(paper, text, found, as_json)
    names = wording.blame(message, param)
    if as_json:
        output.say_json(_error_dict(sure, names))
    else:
        paper.say(_error_lines(sure, names, file, paper.width))
    return _in_file(paper, file, sure, names) if file and not as_json else 0


def _error_lines(sure: list[Match], names: Blame, file: str | None, width: int) -> list[Line]:
    first = sure[0].known
    rules = list(dict.fromkeys(match.known.rule for match in sure))
    lines: list[Line] = [(("bold", f"{first.reader} answers so when: "), ("plain", pages.first_line(first.rule))), ()]
    lines.append((("dim", "  rule    "), ("place", first.rule), ("dim", f"  {first.clause}")))
    if len(rules) > 1:
        lines.append((("dim", "          the same words are used for "), ("plain", ", ".join(rules[1:]))))
    lines += [
        (("dim", "  where   " if number == 0 else "          "), ("plain", words))
        for number, words in enumerate(wrapped(where_words(first.rule, first.reader, names), width - 10))
    ]
    for number, choice in enumerate(choices_of(first.rule)):
        lead = "  fix     " if number == 0 else "          "
        lines.append((("dim", lead), ("good", f"{choice:<12}"), ("plain", _MEANS.get(choice, ""))))
    lines += [(), *_commands(first.reader, first.rule, file)]
    return lines


def where_words(rule: str, reader: str, names: Blame) -> str:
    """Which message is to blame, as far as the text tells."""
    calls = f"; calls: {', '.join(names.ids[:8])}" if names.ids else ""
    if not names.indices:
        return f"the text does not say in which message (`rejoinder check` does){calls}"
    place = ", ".join(f"messages[{index}]" for index in names.indices[:4])
    if rule == "tool_pairing.unanswered" and reader.startswith("openai"):
        return f"{place} stands where a result was wanted; the call is in the assistant message before it{calls}"
    return f"{place}, as the API counts (from 0, without the system text of a body){calls}"


def _commands(reader: str, rule: str, file: str | None) -> list[Line]:
    name, target = file or "FILE", f" --target {reader}" if reader in TARGETS else ""
    choices = choices_of(rule)
    phenomenon = next((key for key, (rules, _) in PHENOMENA.items() if rule in rules), "")
    lines = [plain(f"  rejoinder check {name}{target}"), plain(f"  rejoinder repair {name}{target} -o mended.json")]
    if len(choices) > 1:
        lines.append(plain(f"  rejoinder repair {name}{target} --policy {phenomenon}={choices[1]} -o mended.json"))
    return lines


def _in_file(paper: Paper, file: str, sure: list[Match], names: Blame) -> int:
    """The findings of these rules in the history that was refused."""
    source = files.read(file)
    history = documents.read(source.name, source.text)
    rules = {match.known.rule for match in sure}
    reader = sure[0].known.reader
    asked = check.Ask(reader if reader in TARGETS else None, None, None, Policy())
    shown = 0
    paper.say([()])
    for document in history.documents:
        found = check.one(history, document, asked)
        wanted = [each for each in found.findings if each.rule in rules]
        named = [each for each in wanted if set(each.ids) & set(names.ids)] or wanted
        for finding in named[:10]:
            paper.say(message_lines(check.seen(found, finding.at.message, [finding]), paper.width))
            shown += 1
    if not shown:
        paper.say([plain(f"{file} has no such fault: it is not what was refused, or it was mended since")])
    return 0


def _unknown(paper: Paper, text: str, found: list[Match], as_json: bool) -> int:
    """Nothing that we know; the nearest of it, so that the asker can judge."""
    is_name = " " not in text and len(text) < 80
    names = (*RULES, *TARGETS, *PHENOMENA, *(clause.id for target in TARGETS.values() for clause in target.clauses))
    near = get_close_matches(text, dict.fromkeys(names), 3, 0.5) if is_name else []
    if as_json:
        nearest = near or [match.known.clause or match.known.rule for match in found[:3]]
        output.say_json({"kind": "unknown", "nearest": nearest})
        return 1
    what = f"{text!r} is no rule, clause or target" if is_name else "this is no error text that rejoinder knows"
    lines: list[Line] = [plain(f"{what}.", "bold")]
    if near:
        lines += [plain("The nearest names:"), *[plain(f"  {name}", "name") for name in near]]
    elif found and not is_name:
        lines.append(plain("The nearest texts, if the wording has changed:"))
        for match in found[:3]:
            lines.append((("name", f"  {match.known.clause or match.known.rule}"),))
            lines += [plain(f"      {words}", "dim") for words in wrapped(match.known.text, paper.width - 6, 3)]
    if is_name and os.path.isfile(text):
        lines.append(plain("There is a file of that name; for the text in it: rejoinder explain - < FILE"))
    lines += [(), plain("`rejoinder explain` lists all rules; `rejoinder check FILE` finds what is wrong by itself.")]
    paper.say(lines)
    return 1


# --- as data ---------------------------------------------------------------------------------------------------------


def _of(target: Target, clause: Clause) -> dict[str, Any]:
    return {"target": target.name, **clause_dict(clause)}


def _rule_dict(rule: str) -> dict[str, Any]:
    clauses = [_of(target, clause) for target, clause in pages.demands(rule)]
    page = getdoc(RULES[rule]) or ""
    return {"kind": "rule", "rule": rule, "page": page, "choices": choices_of(rule), "clauses": clauses}


def _error_dict(sure: list[Match], names: Blame) -> dict[str, Any]:
    first = sure[0].known
    return {
        "kind": "error",
        "rule": first.rule,
        "clause": first.clause,
        "says": pages.first_line(first.rule),
        "said_by": first.reader,
        "rules": list(dict.fromkeys(match.known.rule for match in sure)),
        "messages": names.indices,
        "ids": names.ids,
        "where": where_words(first.rule, first.reader, names),
        "choices": choices_of(first.rule),
    }
