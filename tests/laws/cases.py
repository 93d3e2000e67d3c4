"""What the laws are held against: a history, intact or broken, as a list or a body, for one reader and one policy."""

import json
from typing import Any, NamedTuple

import pytest
from hypothesis import note
from hypothesis import strategies as st

import faults
import grammar
import histories
import rejoinder as rj

POLICIES = ("drop", "answer", "strip")
# Each dialect with the targets that fit it.
READERS = (
    ("openai-chat", "openai-chat"),
    ("openai-chat", "strict"),
    ("anthropic", "anthropic"),
    ("openai-responses", "openai-responses"),
    ("app", "pairs"),
    ("app", "openai-chat"),
    ("neovate", "pairs"),
    ("neovate", "openai-chat"),
    ("gemini", "gemini"),
    ("gemini", "pairs"),
    ("mistral", "mistral"),
    ("deepseek", "deepseek"),
    ("bedrock", "bedrock"),
)
JUDGED = ("openai-chat", "anthropic", "gemini", "openai-responses", "bedrock")
MODELS = {
    "openai-chat": ("gpt-5-mini",),
    # One that need not reason in front of a call, and one that does.
    "openai-responses": ("gpt-5.4", "gpt-5.6"),
    # One of each family that a clause tells apart: system text, prefill, thinking bound to what stands before it.
    # One of today's, and one whose tokenizer takes words or calls, not both.
    "mistral": ("mistral-large-latest", "open-mistral-7b"),
    # One that thinks and wants it back, and one that does not.
    "deepseek": ("deepseek-v4-pro", "deepseek-chat"),
    "anthropic": ("claude-sonnet-4-20250514", "claude-opus-4-6", "claude-opus-4-8", "claude-opus-5-5"),
    # Claude with and without a prefill, and another family; those that want results alone have a test of their own.
    "bedrock": ("anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic.claude-opus-4-6-v1", "amazon.nova-pro-v1:0"),
    # Older, merging neighbours, and with signatures on calls.
    "gemini": ("gemini-2.0-flash", "gemini-2.5-pro", "gemini-3-flash-preview"),
}
# Every word that a repair may put into a history; none of them says what a tool did.
PLACEHOLDERS = (".", "Continue.", "[no result was recorded for this call; its action may or may not have happened]")
# What the assistant says between results and the user, for a reader who wants a word there: it takes the turn.
BRIDGES = ("OK",)
_QUOTED = ("[tool result without its call, id ", "<system>")

each_reader = pytest.mark.parametrize(("dialect", "target"), READERS)
each_dialect = pytest.mark.parametrize("dialect", faults.DIALECTS)
each_judged = pytest.mark.parametrize("dialect", JUDGED)


class Case(NamedTuple):
    """A payload and how it is to be repaired."""

    payload: Any
    dialect: str
    target: str
    policy: str

    def repaired(self, payload: Any = None) -> rj.Repaired:
        """The outcome, for this payload or for another one under the same policy."""
        given = self.payload if payload is None else payload
        return rj.repair(given, self.target, dialect=self.dialect, policy=self.policy)

    @property
    def messages(self) -> faults.Messages:
        return messages_of(self.payload)


@st.composite
def broken_cases(draw: st.DrawFn, dialect: str, target: str) -> Case:
    """A broken history, bare or in a body, and a policy for its unanswered calls."""
    messages = draw(grammar.broken_histories(dialect))
    return Case(draw(in_body(dialect, messages)), dialect, target, draw(st.sampled_from(POLICIES)))


@st.composite
def intact_cases(draw: st.DrawFn, dialect: str, target: str) -> Case:
    """An intact history, bare or in a body, and a policy that must not matter."""
    messages = draw(grammar.histories(dialect))
    return Case(draw(in_body(dialect, messages)), dialect, target, draw(st.sampled_from(POLICIES)))


@st.composite
def in_body(draw: st.DrawFn, dialect: str, messages: faults.Messages) -> Any:
    """The messages alone, or a request body with what may stand beside them."""
    model = draw(st.sampled_from((None, *MODELS.get(dialect, ()))))
    if model is None and draw(st.booleans()):
        return messages
    body: dict[str, Any] = {"modelId" if dialect == "bedrock" else "model": model} if model else {}
    body |= {holder(dialect): messages, "temperature": 0.5, "x_unknown": {"kept": [1]}}
    if dialect == "anthropic":
        body |= draw(st.sampled_from(({}, {"system": "be kind"}, {"system": [{"type": "text", "text": "be kind"}]})))
    if dialect == "bedrock":
        body |= {"toolConfig": {"tools": [{"toolSpec": {"name": "search", "inputSchema": {"json": {}}}}]}}
    note(f"in a body: {sorted(body)}, model {model}")
    return body


# --- Reading what came out --------------------------------------------------------------------------------------------


def holder(dialect: str) -> str:
    """The member of a body that holds the messages."""
    return histories.HELD_IN.get(dialect, "messages")


def messages_of(payload: Any) -> faults.Messages:
    if not isinstance(payload, dict):
        return payload
    return next((payload[name] for name in ("messages", *histories.HELD_IN.values()) if name in payload), [])


def model_of(payload: Any) -> str | None:
    return payload.get("model") or payload.get("modelId") if isinstance(payload, dict) else None


def written(value: Any) -> str:
    """The bytes that a client would send."""
    return json.dumps(value)


def said(messages: faults.Messages, role: str) -> list[str]:
    """What one role said, in order, without what is blank or ours; texts that were merged count one by one."""
    spoken = faults.user_texts(messages) if role == "user" else faults.assistant_texts(messages)
    pieces = [piece for text in spoken for piece in text.split("\n\n")]
    ours = (*PLACEHOLDERS, *BRIDGES)
    return [piece for piece in pieces if piece.strip() and piece not in ours and not piece.startswith(_QUOTED)]


def strings(value: Any) -> list[str]:
    """All strings inside a JSON value."""
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [text for each in inside for text in strings(each)]


def calls_in(messages: faults.Messages) -> list[faults.Message]:
    return [call for message in messages for call in histories.calls(message)]


def results_in(messages: faults.Messages) -> list[faults.Message]:
    return [result for message in messages for result in histories.results(message)]


def result_id(result: faults.Message) -> Any:
    return result[histories.result_key(result)]


def in_order(few: list[str], many: list[str]) -> bool:
    """Do the few stand among the many, in the same order?"""
    left = iter(many)
    return all(text in left for text in few)
