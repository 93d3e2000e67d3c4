"""Which rule a provider's error text speaks of: its words are held against the words that we know.

Indices, ids, quotes and punctuation differ from case to case, so they are left out of the comparison; wordings that
a provider has given up, and those of readers that are no target yet, stand here beside those of the clauses.
"""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from functools import cache
from typing import Any, NamedTuple

from rejoinder.targets import TARGETS
from rejoinder.values.loose import is_array, is_object

_UNFINISHED = "tool use with id {ids} was found without a corresponding result block"
# (the text, its rule, who says so)
OTHERS: tuple[tuple[str, str, str], ...] = (
    # Anthropic, formerly or in another phrase
    (
        "messages.{i}: Did not find 1 `tool_result` block(s) at the beginning of this message. Messages following "
        "`tool_use` blocks must begin with a matching number of `tool_result` blocks.",
        "tool_pairing.unanswered",
        "anthropic",
    ),
    ('messages: first message must use the "user" role', "message_order.first_speaker", "anthropic"),
    (
        'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
        "message_order.alternate",
        "anthropic",
    ),
    (
        'messages: Unexpected role "{kind}". Allowed roles are "user" or "assistant"',
        "message_order.role_known",
        "anthropic",
    ),
    ("messages.{i}.role: Field required", "message_order.role_known", "anthropic"),
    ("messages.{i}.content: Input should be a valid array", "wire_form.content_type", "anthropic"),
    ("`tool_result` blocks can only be in `user` messages", "wire_form.block_role", "anthropic"),
    (
        "messages.{i}: role 'system' must precede an 'assistant' message or end the array; the directive-only form "
        "(content: [] with output_config) is accepted at any position",
        "system_text.position",
        "anthropic",
    ),
    (_UNFINISHED, "opaque.server_unanswered", "anthropic"),
    (_UNFINISHED, "opaque.mixed_batch", "anthropic"),
    ("API Error: 400 due to tool use concurrency issues.", "tool_pairing.unanswered", "anthropic"),
    # OpenAI and those who speak its dialect
    ("(insufficient tool messages following tool_calls message)", "tool_pairing.unanswered", "openai-chat"),
    (
        "Invalid value: '{kind}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "
        "'developer'.",
        "message_order.role_known",
        "openai-chat",
    ),
    ("Missing required parameter: 'messages[{i}].content'.", "empty_content.content_required", "openai-chat"),
    (
        "Invalid type for 'messages[{i}].content': expected one of a string or array of objects, but got null instead.",
        "empty_content.content_required",
        "openai-chat",
    ),
    ("Failed to parse tool call arguments as JSON", "tool_arguments.text", "openai-chat"),
    ("All non-assistant messages must contain 'content'", "empty_content.content_required", "openai-chat"),
    (
        "Message has tool role, but there was no previous assistant message with a tool call!",
        "tool_pairing.orphan_result",
        "strict",
    ),
    ("Cannot have 2 or more assistant messages at the end of the list.", "message_order.alternate", "strict"),
    (
        "After the optional system message, conversation roles must alternate user/assistant",
        "message_order.alternate",
        "strict",
    ),
    (
        "Invalid file data: 'input[{i}].content[{j}].file_data'. Expected a base64-encoded data URL with a valid file "
        "MIME type, but got unsupported MIME type '{kind}'.",
        "media.document_type",
        "openai-responses",
    ),
    (
        "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'.",
        "wire_form.messages_held",
        "openai-responses",
    ),
    # readers that are no target yet, whose rule is the same
    (
        "Expected toolResult blocks at messages.{i}.content for the following Ids: {ids}",
        "tool_pairing.unanswered",
        "bedrock",
    ),
    (
        "The number of toolResult blocks at messages.{i}.content exceeds the number of toolUse blocks of previous "
        "turn.",
        "tool_pairing.orphan_result",
        "bedrock",
    ),
    ("A conversation must start with a user message.", "message_order.first_speaker", "bedrock"),
    ("A conversation must alternate between user and assistant roles.", "message_order.alternate", "bedrock"),
    (
        "The text field in the ContentBlock object at messages.{i}.content.0 is blank.",
        "empty_content.blank_text",
        "bedrock",
    ),
    ("The content field in the Message object at messages.{i} is empty.", "empty_content.empty_turn", "bedrock"),
    (
        "Please ensure that the number of function response parts is equal to the number of function call parts of the "
        "function call turn.",
        "tool_pairing.unanswered",
        "gemini",
    ),
    (
        "Please ensure that function response turn comes immediately after a function call turn.",
        "tool_pairing.orphan_result",
        "gemini",
    ),
    ("Not the same number of function calls and responses", "tool_pairing.unanswered", "mistral"),
    ("Unexpected tool call id {ids} in tool results", "tool_pairing.orphan_result", "mistral"),
    ("Unexpected role 'tool' after role 'user'", "tool_pairing.orphan_result", "mistral"),
    ("Duplicate tool call id {ids} in tool results", "tool_pairing.duplicate_result", "mistral"),
    ("Duplicate tool call id {ids} in assistant message", "tool_ids.unique", "mistral"),
    ("Tool call IDs should be alphanumeric strings with length 9!", "tool_ids.charset", "mistral"),
    (
        "Expected last role User or Tool (or Assistant with prefix) for serving but got assistant",
        "message_order.last_speaker",
        "mistral",
    ),
    ("Conversation must have at least one message", "message_order.nonempty", "mistral"),
    (
        "Function name was {kind} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length "
        "of 64.",
        "tool_ids.name",
        "mistral",
    ),
    ("System role not supported", "message_order.role_taken", "a chat template"),
    ("Unexpected message role.", "message_order.role_known", "a chat template"),
    ("Can only get item pairs from a mapping.", "tool_arguments.mapping", "a chat template"),
    ("Invalid tool call arguments passed:", "tool_arguments.mapping", "a chat template"),
    ("Tool result is missing for tool call {ids}.", "tool_pairing.unanswered", "an SDK"),
)
_ALL = 2_000
_SURE, _FAINT = 0.8, 0.4
# A text that was cut short is known by so many words in a row.
_RUN = 5
_TOKEN = re.compile(r"\{[a-z]+\}|[A-Za-z0-9_]+")
_INDEX = re.compile(r"\b(?:messages|contents|input)\s*\.?\s*\[?\s*(\d{1,9})\b")
_ID = re.compile(r"\b(?:(?:toolu|srvtoolu|call|fc|tooluse|chatcmpl-tool)_?[-A-Za-z0-9_]{2,100})")


class Known(NamedTuple):
    """A wording: what it says, its rule, whose it is, and the clause it belongs to, if there is one."""

    text: str
    rule: str
    reader: str
    clause: str = ""


class Match(NamedTuple):
    """A wording, and how much of it the text has: 1.0 is all."""

    known: Known
    likeness: float


class Blame(NamedTuple):
    """What a text itself says of where: indices of messages, and ids of calls."""

    indices: tuple[int, ...]
    ids: tuple[str, ...]


@cache
def wordings() -> tuple[Known, ...]:
    """All texts that are known; those of the two great questions first, as many clauses answer with the same words."""
    great = ("tool_pairing.unanswered", "tool_pairing.orphan_result")
    found = [
        Known(clause.provider_says, clause.rule, target.name, clause.id)
        for target in TARGETS.values()
        for clause in target.clauses
        if clause.provider_says
    ]
    found += [Known(*other) for other in OTHERS]
    return tuple(sorted(found, key=lambda known: known.rule not in great))


def unwrapped(text: str) -> tuple[str, str]:
    """The message inside an error as it was pasted, and the parameter that it names."""
    start = text.find("{")
    try:
        body = json.loads(text[start:]) if start >= 0 else None
    except (ValueError, RecursionError):
        body = None
    for holder in _inside(body):
        message = holder.get("message")
        if isinstance(message, str):
            param = holder.get("param")
            return message, param if isinstance(param, str) else ""
    return text, ""


def _inside(body: Any) -> list[dict[str, Any]]:
    """The objects that may hold the message: `error` first."""
    if is_array(body):
        body = body[0] if body else None
    if not is_object(body):
        return []
    error = body.get("error")
    return [each for each in (error, body) if is_object(each)]


def matches(text: str) -> list[Match]:
    """The known wordings by likeness, the likest first; each text and rule once."""
    said = _tokens(text)[:_ALL]
    found = sorted((Match(known, _likeness(_tokens(known.text), said)) for known in wordings()), key=_rank)
    likest: dict[tuple[str, str], Match] = {}
    for match in found:
        if match.likeness > _FAINT:
            likest.setdefault((match.known.rule, match.known.text), match)
    return list(likest.values())


def sure(found: list[Match]) -> list[Match]:
    """The matches that are the text: as like as the best of them, and like enough."""
    if not found or found[0].likeness < _SURE:
        return []
    return [match for match in found if match.likeness >= found[0].likeness - 0.001]


def blame(text: str, param: str = "") -> Blame:
    """The messages and the calls that a text names."""
    indices = [int(found) for found in _INDEX.findall(f"{param} {text}")]
    return Blame(tuple(dict.fromkeys(indices)), tuple(dict.fromkeys(_ID.findall(text))))


def _rank(match: Match) -> tuple[float, int]:
    return -round(match.likeness, 3), -len(match.known.text)


def _tokens(text: str) -> list[str]:
    """The words of a text; numbers are `#`, ids and what a template leaves open are `@`."""
    words: list[str] = []
    for word in _TOKEN.findall(text.replace("preceeding", "preceding")):
        token = word.lower()
        if token.isdecimal() or token == "{i}":
            token = "#"
        elif token[0] == "{" or (any(c.isdigit() for c in token) and any(c.isalpha() for c in token)):
            token = "@"
        if token != "@" or words[-1:] != ["@"]:
            words.append(token)
    return words


def _likeness(known: list[str], said: list[str]) -> float:
    """How much of a wording a text has, and how little else stands between."""
    matcher = SequenceMatcher(None, known, said, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks:
        return 0.0
    shared = sum(block.size for block in blocks)
    window = blocks[-1].b + blocks[-1].size - blocks[0].b
    likeness = 2 * shared / (len(known) + window)
    longest = max(blocks, key=lambda block: block.size)
    cut_short = longest.b + longest.size == len(said) and longest.a + longest.size < len(known)
    if cut_short and longest.size >= _RUN:
        likeness = max(likeness, _SURE + 0.01 * min(longest.size, 15))
    return likeness
