"""The readers by name, each a table of clauses."""

from __future__ import annotations

from importlib import import_module

from msgspec.structs import replace

from rejoinder.dialects.anthropic import proof as anthropic_proof
from rejoinder.dialects.anthropic.clauses import TARGET as ANTHROPIC
from rejoinder.dialects.bedrock.clauses import TARGET as BEDROCK
from rejoinder.dialects.chat_template.demands import TARGETS as CHAT_TEMPLATES
from rejoinder.dialects.clause import Clause, Target, documented, inferred, observed
from rejoinder.dialects.deepseek.clauses import TARGET as DEEPSEEK
from rejoinder.dialects.fold import Proof
from rejoinder.dialects.gemini.clauses import TARGET as GEMINI
from rejoinder.dialects.mistral.clauses import TARGET as MISTRAL
from rejoinder.dialects.openai_chat import proof as openai_proof
from rejoinder.dialects.openai_chat.clauses import CONTENT, FORM, PAIRING
from rejoinder.dialects.openai_chat.clauses import TARGET as OPENAI_CHAT
from rejoinder.dialects.openai_responses.clauses import TARGET as OPENAI_RESPONSES
from rejoinder.errors import TargetError
from rejoinder.rules import (
    empty_content,
    message_order,
    system_text,
    tool_arguments,
    tool_ids,
    tool_pairing,
    wire_form,
)

_BOTH = documented("OpenAI Chat Completions and Anthropic Messages; see the clauses of openai-chat and anthropic")
_TEMPLATES = "ggml-org/llama.cpp, models/templates, rendered in a sandbox as transformers does"

# What `sanitize_messages` holds a history against: pairs, and nothing else.
PAIRS = Target(
    name="pairs",
    dialect="",
    says="the pairing rules alone, whoever the reader is",
    clauses=tuple(
        Clause(id=f"pairs/{name}", check=check, says=says, evidence=_BOTH)
        for name, check, says in (
            ("result-id", tool_pairing.result_without_id, "a result names the call that it answers"),
            ("late-result", tool_pairing.late_result, "the result of a call comes right behind it"),
            ("early-result", tool_pairing.early_result, "a result comes after its call"),
            ("result-first", tool_pairing.result_not_first, "results come before anything else in their turn"),
            ("result-single", tool_pairing.duplicate_result, "a call has one result"),
            ("call-once", tool_pairing.repeated_call, "a call stands once in its message"),
            ("result-has-call", tool_pairing.orphan_result, "every result has its call"),
            ("call-answered", tool_pairing.unanswered, "every call has its result"),
        )
    ),
)

_STRICT = (
    Clause(
        id="strict/call-unique",
        check=tool_ids.unique,
        params={"scope": "request"},
        says="the ids of calls are unique in the request",
        evidence=observed("trycua/cua#524, where the strictest reader asks for it"),
    ),
    Clause(
        id="strict/system-first",
        check=system_text.first_and_once,
        says="system text comes first, in one message",
        provider_says="System message must be at the beginning.",
        evidence=observed(_TEMPLATES),
    ),
    Clause(
        id="strict/system-text",
        check=system_text.content,
        says="system text is text, and not empty",
        provider_says="System message cannot contain images.",
        evidence=observed(_TEMPLATES),
    ),
    Clause(
        id="strict/content-required",
        check=empty_content.content_required,
        says="there is content",
        evidence=observed(_TEMPLATES),
    ),
    Clause(
        id="strict/nonblank",
        check=empty_content.blank_text,
        params={"empty": False},
        says="a text holds more than white space",
        evidence=observed("anthropics/claude-code#23440"),
    ),
    Clause(
        id="strict/nonempty-user",
        check=empty_content.empty_turn,
        params={"role": "user", "last_may": False},
        says="a user message says something",
        evidence=observed(_TEMPLATES),
    ),
    Clause(
        id="strict/nonempty-assistant",
        check=empty_content.empty_turn,
        params={"role": "assistant", "last_may": False},
        says="an assistant message says something",
        evidence=observed(_TEMPLATES),
    ),
    Clause(
        id="strict/user-first",
        check=message_order.first_speaker,
        says="the user speaks first",
        provider_says="Conversation roles must alternate user/assistant/user/assistant/...",
        evidence=observed(_TEMPLATES),
    ),
    Clause(
        id="strict/alternate",
        check=message_order.alternate,
        says="user and assistant take turns",
        provider_says="Conversation roles must alternate user/assistant/user/assistant/...",
        evidence=observed(_TEMPLATES),
    ),
    Clause(
        id="strict/content-string",
        check=wire_form.content_string,
        severity="warning",
        says="content that is nothing but text is one string",
        evidence=inferred(f"the form that all of {_TEMPLATES} take"),
        wire=True,
    ),
    Clause(
        id="openai-compat/arguments-json",
        check=tool_arguments.json_text,
        says="arguments are the text of a JSON object, or nothing",
        provider_says="Failed to parse tool call arguments as JSON: ...",
        evidence=documented(
            "ggml-org/llama.cpp, common/chat.cpp, func_args_not_string",
            "vllm-project/vllm, vllm/entrypoints/chat_utils.py, _postprocess_messages",
        ),
        wire=True,
    ),
)
# What is strict is asked on top of what OpenAI asks, and in place of it where the same rule has other numbers.
_ASKED = {clause.check for clause in _STRICT}
STRICT = Target(
    name="strict",
    dialect="openai-chat",
    says="system text first and once, roles alternate, nothing empty: what the strictest chat templates ask",
    clauses=(*FORM, *PAIRING, *(clause for clause in CONTENT if clause.check not in _ASKED), *_STRICT),
)

_SERVER = documented("ggml-org/llama.cpp, tools/server/server-common.cpp")
_COMPAT = (
    Clause(
        id="openai-compat/arguments-json",
        check=tool_arguments.json_text,
        says="the arguments are an object as JSON text; none at all are an empty one",
        provider_says="Failed to parse tool call arguments as JSON: ...",
        evidence=documented(
            "ggml-org/llama.cpp, common/chat.cpp, func_args_not_string",
            "vllm-project/vllm, vllm/entrypoints/chat_utils.py, _postprocess_messages",
        ),
    ),
    Clause(
        id="openai-compat/one-trailing-assistant",
        check=message_order.alternate,
        params={"roles": ("assistant",), "at_end": True},
        says="at most one assistant message stands at the end",
        provider_says="Cannot have 2 or more assistant messages at the end of the list.",
        evidence=_SERVER,
    ),
    Clause(
        id="openai-compat/content-present",
        check=empty_content.content_required,
        says="there is content, or an assistant's calls",
        provider_says="All non-assistant messages must contain 'content'",
        evidence=_SERVER,
    ),
)
_THOUGHT = tuple(clause for clause in DEEPSEEK.clauses if clause.id == "openai-compat/reasoning-content-required")
# What a server that is like OpenAI's demands, whatever runs behind it: less about names and ids, more about arguments.
COMPAT = Target(
    name="openai-compat",
    dialect=DEEPSEEK.dialect,
    says="servers that speak like OpenAI: vLLM, llama.cpp, and what stands in front of other models",
    clauses=(
        *(clause for clause in (*FORM, *PAIRING) if clause.check not in (tool_ids.length, tool_ids.name)),
        *_COMPAT,
        # Of a model that is not known, nobody knows whether it thinks.
        *(replace(clause, unknown=None) for clause in _THOUGHT),
    ),
)

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        *(ANTHROPIC, BEDROCK, DEEPSEEK, GEMINI, MISTRAL, OPENAI_CHAT, OPENAI_RESPONSES),
        *(COMPAT, *CHAT_TEMPLATES, PAIRS, STRICT),
    )
}
# Targets made of what lies outside: `SCHEME:REST`. The module at the edge is imported when one is first asked for.
SCHEMES: dict[str, str] = {"template": "rejoinder.edge.chat_template.load"}


# For a target and a dialect: the quick pass that tells which spans of a history are not surely intact.
_OPENAI = Proof(openai_proof.unproven, openai_proof.ends_well)
_ANTHROPIC = Proof(anthropic_proof.unproven, anthropic_proof.ends_well)
PROOFS: dict[tuple[str, str], Proof] = {
    ("openai-chat", "openai-chat"): _OPENAI,
    ("pairs", "openai-chat"): _OPENAI,
    ("anthropic", "anthropic"): _ANTHROPIC,
    ("pairs", "anthropic"): _ANTHROPIC,
}


def find_target(name: str) -> Target:
    """The target of a name."""
    target = TARGETS.get(str(name))
    scheme, mark, rest = str(name).partition(":")
    if target is None and mark and scheme in SCHEMES:
        return import_module(SCHEMES[scheme]).load(rest)
    if target is None:
        names = (*sorted(TARGETS), *(f"{scheme}:PATH" for scheme in SCHEMES))
        raise TargetError(f"no target is called {name!r}; there are {', '.join(names)}")
    return target
