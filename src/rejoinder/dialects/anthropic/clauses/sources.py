"""Where the evidence for the clauses of Anthropic Messages comes from, and which models are which."""

from __future__ import annotations

ADAPTER = "kangminlee-maker/local-OAuth-CLI-API-adapter"
MEASURED = f"{ADAPTER}, anthropic-messages-validation-parity (claude-sonnet-5, 2026-08-31)"
MATRIX = f"{ADAPTER}, docs/conformance-matrix.md 5.5.7 (claude-sonnet-5, 2026-09-01)"
SDK = "anthropic 2.10.0, types and docstrings of the SDK"
INSPECT = "UKGovernmentBEIS/inspect_ai, model/_providers/anthropic.py"
UNANSWERED = (
    "messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
UNEXPECTED = (
    "messages.{i}.content.{j}: unexpected `tool_use_id` found in `tool_result` blocks: {ids}. "
    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
)
UNFINISHED = (
    "messages.{i}: `{kind}` tool use with id `{ids}` was found without a corresponding `{kind}_tool_result` block"
)
# Families of models. Names are asked for in small letters and with dots written as hyphens.
NO_PREFILL = r"claude-(?:[a-z]+-4-(?:[6-9]|\d\d)(?!\d)|[a-z]+-(?:[5-9]|\d\d)(?!\d))"
NO_SYSTEM = r"claude-(?:instant|\d|[a-z]+-4(?!-(?:[89]|\d\d)(?!\d)))|mythos-preview"
BOUND = r"claude-(?:fable-(?:5-[1-9]|[6-9])|opus-(?:5-[5-9]|[6-9]))(?!\d)"
