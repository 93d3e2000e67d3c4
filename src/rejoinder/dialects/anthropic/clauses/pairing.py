"""Calls and results: what Anthropic Messages demands of their order and of their names."""

from __future__ import annotations

from rejoinder.dialects.anthropic.clauses.sources import SDK, UNANSWERED, UNEXPECTED, UNFINISHED
from rejoinder.dialects.clause import Clause, documented, observed
from rejoinder.rules import opaque, tool_ids, tool_pairing

PAIRING = (
    Clause(
        id="anthropic/result-id-required",
        check=tool_pairing.result_without_id,
        says="a result names the call that it answers",
        provider_says="messages.{i}.content.{j}.tool_result.tool_use_id: Field required",
        evidence=documented(SDK),
    ),
    Clause(
        id="anthropic/call-answered",
        check=tool_pairing.late_result,
        says="the result of a call comes in the very next user turn",
        provider_says=UNANSWERED,
        evidence=observed("anthropics/claude-code#5060", "anthropics/claude-code#1237"),
    ),
    Clause(
        id="anthropic/result-has-call",
        check=tool_pairing.early_result,
        says="a result comes after its call",
        provider_says=UNEXPECTED,
        evidence=observed("decocms/studio#1803", "tghamm/Anthropic.SDK#184"),
    ),
    Clause(
        id="anthropic/result-first",
        check=tool_pairing.result_not_first,
        says="results come before anything else in their turn",
        provider_says=UNANSWERED,
        evidence=observed("langchain-ai/langchain-aws#451", "shareAI-lab/learn-claude-code#55"),
    ),
    Clause(
        id="anthropic/result-single",
        check=tool_pairing.duplicate_result,
        says="a call has one result",
        provider_says=(
            "messages.{i}.content.{j}: each tool_use must have a single result. "
            "Found multiple `tool_result` blocks with id: {ids}"
        ),
        evidence=observed("OpenHands/software-agent-sdk, exceptions/classifier.py"),
    ),
    Clause(
        id="anthropic/call-unique",
        check=tool_pairing.repeated_call,
        says="a call stands once in its message",
        provider_says="messages.{i}.content.{j}: `tool_use` ids must be unique",
        evidence=observed("trycua/cua#524", "BerriAI/litellm#23510"),
    ),
    Clause(
        id="anthropic/result-has-call",
        check=tool_pairing.orphan_result,
        says="a result refers to a call of the previous assistant turn",
        provider_says=UNEXPECTED,
        evidence=observed("decocms/studio#1803", "tghamm/Anthropic.SDK#184", "anthropics/claude-code#13460"),
    ),
    Clause(
        id="anthropic/call-answered",
        check=tool_pairing.unanswered,
        says="every call has its result in the next user turn",
        provider_says=UNANSWERED,
        evidence=observed("anthropics/claude-code#5060", "anthropics/claude-code#5989"),
    ),
    Clause(
        id="anthropic/call-unique",
        check=tool_ids.unique,
        # Reports say "in the request", yet a recorded 200 has one id in two turns: decisions/0003.
        params={"scope": "turn"},
        says="the calls of one turn have ids of their own",
        provider_says="messages.{i}.content.{j}: `tool_use` ids must be unique",
        evidence=observed("trycua/cua#524", "BerriAI/litellm#23510"),
    ),
    Clause(
        id="anthropic/call-id-pattern",
        check=tool_ids.present,
        says="a call has an id",
        provider_says="messages.{i}.content.{j}.tool_use.id: Field required",
        evidence=documented(SDK),
    ),
    Clause(
        id="anthropic/call-id-pattern",
        check=tool_ids.charset,
        params={"pattern": r"[a-zA-Z0-9_-]+"},
        says="an id has letters, digits, `_` and `-` only",
        provider_says="messages.{i}.content.{j}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        evidence=observed("quoted in public code that replays ids of Kimi and cursor"),
    ),
    Clause(
        id="anthropic/tool-name",
        check=tool_ids.name,
        params={"pattern": r"[a-zA-Z0-9_-]+", "longest": 128},
        says="a tool's name has 1 to 128 letters, digits, `_` or `-`",
        provider_says="messages.{i}.content.{j}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        evidence=documented(SDK),
    ),
    Clause(
        id="anthropic/server-tool-id-pattern",
        check=opaque.server_id,
        params={"pattern": r"srvtoolu_"},
        says="the id of a server tool begins with srvtoolu_",
        provider_says="String should match pattern '^srvtoolu_...'",
        evidence=observed("BerriAI/litellm, websearch_interception/handler.py"),
    ),
    Clause(
        id="anthropic/server-tool-paired",
        check=opaque.server_pair,
        says="the result of a server tool follows its call, before the user speaks again",
        provider_says=(
            "messages.{i}.content.{j}: unexpected `tool_use_id` found in `web_search_tool_result` blocks: {ids}. Each "
            "`web_search_tool_result` block must have a corresponding `server_tool_use` block before it."
        ),
        evidence=(
            *observed("anthropics/claude-code#64383"),
            *documented("anthropics/anthropic-sdk-typescript#1090", "platform docs, handling-stop-reasons"),
        ),
    ),
    Clause(
        id="anthropic/server-tool-paired",
        check=opaque.server_unanswered,
        says="a server tool that the user did not wait for has its result",
        provider_says=UNFINISHED,
        evidence=observed(
            "anthropics/anthropic-sdk-python#961", "anthropics/anthropic-sdk-python#1339", "AnswerDotAI/lisette#108"
        ),
    ),
    Clause(
        id="anthropic/mixed-batch-results-only",
        check=opaque.mixed_batch,
        says="behind a turn with an open server tool come results alone",
        provider_says=UNFINISHED,
        evidence=(
            *observed("anthropics/anthropic-sdk-typescript#1090"),
            *documented("public notes that quote Anthropic's page on server tools"),
        ),
    ),
)
