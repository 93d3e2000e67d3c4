"""Thinking, cache marks, and how a conversation may end: what depends on the model and on every letter in front."""

from __future__ import annotations

from rejoinder.dialects.anthropic.clauses.sources import BOUND, INSPECT, MATRIX, NO_PREFILL
from rejoinder.dialects.clause import Clause, observed
from rejoinder.rules import cache_marks, message_order, thinking

SEALED = (
    Clause(
        id="anthropic/thinking-nonempty",
        check=thinking.signed,
        params={"empty": True},
        says="thinking has text, unless it is signed",
        provider_says="messages.{i}.content.{j}.thinking: each thinking block must contain thinking",
        evidence=observed(f"{INSPECT}, neutralize_thinking_for_token_counting"),
    ),
    Clause(
        id="anthropic/thinking-signature",
        check=thinking.signed,
        params={"empty": False},
        says="thinking is signed",
        provider_says="messages.{i}.content.{j}: Invalid `signature` in `thinking` block",
        evidence=observed(f"{INSPECT}, neutralize_thinking_for_token_counting"),
    ),
    Clause(
        id="anthropic/thinking-not-last",
        check=thinking.not_last,
        says="an assistant turn does not end with thinking",
        provider_says="messages.{i}: The final block in an assistant message cannot be `thinking`.",
        evidence=observed(f"{INSPECT}, assistant_message_block_params"),
    ),
    Clause(
        id="anthropic/thinking-first",
        check=thinking.first,
        says="with thinking enabled by hand, the turn that called the last tools begins with it",
        provider_says=(
            "messages.{i}.content.{j}.type: Expected `thinking` or `redacted_thinking`, but found `text`. "
            "When `thinking` is enabled, a final `assistant` message must start with a thinking block "
            "(preceeding the lastmost set of `tool_use` and `tool_result` blocks)."
        ),
        evidence=observed("quoted in public code", "anthropics/claude-code#20705"),
    ),
    Clause(
        id="anthropic/thinking-unmodified",
        check=thinking.unmodified,
        severity="warning",
        says="thinking of the latest assistant turn is what its provider signed, in the same order",
        provider_says=(
            "messages.{i}.content.{j}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot "
            "be modified. These blocks must remain as they were in the original response."
        ),
        evidence=observed("anthropics/claude-code#63574", "anthropics/claude-code#13201"),
        acts=False,
    ),
    Clause(
        id="anthropic/thinking-bound",
        check=thinking.bound,
        models=BOUND,
        severity="warning",
        says="what stands in front of thinking is what stood there when it was made",
        provider_says="The block is bound to a different conversation",
        evidence=observed("zed-industries/zed#63571", "pydantic/pydantic-ai#7989", "anomalyco/opencode#46653"),
        acts=False,
    ),
    Clause(
        id="anthropic/prefill-model",
        check=message_order.last_speaker,
        models=NO_PREFILL,
        unknown="warning",
        says="the conversation does not end with the assistant",
        provider_says=(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        ),
        evidence=observed("smallmain/vscode-unify-chat-provider#249", "strands-agents/sdk-python#1694", MATRIX),
    ),
    Clause(
        id="anthropic/cache-empty-text",
        check=cache_marks.on_empty_text,
        says="no cache mark on an empty text",
        provider_says="messages.{i}.content.{j}.text: cache_control cannot be set for empty text blocks",
        evidence=observed("public emulators that quote the API"),
    ),
    Clause(
        id="anthropic/cache-on-thinking",
        check=cache_marks.on_thinking,
        says="no cache mark on thinking",
        provider_says="messages.{i}.content.{j}.thinking.cache_control: Extra inputs are not permitted",
        evidence=observed(f"{INSPECT}, add_lookback_cache_control"),
    ),
    Clause(
        id="anthropic/cache-max-4",
        check=cache_marks.most,
        params={"limit": 4},
        says="at most four cache marks over tools, system text and messages",
        provider_says="A maximum of 4 blocks with cache_control may be provided. Found {n}.",
        evidence=observed("quoted in ten public repositories"),
    ),
    Clause(
        id="anthropic/cache-ttl-order",
        check=cache_marks.ttl_order,
        says="marks for an hour come before marks for five minutes",
        provider_says="a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
        evidence=observed("a public emulator (superfluid) that quotes the API"),
    ),
)
