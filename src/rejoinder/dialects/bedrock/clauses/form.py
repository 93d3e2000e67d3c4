"""The JSON itself: what Converse takes for a message and for a block."""

from __future__ import annotations

from rejoinder.dialects.bedrock.clauses.sources import INVALID, MISSING, MODEL
from rejoinder.dialects.bedrock.families import WRITER
from rejoinder.dialects.clause import Clause, documented, inferred, observed
from rejoinder.rules import block_kind, block_text, media, message_order, result_form, tool_arguments, wire_form

FORM = (
    Clause(
        id="bedrock/messages-nonempty",
        check=message_order.nonempty,
        acts=False,
        says="there is at least one message",
        provider_says="A conversation must start with a user message. Try again with a conversation that starts with a "
        "user message.",
        evidence=inferred("a rule of the API; the wording is that for who speaks first"),
    ),
    Clause(
        id="bedrock/message-object",
        check=wire_form.message_object,
        says="each message is an object",
        provider_says=INVALID,
        evidence=documented(MODEL),
        wire=True,
    ),
    Clause(
        id="bedrock/role-known",
        check=message_order.role_known,
        params={"roles": ("user", "assistant", "system")},
        says="the role is user, assistant, or system",
        provider_says=(
            "Value at 'messages.{i}.role' failed to satisfy constraint: Member must satisfy enum value set: "
            "[user, assistant, system]"
        ),
        evidence=documented(MODEL),
        wire=True,
    ),
    Clause(
        id="bedrock/content-type",
        check=wire_form.content_type,
        says="the content is a list of blocks",
        provider_says=f"{INVALID}.content, valid types: <class 'list'>, <class 'tuple'>",
        evidence=documented(MODEL),
        wire=True,
    ),
    Clause(
        id="bedrock/block-shape",
        check=wire_form.block_object,
        says="a block is an object with one member that tells what it is",
        provider_says=f"{INVALID}.content[{{j}}]",
        evidence=documented(MODEL),
        wire=True,
    ),
    Clause(
        id="bedrock/block-shape",
        check=block_kind.one_member,
        says="a block is one thing",
        provider_says=(
            "Parameter validation failed: Invalid number of parameters set for tagged union structure "
            "messages[{i}].content[{j}]. Can only set one of the known members."
        ),
        evidence=documented(MODEL),
        wire=True,
    ),
    Clause(
        id="bedrock/block-shape",
        check=block_text.text_string,
        says="the text of a block is a string",
        provider_says=f"{INVALID}.content[{{j}}].text, valid types: <class 'str'>",
        evidence=documented(MODEL),
        wire=True,
    ),
    Clause(
        id="bedrock/block-shape",
        check=media.held,
        params={"missing": True},
        says="an image, a document, a video or a sound has a source",
        provider_says=f'{MISSING}.content[{{j}}]: "source"',
        evidence=documented(MODEL),
        wire=True,
    ),
    Clause(
        id="bedrock/block-shape",
        check=media.held,
        params={"missing": False},
        says="the source of an image, a document, a video or a sound is an object",
        provider_says=f"{INVALID}.content[{{j}}].source, valid types: <class 'dict'>",
        evidence=documented(MODEL),
        wire=True,
    ),
    Clause(
        id="bedrock/block-shape",
        check=wire_form.block_known,
        says="the kind of a block is one that Converse knows",
        provider_says=(
            'Parameter validation failed: Unknown parameter in messages[{i}].content[{j}]: "{kind}", must be one of: '
            "text, image, document, video, audio, toolUse, toolResult, guardContent, cachePoint, reasoningContent, "
            "citationsContent, searchResult, toolAddition, toolRemoval"
        ),
        evidence=documented(MODEL),
        acts=False,
        wire=True,
    ),
    Clause(
        id="bedrock/extra-member",
        check=wire_form.extra_member,
        says="messages and blocks have no member that is not theirs",
        provider_says="Parameter validation failed: Unknown parameter in messages[{i}]: must be one of: role, content",
        severity="warning",
        evidence=documented(f"{MODEL}: the SDKs refuse to send it; what the API itself does is not known"),
        wire=True,
    ),
    Clause(
        id="bedrock/block-role",
        check=wire_form.block_role,
        says="calls and reasoning stand in assistant messages, results in user messages",
        provider_says="The content field at messages.{i} holds a block that is not taken from this role.",
        evidence=inferred("a rule of the API; the wording is ours"),
        wire=True,
    ),
    Clause(
        id="bedrock/input-object",
        check=tool_arguments.mapping,
        says="the input of a call is an object",
        provider_says=(
            "The format of the value at messages.{i}.content.{j}.toolUse.input is invalid. Provide a json object for "
            "the field and try again."
        ),
        evidence=inferred("a rule of the API; the wording is from memory"),
        wire=True,
    ),
    Clause(
        id="bedrock/result-content",
        check=result_form.content,
        says="the content of a result is a list",
        provider_says=f"{INVALID}.content[{{j}}].toolResult.content, valid types: <class 'list'>, <class 'tuple'>",
        evidence=documented(MODEL),
        wire=True,
    ),
    Clause(
        id="bedrock/result-status",
        check=result_form.mark_word,
        says="the status of a result is success or error",
        provider_says=(
            "Value at 'messages.{i}.content.{j}.toolResult.status' failed to satisfy constraint: Member must satisfy "
            "enum value set: [success, error]"
        ),
        evidence=documented(MODEL),
        wire=True,
    ),
    Clause(
        id="bedrock/status-model",
        check=result_form.mark_taken,
        models=WRITER,
        says="the model takes a status on a result",
        provider_says="This model doesn't support the status field. Remove status and try again.",
        evidence=observed("pydantic/pydantic-ai, providers/bedrock.py: Writer refuses it; the wording is inferred"),
    ),
    Clause(
        id="bedrock/error-nonempty",
        check=wire_form.error_nonempty,
        says="a result with the status error has content",
        provider_says=(
            "The content field at messages.{i}.content.{j}.toolResult cannot be empty when status value is error."
        ),
        evidence=observed("aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15"),
    ),
)
