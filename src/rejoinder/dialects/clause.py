"""A clause: what one reader demands, in numbers, with the evidence and the reader's own words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from rejoinder.rules import Rule, rule_name
from rejoinder.values.finding import Severity
from rejoinder.values.payload import Payload

Kind = Literal["observed", "documented", "inferred"]
# When the evidence was gathered and last held against recorded traffic.
SEEN = "2026-11-18"


class Evidence(msgspec.Struct, frozen=True):
    """How we know: where it was seen, when, and how strong it is."""

    source: str
    kind: Kind = "observed"
    seen: str = SEEN


class Clause(msgspec.Struct, frozen=True, kw_only=True):
    """One demand of one target.

    `models` narrows it to a family of models: to a model outside of it the clause does not
    apply, and for a model that is not known it has the severity `unknown` (None: it does not apply).
    `acts` tells whether a repair takes its fix without being asked to. `wire` marks a demand on
    the JSON of the target's own dialect, which says nothing about a history in another one.
    `beyond` marks what is mended even where the reader itself was asked, and takes the history as it is.
    """

    id: str
    check: Rule
    says: str
    evidence: tuple[Evidence, ...]
    provider_says: str = ""
    params: dict[str, Any] = {}
    severity: Severity = "error"
    models: str | None = None
    unknown: Severity | None = None
    acts: bool = True
    wire: bool = False
    beyond: bool = False

    @property
    def rule(self) -> str:
        """The rule's name: `tool_pairing.unanswered`."""
        return rule_name(self.check)

    def severity_for(self, model: str | None) -> Severity | None:
        """How heavy it weighs for a model; None where it does not apply."""
        if self.models is None:
            return self.severity
        if model is None:
            return self.unknown
        # Routers write the same model as `claude-opus-4.6` and `anthropic/Claude-Opus-4-6`.
        return self.severity if re.search(self.models, model.lower().replace(".", "-")) else None


class Refusal(msgspec.Struct, frozen=True):
    """What a reader answers to what it does not take; `whatever` the messages say, where it is not about them."""

    words: str
    whatever: bool = False


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """One reader that can refuse: a dialect and a table of clauses.

    `ask` puts a payload to the reader itself, where it is at hand (a chat template is): None when it is taken, else
    the refusal. What it takes has no errors. `sterner` are tables for what it still refuses when its clauses
    find nothing: each asks more than the one before.
    """

    name: str
    dialect: str
    says: str
    clauses: tuple[Clause, ...]
    ask: Callable[[Payload], Refusal | None] | None = None
    sterner: tuple[tuple[Clause, ...], ...] = ()


def observed(*sources: str) -> tuple[Evidence, ...]:
    """Evidence from recorded requests, measured suites, or reports that quote the API."""
    return tuple(Evidence(source) for source in sources)


def documented(*sources: str) -> tuple[Evidence, ...]:
    """Evidence from a specification, an SDK's types, or documentation."""
    return tuple(Evidence(source, "documented") for source in sources)


def inferred(*sources: str) -> tuple[Evidence, ...]:
    """Our own reading of neighbouring evidence."""
    return tuple(Evidence(source, "inferred") for source in sources)
