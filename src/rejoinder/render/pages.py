"""The pages behind `explain` and `targets`: a rule, a clause, a target, and the lists of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from inspect import getdoc

from rejoinder.dialects.clause import Clause, Target
from rejoinder.render.findings import count
from rejoinder.render.terminal import Line, cells, padded, wrapped
from rejoinder.rules import RULES
from rejoinder.targets import TARGETS


def first_line(rule: str) -> str:
    """What is wrong, in one sentence."""
    return (getdoc(RULES[rule]) or "").partition("\n")[0]


def demands(rule: str) -> list[tuple[Target, Clause]]:
    """The clauses that ask for a rule, with their targets."""
    return [(target, clause) for target in TARGETS.values() for clause in target.clauses if clause.rule == rule]


def rule_page(rule: str, choices: Sequence[str], width: int) -> Iterator[Line]:
    """A rule: its docstring, the fixes that can be chosen, and who demands it."""
    yield (("place", rule),)
    yield ()
    for line in (getdoc(RULES[rule]) or "").splitlines():
        yield from ((("plain", f"  {words}"),) for words in wrapped(line, width - 2, 40)) if line else [()]
    yield ()
    if choices:
        yield (("bold", "  choices"), ("plain", f"  {', '.join(choices)}"), ("dim", "  (the first is the default)"))
        yield ()
    yield (("bold", "  who demands it"),)
    held: dict[tuple[str, str], tuple[Clause, list[str]]] = {}
    for target, clause in demands(rule):
        held.setdefault((clause.id, clause.says), (clause, []))[1].append(target.name)
    for clause, names in held.values():
        yield from _demand(clause, names, width)
    yield ()


def _demand(clause: Clause, targets: list[str], width: int) -> Iterator[Line]:
    note = "" if clause.severity == "error" and clause.models is None else f"  {_weight(clause)}"
    yield (("plain", "    "), ("name", clause.id), ("plain", f"  ({', '.join(targets)})"), ("warning", note))
    yield from _indented(clause.says, 6, width)
    if clause.provider_says:
        yield from _indented(f"answers: {clause.provider_says}", 6, width, "dim")


def _indented(text: str, indent: int, width: int, style: str = "plain") -> Iterator[Line]:
    for words in wrapped(text, width - indent):
        yield ((style, " " * indent + words),)


def _weight(clause: Clause) -> str:
    """Whether it is an error or a warning, and for which models."""
    words = clause.severity
    if clause.models is not None:
        words += f", only for models like {clause.models}"
        words += f" ({clause.unknown} where the model is not known)" if clause.unknown else ""
    return words


def clause_page(clauses: Sequence[tuple[Target, Clause]], width: int) -> Iterator[Line]:
    """A clause: what it demands, what the API answers, and how we know."""
    for target, clause in clauses:
        yield (("place", clause.id), ("plain", f"  of {target.name} ({target.says})"))
        yield from _indented(clause.says, 2, width)
        yield (("dim", "  rule      "), ("plain", clause.rule))
        yield (("dim", "  severity  "), ("plain", _weight(clause)))
        if clause.params:
            numbers = ", ".join(f"{name}={value!r}" for name, value in clause.params.items())
            yield (("dim", "  numbers   "), ("plain", numbers))
        if clause.provider_says:
            yield (("dim", "  answers"),)
            yield from _indented(clause.provider_says, 4, width)
        yield (("dim", "  evidence"),)
        for evidence in clause.evidence:
            yield from _indented(f"{evidence.kind} {evidence.seen}: {evidence.source}", 4, width)
        yield ()


def target_page(target: Target, width: int) -> Iterator[Line]:
    """A target: all that it demands."""
    yield (("place", target.name), ("plain", f"  {target.says}"))
    size = count(len(target.clauses), "clause")
    yield (("dim", f"  dialect {target.dialect or 'any'}, {size}"),)
    yield ()
    for clause in target.clauses:
        weight = "" if clause.severity == "error" and clause.models is None else f"  {_weight(clause)}"
        yield (("name", f"  {clause.id}"), ("dim", f"  {clause.rule}"), ("warning", weight))
        yield from _indented(clause.says, 4, width)
        if clause.provider_says:
            yield from _indented(f"answers: {clause.provider_says}", 4, width, "dim")
        sources = "; ".join(f"{evidence.source} ({evidence.kind}, {evidence.seen})" for evidence in clause.evidence)
        yield from _indented(f"known from: {sources}", 4, width, "dim")
    yield ()


def target_table(targets: Iterable[Target], width: int) -> Iterator[Line]:
    """The targets, a line each."""
    rows = [(target.name, target.dialect or "any", str(len(target.clauses)), target.says) for target in targets]
    head = ("target", "dialect", "clauses", "what it is")
    widths = [max(cells(row[column]) for row in (head, *rows)) + 2 for column in range(3)]
    for number, row in enumerate((head, *rows)):
        style = "dim" if number == 0 else "plain"
        says = wrapped(row[3], max(width - sum(widths), 20))
        first = (padded(row[0], widths[0]), padded(row[1], widths[1]), padded(row[2], widths[2]))
        yield (("dim" if number == 0 else "place", first[0]), (style, first[1]), (style, first[2]), (style, says[0]))
        yield from (((style, " " * sum(widths) + words),) for words in says[1:])


def rule_list(width: int) -> Iterator[Line]:
    """All rules in their groups."""
    group = ""
    longest = max(len(rule) for rule in RULES) + 4
    for rule in sorted(RULES):
        phenomenon = rule.partition(".")[0]
        if phenomenon != group:
            if group:
                yield ()
            yield (("bold", phenomenon),)
            group = phenomenon
        says = wrapped(first_line(rule), width - longest)
        yield (("name", padded(f"  {rule}", longest)), ("plain", says[0]))
        yield from ((("plain", " " * longest + words),) for words in says[1:])
