"""Where the evidence for the clauses of Gemini comes from, and which models are which."""

from __future__ import annotations

SDK = "google-genai 3.3.0, types and docstrings of the SDK"
CASSETTES = "pydantic/pydantic-ai and langchain-ai/langchain, 479 recorded requests that were answered"
LITELLM = "BerriAI/litellm, vertex_ai/gemini/transformation.py, which quotes the API"
COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
AFTER_USER = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)
AFTER_CALL = "Please ensure that function response turn comes immediately after a function call turn."
ROLE = "Please use a valid role: user, model."
ONE_OF = (
    "* GenerateContentRequest.contents[{i}].parts[{j}].data: "
    "required oneof field 'data' must have one initialized field"
)
UNSIGNED = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "`default_api:{kind}`, position 1."
)
# `skip_thought_signature_validator` in base64: what Google documents for a call that no Gemini model made.
BYPASS = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
# Families of models. Names are asked for in small letters and with dots written as hyphens.
THIRD = r"gemini-(?:[3-9]|\d\d)(?!\d)"
# They take neighbouring contents of the model for two turns; newer ones merge them.
OLDER = r"gemini-(?:1-|2-0|pro|ultra)"
FIRST = r"gemini-(?:1-0|pro(?!-(?:latest|\d)))"
