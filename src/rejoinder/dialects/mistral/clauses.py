"""What Mistral's chat completions demand of a history."""

from __future__ import annotations

from rejoinder.dialects.clause import Clause, Target, documented, observed
from rejoinder.rules import (
    block_text,
    empty_content,
    media,
    message_order,
    result_form,
    system_text,
    text_encoding,
    tool_arguments,
    tool_ids,
    tool_pairing,
    wire_form,
)

_EXECUTED = "mistral_common 1.13.1, MistralRequestValidatorV11 in serving mode, executed"
_V3 = "mistral_common 1.13.1, MistralRequestValidatorV3 in serving mode, executed"
_TYPES = "mistral_common 1.13.1, types of the messages, executed"
_SDK = "mistralai 3.7.0, types of the SDK"
_EXTRA = ("BerriAI/litellm#30835 (2026-06-19)", "charmbracelet/crush#1590", "nomtek/mistralai_client_dart#44")
_HOSTED = (
    "LibreChat-AI/agents#344 (Scaleway, 2026-07-28)",
    "NousResearch/hermes-agent#20154 (2026-05-05)",
    "datapizza-labs/datapizza-ai#98 (api.mistral.ai, code 3230)",
)
_SHORT = "Not the same number of function calls and responses"
_ORDER = "Unexpected role 'tool' after role 'user'"
_NAME = r"[a-zA-Z0-9_-]+"
_BAD_NAME = (
    "Function name was {kind} but must be a-z, A-Z, 0-9, or contain underscores and dashes, "
    "with a maximum length of 64."
)
_MEDIA = ("image", "audio", "document")
# The models whose tokenizer is of version 3: they take words or calls in one message, not both.
_OLD_TOKENIZER = (
    r"mistral-7b|mistral-tiny|mixtral|mistral-nemo|mathstral|pixtral-12b|codestral-(?:2405|mamba)"
    r"|mistral-(?:small|medium|large)-(?:23|240)|ministral-[38]b-2410"
)

FORM = (
    Clause(
        id="mistral/messages-nonempty",
        check=message_order.nonempty,
        acts=False,
        says="there is at least one message",
        provider_says="Conversation must have at least one message",
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/message-object",
        check=wire_form.message_object,
        says="each message is an object",
        evidence=documented(_SDK),
        wire=True,
    ),
    Clause(
        id="mistral/role-known",
        check=message_order.role_known,
        params={"roles": ("system", "user", "assistant", "tool")},
        says="the role is system, user, assistant or tool",
        evidence=documented(_SDK),
        wire=True,
    ),
    Clause(
        id="mistral/content-type",
        check=wire_form.content_type,
        params={"allowed": ("null", "missing")},
        says="the content is a string or a list of chunks",
        evidence=observed(_TYPES),
        wire=True,
    ),
    Clause(
        id="mistral/tool-calls-type",
        check=wire_form.calls_array,
        says="`tool_calls` is a list of objects",
        evidence=observed(_TYPES),
        wire=True,
    ),
    Clause(
        id="mistral/tool-call-shape",
        check=wire_form.call_form,
        params={"typeless": True},
        says="a call has a function",
        evidence=observed(_TYPES),
        wire=True,
    ),
    Clause(
        id="mistral/arguments-string",
        check=tool_arguments.text,
        params={"mappings": True},
        says="the arguments are a string, or an object",
        evidence=observed(_TYPES),
        wire=True,
    ),
    Clause(
        id="mistral/chunk-type",
        check=wire_form.block_object,
        says="a chunk is an object with a type",
        evidence=observed(_TYPES),
        wire=True,
    ),
    Clause(
        id="mistral/chunk-type",
        check=block_text.text_string,
        says="a text chunk has a text",
        evidence=observed(_TYPES),
        wire=True,
    ),
    Clause(
        id="mistral/chunk-type",
        check=media.held,
        params={"missing": True},
        says="an image, a sound or a document has what it shows",
        evidence=observed(_TYPES),
        wire=True,
    ),
    Clause(
        id="mistral/chunk-type",
        check=media.held,
        params={"missing": False},
        says="what a sound holds is a string or an object",
        evidence=observed(_TYPES),
        wire=True,
    ),
    Clause(
        id="mistral/chunk-type",
        check=wire_form.block_known,
        says="chunks are text, image_url, document_url, input_audio, file, reference and thinking",
        evidence=documented(_SDK),
        acts=False,
        wire=True,
    ),
    Clause(
        id="mistral/extra-member",
        check=wire_form.extra_member,
        says="a message has no other members than its role has (status 422)",
        provider_says="Extra inputs are not permitted",
        evidence=observed(*_EXTRA),
        wire=True,
    ),
    Clause(
        id="mistral/content-required",
        check=empty_content.content_required,
        says="there is content; beside calls an assistant needs none",
        evidence=observed(_TYPES),
    ),
)

PAIRING = (
    Clause(
        id="mistral/tool-id-required",
        check=tool_pairing.result_without_id,
        says="a tool message names the call that it answers",
        provider_says="Tool call id has to be defined.",
        evidence=observed(_V3),
    ),
    Clause(
        id="mistral/call-answered",
        check=tool_pairing.late_result,
        says="the results of calls come before the next message of the assistant, and before the user's",
        provider_says=_SHORT,
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/role-order",
        check=tool_pairing.early_result,
        says="a result comes after its call",
        provider_says=_ORDER,
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/result-single",
        check=tool_pairing.duplicate_result,
        says="a call has one result",
        provider_says="Duplicate tool call id {ids} in tool results",
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/call-unique",
        check=tool_pairing.repeated_call,
        says="a call stands once in its message",
        provider_says="Duplicate tool call id {ids} in assistant message",
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/role-order",
        check=tool_pairing.orphan_result,
        params={"where": "astray"},
        says="a tool message follows a message with calls, or another result",
        provider_says=_ORDER,
        evidence=observed(_EXECUTED, "charmbracelet/crush#279 (code 3230)"),
    ),
    Clause(
        id="mistral/result-has-call",
        check=tool_pairing.orphan_result,
        params={"where": "among"},
        says="the id of a result is one of the open calls",
        provider_says="Unexpected tool call id {ids} in tool results",
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/call-answered",
        check=tool_pairing.unanswered,
        says="there are as many results as calls before the next message, and at the end",
        provider_says=_SHORT,
        evidence=observed(_EXECUTED),
    ),
)

ORDER = (
    Clause(
        id="mistral/role-order",
        check=system_text.follows,
        params={"after": ("system", "user")},
        says="system text comes first, or behind the user",
        provider_says="Unexpected role 'system' after role '{kind}'",
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/role-order",
        check=message_order.after_results,
        params={"words": "OK"},
        # Whoever names a model names who hosts it; the library that does not mind is nobody's server.
        models=r".",
        unknown="warning",
        says="the user does not speak right behind a result (hosted models; newer libraries do not mind)",
        provider_says="Unexpected role 'user' after role 'tool'",
        evidence=observed(*_HOSTED),
    ),
    Clause(
        id="mistral/last-role",
        check=message_order.last_speaker,
        params={"unless": "prefix"},
        says="the last message is the user's or a result, or one of the assistant with `prefix`",
        provider_says="Expected last role User or Tool (or Assistant with prefix) for serving but got assistant",
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/first-role",
        check=message_order.first_speaker,
        params={"alone": True},
        says="a single message, or one in front of all others that calls tools, is not the assistant's",
        provider_says="Conversation must start with a user message or system message",
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/prefix-last",
        check=message_order.flag_last,
        params={"flag": "prefix"},
        says="a message with `prefix` is the last one",
        provider_says="Assistant message with prefix True must be last message",
        evidence=observed(_EXECUTED),
        wire=True,
    ),
)

CONTENT = (
    Clause(
        id="mistral/call-id-9",
        check=tool_ids.present,
        says="a call has an id",
        provider_says="Tool call id has to be defined in serving mode.",
        evidence=observed(_V3),
    ),
    Clause(
        id="mistral/call-unique",
        check=tool_ids.unique,
        params={"scope": "turn"},
        says="the calls of one message have ids of their own",
        provider_says="Duplicate tool call id {ids} in assistant message",
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/call-id-9",
        check=tool_ids.charset,
        params={"pattern": r"[a-zA-Z0-9]{9}", "digest": 9},
        says="an id has exactly nine letters and digits",
        provider_says="Tool call id was {ids} but must be a-z, A-Z, 0-9, with a length of 9.",
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/tool-name",
        check=tool_ids.name,
        params={"pattern": _NAME, "longest": 64},
        says="a function's name has 1 to 64 letters, digits, `_` or `-`",
        provider_says=_BAD_NAME,
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/tool-name",
        check=result_form.tool_name,
        params={"pattern": _NAME, "longest": 64},
        says="the name in a tool message is that of a function",
        provider_says=_BAD_NAME,
        evidence=observed(_EXECUTED),
        wire=True,
    ),
    Clause(
        id="mistral/tool-text-only",
        check=media.user_only,
        params={"kinds": _MEDIA, "roles": ("tool",), "bridge": "OK"},
        says="results hold text only (before tokenizer v15)",
        provider_says="Unexpected content chunk types in tool message: ['ImageURLChunk']",
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/media-user-only",
        check=media.user_only,
        params={"kinds": _MEDIA, "roles": ("assistant", "system")},
        says="images, sounds and documents stand in user messages",
        provider_says="Unexpected content chunk types in assistant message: ['ImageURLChunk']",
        evidence=observed(_EXECUTED),
    ),
    Clause(
        id="mistral/content-xor-calls",
        check=empty_content.words_or_calls,
        models=_OLD_TOKENIZER,
        unknown="warning",
        says="an assistant message has words or calls, not both and not none (tokenizer v3)",
        provider_says="Assistant message must have either content or tool_calls, but not both.",
        evidence=observed(_V3),
    ),
    Clause(
        id="mistral/text-encoding",
        check=text_encoding.surrogates,
        says="text can be written as UTF-8",
        evidence=documented("RFC 8259, section 8.1: JSON between systems is UTF-8"),
    ),
)

TARGET = Target(
    name="mistral",
    dialect="mistral",
    says="Mistral chat completions",
    clauses=(*FORM, *PAIRING, *ORDER, *CONTENT),
)
