"""The JSON itself: what Anthropic Messages takes for a message and for a block."""

from __future__ import annotations

from rejoinder.dialects.anthropic.clauses.sources import INSPECT, MEASURED, SDK
from rejoinder.dialects.clause import Clause, documented, inferred, observed
from rejoinder.rules import block_text, media, message_order, result_form, tool_arguments, wire_form

FORM = (
    Clause(
        id="anthropic/messages-nonempty",
        check=message_order.nonempty,
        acts=False,
        says="there is at least one message",
        provider_says="messages: at least one message is required",
        evidence=observed(MEASURED),
    ),
    Clause(
        id="anthropic/message-object",
        check=wire_form.message_object,
        says="each message is an object",
        provider_says="messages.{i}: Input should be an object",
        evidence=inferred(f"the wording for blocks in {MEASURED}"),
        wire=True,
    ),
    Clause(
        id="anthropic/role-known",
        check=message_order.role_known,
        params={"roles": ("user", "assistant", "system")},
        says="the role is user, assistant, or (newer models) system",
        provider_says="messages.{i}.role: Input should be 'user', 'assistant' or 'system'",
        evidence=observed(MEASURED),
        wire=True,
    ),
    Clause(
        id="anthropic/content-type",
        check=wire_form.content_type,
        says="the content is a string or a list; null is neither",
        provider_says="messages.{i}.content: Field required",
        evidence=observed(MEASURED),
        wire=True,
    ),
    Clause(
        id="anthropic/block-shape",
        check=wire_form.block_object,
        says="a block is an object with a type",
        provider_says="messages.{i}.content.{j}: Input should be an object",
        evidence=observed(MEASURED),
        wire=True,
    ),
    Clause(
        id="anthropic/block-shape",
        check=block_text.text_string,
        says="a text block has a text",
        provider_says="messages.{i}.content.{j}.text.text: Field required",
        evidence=documented(SDK),
        wire=True,
    ),
    Clause(
        id="anthropic/block-shape",
        check=media.held,
        params={"missing": True},
        says="an image or a document has a source",
        provider_says="messages.{i}.content.{j}.image.source: Field required",
        evidence=documented(SDK),
        wire=True,
    ),
    Clause(
        id="anthropic/block-shape",
        check=media.held,
        params={"missing": False},
        says="the source of an image or a document is an object",
        provider_says="messages.{i}.content.{j}.image.source: Input should be an object",
        evidence=documented(SDK),
        wire=True,
    ),
    Clause(
        id="anthropic/block-shape",
        check=wire_form.block_known,
        says="the type of a block is one that the API knows",
        provider_says=(
            "messages.{i}.content.{j}: Input tag '{kind}' found using 'type' does not match any of the expected tags"
        ),
        evidence=observed(MEASURED, SDK),
        acts=False,
        wire=True,
    ),
    Clause(
        id="anthropic/extra-member",
        check=wire_form.extra_member,
        says="messages and blocks have no member that is not theirs",
        provider_says="messages.{i}.name: Extra inputs are not permitted",
        evidence=observed(MEASURED),
        wire=True,
    ),
    Clause(
        id="anthropic/block-role",
        check=wire_form.block_role,
        says="calls and thinking stand in assistant messages, results in user messages",
        provider_says="`tool_use` blocks can only be in `assistant` messages",
        evidence=inferred("a rule of the API; the wording is from memory"),
        wire=True,
    ),
    Clause(
        id="anthropic/input-object",
        check=tool_arguments.mapping,
        says="the input of a call is an object",
        provider_says="messages.{i}.content.{j}.tool_use.input: Input should be an object",
        evidence=inferred(SDK),
        wire=True,
    ),
    Clause(
        id="anthropic/content-type",
        check=result_form.content,
        says="the content of a result is a string or a list",
        provider_says="messages.{i}.content.{j}.tool_result.content: Input should be a valid string",
        evidence=documented(SDK),
        wire=True,
    ),
    Clause(
        id="anthropic/block-shape",
        check=result_form.error_mark,
        says="the mark for an error is a boolean",
        provider_says="messages.{i}.content.{j}.tool_result.is_error: Input should be a valid boolean",
        evidence=documented(SDK),
        wire=True,
    ),
    Clause(
        id="anthropic/result-no-citations",
        check=wire_form.result_citations,
        says="a text inside a result carries no citations",
        provider_says="messages.{i}.content.{j}.tool_result.content.{j}.text.citations: Extra inputs are not permitted",
        evidence=observed(f"{INSPECT}, _strip_text_block_citations"),
        wire=True,
    ),
)
