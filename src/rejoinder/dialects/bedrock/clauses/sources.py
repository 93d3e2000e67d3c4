"""Where the evidence for the clauses of Converse comes from, and words that several of them quote."""

from __future__ import annotations

MODEL = "botocore 1.44.3, service model of bedrock-runtime"
PROFILES = "pydantic/pydantic-ai, providers/bedrock.py (verified in us-east-1, 2026-07-03)"
MATRIX = "pydantic/pydantic-ai, recorded 400s of test_multimodal_tool_return_matrix"
ISSUE_FAILED = "aws-samples/generative-ai-use-cases#1685"
# Errors of the model's own vendor come with these words in front.
VENDOR_SAYS = "The model returned the following errors: "
EXPECTED = "Expected toolResult blocks at messages.{i+1}.content for the following Ids: {ids}"
EXCEEDS = (
    "The number of toolResult blocks at messages.{i}.content exceeds the number of toolUse blocks of previous turn."
)
MISSING = "Parameter validation failed: Missing required parameter in messages[{i}]"
INVALID = "Parameter validation failed: Invalid type for parameter messages[{i}]"
NOT_TAKEN = (
    "This model doesn't support the {kind} content block that you provided. Update the content block and try again."
)
