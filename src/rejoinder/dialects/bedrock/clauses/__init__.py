"""What Amazon Bedrock Converse demands of a history."""

from __future__ import annotations

from rejoinder.dialects.bedrock.clauses.content import CONTENT
from rejoinder.dialects.bedrock.clauses.form import FORM
from rejoinder.dialects.bedrock.clauses.media import MEDIA
from rejoinder.dialects.bedrock.clauses.order import ORDER
from rejoinder.dialects.bedrock.clauses.pairing import PAIRING
from rejoinder.dialects.bedrock.clauses.vendor import VENDOR
from rejoinder.dialects.clause import Target

TARGET = Target(
    name="bedrock",
    dialect="bedrock",
    says="Amazon Bedrock Converse",
    clauses=(*FORM, *PAIRING, *CONTENT, *MEDIA, *VENDOR, *ORDER),
)
