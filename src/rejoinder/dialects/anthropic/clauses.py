"""What Anthropic Messages demands of a history."""

from __future__ import annotations

from rejoinder.dialects.clause import Clause, Target, documented, inferred, observed
from rejoinder.rules import (
    cache_marks,
    empty_content,
    media,
    message_order,
    opaque,
    system_text,
    text_encoding,
    thinking,
    tool_arguments,
    tool_ids,
    tool_pairing,
    wire_form,
)

_ADAPTER = "kangminlee-maker/local-OAuth-CLI-API-adapter"
_MEASURED = f"{_ADAPTER}, anthropic-messages-validation-parity (claude-sonnet-5, 2026-08-31)"
_MATRIX = f"{_ADAPTER}, docs/conformance-matrix.md 5.5.7 (claude-sonnet-5, 2026-09-01)"
_SDK = "anthropic 2.10.0, types and docstrings of the SDK"
_INSPECT = "UKGovernmentBEIS/inspect_ai, model/_providers/anthropic.py"
_UNANSWERED = (
    "messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
_UNEXPECTED = (
    "messages.{i}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: {ids}. "
    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
)
# Families of models, as their names are written by Anthropic, Bedrock and Vertex.
_NO_PREFILL = r"claude-(?:[a-z]+-4-[6-9](?!\d)|[a-z]+-5)"
_NO_SYSTEM = r"claude-(?:instant|\d|[a-z]+-4(?!-[89](?!\d)))|mythos-preview"
_BOUND = r"claude-(?:fable-5-[1-9]|opus-5-[5-9])"

FORM = (
    Clause(
        id="anthropic/messages-nonempty",
        check=message_order.nonempty,
        says="there is at least one message",
        provider_says="messages: at least one message is required",
        evidence=observed(_MEASURED),
    ),
    Clause(
        id="anthropic/message-object",
        check=wire_form.message_object,
        says="each message is an object",
        provider_says="messages.{i}: Input should be an object",
        evidence=inferred(f"the wording for blocks in {_MEASURED}"),
        wire=True,
    ),
    Clause(
        id="anthropic/role-known",
        check=message_order.role_known,
        params={"roles": ("user", "assistant", "system")},
        says="the role is user, assistant, or (newer models) system",
        provider_says="messages.{i}.role: Input should be 'user', 'assistant' or 'system'",
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="anthropic/content-type",
        check=wire_form.content_type,
        says="the content is a string or a list; null is neither",
        provider_says="messages.{i}.content: Field required",
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="anthropic/block-shape",
        check=wire_form.block_object,
        says="a block is an object with a type",
        provider_says="messages.{i}.content.0: Input should be an object",
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="anthropic/block-shape",
        check=wire_form.block_known,
        says="the type of a block is one that the API knows",
        provider_says="messages.{i}.content.0: Input tag '{kind}' found using 'type' does not match any of the expected tags",
        evidence=observed(_MEASURED, _SDK),
        acts=False,
        wire=True,
    ),
    Clause(
        id="anthropic/extra-member",
        check=wire_form.extra_member,
        says="messages and blocks have no member that is not theirs",
        provider_says="messages.{i}.name: Extra inputs are not permitted",
        evidence=observed(_MEASURED),
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
        provider_says="messages.{i}.content.0.tool_use.input: Input should be an object",
        evidence=inferred(_SDK),
        wire=True,
    ),
    Clause(
        id="anthropic/result-no-citations",
        check=wire_form.result_citations,
        says="a text inside a result carries no citations",
        provider_says="messages.{i}.content.0.tool_result.content.0.text.citations: Extra inputs are not permitted",
        evidence=observed(f"{_INSPECT}, _strip_text_block_citations"),
        wire=True,
    ),
)

PAIRING = (
    Clause(
        id="anthropic/result-id-required",
        check=tool_pairing.result_without_id,
        says="a result names the call that it answers",
        provider_says="messages.{i}.content.0.tool_result.tool_use_id: Field required",
        evidence=documented(_SDK),
    ),
    Clause(
        id="anthropic/call-answered",
        check=tool_pairing.late_result,
        says="the result of a call comes in the very next user turn",
        provider_says=_UNANSWERED,
        evidence=observed("anthropics/claude-code#5060", "anthropics/claude-code#1237"),
    ),
    Clause(
        id="anthropic/result-has-call",
        check=tool_pairing.early_result,
        says="a result comes after its call",
        provider_says=_UNEXPECTED,
        evidence=observed("decocms/studio#1803", "tghamm/Anthropic.SDK#184"),
    ),
    Clause(
        id="anthropic/result-first",
        check=tool_pairing.result_not_first,
        says="results come before anything else in their turn",
        provider_says=_UNANSWERED,
        evidence=observed("langchain-ai/langchain-aws#451", "shareAI-lab/learn-claude-code#55"),
    ),
    Clause(
        id="anthropic/result-single",
        check=tool_pairing.duplicate_result,
        says="a call has one result",
        provider_says=(
            "messages.{i}.content.1: each tool_use must have a single result. "
            "Found multiple `tool_result` blocks with id: {ids}"
        ),
        evidence=observed("OpenHands/software-agent-sdk, exceptions/classifier.py"),
    ),
    Clause(
        id="anthropic/call-unique",
        check=tool_pairing.repeated_call,
        says="a call stands once in its message",
        provider_says="messages.{i}.content.1: `tool_use` ids must be unique",
        evidence=observed("trycua/cua#524", "BerriAI/litellm#23510"),
    ),
    Clause(
        id="anthropic/result-has-call",
        check=tool_pairing.orphan_result,
        says="a result refers to a call of the previous assistant turn",
        provider_says=_UNEXPECTED,
        evidence=observed("decocms/studio#1803", "tghamm/Anthropic.SDK#184", "anthropics/claude-code#13460"),
    ),
    Clause(
        id="anthropic/call-answered",
        check=tool_pairing.unanswered,
        says="every call has its result in the next user turn",
        provider_says=_UNANSWERED,
        evidence=observed("anthropics/claude-code#5060", "anthropics/claude-code#5989"),
    ),
    Clause(
        id="anthropic/call-unique",
        check=tool_ids.unique,
        # Reports say "in the request", yet a recorded 200 has one id in two turns: decisions/0003.
        params={"scope": "turn"},
        says="the calls of one turn have ids of their own",
        provider_says="messages.{i}.content.1: `tool_use` ids must be unique",
        evidence=observed("trycua/cua#524", "BerriAI/litellm#23510"),
    ),
    Clause(
        id="anthropic/call-id-pattern",
        check=tool_ids.present,
        says="a call has an id",
        provider_says="messages.{i}.content.0.tool_use.id: Field required",
        evidence=documented(_SDK),
    ),
    Clause(
        id="anthropic/call-id-pattern",
        check=tool_ids.charset,
        params={"pattern": r"[a-zA-Z0-9_-]+"},
        says="an id has letters, digits, `_` and `-` only",
        provider_says="messages.{i}.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        evidence=observed("quoted in public code that replays ids of Kimi and cursor"),
    ),
    Clause(
        id="anthropic/tool-name",
        check=tool_ids.name,
        params={"pattern": r"[a-zA-Z0-9_-]+", "longest": 128},
        says="a tool's name has 1 to 128 letters, digits, `_` or `-`",
        provider_says="messages.{i}.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        evidence=documented(_SDK),
    ),
    Clause(
        id="anthropic/server-tool-id-pattern",
        check=opaque.server_id,
        params={"pattern": r"srvtoolu_"},
        says="the id of a server tool begins with srvtoolu_",
        provider_says="String should match pattern '^srvtoolu_...'",
        evidence=observed("BerriAI/litellm, websearch_interception/handler.py"),
    ),
    Clause(
        id="anthropic/server-tool-paired",
        check=opaque.server_pair,
        says="the result of a server tool follows its call in the same turn",
        provider_says=(
            "messages.{i}.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: {ids}. Each "
            "`web_search_tool_result` block must have a corresponding `server_tool_use` block before it."
        ),
        evidence=observed("anthropics/claude-code#64383"),
    ),
    Clause(
        id="anthropic/mixed-batch-results-only",
        check=opaque.mixed_batch,
        says="behind a turn with an open server tool come results alone",
        provider_says="tool use with id {ids} was found without a corresponding result block",
        evidence=documented("public notes that quote Anthropic's page on server tools"),
    ),
)

CONTENT = (
    Clause(
        id="anthropic/text-nonempty",
        check=empty_content.blank_text,
        params={"empty": True},
        says="a text block holds text",
        provider_says="messages: text content blocks must be non-empty",
        evidence=observed("anthropics/claude-code#59812", _MATRIX),
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
        evidence=observed(_MEASURED),
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
        id="anthropic/system-content",
        check=system_text.content,
        says="a system message holds a block, and text only",
        provider_says="messages.{i}: system content must contain at least one block",
        evidence=observed(_MEASURED),
    ),
    Clause(
        id="anthropic/system-position",
        check=system_text.position,
        says="a system message follows a user turn, and the assistant or nobody follows it",
        provider_says=(
            "messages.{i}: use the top-level 'system' parameter for the initial system prompt; the directive-only form "
            "(content: [] with output_config) is accepted at any position"
        ),
        evidence=observed(_MEASURED, _MATRIX),
    ),
    Clause(
        id="anthropic/system-model",
        check=system_text.taken,
        models=_NO_SYSTEM,
        unknown="warning",
        says="the model takes system messages among the others",
        provider_says="role 'system' is not supported on this model",
        evidence=observed(f"{_INSPECT} (2026-06-10)"),
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
        provider_says="messages.{i}.content.0.tool_result: content cannot be empty if `is_error` is true",
        evidence=observed(_INSPECT),
    ),
    Clause(
        id="anthropic/error-text-only",
        check=media.error_text_only,
        says="a result marked as an error holds text only",
        provider_says="messages.{i}.content.0.tool_result: all content must be type `text` if `is_error` is true",
        evidence=observed("quoted in public code: codemode"),
    ),
    Clause(
        id="anthropic/image-media-type",
        check=media.image_type,
        params={"known": ("image/jpeg", "image/png", "image/gif", "image/webp")},
        says="an inline image is jpeg, png, gif or webp, and is what it says it is",
        provider_says=(
            "messages.{i}.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', "
            "'image/gif' or 'image/webp'"
        ),
        evidence=documented(_SDK),
    ),
    Clause(
        id="anthropic/text-encoding",
        check=text_encoding.surrogates,
        says="text can be written as UTF-8",
        evidence=documented("RFC 8259, section 8.1: JSON between systems is UTF-8"),
    ),
)

SEALED = (
    Clause(
        id="anthropic/thinking-nonempty",
        check=thinking.signed,
        params={"empty": True},
        says="thinking has text, unless it is signed",
        provider_says="messages.{i}.content.0.thinking: each thinking block must contain thinking",
        evidence=observed(f"{_INSPECT}, neutralize_thinking_for_token_counting"),
    ),
    Clause(
        id="anthropic/thinking-signature",
        check=thinking.signed,
        params={"empty": False},
        says="thinking is signed",
        provider_says="messages.{i}.content.0: Invalid `signature` in `thinking` block",
        evidence=observed(f"{_INSPECT}, neutralize_thinking_for_token_counting"),
    ),
    Clause(
        id="anthropic/thinking-not-last",
        check=thinking.not_last,
        says="an assistant turn does not end with thinking",
        provider_says="messages.{i}: The final block in an assistant message cannot be `thinking`.",
        evidence=observed(f"{_INSPECT}, assistant_message_block_params"),
    ),
    Clause(
        id="anthropic/thinking-first",
        check=thinking.first,
        says="with thinking enabled by hand, the turn that called the last tools begins with it",
        provider_says=(
            "messages.{i}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is "
            "enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of "
            "`tool_use` and `tool_result` blocks)."
        ),
        evidence=observed("quoted in public code", "anthropics/claude-code#20705"),
    ),
    Clause(
        id="anthropic/thinking-bound",
        check=thinking.bound,
        models=_BOUND,
        severity="warning",
        says="what stands in front of thinking is what stood there when it was made",
        provider_says="The block is bound to a different conversation",
        evidence=observed("zed-industries/zed#63571", "pydantic/pydantic-ai#7989", "anomalyco/opencode#46653"),
        acts=False,
    ),
    Clause(
        id="anthropic/prefill-model",
        check=message_order.last_speaker,
        models=_NO_PREFILL,
        unknown="warning",
        says="the conversation does not end with the assistant",
        provider_says=(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        ),
        evidence=observed("smallmain/vscode-unify-chat-provider#249", "strands-agents/sdk-python#1694", _MATRIX),
    ),
    Clause(
        id="anthropic/cache-empty-text",
        check=cache_marks.on_empty_text,
        says="no cache mark on an empty text",
        provider_says="messages.{i}.content.0.text: cache_control cannot be set for empty text blocks",
        evidence=observed("public emulators that quote the API"),
    ),
    Clause(
        id="anthropic/cache-on-thinking",
        check=cache_marks.on_thinking,
        says="no cache mark on thinking",
        provider_says="messages.{i}.content.0.thinking.cache_control: Extra inputs are not permitted",
        evidence=observed(f"{_INSPECT}, add_lookback_cache_control"),
    ),
    Clause(
        id="anthropic/cache-max-4",
        check=cache_marks.most,
        params={"limit": 4},
        says="at most four cache marks over tools, system text and messages",
        provider_says="A maximum of 4 blocks with cache_control may be provided. Found 5.",
        evidence=observed("quoted in ten public repositories"),
    ),
    Clause(
        id="anthropic/cache-ttl-order",
        check=cache_marks.ttl_order,
        says="marks for an hour come before marks for five minutes",
        provider_says="a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
        evidence=observed("a public emulator (superfluid) that quotes the API"),
    ),
)

TARGET = Target(
    name="anthropic",
    dialect="anthropic",
    says="Anthropic Messages",
    clauses=(*FORM, *PAIRING, *CONTENT, *SEALED),
)
