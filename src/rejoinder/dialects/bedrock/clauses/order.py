"""Who speaks when, and what may stand together in one message."""

from __future__ import annotations

from rejoinder.dialects.bedrock.clauses.sources import PROFILES
from rejoinder.dialects.bedrock.families import LLAMA, MISTRAL, USER_FIRST, WRITER
from rejoinder.dialects.clause import Clause, observed
from rejoinder.rules import message_order

ORDER = (
    Clause(
        id="bedrock/start-user",
        check=message_order.first_speaker,
        models=USER_FIRST,
        unknown="warning",
        says="the user speaks first",
        provider_says=(
            "A conversation must start with a user message. "
            "Try again with a conversation that starts with a user message."
        ),
        evidence=observed(f"{PROFILES}: Nova, Llama, Mistral, Cohere, AI21, Writer"),
    ),
    Clause(
        id="bedrock/no-mixed-turn",
        check=message_order.alone,
        params={"what": "results"},
        models=f"{LLAMA}|{MISTRAL}|{WRITER}",
        says="results stand alone in their message",
        provider_says=(
            "messages.{i}.content: Conversation blocks and tool result blocks cannot be provided in the same turn."
        ),
        evidence=observed("strands-agents/harness-sdk#1223", "langchain-ai/langchain-aws#141", PROFILES),
    ),
    Clause(
        id="bedrock/no-mixed-turn",
        check=message_order.alone,
        params={"what": "calls"},
        models=LLAMA,
        says="calls stand alone in their message",
        provider_says=(
            "messages.{i}.content: Conversation blocks and tool use blocks cannot be provided in the same turn."
        ),
        evidence=observed("quarkiverse/quarkus-langchain4j#1983"),
    ),
    Clause(
        id="bedrock/alternate",
        check=message_order.alternate,
        says="user and assistant take turns",
        provider_says=(
            "A conversation must alternate between user and assistant roles. Make sure the conversation alternates "
            "between user and assistant roles and try again."
        ),
        evidence=observed("genkit-ai/aws-bedrock-js-plugin#664", "quoted in public fakes of the API"),
    ),
)
