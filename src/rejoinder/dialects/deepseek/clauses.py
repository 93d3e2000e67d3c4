"""What DeepSeek's chat completions demand of a history, and others that want their thinking back."""

from __future__ import annotations

from rejoinder.dialects.clause import Clause, Target, documented, inferred, observed
from rejoinder.rules import (
    block_text,
    empty_content,
    media,
    message_order,
    text_encoding,
    thinking,
    tool_arguments,
    tool_ids,
    tool_pairing,
    wire_form,
)

_GUIDE = "api-docs.deepseek.com, guide on the thinking mode"
_SHAPE = "api-docs.deepseek.com, reference of chat completions"
_UNREADABLE = "Failed to deserialize the JSON body into the target type: messages[{i}]: "
_SHORT = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "(insufficient tool messages following tool_calls message)"
)
_SHORT_SEEN = ("NousResearch/hermes-agent#56980 (2026-07-02)", "gptme/gptme#3421 (2026-08-03)", "TurixAI/TuriX-CUA#15")
_ASTRAY = "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
_ASTRAY_SEEN = ("agentscope-ai/agentscope-go#7 (2026-09-16)", "qwersyk/Newelle#425 (2026-08-28)")
_LOST = "The `reasoning_content` in the thinking mode must be passed back to the API."
_LOST_SEEN = (
    "rikkahub/rikkahub#1690",
    "SaladDay/cc-switch-cli#170 (a recorded 400, 2026-05-08)",
    "pydantic/pydantic-ai, recorded 200 of test_deepseek_deferred_capability_with_thinking",
)
# The families that think unless they are told not to, and want it back: DeepSeek's, Kimi's, MiMo's.
_THINKS = r"deepseek-(?:reasoner|v[4-9]|flash|pro)|kimi-(?:k[3-9]|k2-(?:[5-9](?!\d)|thinking)|thinking|latest)|mimo"
_TEXT_ONLY = r"deepseek"
# The first of them, as many servers still have it, refuses it.
_FORGETS = r"deepseek-r1"

FORM = (
    Clause(
        id="deepseek/messages-nonempty",
        check=message_order.nonempty,
        acts=False,
        says="there is at least one message",
        evidence=documented(_SHAPE),
    ),
    Clause(
        id="deepseek/message-object",
        check=wire_form.message_object,
        says="each message is an object",
        provider_says=f"{_UNREADABLE}invalid type",
        evidence=documented(_SHAPE),
        wire=True,
    ),
    Clause(
        id="deepseek/role-known",
        check=message_order.role_known,
        params={"roles": ("system", "user", "assistant", "tool")},
        says="the role is system, user, assistant or tool",
        provider_says=f"{_UNREADABLE}unknown variant, expected one of `system`, `user`, `assistant`, `tool`",
        evidence=documented(_SHAPE),
        wire=True,
    ),
    Clause(
        id="deepseek/content-type",
        check=wire_form.content_type,
        params={"allowed": ("null", "missing")},
        says="the content is a string or a list of parts",
        provider_says=f"{_UNREADABLE}data did not match any variant of untagged enum ChatCompletionRequestContent",
        evidence=observed("browser-use/web-ui#99", "browser-use/browser-use#159"),
        wire=True,
    ),
    Clause(
        id="deepseek/tool-calls-type",
        check=wire_form.calls_array,
        says="`tool_calls` is a list of objects",
        evidence=documented(_SHAPE),
        wire=True,
    ),
    Clause(
        id="deepseek/tool-calls-nonempty",
        check=wire_form.calls_nonempty,
        severity="warning",
        says="`tool_calls`, where it is there, holds a call",
        evidence=inferred("the same of OpenAI Chat"),
        wire=True,
    ),
    Clause(
        id="deepseek/tool-call-shape",
        check=wire_form.call_form,
        says="a call says its type, and has the object of that name",
        evidence=observed("deepseek-ai/awesome-deepseek-integration#520, a call without `function`"),
        wire=True,
    ),
    Clause(
        id="deepseek/tool-call-shape",
        check=tool_ids.present,
        says="a call has an id",
        evidence=documented(_SHAPE),
    ),
    Clause(
        id="deepseek/arguments-string",
        check=tool_arguments.text,
        says="the arguments are a string",
        evidence=documented(_SHAPE),
        wire=True,
    ),
    Clause(
        id="deepseek/part-type",
        check=wire_form.block_object,
        says="a part is an object with a type",
        evidence=documented(_SHAPE),
        wire=True,
    ),
    Clause(
        id="deepseek/part-type",
        check=block_text.text_string,
        says="a text part has a text",
        evidence=documented(_SHAPE),
        wire=True,
    ),
    Clause(
        id="deepseek/part-type",
        check=wire_form.block_known,
        says="parts are text",
        provider_says=f"{_UNREADABLE}unknown variant `{{kind}}`, expected `text`",
        evidence=observed("esengine/DeepSeek-Reasonix#7859 (2026-08-07)"),
        acts=False,
        wire=True,
    ),
    Clause(
        id="deepseek/part-type",
        check=media.kind_taken,
        params={"refused": ("image", "audio", "document", "video"), "inside": True},
        # Those who share its shape may see.
        models=_TEXT_ONLY,
        unknown="error",
        says="parts are text",
        provider_says=f"{_UNREADABLE}unknown variant `image_url`, expected `text`",
        evidence=observed("esengine/DeepSeek-Reasonix#7859 (2026-08-07)", "openkursar/hello-halo#109 (2026-05-11)"),
    ),
    Clause(
        id="deepseek/content-string",
        check=wire_form.content_string,
        params={"roles": ("tool", "assistant")},
        severity="warning",
        says="the content of a result, and of what the assistant said, is a string",
        provider_says=f"{_UNREADABLE}invalid type: sequence, expected a string",
        evidence=observed("QwenLM/qwen-code#2158 (2026-03-06)", "tailcallhq/forgecode#2008 (2025-11-27)"),
        wire=True,
    ),
    Clause(
        id="deepseek/content-required",
        check=empty_content.content_required,
        says="there is content; beside calls an assistant needs none",
        provider_says="Invalid assistant message: content or tool_calls must be set",
        evidence=documented(_SHAPE),
    ),
)

PAIRING = (
    Clause(
        id="deepseek/tool-id-required",
        check=tool_pairing.result_without_id,
        says="a tool message names the call that it answers",
        evidence=documented(_SHAPE),
    ),
    Clause(
        id="deepseek/call-answered",
        check=tool_pairing.late_result,
        says="the result of a call comes before the next message that is no result",
        provider_says=_SHORT,
        evidence=observed(*_SHORT_SEEN),
    ),
    Clause(
        id="deepseek/tool-after-call",
        check=tool_pairing.early_result,
        says="a result comes after its call",
        provider_says=_ASTRAY,
        evidence=observed(*_ASTRAY_SEEN),
    ),
    Clause(
        id="deepseek/result-single",
        check=tool_pairing.duplicate_result,
        severity="warning",
        says="a call has one result",
        evidence=inferred("the error texts speak of ids, each once"),
    ),
    Clause(
        id="deepseek/call-unique",
        check=tool_pairing.repeated_call,
        severity="warning",
        says="a call stands once in its message",
        evidence=inferred("the error texts speak of ids, each once"),
    ),
    Clause(
        id="deepseek/tool-after-call",
        check=tool_pairing.orphan_result,
        says="a tool message answers a call of the message that opens its run",
        provider_says=_ASTRAY,
        evidence=observed(*_ASTRAY_SEEN, "itmisx/deepx-code#94"),
    ),
    Clause(
        id="deepseek/call-answered",
        check=tool_pairing.unanswered,
        params={"where": "inside"},
        says="every call has its result before the next message that is none",
        provider_says=_SHORT,
        evidence=observed(*_SHORT_SEEN),
    ),
    Clause(
        id="deepseek/call-answered",
        check=tool_pairing.unanswered,
        params={"where": "end"},
        severity="warning",
        says="the calls of the very last message have results",
        provider_says=_SHORT,
        evidence=inferred("reports only show calls with something behind them"),
    ),
)

CONTENT = (
    Clause(
        id="deepseek/call-unique",
        check=tool_ids.unique,
        params={"scope": "turn"},
        severity="warning",
        says="the calls of one message have ids of their own",
        evidence=inferred("results name a call by its id alone"),
    ),
    Clause(
        id="deepseek/tool-name",
        check=tool_ids.name,
        params={"pattern": r"[a-zA-Z0-9_-]+", "longest": 64},
        says="a function's name has 1 to 64 letters, digits, `_` or `-`",
        evidence=documented(_SHAPE),
    ),
    Clause(
        id="openai-compat/reasoning-content-required",
        check=thinking.passed_back,
        params={"scope": "calls"},
        models=_THINKS,
        unknown="warning",
        says="in thinking mode, an assistant message with calls has its `reasoning_content`",
        provider_says=_LOST,
        evidence=observed(*_LOST_SEEN),
        wire=True,
    ),
    Clause(
        id="deepseek/reasoning-content-errand",
        check=thinking.passed_back,
        params={"scope": "errand"},
        models=_THINKS,
        severity="warning",
        says="in thinking mode, so has every other assistant message between two of the user, where calls were made",
        provider_says=_LOST,
        evidence=documented(_GUIDE),
        wire=True,
    ),
    Clause(
        id="deepseek/reasoning-content-refused",
        check=thinking.kept,
        models=_FORGETS,
        severity="warning",
        says="the first reasoning model takes no `reasoning_content` back",
        evidence=documented("api-docs.deepseek.com, guide on the reasoning model, as it was in 2025"),
        wire=True,
    ),
    Clause(
        id="deepseek/alternate",
        check=message_order.alternate,
        models=r"deepseek-r(?:1|easoner)",
        severity="warning",
        says="for the first reasoning models user and assistant take turns",
        provider_says=(
            "deepseek-reasoner does not support successive user or assistant messages. "
            "You should interleave the user/assistant messages in the message sequence."
        ),
        evidence=observed("deepseek-ai/DeepSeek-R1#21 (2025-01-21)", "CherryHQ/cherry-studio#4598 (2025-04-09)"),
    ),
    Clause(
        id="deepseek/prefix-last",
        check=message_order.flag_last,
        params={"flag": "prefix"},
        says="a message with `prefix` is the last one",
        evidence=documented("api-docs.deepseek.com, guide on chat prefix completion"),
        wire=True,
    ),
    Clause(
        id="deepseek/text-encoding",
        check=text_encoding.surrogates,
        says="text can be written as UTF-8",
        evidence=documented("RFC 8259, section 8.1: JSON between systems is UTF-8"),
    ),
)

TARGET = Target(
    name="deepseek",
    dialect="deepseek",
    says="DeepSeek chat completions, and others that want their `reasoning_content` back",
    clauses=(*FORM, *PAIRING, *CONTENT),
)
