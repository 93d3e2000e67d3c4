"""What Gemini generateContent demands of a history."""

from __future__ import annotations

from rejoinder.dialects.clause import Clause, Target, documented, inferred, observed
from rejoinder.dialects.gemini.sources import (
    AFTER_CALL,
    AFTER_USER,
    BYPASS,
    COUNT,
    FIRST,
    LITELLM,
    OLDER,
    ONE_OF,
    ROLE,
    SDK,
    THIRD,
    UNSIGNED,
)
from rejoinder.rules import (
    block_text,
    empty_content,
    media,
    message_order,
    result_form,
    system_text,
    text_encoding,
    thinking,
    tool_arguments,
    tool_ids,
    tool_pairing,
    wire_form,
)

# What else is written for the two roles that there are.
_ROLES = {
    "assistant": "model",
    "ai": "model",
    "human": "user",
    "tool": "user",
    "function": "user",
    "developer": "system",
}
_COUNTED = observed("google-gemini/gemini-cli#3814", "google-gemini/gemini-cli#17208", "google-gemini/gemini-cli#7410")

FORM = (
    Clause(
        id="gemini/contents-nonempty",
        check=message_order.nonempty,
        acts=False,
        says="there is at least one content",
        provider_says="* GenerateContentRequest.contents: contents is not specified",
        evidence=inferred("the API's rule; its wording from memory"),
    ),
    Clause(
        id="gemini/content-object",
        check=wire_form.message_object,
        says="each content is an object",
        evidence=documented(SDK),
        wire=True,
    ),
    Clause(
        id="gemini/role-known",
        check=message_order.role_known,
        params={"roles": ("user", "model", "system"), "words": _ROLES},
        says="the role is user or model; without one it is the user",
        provider_says=ROLE,
        evidence=documented(SDK),
        wire=True,
    ),
    Clause(
        id="gemini/role-known",
        check=system_text.taken,
        params={"at_head": False},
        says="system text goes to the system instruction",
        provider_says=ROLE,
        evidence=documented(SDK),
    ),
    Clause(
        id="gemini/parts-nonempty",
        check=empty_content.content_required,
        says="each content has at least one part",
        provider_says=(
            "Unable to submit request because it must include at least one parts field, which describes the prompt "
            "input."
        ),
        evidence=observed("anomalyco/opencode#17519", "quoted in ten public repositories (Vertex)"),
        wire=True,
    ),
    Clause(
        id="gemini/parts-type",
        check=wire_form.content_type,
        params={"allowed": ("null", "missing")},
        says="the parts are a list",
        evidence=documented(SDK),
        wire=True,
    ),
    Clause(
        id="gemini/part-one-kind",
        check=wire_form.one_kind,
        says="a part has one data field, not several",
        evidence=documented(f"{SDK}: 'Exactly one field within a Part should be set'"),
        wire=True,
    ),
    Clause(
        id="gemini/part-one-kind",
        check=wire_form.block_object,
        says="a part has a data field",
        provider_says=ONE_OF,
        evidence=observed("genkit-ai/genkit#3816", "boldsoftware/sketch#68", "router-for-me/CLIProxyAPI#1293"),
        wire=True,
    ),
    Clause(
        id="gemini/part-known",
        check=wire_form.block_known,
        severity="warning",
        acts=False,
        says="the data field of a part is one that the API knows",
        evidence=inferred(f"{SDK}: a part takes no other members"),
        wire=True,
    ),
    Clause(
        id="gemini/part-type",
        check=block_text.text_string,
        says="the text of a part is a string",
        evidence=documented(SDK),
        wire=True,
    ),
    Clause(
        id="gemini/part-type",
        check=media.held,
        params={"missing": True},
        says="inline data has bytes, and file data an address",
        evidence=documented(SDK),
        wire=True,
    ),
    Clause(
        id="gemini/media-type",
        check=media.typed,
        says="inline data says its media type",
        evidence=documented(f"{SDK}: Blob.mime_type is required"),
        wire=True,
    ),
    Clause(
        id="gemini/args-object",
        check=tool_arguments.mapping,
        says="the arguments of a call are an object",
        evidence=documented(SDK),
        wire=True,
    ),
    Clause(
        id="gemini/response-object",
        check=result_form.content,
        says="the response of a result is an object",
        evidence=documented(SDK),
        wire=True,
    ),
)

PAIRING = (
    Clause(
        id="gemini/response-count",
        check=tool_pairing.late_result,
        says="the results of a turn's calls stand in the next content",
        provider_says=COUNT,
        evidence=(*_COUNTED, *inferred("google-gemini/gemini-cli#5443")),
    ),
    Clause(
        id="gemini/response-after-call",
        check=tool_pairing.early_result,
        says="a result comes after its call",
        provider_says=AFTER_CALL,
        evidence=observed(LITELLM),
    ),
    Clause(
        id="gemini/response-count",
        check=tool_pairing.duplicate_result,
        says="a call has one result",
        provider_says=COUNT,
        evidence=_COUNTED,
    ),
    Clause(
        id="gemini/response-count",
        check=tool_pairing.repeated_call,
        says="a call stands once in its content, or has as many results",
        provider_says=COUNT,
        evidence=_COUNTED,
    ),
    Clause(
        id="gemini/response-after-call",
        check=tool_pairing.orphan_result,
        params={"where": "astray"},
        says="a turn with results follows a turn with calls",
        provider_says=AFTER_CALL,
        evidence=observed(LITELLM),
    ),
    Clause(
        id="gemini/response-count",
        check=tool_pairing.orphan_result,
        params={"where": "among"},
        says="there are no more results than calls",
        provider_says=COUNT,
        evidence=_COUNTED,
    ),
    Clause(
        id="gemini/response-count",
        check=tool_pairing.unanswered,
        params={"where": "inside"},
        says="there are as many results as calls",
        provider_says=COUNT,
        evidence=_COUNTED,
    ),
    Clause(
        id="gemini/response-count",
        check=tool_pairing.unanswered,
        params={"where": "end"},
        severity="warning",
        says="the calls of the very last content have results",
        provider_says=COUNT,
        evidence=inferred("the rule speaks of the content after the calls; no report shows a history without one"),
    ),
    Clause(
        id="gemini/call-after-user",
        check=message_order.call_follows,
        params={"opening": True},
        says="a call does not open the conversation",
        provider_says=AFTER_USER,
        evidence=observed("quoted in public repositories: a history that was cut, and opens with a call"),
    ),
    Clause(
        id="gemini/call-after-user",
        check=message_order.call_follows,
        params={"opening": False},
        models=OLDER,
        unknown="error",
        says="a call does not stand in a content of its own behind the model's words",
        provider_says=AFTER_USER,
        evidence=inferred("quoted in ten public repositories", f"{LITELLM}; newer models merge neighbours"),
    ),
    Clause(
        id="gemini/name-required",
        check=result_form.named,
        params={"missing": True},
        says="a result says the name of its function",
        provider_says="GenerateContentRequest.contents[{i}].parts[{j}].function_response.name: Name cannot be empty.",
        evidence=inferred(f"{SDK}: FunctionResponse.name is required; the wording from memory"),
    ),
    Clause(
        id="gemini/name-required",
        check=result_form.named,
        params={"missing": False},
        severity="warning",
        says="the name of a result is that of its call",
        evidence=documented(f"{SDK}: the name matches FunctionDeclaration.name and FunctionCall.name"),
    ),
)

CONTENT = (
    Clause(
        id="gemini/thought-signature",
        check=thinking.call_sealed,
        params={"stand_in": BYPASS},
        models=THIRD,
        says="the first call of a turn carries the thought signature that came with it",
        provider_says=UNSIGNED,
        evidence=observed("MayDay-wpf/snow-cli#104", "nearai/ironclaw#1510", "nanbingxyz/5ire#405"),
    ),
    Clause(
        id="gemini/function-name",
        check=tool_ids.name,
        params={"pattern": r"[a-zA-Z_][a-zA-Z0-9_.:-]*", "longest": 128},
        says="a function's name begins with a letter or `_`, and has up to 128 letters, digits, `_`, `.`, `:` or `-`",
        evidence=documented(f"{SDK}: FunctionDeclaration.name"),
    ),
    Clause(
        id="gemini/file-url-fetchable",
        check=media.result_fetched,
        params={"kinds": ("image",)},
        acts=False,
        says="an image in a result is inline, or was handed to Google before",
        provider_says=(
            "Cannot fetch content from the provided URL. Please ensure the URL is valid and accessible by Vertex AI. "
            "Vertex AI respects robots.txt rules, so confirm the URL is allowed to be crawled. "
            "Status: URL_ROBOTED-ROBOTED_DENIED"
        ),
        evidence=observed(
            "pydantic/pydantic-ai, recorded 400 of test_model_sees_multiple_images and of "
            "test_multimodal_tool_return_matrix, direct-url-image, google_vertex"
        ),
    ),
    Clause(
        id="gemini/system-text",
        check=system_text.head,
        severity="warning",
        says="the system instruction holds text only",
        evidence=documented("Gemini API reference, systemInstruction: currently, text only"),
    ),
    Clause(
        id="gemini/last-user",
        check=message_order.last_speaker,
        models=FIRST,
        says="the conversation ends with the user, or with results",
        provider_says="Please ensure that multiturn requests ends with a user role or a function response.",
        evidence=observed("songquanpeng/one-api#836", "babaohuang/GeminiProChat#68"),
    ),
    Clause(
        id="gemini/text-encoding",
        check=text_encoding.surrogates,
        says="text can be written as UTF-8",
        evidence=documented("RFC 8259, section 8.1: JSON between systems is UTF-8"),
    ),
)

TARGET = Target(
    name="gemini",
    dialect="gemini",
    says="Gemini API and Vertex generateContent",
    clauses=(*FORM, *PAIRING, *CONTENT),
)
