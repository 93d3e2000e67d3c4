"""What OpenAI Responses demands of its input."""

from __future__ import annotations

from rejoinder.dialects.clause import Clause, Evidence, Target, documented, inferred, observed
from rejoinder.dialects.openai_responses.reasoning import SEALED
from rejoinder.rules import (
    block_text,
    empty_content,
    media,
    message_order,
    result_form,
    text_encoding,
    tool_arguments,
    tool_ids,
    tool_pairing,
    wire_form,
)

_MEASURED = (
    "kangminlee-maker/local-OAuth-CLI-API-adapter, openai-responses-validation-parity (gpt-5.6-terra, 2026-08-30)"
)
_SDK = "openai 3.51.0, types of the SDK"
_SPEC = "OpenAI OpenAPI 2.3.0 (2026-08-21)"
# Members of a body that lead to items which are not in it.
_STORED = ("previous_response_id", "conversation")
# Kinds of items that stand for others, which nobody can see here.
_UNSEEN = ("item_reference", "compaction")
_ROLES = "Invalid value: '{kind}'. Supported values are: 'assistant', 'system', 'developer', and 'user'."

_VALUES = (
    "Invalid value: '{kind}'. Supported values are: 'input_text', 'input_image', 'input_audio', 'output_text', "
    "'refusal', 'input_file', 'computer_screenshot', 'summary_text', and 'encrypted_content'."
)

FORM = (
    Clause(
        id="openai-responses/input-required",
        check=wire_form.messages_held,
        params={"missing": True, "unless": (*_STORED, "prompt")},
        says="there is an `input`",
        provider_says="Missing required parameter: 'input'.",
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-responses/input-type",
        check=wire_form.messages_held,
        params={"missing": False},
        says="`input` is a string or a list",
        provider_says="Invalid type for 'input': expected a string, but got an {found} instead.",
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-responses/input-nonempty",
        check=message_order.nonempty,
        params={"unless": (*_STORED, "prompt")},
        acts=False,
        says="`input` holds something, or something else leads to what is meant",
        provider_says=("One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided."),
        evidence=observed(_MEASURED),
    ),
    Clause(
        id="openai-responses/item-type",
        check=wire_form.message_object,
        says="each item is an object",
        provider_says="Invalid type for 'input[{i}]': expected an input item, but got an {found} instead.",
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-responses/item-type",
        check=wire_form.block_known,
        params={"whole": True},
        says="an item is of one of the types that there are",
        provider_says="Invalid value: '{kind}'.",
        evidence=observed(f"{_MEASURED}, where the answer lists 33 types"),
        acts=False,
        wire=True,
    ),
    Clause(
        id="openai-responses/item-role",
        check=message_order.role_known,
        params={"roles": ("assistant", "system", "developer", "user"), "apart": True},
        says="the role of a message is user, assistant, system or developer",
        provider_says=_ROLES,
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-responses/item-content",
        check=empty_content.content_required,
        says="a message has content",
        provider_says="Missing required parameter: 'input[{i}].content'.",
        evidence=observed(_MEASURED),
    ),
    Clause(
        id="openai-responses/item-content",
        check=wire_form.content_type,
        params={"allowed": ("null", "missing")},
        says="the content is a string or a list of parts",
        provider_says=(
            "Invalid type for 'input[{i}].content': expected one of a string or array of objects, "
            "but got {found} instead."
        ),
        evidence=inferred(f"the pattern of {_MEASURED}"),
        wire=True,
    ),
    Clause(
        id="openai-responses/item-content",
        check=result_form.content,
        params={"member": "output", "required": True},
        says="an output is a string or a list of parts",
        provider_says="Missing required parameter: 'input[{i}].output'.",
        evidence=documented(_SDK),
        wire=True,
    ),
    Clause(
        id="openai-responses/item-member",
        check=wire_form.extra_member,
        params={"but": ("phase",)},
        says="items and parts have the members that are known, and no others",
        provider_says="Unknown parameter: 'input[{i}].{member}'.",
        evidence=inferred(f"{_MEASURED}, measured with 'bogus'"),
        wire=True,
    ),
    Clause(
        id="openai-responses/item-status",
        check=wire_form.member_value,
        params={"but": ("phase",)},
        says="a status is one of those that items of this type have",
        provider_says="Invalid value: '{kind}'.",
        evidence=documented(_SDK),
        wire=True,
    ),
    Clause(
        id="openai-responses/phase",
        check=wire_form.extra_member,
        params={"only": ("phase",)},
        says="only what the assistant says has a phase",
        provider_says="Unknown parameter: 'input[{i}].phase'.",
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-responses/phase",
        check=wire_form.member_value,
        params={"only": ("phase",)},
        says="a phase is commentary or final_answer",
        provider_says="Invalid value: '{kind}'. Supported values are: 'commentary' and 'final_answer'.",
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-responses/arguments-string",
        check=tool_arguments.text,
        says="the arguments are a string (any string, JSON or not)",
        provider_says="Invalid type for 'input[{i}].arguments': expected a string, but got an object instead.",
        evidence=inferred(f"the pattern of {_MEASURED}", _SDK),
        wire=True,
    ),
    Clause(
        id="openai-responses/compaction-trigger-last",
        check=message_order.closing,
        params={"kinds": ("compaction_trigger",)},
        says="the request to compact is the last item",
        evidence=documented(f"{_SDK}: 'Must be the final input item.'"),
        wire=True,
    ),
)

PARTS = (
    Clause(
        id="openai-responses/content-variant",
        check=wire_form.block_variant,
        params={"assistant": True},
        says="what the assistant says is output_text or refusal",
        provider_says="Invalid value: '{kind}'. Supported values are: 'output_text' and 'refusal'.",
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-responses/content-variant",
        check=wire_form.block_variant,
        params={"assistant": False},
        says="what anybody else says is input_text, input_image or input_file",
        provider_says=_VALUES,
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-responses/content-variant",
        check=wire_form.block_object,
        says="a part is an object with a type",
        provider_says="Missing required parameter: 'input[{i}].content[{j}].type'.",
        evidence=documented(_SDK),
        wire=True,
    ),
    Clause(
        id="openai-responses/content-variant",
        check=block_text.text_string,
        says="a text part has a text",
        provider_says="Missing required parameter: 'input[{i}].content[{j}].text'.",
        evidence=observed(_MEASURED),
        wire=True,
    ),
    Clause(
        id="openai-responses/content-variant",
        check=wire_form.block_known,
        params={"whole": False},
        says="a part is of one of the types that there are",
        provider_says=_VALUES,
        evidence=observed(_MEASURED),
        acts=False,
        wire=True,
    ),
    Clause(
        id="openai-responses/content-variant",
        check=media.held,
        params={"missing": True},
        says="a picture or a file has what it shows",
        provider_says="Missing required parameter: 'input[{i}].content[{j}].image_url'.",
        evidence=documented(_SDK),
        wire=True,
    ),
    Clause(
        id="openai-responses/content-variant",
        check=media.user_only,
        params={"kinds": ("image", "audio", "document"), "roles": ("assistant",)},
        says="the assistant says output_text or refusal, and shows nothing",
        provider_says="Invalid value: 'input_image'. Supported values are: 'output_text' and 'refusal'.",
        evidence=observed(_MEASURED),
    ),
    Clause(
        id="openai-responses/content-variant",
        check=block_text.refusal_role,
        says="a refusal stands in an assistant message",
        provider_says="Invalid value: 'refusal'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
        evidence=observed(_MEASURED),
    ),
    Clause(
        id="openai-responses/file-type",
        check=media.document_type,
        params={
            "refused": ("audio/", "video/"),
            "endings": ("mp3", "wav", "ogg", "flac", "m4a", "aac", "mp4", "mov", "webm", "avi", "mkv", "mpeg"),
        },
        says="a file is a document, and no recording",
        provider_says="The file type you uploaded is not supported. Please try again with a pdf",
        evidence=observed("pydantic/pydantic-ai, recorded 400 of test_multimodal_tool_return_matrix, audio"),
    ),
    Clause(
        id="openai-responses/text-encoding",
        check=text_encoding.surrogates,
        says="text can be written as UTF-8",
        evidence=documented("RFC 8259, section 8.1: JSON between systems is UTF-8"),
    ),
)

_NO_OUTPUT = "No tool output found for function call {ids}."
_NO_CALL = "No tool call found for function call output with call_id {ids}."
PAIRING = (
    Clause(
        id="openai-responses/output-has-call",
        check=tool_pairing.result_without_id,
        severity="warning",
        says="an output names the call that it answers",
        evidence=inferred(f"{_SDK} let call_id be null; a pair is known by it"),
    ),
    Clause(
        id="openai-responses/output-has-call",
        check=tool_pairing.early_result,
        says="an output comes behind its call",
        provider_says=_NO_CALL,
        evidence=observed("vercel/ai, convert-to-openai-responses-input.test.ts"),
    ),
    Clause(
        id="openai-responses/output-single",
        check=tool_pairing.duplicate_result,
        severity="warning",
        says="a call has one output",
        evidence=inferred("no report of two accepted outputs; the error texts speak of ids, each once"),
    ),
    Clause(
        id="openai-responses/output-has-call",
        check=tool_pairing.orphan_result,
        params={"stored": _STORED, "unseen": _UNSEEN},
        says="every output has an earlier call: a function, a custom tool, or a search for tools by the client",
        provider_says=_NO_CALL,
        evidence=observed(
            "vercel/ai, convert-to-openai-responses-input.test.ts",
            "pydantic/pydantic-ai, recorded 200 of test_tool_availability_portability_matrix (tool_search_call)",
        ),
    ),
    Clause(
        id="openai-responses/call-answered",
        check=tool_pairing.unanswered,
        params={"kinds": ("function", "custom"), "unseen": ("item_reference",)},
        says="every call of a function or a custom tool has its output",
        provider_says=_NO_OUTPUT,
        evidence=observed("quoted widely in public code", "vercel/ai, packages/openai"),
    ),
    Clause(
        id="openai-responses/call-answered",
        check=tool_pairing.unanswered,
        params={
            "kinds": ("computer_call", "local_shell_call", "shell_call", "apply_patch_call", "tool_search_call"),
            "unseen": ("item_reference",),
        },
        severity="warning",
        says="every call that the client answers has its output",
        evidence=inferred("the same rule for function calls; no report shows one of these without its output"),
    ),
    Clause(
        id="openai-responses/compat-interleaved",
        check=tool_pairing.calls_together,
        models="deepseek",
        says="the calls of a turn come behind all else that the assistant says in it",
        provider_says="No tool output found for tool call {ids}.",
        evidence=observed(
            "pydantic/pydantic-ai, recorded 400 of test_deepseek_responses_rejects_interleaved_function_calls"
        ),
    ),
    Clause(
        id="openai-responses/call-id-required",
        check=tool_ids.present,
        says="a call has a call_id of 1 to 64 characters",
        provider_says="Missing required parameter: 'input[{i}].call_id'.",
        evidence=documented(_SDK, _SPEC),
    ),
    Clause(
        id="openai-responses/call-id-length",
        check=tool_ids.length,
        params={"longest": 64},
        says="a call_id has at most 64 characters",
        provider_says=(
            "Invalid 'input[{i}].call_id': string too long. Expected a string with maximum length 64, "
            "but got a string with length {n} instead."
        ),
        evidence=(*observed("AnswerDotAI/fastllm#45"), Evidence(f"{_SPEC}, call_id: maxLength 64", "documented")),
    ),
    Clause(
        id="openai-responses/call-unique",
        check=tool_ids.unique,
        severity="warning",
        params={"scope": "turn"},
        says="the calls of one turn have ids of their own",
        evidence=inferred("outputs name a call by its id alone"),
    ),
    Clause(
        id="openai-responses/tool-name",
        check=tool_ids.name,
        params={"pattern": r"[a-zA-Z0-9_-]+", "longest": 128},
        says="a function's name has 1 to 128 letters, digits, `_` or `-`",
        provider_says=(
            "Invalid 'input[{i}].name': string does not match pattern. "
            "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
        ),
        evidence=documented(f"{_SPEC}, function name 1..128"),
    ),
)

TARGET = Target(
    name="openai-responses",
    dialect="openai-responses",
    says="OpenAI Responses",
    clauses=(*FORM, *PAIRING, *SEALED, *PARTS),
)
