"""What chat templates demand, one or another: each demand as a clause, and the plays that tell whether it is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from rejoinder.dialects.chat_template.probe import Probed
from rejoinder.dialects.clause import Clause, Target, observed
from rejoinder.rules import (
    Rule,
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
    tool_traffic,
    wire_form,
)

_SEEN = observed("ggml-org/llama.cpp, models/templates, rendered in a sandbox as transformers does")
_MEDIA = ("image", "audio", "document", "video")
_NINE = {"pattern": "[a-zA-Z0-9]{9}", "digest": 9}
_CONTROL = r"<\|(?:start|channel)\|>\w*(?:<\|message\|>)?|<\|(?:message|end|return|call|constrain)\|>"
_ROLES = ("system", "developer", "user", "assistant", "tool")
Numbers = Callable[[Probed], dict[str, Any]]


class Demand(msgspec.Struct, frozen=True, kw_only=True):
    """A demand that a template may make.

    It is made where one of the `plays` is refused, and none of `unless`, which says more. It is a warning where of one
    of `loses` something is left out, unless the same is left out of `anyway`. `numbers` are those of the rule as they
    were learnt, `usual` those of the strictest reader (None: not asked of all).
    """

    id: str
    check: Rule
    says: str
    plays: tuple[str, ...]
    loses: tuple[str, ...] = ()
    anyway: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    usual: dict[str, Any] | None = {}
    numbers: Numbers | None = None
    words: str = ""


def _roles(probed: Probed) -> dict[str, Any]:
    bad = probed.refused("developer") or probed.lost("developer")
    return {"roles": tuple(role for role in _ROLES if role != "developer" or not bad)}


def _strings(probed: Probed) -> dict[str, Any]:
    """The roles whose content has to be a string; none for all of them."""
    plays = (("user", "user blocks"), ("system", "system blocks"), ("tool", "result blocks"))
    roles = [role for role, play in plays if probed.refused(play) or probed.lost(play)]
    if probed.refused("assistant blocks", "blocks beside") or probed.lost("assistant blocks"):
        roles.append("assistant")
    return {"roles": tuple(roles) if len(roles) < 4 else ()}


def _alternating(probed: Probed) -> dict[str, Any]:
    users = ("user",) if probed.refused("two users", "two users later") else ()
    assistants = ("assistant",) if probed.refused("two assistants", "text, call", "null calls") else ()
    return {"roles": (*users, *assistants)}


_ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/..."
DEMANDS: tuple[Demand, ...] = (
    Demand(
        id="null-member",
        check=wire_form.null_member,
        says="what a message does not have is left out, and not null",
        plays=("null calls", "null thinking"),
    ),
    Demand(
        id="role-known",
        check=message_order.role_known,
        says="the role is one that the template knows",
        plays=("developer",),
        loses=("developer",),
        anyway=("system",),
        usual={"roles": ("system", "user", "assistant", "tool")},
        numbers=_roles,
        words="Unexpected message role.",
    ),
    Demand(
        id="arguments-mapping",
        check=tool_arguments.mapping,
        says="the arguments of a call are a mapping",
        plays=("text arguments",),
        loses=("text arguments",),
        anyway=("mapping arguments",),
        words="Can only get item pairs from a mapping.",
    ),
    Demand(
        id="arguments-text",
        check=tool_arguments.text,
        says="the arguments of a call are JSON text",
        plays=("mapping arguments", "odd arguments"),
        usual=None,
    ),
    Demand(
        id="call-id-9",
        check=tool_ids.charset,
        says="an id has nine letters and digits",
        plays=("other id", "long id"),
        usual=_NINE,
        numbers=lambda _: _NINE,
        words="Tool call IDs should be alphanumeric strings with length 9!",
    ),
    Demand(
        id="tool-name-resolvable",
        check=result_form.names_tool,
        says="a result says the name of its tool",
        plays=("no name",),
        words="tool messages need a resolvable tool name",
    ),
    Demand(
        id="tool-name-resolvable",
        check=result_form.names_tool,
        says="a result says the name of its tool, or a call does",
        plays=("nameless orphan",),
        unless=("orphan", "no name"),
        usual=None,
    ),
    Demand(
        id="media-user-only",
        check=media.user_only,
        says="images, sounds and files stand in user messages",
        plays=("assistant image", "result image"),
        usual={"kinds": _MEDIA, "bare": True},
        numbers=lambda _: {"kinds": _MEDIA, "bare": True},
    ),
    Demand(
        id="system-text-only",
        check=media.user_only,
        says="system text holds no images",
        plays=("system image",),
        usual=None,
        numbers=lambda _: {"kinds": _MEDIA, "bare": True},
    ),
    Demand(
        id="text-only",
        check=media.kind_taken,
        says="content is text",
        plays=("user image",),
        usual={"refused": _MEDIA, "bare": True},
        numbers=lambda _: {"refused": _MEDIA, "bare": True},
    ),
    Demand(
        id="content-string",
        check=block_text.one_string,
        says="the content is a string",
        plays=("user blocks", "system blocks", "assistant blocks", "blocks beside", "result blocks"),
        loses=("user blocks", "system blocks", "assistant blocks", "result blocks"),
        anyway=("user string",),
        numbers=_strings,
    ),
    Demand(
        id="content-list",
        check=block_text.list_of_blocks,
        says="the content is a list of blocks",
        plays=("user string", "system string", "assistant string"),
        loses=("user string", "system string", "assistant string"),
        usual=None,
    ),
    Demand(
        id="content-required",
        check=empty_content.content_required,
        says="there is content",
        plays=("null content", "no content", "null result"),
    ),
    Demand(
        id="content-beside-calls",
        check=empty_content.content_required,
        says="there is content beside calls",
        plays=("null beside", "nothing beside"),
        usual={"beside": False},
        numbers=lambda _: {"beside": False},
    ),
    Demand(
        id="content-xor-thinking",
        check=thinking.apart,
        says="a message with calls has content or thinking, and not both",
        plays=("thinking", "reasoning"),
        words="Cannot pass both content and thinking in an assistant message with tool calls!",
    ),
    Demand(
        id="no-control-tokens",
        check=text_encoding.control_tokens,
        says="content holds no control tokens",
        plays=("control tokens",),
        usual={"pattern": _CONTROL},
        numbers=lambda _: {"pattern": _CONTROL},
        words="You have passed a message containing <|channel|> tags in the content field.",
    ),
    Demand(
        id="single-call",
        check=tool_traffic.single_call,
        says="a message holds one call",
        plays=("parallel", "parallel, last"),
        loses=("parallel",),
        anyway=("call read", "call last"),
        words="This model only supports single tool-calls at once!",
    ),
    Demand(
        id="system-unsupported",
        check=message_order.role_taken,
        says="there is no system message",
        plays=("system",),
        loses=("system",),
        usual=None,
        numbers=lambda _: {"refused": ("system", "developer")},
        words="System role not supported",
    ),
    Demand(
        id="system-first",
        check=system_text.first_and_once,
        says="system text comes first, in one message",
        plays=("system later", "system last", "two systems"),
        loses=("system later", "system last", "two systems"),
        anyway=("system",),
        words="System message must be at the beginning.",
    ),
    Demand(
        id="nonblank",
        check=empty_content.blank_text,
        says="a text holds more than white space",
        plays=("blank",),
        usual={"empty": False},
        numbers=lambda _: {"empty": False},
    ),
    Demand(
        id="nonempty-user",
        check=empty_content.empty_turn,
        says="a user message says something",
        plays=("empty user", "empty first", "blank"),
        usual={"role": "user", "last_may": False},
        numbers=lambda _: {"role": "user", "last_may": False},
    ),
    Demand(
        id="nonempty-assistant",
        check=empty_content.empty_turn,
        says="an assistant message says something",
        plays=("empty assistant", "empty last", "blank"),
        usual={"role": "assistant", "last_may": False},
        numbers=lambda _: {"role": "assistant", "last_may": False},
    ),
    Demand(
        id="user-required",
        check=message_order.user_present,
        says="the user says something",
        plays=("no user", "no user at all", "no user, call"),
        words="No user query found in messages.",
    ),
    Demand(
        id="user-first",
        check=message_order.first_speaker,
        says="the user speaks first",
        plays=("assistant first", "assistant after system"),
        words=_ALTERNATE,
    ),
    Demand(
        id="user-last",
        check=message_order.last_speaker,
        says="the user speaks last",
        plays=("assistant last",),
        usual=None,
    ),
    Demand(
        id="alternate",
        check=message_order.alternate,
        says="user and assistant take turns",
        plays=("two users", "two users later", "two assistants", "text, call", "null calls"),
        numbers=_alternating,
        words=_ALTERNATE,
    ),
    Demand(
        id="alternate",
        check=message_order.after_results,
        says="the assistant speaks between results and the user",
        plays=("user after results",),
        words=_ALTERNATE,
    ),
)


def _pair(name: str, check: Rule, says: str, *plays: str, **numbers: Any) -> Demand:
    return Demand(id=name, check=check, says=says, plays=plays, usual=numbers, numbers=lambda _: numbers)


_ORPHANS = ("orphan", "orphan later", "orphan first")
# Asked of every history, whatever a template prints: a model reads it.
PAIRS: tuple[Demand, ...] = (
    _pair("tool-id-required", tool_pairing.result_without_id, "a result names the call that it answers", "no ids"),
    _pair("call-answered", tool_pairing.late_result, "the result of a call comes right behind it", "unanswered"),
    _pair("tool-after-call", tool_pairing.early_result, "a result comes after its call", *_ORPHANS),
    _pair("result-single", tool_pairing.duplicate_result, "a call has one result", "two results"),
    _pair("call-unique", tool_pairing.repeated_call, "a call stands once in its message"),
    _pair("tool-after-call", tool_pairing.orphan_result, "a result follows its call", *_ORPHANS),
    _pair("call-answered", tool_pairing.unanswered, "every call has its result", "unanswered", where="inside"),
    _pair("call-answered", tool_pairing.unanswered, "the last calls have results", "unanswered last", where="end"),
)
TAKEN = Demand(
    id="no-tools",
    check=tool_traffic.taken,
    says="there are no calls and no results",
    plays=(),
    loses=("call read", "call last"),
    usual=None,
)


def clause_of(demand: Demand, **facts: Any) -> Clause:
    """The clause of a demand; what is not said is as the strictest reader has it."""
    clause = Clause(
        id=f"chat-template/{demand.id}",
        check=demand.check,
        params=demand.usual or {},
        says=demand.says,
        provider_says=demand.words,
        evidence=_SEEN,
    )
    return msgspec.structs.replace(clause, **facts)


def _form(name: str, check: Rule, says: str, *, acts: bool = True, **numbers: Any) -> Clause:
    return Clause(
        id=f"chat-template/{name}",
        check=check,
        params=numbers,
        says=says,
        provider_says="'dict object' has no attribute …",
        evidence=_SEEN,
        acts=acts,
        wire=True,
    )


# What a message is at all: without it, most templates end in an error of Jinja's.
FORM: tuple[Clause, ...] = (
    _form("messages-nonempty", message_order.nonempty, "there is at least one message"),
    _form("message-object", wire_form.message_object, "each message is an object"),
    _form("content-type", wire_form.content_type, "content is text or a list", allowed=("null", "missing")),
    _form("tool-calls-nonempty", wire_form.calls_nonempty, "`tool_calls`, where it is there, holds a call"),
    _form("tool-calls-type", wire_form.calls_array, "`tool_calls` is a list of objects"),
    _form("tool-call-shape", wire_form.call_form, "a call says its type, and has the object of that name"),
    _form("tool-call-shape", tool_ids.present, "a call has an id"),
    _form("part-type", wire_form.block_object, "a part is an object with a type"),
    _form("part-type", block_text.text_string, "a text part has a text"),
    _form("part-type", media.held, "an image, a sound or a file has what it shows", missing=True),
    _form("part-type", wire_form.block_known, "parts are of a known type", acts=False),
    _form("text-encoding", text_encoding.surrogates, "text can be written as UTF-8"),
)

# The strictest of all: what any template takes that takes calls at all; and what is left where one takes none.
_ALWAYS = (*FORM, *(clause_of(demand) for demand in PAIRS))
_USUAL = tuple(clause_of(demand) for demand in DEMANDS if demand.usual is not None)
NORMAL = (*_ALWAYS, *_USUAL)
_SYSTEM = next(demand for demand in DEMANDS if demand.id == "system-unsupported")
WORDS = (*_ALWAYS, clause_of(TAKEN), clause_of(_SYSTEM, params={"refused": ("system", "developer")}), *_USUAL)
TARGET = Target(
    name="chat-template",
    dialect="openai-chat",
    says="what any chat template takes that takes calls; template:PATH is one of them, and asks it",
    clauses=NORMAL,
)
TARGET_WORDS = Target(
    name="chat-words",
    dialect="openai-chat",
    says="what chat templates without tools and system text take: words of user and assistant in turn",
    clauses=WORDS,
)
TARGET_BLOCKS = Target(
    name="chat-blocks",
    dialect="openai-chat",
    says="what chat templates take that walk over the content: lists of blocks, and no strings",
    clauses=(*_ALWAYS, *(clause_of(demand) for demand in DEMANDS if demand.id == "content-list")),
)
TARGETS = (TARGET, TARGET_BLOCKS, TARGET_WORDS)
