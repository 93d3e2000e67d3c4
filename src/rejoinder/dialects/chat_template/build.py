"""From what was learnt of a template to a target that asks for it."""

from __future__ import annotations

import re
from collections.abc import Callable

from rejoinder.dialects.chat_template.demands import DEMANDS, FORM, NORMAL, PAIRS, TAKEN, WORDS, Demand, clause_of
from rejoinder.dialects.chat_template.probe import Probed
from rejoinder.dialects.clause import SEEN, Clause, Evidence, Target
from rejoinder.rules import tool_arguments
from rejoinder.values.finding import Severity
from rejoinder.values.payload import Payload

_ALTERNATING = re.compile(r"\balternat", re.IGNORECASE)


def target_of(name: str, digest: str, probed: Probed, ask: Callable[[Payload], str | None] | None = None) -> Target:
    """The target of a template: what it was seen to refuse, what it leaves out, and pairs that are pairs."""
    evidence = (Evidence(f"probed: the template {digest[:12]}", "observed", SEEN),)
    asked = [_asked(demand, probed, evidence) for demand in DEMANDS]
    pairs = [_paired(demand, probed, evidence) for demand in PAIRS]
    words = () if probed.calls else (clause_of(TAKEN, evidence=evidence, provider_says=probed.words),)
    return Target(
        name=name,
        dialect="openai-chat",
        says="a model's own chat template, probed, and asked",
        clauses=(*FORM, *pairs, *words, *(clause for clause in asked if clause is not None)),
        ask=ask,
        sterner=(_normal(probed), WORDS),
    )


def _normal(probed: Probed) -> tuple[Clause, ...]:
    """The strictest form, with the arguments as this template takes them."""
    if probed.form.arguments == "mapping":
        return NORMAL
    return tuple(clause for clause in NORMAL if clause.check is not tool_arguments.mapping)


def _asked(demand: Demand, probed: Probed, evidence: tuple[Evidence, ...]) -> Clause | None:
    """The clause of a demand that is made; a warning where the template only leaves something out."""
    refused, lost = probed.refused(*demand.plays), probed.lost(*demand.loses)
    numbers = demand.numbers(probed) if demand.numbers else {}
    if refused is not None:
        name = demand.id
        if refused.declared and name == "user-required":
            name = "tools-need-user"
        if _ALTERNATING.search(refused.words):
            name = "alternate"
        clause = clause_of(demand, params=numbers, provider_says=refused.words, evidence=evidence)
        return Clause(**{**_fields(clause), "id": f"chat-template/{name}"})
    if lost is None:
        return None
    says = f"{demand.says}: the template leaves out {', '.join(lost.lost)}" if lost.lost else demand.says
    severity: Severity = "warning"
    return clause_of(
        demand, params=numbers, provider_says="", says=says, severity=severity, acts=False, evidence=evidence
    )


def _paired(demand: Demand, probed: Probed, evidence: tuple[Evidence, ...]) -> Clause:
    """A clause about pairs: mended in any case, and an error where the template refuses what is none."""
    refused = probed.refused(*demand.plays)
    severity: Severity = "error" if refused is not None else "warning"
    words = refused.words if refused is not None else ""
    return clause_of(demand, provider_says=words, severity=severity, beyond=True, evidence=evidence)


def _fields(clause: Clause) -> dict[str, object]:
    return {name: getattr(clause, name) for name in clause.__struct_fields__}
