"""What OpenAI Chat Completions demands of a history."""

from __future__ import annotations

from rejoinder.dialects.clause import Clause, Target, documented, inferred, observed
from rejoinder.rules import (
    block_text,
    empty_content,
    media,
    message_order,
    text_encoding,
    tool_arguments,
    tool_ids,
    tool_pairing,
    wire_form,
)

_MEASURED = "kangminlee-maker/local-OAuth-CLI-API-adapter, openai-chat-validation-parity (gpt-5.6-terra, 2026-08-30)"
_SDK = "openai 3.51.0, types of the SDK"
_UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: {ids}"
)
_ASTRAY = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."

FORM = (
    Clause(
        id="openai-chat/messages-nonempty",
        check=message_order.nonempty,
        acts=False,
        says="there is at least one message",
        provider_says=(
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."
        ),
        evidence=observed(_MEASURED),
    ),
    Clause(
        id="openai-chat/message-object",
        check=wire_form.message_object,
        says="each message is an object",
        provider_says="Invalid type for 'messages[{i}]': expected an object, but got {found} instead.",
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-chat/role-known",
        check=message_order.role_known,
        params={"roles": ("system", "developer", "user", "assistant", "tool", "function")},
        says="the role is system, developer, user, assistant, tool or function",
        provider_says="Missing required parameter: 'messages[{i}].role'.",
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-chat/role-model",
        check=message_order.role_taken,
        params={"refused": ("system", "developer")},
        models=r"o1-mini|o1-preview",
        says="the model takes system and developer messages",
        provider_says="Unsupported value: 'messages[{i}].role' does not support '{kind}' with this model.",
        evidence=observed("pydantic/pydantic-ai, recorded 400 of test_openai_o1_mini_system_role"),
    ),
    Clause(
        id="openai-chat/role-model",
        check=message_order.role_taken,
        params={"refused": ("function",)},
        models=r"gpt-(?:5-[6-9]|[6-9])",
        says="the model takes the role function",
        provider_says="Unsupported value: 'messages[{i}].role' does not support '{kind}' with this model.",
        evidence=observed(_MEASURED),
        acts=False,
    ),
    Clause(
        id="openai-chat/content-type",
        check=wire_form.content_type,
        params={"allowed": ("null", "missing")},
        says="the content is a string or a list of parts",
        provider_says=(
            "Invalid type for 'messages[{i}].content': expected one of a string or array of objects, "
            "but got {found} instead."
        ),
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-chat/tool-calls-nonempty",
        check=wire_form.calls_nonempty,
        says="`tool_calls`, where it is there, holds a call",
        provider_says=(
            "Invalid 'messages[{i}].tool_calls': empty array. Expected an array with minimum length 1, "
            "but got an empty array instead."
        ),
        evidence=observed(_MEASURED, "openai/openai-node#1341"),
        wire=True,
    ),
    Clause(
        id="openai-chat/tool-calls-type",
        check=wire_form.calls_array,
        says="`tool_calls` is a list of objects",
        provider_says=(
            "Invalid type for 'messages[{i}].tool_calls': expected an array of objects, but got {found} instead."
        ),
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-chat/tool-call-shape",
        check=wire_form.call_form,
        says="a call says its type, and has the object of that name",
        provider_says="Missing required parameter: 'messages[{i}].tool_calls[{j}].type'.",
        evidence=documented(_SDK),
        wire=True,
    ),
    Clause(
        id="openai-chat/tool-call-shape",
        check=tool_ids.present,
        says="a call has an id",
        provider_says="Missing required parameter: 'messages[{i}].tool_calls[{j}].id'.",
        evidence=documented(_SDK),
    ),
    Clause(
        id="openai-chat/arguments-string",
        check=tool_arguments.text,
        says="the arguments are a string (any string, JSON or not)",
        provider_says=(
            "Invalid type for 'messages[{i}].tool_calls[{j}].function.arguments': expected a string, "
            "but got an object instead."
        ),
        evidence=inferred(f"the pattern of {_MEASURED}"),
        wire=True,
    ),
    Clause(
        id="openai-chat/part-type",
        check=wire_form.block_object,
        says="a part is an object with a type",
        provider_says="Missing required parameter: 'messages[{i}].content[{j}].type'.",
        evidence=documented(_SDK),
        wire=True,
    ),
    Clause(
        id="openai-chat/part-type",
        check=block_text.text_string,
        says="a text part has a text",
        provider_says="Missing required parameter: 'messages[{i}].content[{j}].text'.",
        evidence=documented(_SDK),
        wire=True,
    ),
    Clause(
        id="openai-chat/part-type",
        check=media.held,
        params={"missing": True},
        says="an image, a sound or a file has what it shows",
        provider_says="Missing required parameter: 'messages[{i}].content[{j}].image_url'.",
        evidence=documented(_SDK),
        wire=True,
    ),
    Clause(
        id="openai-chat/part-type",
        check=media.held,
        params={"missing": False},
        says="what an image, a sound or a file shows stands in an object",
        provider_says=(
            "Invalid type for 'messages[{i}].content[{j}].image_url': expected an object, but got a {found} instead."
        ),
        evidence=documented(_SDK),
        wire=True,
    ),
    Clause(
        id="openai-chat/part-type",
        check=wire_form.block_known,
        says="parts are text, image_url, input_audio, file (user), text, refusal (assistant), text (others)",
        provider_says=(
            "Invalid value: '{kind}'. "
            "Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'."
        ),
        evidence=documented(_SDK),
        acts=False,
        wire=True,
    ),
)

PAIRING = (
    Clause(
        id="openai-chat/tool-id-required",
        check=tool_pairing.result_without_id,
        says="a tool message names the call that it answers",
        provider_says="Missing required parameter: 'messages[{i}].tool_call_id'.",
        evidence=documented(_SDK),
    ),
    Clause(
        id="openai-chat/call-answered",
        check=tool_pairing.late_result,
        says="the result of a call comes before the next message that is no result",
        provider_says=_UNANSWERED,
        evidence=observed("router-for-me/CLIProxyAPI#2798", "BerriAI/litellm#10083"),
    ),
    Clause(
        id="openai-chat/tool-after-call",
        check=tool_pairing.early_result,
        says="a result comes after its call",
        provider_says=_ASTRAY,
        evidence=observed("langchain-ai/task_mAIstro#1", "run-llama/llama_index#10493"),
    ),
    Clause(
        id="openai-chat/result-single",
        check=tool_pairing.duplicate_result,
        severity="warning",
        says="a call has one result",
        evidence=inferred("no report of two accepted results; the error texts speak of ids, each once"),
    ),
    Clause(
        id="openai-chat/call-unique",
        check=tool_pairing.repeated_call,
        severity="warning",
        says="a call stands once in its message",
        evidence=inferred("BerriAI/litellm#23510, where the same call was written twice"),
    ),
    Clause(
        id="openai-chat/tool-after-call",
        check=tool_pairing.orphan_result,
        params={"where": "astray"},
        says="a tool message directly follows a message with calls, or another result of the same run",
        provider_says=_ASTRAY,
        evidence=observed("langchain-ai/task_mAIstro#1", "smarter-sh/smarter#264", "run-llama/llama_index#10493"),
    ),
    Clause(
        id="openai-chat/tool-id-known",
        check=tool_pairing.orphan_result,
        params={"where": "among"},
        says="`tool_call_id` is one of the ids of the message that opens the run",
        provider_says="Invalid parameter: 'tool_call_id' of '{ids}' not found in 'tool_calls' of previous message.",
        evidence=observed("quoted in public code: cline and the adapters made after it"),
    ),
    Clause(
        id="openai-chat/call-answered",
        check=tool_pairing.unanswered,
        params={"where": "inside"},
        says="every id in `tool_calls` has a tool message before the next message that is none",
        provider_says=_UNANSWERED,
        evidence=observed("router-for-me/CLIProxyAPI#2798", "BerriAI/litellm#10083"),
    ),
    Clause(
        id="openai-chat/call-answered",
        check=tool_pairing.unanswered,
        params={"where": "end"},
        says="the calls of the very last message have results",
        provider_says=_UNANSWERED,
        severity="warning",
        evidence=observed(f"disputed: {_MEASURED} lists 200; reports only show calls with something behind them"),
    ),
)

CONTENT = (
    Clause(
        id="openai-chat/call-unique",
        check=tool_ids.unique,
        severity="warning",
        params={"scope": "turn"},
        says="the calls of one message have ids of their own",
        evidence=inferred("results name a call by its id alone"),
    ),
    Clause(
        id="openai-chat/call-id-length",
        check=tool_ids.length,
        params={"longest": 40},
        says="an id has at most 40 characters",
        provider_says=(
            "Invalid 'messages[{i}].tool_calls[{j}].id': string too long. Expected a string with maximum length 40, "
            "but got a string with length {n} instead."
        ),
        evidence=observed("vercel/ai#8132", "Portkey-AI/gateway#1062"),
    ),
    Clause(
        id="openai-chat/tool-name",
        check=tool_ids.name,
        params={"pattern": r"[a-zA-Z0-9_-]+", "longest": 64},
        says="a function's name has 1 to 64 letters, digits, `_` or `-`",
        provider_says=(
            "Invalid 'messages[{i}].tool_calls[{j}].function.name': empty string. "
            "Expected a string with minimum length 1, but got an empty string instead."
        ),
        evidence=observed("continuedev/continue#11645", "openai 3.51.0, FunctionDefinition.name"),
    ),
    Clause(
        id="openai-chat/content-required",
        check=empty_content.content_required,
        says="there is content; beside calls, a refusal or audio an assistant needs none",
        provider_says="Invalid value for 'content': expected a string, got null.",
        evidence=observed(_MEASURED),
    ),
    Clause(
        id="openai-chat/image-user-only",
        check=media.user_only,
        params={"kinds": ("image",)},
        says="images stand in user messages",
        provider_says=(
            "Invalid 'messages[{i}]'. Image URLs are only allowed for messages with role 'user', "
            "but this message with role '{kind}' contains an image URL."
        ),
        evidence=observed("openai/openai-node#1030", "dreadnode/rigging#41", "OpenHands/OpenHands#7700"),
    ),
    Clause(
        id="openai-chat/part-type",
        check=media.user_only,
        params={"kinds": ("audio", "document")},
        says="sounds and files stand in user messages",
        provider_says="Invalid 'messages[{i}]'. Content blocks are expected to be either text or image_url type.",
        evidence=documented(_SDK),
    ),
    Clause(
        id="openai-chat/part-type",
        check=block_text.refusal_role,
        says="a refusal stands in an assistant message",
        provider_says="Invalid value: 'refusal'. Supported values are: 'text', 'image_url', 'input_audio', and 'file'.",
        evidence=documented(_SDK),
    ),
    Clause(
        id="openai-chat/audio-model",
        check=media.kind_taken,
        params={"refused": ("audio",)},
        models=r"^(?!.*(?:audio|realtime|omni)).*(?:gpt|o\d)",
        says="the model can hear",
        provider_says="Invalid 'messages[{i}]'. Content blocks are expected to be either text or image_url type.",
        evidence=observed("pydantic/pydantic-ai, recorded 400 of test_multimodal_tool_return_matrix, audio"),
    ),
    Clause(
        id="openai-chat/text-encoding",
        check=text_encoding.surrogates,
        says="text can be written as UTF-8",
        evidence=documented("RFC 8259, section 8.1: JSON between systems is UTF-8"),
    ),
)

TARGET = Target(
    name="openai-chat",
    dialect="openai-chat",
    says="OpenAI Chat Completions",
    clauses=(*FORM, *PAIRING, *CONTENT),
)
