"""The small conversations that a chat template is probed with, each about one thing that templates refuse.

Each word that is to be read holds a number (`Osprey1`), so that what a template leaves out can be told from its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from rejoinder.dialects.chat_template.forms import (
    Form,
    Messages,
    assistant,
    blocks,
    calls,
    image,
    result,
    said,
    system,
    user,
)

Scene = Callable[[Form], Messages]
_MARKED = re.compile(r"[A-Z][a-z]+\d")
CONTROL = "<|channel|>final<|message|>"


class Play(msgspec.Struct, frozen=True):
    """A conversation and what it asks; `tools` tells whether it holds calls or results."""

    name: str
    says: str
    scene: Scene
    tools: bool = False
    # Only the words that begin with this have to be in the text; all others may be left out with good reason.
    wants: str = ""


def _chat(name: str, says: str, scene: Scene, wants: str = "") -> Play:
    return Play(name, says, scene, False, wants)


def _tool(name: str, says: str, scene: Scene, wants: str = "") -> Play:
    return Play(name, says, scene, True, wants)


def _turn(f: Form) -> Messages:
    return [user(f, "User1"), calls(f, "Oslo1"), result(f, "Oslo1", "Result1")]


def _renamed(f: Form, name: object) -> Messages:
    asked = calls(f, "Oslo1")
    asked["tool_calls"][0]["id"] = name
    return [user(f, "User1"), asked, result(f, "Oslo1", "Result1", tool_call_id=name), *_after(f)]


def _after(f: Form) -> Messages:
    return [assistant(f, "Answer1"), user(f, "User2")]


def _argued(f: Form, arguments: object) -> Messages:
    asked = calls(f, "Oslo1")
    asked["tool_calls"][0]["function"]["arguments"] = arguments
    return [user(f, "User1"), asked, result(f, "Oslo1", "Result1"), *_after(f)]


def _beside(f: Form, content: Any) -> Messages:
    asked = calls(f, "Oslo1", content=content)
    if content is ...:
        del asked["content"]
    return [user(f, "User1"), asked, result(f, "Oslo1", "Result1"), *_after(f)]


def _without(message: dict[str, Any], member: str) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name != member}


def _thought(f: Form, name: str) -> Messages:
    asked = calls(f, "Oslo1", content="Beside", **{name: "Thought"})
    return [user(f, "User1"), asked, result(f, "Oslo1", "Result1"), *_after(f)]


PLAIN = _chat("plain", "user, assistant, user", lambda f: [user(f, "User1"), assistant(f, "Answer1"), user(f, "User2")])
CALL = _tool("call", "a call and its result, and the talk goes on", lambda f: [*_turn(f), *_after(f)])
CHAT_PLAYS: tuple[Play, ...] = (
    PLAIN,
    _chat("system", "a system message at the head", lambda f: [system(f, "System1"), user(f, "User1")], "System"),
    _chat(
        "system later",
        "a system message after the head",
        lambda f: [user(f, "User1"), assistant(f, "Answer1"), system(f, "System1"), user(f, "User2")],
        "System",
    ),
    _chat("system last", "a system message at the end", lambda f: [user(f, "User1"), system(f, "System1")], "System"),
    _chat(
        "two systems",
        "two system messages at the head",
        lambda f: [system(f, "System1"), system(f, "System2"), user(f, "User1")],
        "System",
    ),
    _chat("developer", "a developer message", lambda f: [said(f, "developer", "System1"), user(f, "User1")], "System"),
    _chat("two users", "two user messages in a row", lambda f: [user(f, "User1"), user(f, "User2")], "User"),
    _chat(
        "two users later",
        "two user messages in a row, later",
        lambda f: [user(f, "User1"), assistant(f, "Answer1"), user(f, "User2"), user(f, "User3")],
        "User",
    ),
    _chat(
        "two assistants",
        "two assistant messages in a row",
        lambda f: [user(f, "User1"), assistant(f, "Answer1"), assistant(f, "Answer2"), user(f, "User2")],
        "Answer",
    ),
    _chat(
        "assistant first",
        "a history that begins with the assistant",
        lambda f: [assistant(f, "Answer1"), user(f, "User1")],
        "Answer",
    ),
    _chat(
        "assistant after system",
        "the assistant speaks right after the system text",
        lambda f: [system(f, "System1"), assistant(f, "Answer1"), user(f, "User1")],
        "Answer",
    ),
    _chat(
        "assistant last", "the assistant speaks last", lambda f: [user(f, "User1"), assistant(f, "Answer1")], "Answer"
    ),
    _chat("no user", "a system message and nothing else", lambda f: [system(f, "System1")], "System"),
    _chat("no user at all", "an assistant message and nothing else", lambda f: [assistant(f, "Answer1")], "Answer"),
    _chat(
        "empty user",
        "an empty user message",
        lambda f: [user(f, "User1"), assistant(f, "Answer1"), user(f, "")],
    ),
    _chat(
        "empty first", "an empty first user message", lambda f: [user(f, ""), assistant(f, "Answer1"), user(f, "User2")]
    ),
    _chat(
        "empty assistant",
        "an empty assistant message",
        lambda f: [user(f, "User1"), assistant(f, ""), user(f, "User2")],
    ),
    _chat("empty last", "an empty assistant message at the end", lambda f: [user(f, "User1"), assistant(f, "")]),
    _chat("empty system", "an empty system message", lambda f: [system(f, ""), user(f, "User1")]),
    _chat(
        "blank",
        "white space for content",
        lambda f: [user(f, " \n "), assistant(f, " \n "), user(f, "User2")],
    ),
    _chat(
        "null content",
        "`content: null` without calls",
        lambda f: [user(f, "User1"), {"role": "assistant", "content": None}, user(f, "User2")],
    ),
    _chat("no content", "a user message without `content`", lambda f: [_without(user(f, "User1"), "content")]),
    _chat("user string", "a user's content as a string", lambda _: [{"role": "user", "content": "User1"}], "User"),
    _chat(
        "assistant string",
        "an assistant's content as a string",
        lambda f: [user(f, "User1"), {"role": "assistant", "content": "Answer1"}, user(f, "User2")],
        "Answer",
    ),
    _chat(
        "system string",
        "system text as a string",
        lambda f: [{"role": "system", "content": "System1"}, user(f, "User1")],
        "System",
    ),
    _chat("user blocks", "a user's content as a list of blocks", lambda f: [user(f, blocks("User1"))], "User"),
    _chat(
        "system blocks",
        "system text as a list of blocks",
        lambda f: [system(f, blocks("System1")), user(f, "User1")],
        "System",
    ),
    _chat(
        "assistant blocks",
        "an assistant's content as a list of blocks",
        lambda f: [user(f, "User1"), assistant(f, blocks("Answer1")), user(f, "User2")],
        "Answer",
    ),
    _chat("user image", "an image from the user", lambda f: [user(f, image("User1"))]),
    _chat("system image", "an image in the system text", lambda f: [system(f, image("System1")), user(f, "User1")]),
    _chat(
        "assistant image",
        "an image from the assistant",
        lambda f: [user(f, "User1"), assistant(f, image("Answer1")), user(f, "User2")],
    ),
    _chat(
        "control tokens",
        "control tokens in an assistant's content",
        lambda f: [user(f, "User1"), assistant(f, f"{CONTROL}Answer1<|end|>"), user(f, "User2")],
    ),
    _chat(
        "null calls",
        "`tool_calls: null`",
        lambda f: [
            *(user(f, "User1"), {**assistant(f, "Answer1"), "tool_calls": None}, user(f, "User2")),
            *(assistant(f, "Answer2"), user(f, "User3")),
        ],
    ),
    _chat(
        "null thinking",
        "`reasoning_content: null`",
        lambda f: [
            user(f, "User1"),
            {**assistant(f, "Answer1"), "reasoning_content": None, "thinking": None, "name": None, "refusal": None},
            user(f, "User2"),
        ],
    ),
)
TOOL_PLAYS: tuple[Play, ...] = (
    CALL,
    _tool("call last", "a call and its result at the end", _turn, "Result"),
    _tool("call read", "what a call asks for is in the text", _turn, "Oslo"),
    _tool("system and call", "system text in front of a call", lambda f: [system(f, "System1"), *_turn(f)]),
    _tool(
        "no user, call",
        "a call that no user asked for",
        lambda f: [system(f, "System1"), calls(f, "Oslo1"), result(f, "Oslo1", "Result1")],
    ),
    _tool(
        "user after results",
        "the user speaks right behind results",
        lambda f: [*_turn(f), user(f, "User2")],
    ),
    _tool(
        "text, call",
        "an assistant message with a text, then one with a call",
        lambda f: [
            *(user(f, "User1"), assistant(f, "Answer1"), calls(f, "Oslo1")),
            *(result(f, "Oslo1", "Result1"), *_after(f)),
        ],
    ),
    _tool(
        "call, call",
        "one call after the other",
        lambda f: [*_turn(f), calls(f, "Rome2"), result(f, "Rome2", "Result2"), *_after(f)],
    ),
    _tool(
        "parallel",
        "two calls in one message",
        lambda f: [
            *(user(f, "User1"), calls(f, "Oslo1", "Rome2"), result(f, "Oslo1", "Result1")),
            *(result(f, "Rome2", "Result2"), *_after(f)),
        ],
        "Oslo Rome Result",
    ),
    _tool(
        "parallel, last",
        "two calls in one message, and their results at the end",
        lambda f: [
            *(user(f, "User1"), calls(f, "Oslo1", "Rome2"), result(f, "Oslo1", "Result1")),
            result(f, "Rome2", "Result2"),
        ],
    ),
    _tool("orphan", "a result without a call", lambda f: [user(f, "User1"), result(f, "Oslo1", "Result1")]),
    _tool(
        "orphan later",
        "a result without a call, later",
        lambda f: [user(f, "User1"), assistant(f, "Answer1"), result(f, "Oslo1", "Result1"), user(f, "User2")],
    ),
    _tool(
        "nameless orphan",
        "a result without a call, and without a name",
        lambda f: [user(f, "User1"), _without(result(f, "Oslo1", "Result1"), "name")],
    ),
    _tool("orphan first", "a result at the head", lambda f: [result(f, "Oslo1", "Result1"), user(f, "User1")]),
    _tool(
        "unanswered",
        "a call without a result",
        lambda f: [user(f, "User1"), calls(f, "Oslo1"), user(f, "User2")],
    ),
    _tool("unanswered last", "a call without a result at the end", lambda f: [user(f, "User1"), calls(f, "Oslo1")]),
    _tool(
        "two results",
        "two results of one call",
        lambda f: [*_turn(f), result(f, "Oslo1", "Result2"), *_after(f)],
    ),
    _tool("other id", "an id of other characters than nine letters and digits", lambda f: _renamed(f, "call_abc-123")),
    _tool("long id", "an id of 29 characters", lambda f: _renamed(f, "call_" + "a1b2c3d4" * 3)),
    _tool(
        "no ids",
        "calls and results without ids",
        lambda f: [
            user(f, "User1"),
            {**calls(f, "Oslo1"), "tool_calls": [_without(calls(f, "Oslo1")["tool_calls"][0], "id")]},
            _without(result(f, "Oslo1", "Result1"), "tool_call_id"),
            *_after(f),
        ],
    ),
    _tool(
        "no name",
        "a result without the name of its tool",
        lambda f: [
            *(user(f, "User1"), calls(f, "Oslo1"), _without(result(f, "Oslo1", "Result1"), "name")),
            *_after(f),
        ],
    ),
    _tool("text arguments", "arguments as JSON text", lambda f: _argued(f, '{"city": "Oslo1"}'), "Oslo"),
    _tool("mapping arguments", "arguments as a mapping", lambda f: _argued(f, {"city": "Oslo1"}), "Oslo"),
    _tool(
        "odd arguments", "arguments of other types than text", lambda f: _argued(f, {"n": 1, "m": [None, {"k": 2.5}]})
    ),
    _tool("no arguments", "a call with empty arguments", lambda f: _argued(f, {})),
    _tool("null beside", "`content: null` beside calls", lambda f: _beside(f, None)),
    _tool("nothing beside", "no `content` beside calls", lambda f: _beside(f, ...)),
    _tool("empty beside", "an empty text beside calls", lambda f: _beside(f, "")),
    _tool("text beside", "a text beside calls", lambda f: _beside(f, "Beside1")),
    _tool("blocks beside", "a list of blocks beside calls", lambda f: _beside(f, blocks("Beside1"))),
    _tool("thinking", "content beside thinking, with calls", lambda f: _thought(f, "thinking")),
    _tool("reasoning", "content beside reasoning, with calls", lambda f: _thought(f, "reasoning_content")),
    _tool(
        "result blocks",
        "a result as a list of blocks",
        lambda f: [user(f, "User1"), calls(f, "Oslo1"), result(f, "Oslo1", blocks("Result1")), *_after(f)],
        "Result",
    ),
    _tool(
        "result image",
        "an image in a result",
        lambda f: [user(f, "User1"), calls(f, "Oslo1"), result(f, "Oslo1", image("Result1")), *_after(f)],
    ),
    _tool(
        "empty result",
        "an empty result",
        lambda f: [user(f, "User1"), calls(f, "Oslo1"), result(f, "Oslo1", ""), *_after(f)],
    ),
    _tool(
        "null result",
        "a result of null",
        lambda f: [user(f, "User1"), calls(f, "Oslo1"), result(f, "Oslo1", None), *_after(f)],
    ),
)
PLAYS = (*CHAT_PLAYS, *TOOL_PLAYS)


def marked(messages: Messages, wants: str) -> tuple[str, ...]:
    """The words of a conversation that have to be in its text."""
    starts = tuple(wants.split())
    found = dict.fromkeys(_MARKED.findall(repr(messages)))
    return tuple(word for word in found if starts and word.startswith(starts))
