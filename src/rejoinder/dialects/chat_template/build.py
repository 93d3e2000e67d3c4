"""From what was learnt of a template to a target that asks for it."""

from __future__ import annotations

import re
from collections.abc import Callable

from rejoinder.dialects.chat_template.demands import DEMANDS, FORM, NORMAL, PAIRS, TAKEN, WORDS, Demand, clause_of
from rejoinder.dialects.chat_template.probe import Probed
from rejoinder.dialects.clause import SEEN, Clause, Evidence, Refusal, Target
from rejoinder.rules import block_text, tool_arguments
from rejoinder.values.finding import Severity
from rejoinder.values.payload import Payload

_ALTERNATING = re.compile(r"\balternat", re.IGNORECASE)


def target_of(name: str, digest: str, probed: Probed, ask: Callable[[Payload], Refusal | None] | None = None) -> Target:
    """The target of a template: what it was seen to refuse, what it leaves out, and pairs that are pairs."""
    evidence = (Evidence(f"probed: the template {digest[:12]}", "observed", SEEN),)
    asked = [_asked(demand, probed, evidence) for demand in DEMANDS]
    pairs = [_paired(demand, probed, evidence) for demand in PAIRS]
    told = clause_of(TAKEN, evidence=evidence, provider_says=probed.words)
    words = _asked(TAKEN, probed, evidence) if probed.calls else told
    return Target(
        name=name,
        dialect="openai-chat",
        says="a model's own chat template, probed, and asked",
        clauses=(*FORM, *pairs, *(clause for clause in (words, *asked) if clause is not None)),
        ask=ask,
        sterner=(_fitting(NORMAL, probed), _fitting(WORDS, probed)),
    )


def _fitting(clauses: tuple[Clause, ...], probed: Probed) -> tuple[Clause, ...]:
    """The strictest form, with arguments and content as this template takes them."""
    other = tool_arguments.mapping if probed.form.arguments == "text" else None
    listed = block_text.one_string if probed.form.parts else None
    return tuple(clause for clause in clauses if clause.check not in (other, listed))


def _asked(demand: Demand, probed: Probed, evidence: tuple[Evidence, ...]) -> Clause | None:
    """The clause of a demand that is made; a warning where the template only leaves something out."""
    refused, lost = probed.refused(*demand.plays), probed.lost(*demand.loses)
    numbers = demand.numbers(probed) if demand.numbers else {}
    if refused is not None and not probed.refused(*demand.unless):
        name = demand.id
        if refused.declared and name == "user-required":
            name = "tools-need-user"
        if _ALTERNATING.search(refused.words):
            name = "alternate"
        asked = {"id": f"chat-template/{name}", "params": numbers, "provider_says": refused.words}
        return clause_of(demand, evidence=evidence, **asked)
    if lost is None or probed.lost(*demand.anyway):
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
