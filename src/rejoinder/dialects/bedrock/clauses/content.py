"""What is said: empty messages and texts, and text that cannot be written."""

from __future__ import annotations

from rejoinder.dialects.bedrock.clauses.sources import ISSUE_FAILED, MODEL
from rejoinder.dialects.bedrock.families import NOT_CLAUDE
from rejoinder.dialects.clause import Clause, documented, inferred, observed
from rejoinder.rules import empty_content, system_text, text_encoding

_BLANK = (
    "The text field in the ContentBlock object at messages.{i}.content.{j} is blank. "
    "Add text to the text field, and try again."
)
_EMPTY = (
    "The content field in the Message object at messages.{i} is empty. "
    "Add a ContentBlock object to the content field and try again."
)

CONTENT = (
    Clause(
        id="bedrock/text-blank",
        check=empty_content.blank_text,
        params={"empty": True},
        says="a text is not empty",
        provider_says=_BLANK,
        evidence=observed("quoted in eight public repositories", ISSUE_FAILED),
    ),
    Clause(
        id="bedrock/text-blank",
        check=empty_content.blank_text,
        params={"empty": False},
        models=NOT_CLAUDE,
        severity="warning",
        says="a text holds more than white space",
        provider_says=_BLANK,
        evidence=inferred("several models refuse it; Claude was seen to take a line break between blocks"),
    ),
    *(
        Clause(
            id="bedrock/content-nonempty",
            check=empty_content.empty_turn,
            params={"role": role, "last_may": False},
            says=f"a message of the {role} has at least one block",
            provider_says=_EMPTY,
            evidence=inferred("a rule of the API; the wording is from memory"),
        )
        for role in ("user", "assistant")
    ),
    Clause(
        id="bedrock/system-text",
        check=system_text.head,
        says="the system text holds text, guarded text and cache points only",
        provider_says="Parameter validation failed: Unknown parameter in system[0]",
        evidence=documented(MODEL),
        wire=True,
    ),
    Clause(
        id="bedrock/text-encoding",
        check=text_encoding.surrogates,
        says="text can be written as UTF-8",
        evidence=documented("RFC 8259, section 8.1: JSON between systems is UTF-8"),
    ),
)
