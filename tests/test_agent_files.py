"""Real files of agents and data sets, read whole: what was said, and exactly the defects that are in them."""

from pathlib import Path

import pytest

import rejoinder as rj
from rejoinder.dialects.detect import DIALECTS
from rejoinder.transcripts.transcript import Transcript
from session_loader import load

# File: the format, the messages of each conversation, and all defects as (conversation, kind, line or item, ids).
_LONGEST = "call_5iDdbOYybq7L19vqXmR0DPaU"
REUSED = (
    (11, "call_eOnrtEO7kHAR1nZFiuY2oi98"),
    (13, "call_79goaWVFKtpR6WYbdt4clISJ"),
    (11, "call_MY94XAcnfHzfAZcVHqt5FRRQ"),
    (17, "call_FXi5dyufwOlkHksVgNwVhhVB"),
    (25, "call_Ab7YHfneXdQk4tCXNRPh0C8u"),
    (23, "call_RiPfluDmybt1YYSdBmx1huvw"),
    (21, "call_5jQdSXVBGc9unuJOdSZlau1r"),
)
FILES = {
    "cline/session.json": ("cline", [0], []),
    "cline/session.messages.json": ("cline", [32], []),
    "cline/agentic.compaction.json": ("cline", [3], []),
    "cline/basic.compaction.json": ("cline", [10], []),
    "openhands/resolver-output.jsonl": ("openhands", [8, 44], []),
    "openhands-sdk/events.jsonl": (
        "openhands-sdk",
        [5],
        [(0, "orphan", 7, "chatcmpl-tool-9051d3d10f914188")],
    ),
    "swe-agent/function_calling_simple.traj": ("swe-agent", [12], []),
    "swe-agent/marshmallow-1867.function_calling_replace.traj": (
        "swe-agent",
        [24],
        [
            (0, "duplicate", 9, _LONGEST),
            (0, "duplicate", 13, "call_ahToD2vM0aQWJPkRmy5cumru"),
            (0, "duplicate", 15, "call_q3VsBszvsntfyPkxeHq4i5N1"),
        ],
    ),
    "mini-swe-agent/github_issue.traj.json": ("mini-swe-agent", [22], []),
    "mini-swe-agent/local.traj.json": ("mini-swe-agent", [6], []),
    "tau-bench/gpt-4o-airline.duplicate-ids.json": (
        "tau-bench",
        [16, 16, 22, 26, 26, 26, 24],
        [(at, "duplicate", line, name) for at, (line, name) in enumerate(REUSED)],
    ),
    "llama-factory/glaive_toolcall_en.20.json": (
        "sharegpt",
        [8, 12, 8, 4, 4, 8, 8, 4, 6, 8, 4, 4, 10, 10, 10, 4, 6, 10, 6, 6],
        [],
    ),
    "llama-factory/reason_tool_use.8.jsonl": (
        "llama-factory",
        [3, 9, 12, 3, 5, 3, 6, 3],
        [(7, "pending", 3, "call_1"), (7, "pending", 3, "call_2")],
    ),
    "deepagents/langchain-dumpd-messages.json": ("langchain", [6], []),
    "inspect_ai/log_formats.json": ("inspect-ai", [3], []),
    "inspect_ai/log_message_deduplication.eval": ("inspect-ai", [12], []),
    "inspect_ai/log_read_sample.eval": ("inspect-ai", [3], []),
    "inspect_ai/log_streaming.eval": ("inspect-ai", [3, 3, 3, 3], []),
    "aider/chat-history.head.md": ("aider", [1, 0, 3, 3, 0, 1, 0, 0, 0, 0, 0, 0, 4], []),
}
# What an API says of a conversation that has ended, and of the defects above: true, and no fault of the reader.
SAID_OF_THE_END = ("the conversation ends with the assistant", "there are no messages")


def _defects(found: list[Transcript]) -> list[tuple[int, str, int, str]]:
    return [(at, each.kind, each.line, "".join(each.ids)) for at, one in enumerate(found) for each in one.defects]


@pytest.mark.parametrize("name", sorted(FILES))
def test_each_conversation_is_there_with_its_defects_and_no_others(name: str, evidence: Path):
    """The hand-checked list of what each file holds."""
    tool, counts, defects = FILES[name]
    found = load(evidence / "data" / "sessions" / name)
    assert {each.tool for each in found} == {tool}
    assert [len(each.messages) for each in found] == counts
    assert _defects(found) == defects
    for each in found:
        assert len(each.lines) == len(each.messages)
        assert list(each.lines) == sorted(each.lines)
        assert each.oddities == ()
        each.as_dict()


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_library_has_nothing_else_to_say_of_the_messages(name: str, evidence: Path):
    """What a reader makes of a file is a conversation that its API takes, but for the defects that were told."""
    _, _, defects = FILES[name]
    told = {identity for _, kind, _, identity in defects if kind != "duplicate"}
    for each in load(evidence / "data" / "sessions" / name):
        if each.dialect not in DIALECTS:
            pytest.skip(f"NOT CHECKED: there is no dialect {each.dialect} here")
        for finding in rj.check(list(each.messages), dialect=each.dialect):
            said = str(finding)
            assert any(words in said for words in SAID_OF_THE_END) or any(name in said for name in told), said


def test_what_is_known_besides_the_messages(evidence: Path):
    """Titles, models, times and where it was, as far as the files tell."""
    sessions = evidence / "data" / "sessions"
    manifest = load(sessions / "cline" / "session.json")[0]
    assert (manifest.session, manifest.folder[-9:]) == ("1784094124598_rruoq", "dev/cline")
    assert manifest.began == "2026-07-15T05:42:04.609Z"
    messages = load(sessions / "cline" / "session.messages.json")[0]
    assert messages.model == "mistralai/voxtral-small-24b-2507"
    assert messages.began == "2026-07-06T22:27:48.634Z"
    assert str(messages.system).startswith("You are Cline")
    trajectory = load(sessions / "swe-agent" / "marshmallow-1867.function_calling_replace.traj")[0]
    assert (trajectory.session, trajectory.model) == ("marshmallow-code__marshmallow-1867", "gpt-4o")
    trial = load(sessions / "tau-bench" / "gpt-4o-airline.duplicate-ids.json")[1]
    assert (trial.session, trial.title[:13]) == ("task 45 trial 2", "I just experi")
    sample = load(sessions / "inspect_ai" / "log_streaming.eval")[1]
    assert (sample.session, sample.model[:8]) == ("popularity 1 2", "azureai/")
    dump = load(sessions / "deepagents" / "langchain-dumpd-messages.json")[0]
    assert dump.model == "claude-sonnet-4-5-20250929"
    chats = load(sessions / "aider" / "chat-history.head.md")
    assert chats[2].began == "2024-08-05T19:33:32"
    assert chats[2].model == "claude-3-5-sonnet-20240620"
    assert all(chat.lossy for chat in chats)


def test_words_of_the_terminal_are_nobodys(evidence: Path):
    """In a Markdown history neither what was shown nor a map of a repository is taken for an answer."""
    chats = load(evidence / "data" / "sessions" / "aider" / "chat-history.head.md")
    said = [message for chat in chats for message in chat.messages]
    assert not any("Tokens:" in message["content"] or "⋮" in message["content"] for message in said[1:])
    assert [message["role"] for message in chats[2].messages] == ["user", "assistant", "user"]
    assert chats[2].lines == (113, 115, 214)
