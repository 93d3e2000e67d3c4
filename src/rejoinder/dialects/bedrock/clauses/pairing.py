"""Calls and results: what Converse demands of their order, of their names, and of the tools that are declared."""

from __future__ import annotations

from rejoinder.dialects.bedrock.clauses.sources import EXCEEDS, EXPECTED, MISSING, MODEL, VENDOR_SAYS
from rejoinder.dialects.clause import Clause, documented, inferred, observed
from rejoinder.rules import tool_declarations, tool_ids, tool_pairing

_GENKIT = "genkit-ai/aws-bedrock-js-plugin#664"
_EXTRA = ("strands-agents/harness-sdk#1435", "Just-Curieous/Curie#16")

PAIRING = (
    Clause(
        id="bedrock/result-id-required",
        check=tool_pairing.result_without_id,
        says="a result names the call that it answers",
        provider_says=f'{MISSING}.content[{{j}}].toolResult: "toolUseId"',
        evidence=documented(MODEL),
    ),
    Clause(
        id="bedrock/call-answered",
        check=tool_pairing.late_result,
        says="the result of a call is in the very next user message",
        provider_says=EXPECTED,
        evidence=observed(_GENKIT),
    ),
    Clause(
        id="bedrock/result-has-call",
        check=tool_pairing.early_result,
        says="a result comes after its call",
        provider_says=EXCEEDS,
        evidence=observed(*_EXTRA),
    ),
    Clause(
        id="bedrock/result-first",
        check=tool_pairing.result_not_first,
        says="results come before anything else in their message",
        provider_says=f"{VENDOR_SAYS}messages following `tool_use` must begin with `tool_result`",
        evidence=observed("langchain-ai/langchain-aws#451"),
    ),
    Clause(
        id="bedrock/result-single",
        check=tool_pairing.duplicate_result,
        says="a call has one result",
        provider_says=EXCEEDS,
        evidence=inferred("results are counted against the calls of the turn before"),
    ),
    Clause(
        id="bedrock/call-unique",
        check=tool_pairing.repeated_call,
        says="a call stands once in its message",
        provider_says="The toolUse blocks at messages.{i}.content contain duplicate Ids: {ids}",
        evidence=inferred("a rule of the API; the wording is from memory"),
    ),
    Clause(
        id="bedrock/result-has-call",
        check=tool_pairing.orphan_result,
        says="a result belongs to a call of the turn before",
        provider_says=EXCEEDS,
        evidence=observed(*_EXTRA),
    ),
    Clause(
        id="bedrock/call-answered",
        check=tool_pairing.unanswered,
        says="all calls of a turn have their results in the one next user message",
        provider_says=EXPECTED,
        evidence=observed(_GENKIT),
    ),
    Clause(
        id="bedrock/call-unique",
        check=tool_ids.unique,
        params={"scope": "turn"},
        says="the calls of one turn have ids of their own",
        provider_says="The toolUse blocks at messages.{i}.content contain duplicate Ids: {ids}",
        evidence=inferred("a rule of the API; the wording is from memory"),
    ),
    Clause(
        id="bedrock/call-id-pattern",
        check=tool_ids.present,
        says="a call has an id",
        provider_says=f'{MISSING}.content[{{j}}].toolUse: "toolUseId"',
        evidence=documented(MODEL),
    ),
    Clause(
        id="bedrock/call-id-pattern",
        check=tool_ids.charset,
        params={"pattern": r"[a-zA-Z0-9_.:-]+"},
        says="an id has letters, digits, `_`, `.`, `:` and `-` only",
        provider_says="Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
        evidence=documented(f"{MODEL}, ToolUseId"),
    ),
    Clause(
        id="bedrock/call-id-pattern",
        check=tool_ids.length,
        params={"longest": 64},
        says="an id has at most 64 characters",
        provider_says="Member must have length less than or equal to 64",
        evidence=documented(f"{MODEL}, ToolUseId"),
    ),
    Clause(
        id="bedrock/tool-name",
        check=tool_ids.name,
        params={"pattern": r"[a-zA-Z0-9_-]+", "longest": 64},
        says="a tool's name has 1 to 64 letters, digits, `_` or `-`",
        provider_says="Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        evidence=documented(f"{MODEL}, ToolName"),
    ),
    Clause(
        id="bedrock/toolconfig-required",
        check=tool_declarations.required,
        params={
            "member": "toolConfig/tools",
            "stub": {"toolSpec": {"name": "{name}", "inputSchema": {"json": {"type": "object"}}}},
        },
        says="a request whose history has calls or results declares tools",
        provider_says="The toolConfig field must be defined when using toolUse and toolResult content blocks.",
        evidence=observed("quoted in ten public repositories", "patriceckhart/zot#18", "vxcontrol/pentagi#196"),
    ),
)
