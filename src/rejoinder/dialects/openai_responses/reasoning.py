"""What OpenAI Responses demands of items that it issued: their ids, and the reasoning in front of them."""

from __future__ import annotations

from rejoinder.dialects.clause import Clause, inferred, observed
from rejoinder.rules import sealed_items

# An id that the API minted: a prefix, and at least the time and a number behind it.
_MINTED = r"[a-z]+_[0-9a-f]{24,}"
_CONTINUE = "continuedev/continue#10018"
_NEEDED = "Item '{ids}' of type 'function_call' was provided without its required 'reasoning' item: 'rs_…'."
# gpt-5.1 to gpt-5.4 do not reason unless they are told to: recorded calls of theirs have ids, and no reasoning.
_REASONS = r"(?:^|/)(?:o[134]\b|o\d-|codex|gpt-5(?!-[1-4](?:-|$))(?!-?chat))"
# Of what it says without a call, a newer model need not have thought first.
_ALWAYS = r"(?:^|/)(?:o[134]\b|o\d-|gpt-5(?!-\d|-?chat))"
_OFF = ("reasoning", "effort", "none")

SEALED = (
    Clause(
        id="openai-responses/item-id-prefix",
        check=sealed_items.id_prefix,
        says="an item's id begins as the ids of its type do",
        provider_says="Invalid 'input[{i}].id': '{ids}'. Expected an ID that begins with '{kind}'.",
        evidence=observed("quoted in public code (input[61].id 'call_70ea...')", "openai/codex#33176"),
        wire=True,
    ),
    Clause(
        id="openai-responses/item-found",
        check=sealed_items.found,
        params={"minted": _MINTED, "stored": "store"},
        says="an item that has nothing but an id is stored under it",
        provider_says="Item with id '{ids}' not found.",
        evidence=observed(
            "kangminlee-maker/local-OAuth-CLI-API-adapter, docs/conformance-matrix.md 5.5.6-A (status 404)"
        ),
        wire=True,
    ),
    Clause(
        id="openai-responses/item-id-unique",
        check=sealed_items.id_once,
        severity="warning",
        says="an item stands in the input once",
        evidence=inferred("an id leads to one item; no request with two was recorded"),
        wire=True,
    ),
    Clause(
        id="openai-responses/reasoning-followed",
        check=sealed_items.reasoning_followed,
        says="reasoning is directly followed by the item that it was issued with",
        provider_says="Item '{ids}' of type 'reasoning' was provided without its required following item.",
        evidence=observed(
            "earendil-works/pi#886",
            "pydantic/pydantic-ai, recorded 400 of test_openai_responses_thinking_with_modified_history",
        ),
        wire=True,
    ),
    Clause(
        id="openai-responses/call-needs-reasoning",
        check=sealed_items.reasoning_needed,
        params={"minted": _MINTED, "calls": True, "off": _OFF},
        models=_REASONS,
        says="a call with the id that it was issued with has its reasoning in front of it",
        provider_says=_NEEDED,
        evidence=observed(_CONTINUE, "mastra-ai/mastra#8738"),
        wire=True,
    ),
    Clause(
        id="openai-responses/call-needs-reasoning",
        check=sealed_items.reasoning_needed,
        params={"minted": _MINTED, "calls": False, "off": _OFF},
        models=_ALWAYS,
        says="a message with the id that it was issued with has its reasoning in front of it",
        provider_says=_NEEDED.replace("function_call", "message"),
        evidence=observed(_CONTINUE, "mastra-ai/mastra#8738"),
        wire=True,
    ),
)
