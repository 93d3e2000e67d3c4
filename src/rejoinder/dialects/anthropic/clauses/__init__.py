"""What Anthropic Messages demands of a history."""

from __future__ import annotations

from rejoinder.dialects.anthropic.clauses.content import CONTENT
from rejoinder.dialects.anthropic.clauses.form import FORM
from rejoinder.dialects.anthropic.clauses.pairing import PAIRING
from rejoinder.dialects.anthropic.clauses.sealed import SEALED
from rejoinder.dialects.clause import Target

TARGET = Target(
    name="anthropic",
    dialect="anthropic",
    says="Anthropic Messages",
    clauses=(*FORM, *PAIRING, *CONTENT, *SEALED),
)
