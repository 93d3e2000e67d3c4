"""What is said: empty texts, system text, images, and results that are errors."""

from __future__ import annotations

from rejoinder.dialects.anthropic.clauses.sources import INSPECT, MATRIX, MEASURED, NO_SYSTEM, SDK
from rejoinder.dialects.clause import Clause, documented, observed
from rejoinder.rules import empty_content, media, system_text, text_encoding, wire_form

CONTENT = (
    Clause(
        id="anthropic/text-nonempty",
        check=empty_content.blank_text,
        params={"empty": True},
        says="a text block holds text",
        provider_says="messages: text content blocks must be non-empty",
        evidence=observed("anthropics/claude-code#59812", MATRIX),
    ),
    Clause(
        id="anthropic/text-nonblank",
        check=empty_content.blank_text,
        params={"empty": False},
        says="a text holds more than white space",
        provider_says="messages: text content blocks must contain non-whitespace text",
        evidence=observed("anthropics/claude-code#23440", "nick1udwig/kibitz#78"),
    ),
    Clause(
        id="anthropic/user-nonempty",
        check=empty_content.empty_turn,
        params={"role": "user", "last_may": False},
        says="a user turn says something",
        provider_says="messages.{i}: user messages must have non-empty content",
        evidence=observed(MEASURED),
    ),
    Clause(
        id="anthropic/content-nonempty",
        check=empty_content.empty_turn,
        params={"role": "assistant", "last_may": True},
        says="an assistant turn says something, unless it is the last",
        provider_says=(
            "messages.{i}: all messages must have non-empty content except for the optional final assistant message"
        ),
        evidence=observed("tidyverse/ellmer#709", "anthropics/claude-code#6774"),
    ),
    Clause(
        id="anthropic/system-text",
        check=system_text.head,
        says="the top-level system text holds text only",
        provider_says="system.0.type: Input should be 'text'",
        evidence=documented(SDK),
        wire=True,
    ),
    Clause(
        id="anthropic/system-content",
        check=system_text.content,
        says="a system message holds a block, and text only",
        provider_says="messages.{i}: system content must contain at least one block",
        evidence=observed(MEASURED),
    ),
    Clause(
        id="anthropic/system-position",
        check=system_text.position,
        says="a system message follows a user turn, and the assistant or nobody follows it",
        provider_says=(
            "messages.{i}: use the top-level 'system' parameter for the initial system prompt; the directive-only form "
            "(content: [] with output_config) is accepted at any position"
        ),
        evidence=observed(MEASURED, MATRIX),
    ),
    Clause(
        id="anthropic/system-model",
        check=system_text.taken,
        models=NO_SYSTEM,
        unknown="warning",
        says="the model takes system messages among the others",
        provider_says="role 'system' is not supported on this model",
        evidence=observed(f"{INSPECT} (2026-06-10)"),
    ),
    Clause(
        id="anthropic/final-trailing-whitespace",
        check=empty_content.trailing_space,
        says="a closing assistant text does not end in white space",
        provider_says="messages: final assistant content cannot end with trailing whitespace",
        evidence=observed("crewAIInc/crewAI#4413", "tailcallhq/forgecode#1872"),
    ),
    Clause(
        id="anthropic/error-nonempty",
        check=wire_form.error_nonempty,
        says="a result marked as an error says something",
        provider_says="messages.{i}.content.{j}.tool_result: content cannot be empty if `is_error` is true",
        evidence=observed(INSPECT),
    ),
    Clause(
        id="anthropic/error-text-only",
        check=media.error_text_only,
        says="a result marked as an error holds text only",
        provider_says="messages.{i}.content.{j}.tool_result: all content must be type `text` if `is_error` is true",
        evidence=observed("quoted in public code: codemode"),
    ),
    Clause(
        id="anthropic/image-media-type",
        check=media.image_type,
        params={"known": ("image/jpeg", "image/png", "image/gif", "image/webp")},
        says="an inline image is jpeg, png, gif or webp, and is what it says it is",
        provider_says=(
            "messages.{i}.content.{j}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', "
            "'image/gif' or 'image/webp'"
        ),
        evidence=documented(SDK),
    ),
    Clause(
        id="anthropic/text-encoding",
        check=text_encoding.surrogates,
        says="text can be written as UTF-8",
        evidence=documented("RFC 8259, section 8.1: JSON between systems is UTF-8"),
    ),
)
