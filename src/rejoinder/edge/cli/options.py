"""The options that several commands share, and the choices that they make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click

from rejoinder.dialects.detect import detect, find_dialect
from rejoinder.errors import DialectError, PolicyError
from rejoinder.mend.policy import ALWAYS, PHENOMENA, Policy
from rejoinder.rules import RULES
from rejoinder.targets import TARGETS, find_target

AnyCommand = TypeVar("AnyCommand", bound=Callable[..., Any])

target = click.option("-t", "--target", metavar="NAME", help="Who is to accept it (`rejoinder targets` lists them).")
dialect = click.option("-d", "--dialect", metavar="NAME", help="How to read it, where that cannot be told from it.")
model = click.option("-m", "--model", metavar="NAME", help="The model it is for; else the one that the body names.")
as_json = click.option("--json", "as_json", is_flag=True, help="One JSON document instead of words.")
colour = click.option(
    "--color/--no-color", "colour", default=None, help="Colour, or none; else as the terminal has it."
)
paused = click.option("--paused", metavar="ID", multiple=True, help="A call that waits for a person; never touched.")


class Reader(NamedTuple):
    """How a conversation is read, and who is to accept it."""

    dialect: str
    target: str
    because: str = ""


def must_be_known(target: str | None, dialect: str | None) -> None:
    """Refuse a target or a dialect that there is not, before a file is read."""
    if target is not None:
        find_target(target)
    if dialect is not None:
        find_dialect(dialect)


def reader(payload: Any, target: str | None, dialect: str | None) -> Reader:
    """How a payload is read, and against what it is held, where one or both were not said. (A test holds that
    this is what the library does.)
    """
    wants = find_target(target) if target else None
    if dialect:
        name, because = find_dialect(dialect).name, ""
    elif wants and wants.dialect:
        name, because = _own(payload) or (wants.dialect, "")
    else:
        name, because = _detected(payload)
    return Reader(name, wants.name if wants else name if name in TARGETS else "openai-chat", because)


def chosen(reader: Reader, target: str | None, dialect: str | None, verb: str) -> str:
    """What was chosen for a payload, where nobody chose it, and what shows it."""
    because = f" ({reader.because.partition('; ')[0]})" if reader.because else ""
    if target is None:
        return f"read as {reader.dialect}{because} and {verb} {reader.target}; --target chooses another"
    if dialect is None and find_target(target).dialect not in ("", reader.dialect):
        return f"read as {reader.dialect}{because}, not as {target} has it; --dialect chooses another"
    return ""


def _own(payload: Any) -> tuple[str, str] | None:
    """An application's own dialect; all else is read as the target would read it."""
    try:
        found = detect(payload)
    except DialectError:
        return None
    return None if found.dialect in TARGETS else (found.dialect, found.because)


def _detected(payload: Any) -> tuple[str, str]:
    try:
        found = detect(payload)
    except DialectError as error:
        raise DialectError(for_a_shell(error)) from None
    return found.dialect, found.because


def for_a_shell(error: Exception) -> str:
    """An error of the library, with options named as they are typed."""
    return str(error).replace("dialect=", "--dialect NAME")


def policy(choices: tuple[str, ...], pending: str | None, paused: tuple[str, ...]) -> Policy:
    """The policy of `--policy NAME=CHOICE`, where a name is a phenomenon, a rule, a clause, or `call:ID`."""
    fields: dict[str, Any] = {"pending": pending, "paused": frozenset(paused)}
    rules: dict[str, str] = {}
    calls: dict[str, str] = {}
    for choice in choices:
        name, mark, value = choice.rpartition("=")
        if not mark or not name:
            raise PolicyError(f"--policy {choice!r}: write it as NAME=CHOICE, as in unanswered=answer")
        if name in PHENOMENA or name == "pending":
            fields[name] = value
        elif name.startswith("call:"):
            calls[name.removeprefix("call:")] = _known(choice, value, _CHOICES)
        elif name in RULES or any(name == clause.id for each in TARGETS.values() for clause in each.clauses):
            rules[name] = _known(choice, value, _choices_of(name))
        else:
            known = ", ".join((*PHENOMENA, "pending"))
            raise PolicyError(f"--policy {choice!r}: no such name; there are {known}, rules, clauses, and call:ID")
    return Policy(rules=rules, calls=calls, **fields)


_CHOICES = tuple(dict.fromkeys((*(choice for _, choices in PHENOMENA.values() for choice in choices), *ALWAYS)))


def _choices_of(name: str) -> tuple[str, ...]:
    """What can be chosen for a rule; for a clause, and a rule of no phenomenon, any word that a fix may have."""
    for rules, choices in PHENOMENA.values():
        if name in rules:
            return (*choices, *ALWAYS)
    return (*_CHOICES, "mend", "wrap", "strip_space")


def _known(choice: str, value: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise PolicyError(f"--policy {choice!r}: the choices are {', '.join(choices)}")
    return value
