"""What the vendor of a model demands wherever it runs: reasoning, cache points, and how Claude may be spoken to."""

from __future__ import annotations

from rejoinder.dialects.bedrock.clauses.sources import VENDOR_SAYS
from rejoinder.dialects.bedrock.families import BOUND, CLAUDE, NO_PREFILL
from rejoinder.dialects.clause import Clause, inferred, observed
from rejoinder.rules import cache_marks, empty_content, message_order, thinking

_OWN = "the vendor's rule on Anthropic Messages; errors of Claude pass through Converse as they are"

VENDOR = (
    Clause(
        id="bedrock/reasoning-signature",
        check=thinking.signed,
        params={"empty": False},
        models=CLAUDE,
        says="reasoning that goes back to Claude is signed",
        provider_says=f"{VENDOR_SAYS}messages.{{i}}.content.{{j}}: Invalid `signature` in `thinking` block",
        evidence=inferred(_OWN),
    ),
    Clause(
        id="bedrock/reasoning-nonempty",
        check=thinking.signed,
        params={"empty": True},
        models=CLAUDE,
        says="reasoning has text, unless it is signed",
        provider_says=(
            f"{VENDOR_SAYS}messages.{{i}}.content.{{j}}.thinking: each thinking block must contain thinking"
        ),
        evidence=inferred(_OWN),
    ),
    Clause(
        id="bedrock/reasoning-not-last",
        check=thinking.not_last,
        models=CLAUDE,
        says="an assistant turn does not end with reasoning",
        provider_says=f"{VENDOR_SAYS}messages.{{i}}: The final block in an assistant message cannot be `thinking`.",
        evidence=inferred(_OWN),
    ),
    Clause(
        id="bedrock/reasoning-first",
        check=thinking.first,
        params={"member": "additionalModelRequestFields/thinking"},
        models=CLAUDE,
        says="with thinking enabled by hand, the turn that called the last tools begins with it",
        provider_says=(
            f"{VENDOR_SAYS}messages.{{i}}.content.{{j}}.type: Expected `thinking` or `redacted_thinking`, but found "
            "`text`."
        ),
        evidence=observed("anthropics/claude-code#20705", "daisuke-awaji/bedrock-engineer#141"),
    ),
    Clause(
        id="bedrock/reasoning-unmodified",
        check=thinking.unmodified,
        models=CLAUDE,
        severity="warning",
        says="reasoning of the latest assistant turn is what was signed, in the same order",
        provider_says=(
            f"{VENDOR_SAYS}messages.{{i}}.content.{{j}}: `thinking` or `redacted_thinking` blocks in the latest "
            "assistant message cannot be modified. These blocks must remain as they were in the original response."
        ),
        evidence=inferred(_OWN),
        acts=False,
    ),
    Clause(
        id="bedrock/reasoning-bound",
        check=thinking.bound,
        models=BOUND,
        severity="warning",
        says="what stands in front of reasoning is what stood there when it was made",
        provider_says=f"{VENDOR_SAYS}The block is bound to a different conversation",
        evidence=inferred(_OWN),
        acts=False,
    ),
    Clause(
        id="bedrock/cache-max-4",
        check=cache_marks.most,
        params={"limit": 4},
        models=CLAUDE,
        severity="warning",
        says="at most four cache points over tools, system text and messages",
        provider_says=f"{VENDOR_SAYS}A maximum of 4 blocks with cache_control may be provided. Found {{n}}.",
        evidence=inferred(_OWN),
    ),
    Clause(
        id="bedrock/cache-ttl-order",
        check=cache_marks.ttl_order,
        models=CLAUDE,
        severity="warning",
        says="cache points for an hour come before those for five minutes",
        provider_says=(
            f"{VENDOR_SAYS}a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
        ),
        evidence=inferred(_OWN),
    ),
    Clause(
        id="bedrock/final-trailing-whitespace",
        check=empty_content.trailing_space,
        params={"blank": True},
        models=CLAUDE,
        unknown="warning",
        says="a closing assistant text does not end in white space",
        provider_says=f"{VENDOR_SAYS}messages: final assistant content cannot end with trailing whitespace",
        evidence=observed("crewAIInc/crewAI#4413"),
    ),
    Clause(
        id="bedrock/prefill-model",
        check=message_order.last_speaker,
        models=NO_PREFILL,
        unknown="warning",
        says="the conversation does not end with the assistant",
        provider_says=(
            f"{VENDOR_SAYS}This model does not support assistant message prefill. "
            "The conversation must end with a user message."
        ),
        evidence=observed("strands-agents/sdk-python#1694 (us.anthropic.claude-opus-4-6-v1)"),
    ),
)
