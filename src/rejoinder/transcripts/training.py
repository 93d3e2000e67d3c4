"""Training data whose calls have no ids: ShareGPT and Hermes (tags in the text), and LLaMA-Factory's typed parts.

Results answer by their place alone: those of a run the calls in front of it, one by one; one result that is a list as
long as the calls are many answers each with its item, and any other one answers them all. The calls are counted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rejoinder.transcripts import chat
from rejoinder.transcripts.conversations import several, told
from rejoinder.transcripts.fields import inner, items, text
from rejoinder.transcripts.lines import Found
from rejoinder.transcripts.members import array, named, objects, parsed, spelled
from rejoinder.transcripts.transcript import Defect, Format, Transcript
from rejoinder.values.loose import is_array, is_object

_SHAREGPT, _LLAMA = "sharegpt", "llama-factory"
_ROLES = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "bard": "assistant",
    "model": "assistant",
    "system": "system",
    "function_call": "call",
    "observation": "result",
    "tool": "result",
    "tool_response": "result",
    "function_response": "result",
    "ipython": "result",
}
_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|$)", re.DOTALL)
_RESULT = re.compile(r"<tool_response>(.*?)(?:</tool_response>|$)", re.DOTALL)
_NAME = re.compile(r"""["']name["']\s*:\s*["']([^"']+)["']""")
# What is longer is no call that a model wrote, and takes Python's reader long.
_LONGEST = 1_000_000


class _Said(NamedTuple):
    """A turn: who speaks, what is said, and the calls that are made, or the results that are given."""

    line: int
    role: str
    words: str = ""
    calls: tuple[Any, ...] = ()
    results: tuple[str, ...] = ()
    reasoning: str = ""


def _knows_sharegpt(sample: list[Any]) -> bool:
    return any("from" in turn for row in objects(sample) for turn in items(row, "conversations")[:4])


def _knows_llama(sample: list[Any]) -> bool:
    parts = (part for row in objects(sample) for turn in items(row, "messages")[:4] for part in items(turn, "content"))
    return any("value" in part and isinstance(part.get("type"), str) for part in parts)


def _read_sharegpt(found: Iterable[Found]) -> Iterator[Transcript]:
    return several(found, _sharegpt, Transcript(tool=_SHAREGPT, dialect=chat.DIALECT, messages=()))


def _read_llama(found: Iterable[Found]) -> Iterator[Transcript]:
    return several(found, _llama, Transcript(tool=_LLAMA, dialect=chat.DIALECT, messages=()))


def _sharegpt(row: dict[str, Any], line: int) -> Iterator[Transcript]:
    if is_array(row.get("conversations")):
        turns = enumerate(array(row, "conversations"), 1)
        said = [_turn(number, turn) for number, turn in turns if is_object(turn)]
        yield _conversation(_SHAREGPT, row, line, said)


def _llama(row: dict[str, Any], line: int) -> Iterator[Transcript]:
    if is_array(row.get("messages")):
        turns = enumerate(array(row, "messages"), 1)
        said = [_parts(number, turn) for number, turn in turns if is_object(turn)]
        yield _conversation(_LLAMA, row, line, said)


def _turn(number: int, turn: dict[str, Any]) -> _Said:
    """A turn of ShareGPT, with the tags of Hermes taken out of its text."""
    role = _ROLES.get(text(turn, "from", "role").lower(), "user")
    value = turn.get("value", turn.get("content"))
    said = spelled(value) if value is not None else ""
    if role == "call":
        asked = parsed(said)
        calls = tuple(asked) if is_array(asked) else (said,)
        return _Said(number, "assistant", calls=calls)
    if role == "result":
        given = tuple(match[1].strip() for match in _RESULT.finditer(said))
        return _Said(number, role, results=given or (said,))
    if role == "assistant" and "<tool_call>" in said:
        calls = tuple(match[1].strip() for match in _CALL.finditer(said))
        return _Said(number, role, _CALL.sub("", said).strip(), calls)
    return _Said(number, role, said)


def _parts(number: int, turn: dict[str, Any]) -> _Said:
    """A message of LLaMA-Factory's: its parts by their type."""
    role = _ROLES.get(text(turn, "role"), "user")
    content = turn.get("content")
    if isinstance(content, str):
        return _Said(number, role, content, results=(content,) if role == "result" else ())
    held: dict[str, list[Any]] = {}
    for part in items(turn, "content"):
        held.setdefault(text(part, "type"), []).append(part.get("value", part.get("text")))
    said = "\n".join(spelled(value) for value in held.get("text", ()))
    if role == "result":
        return _Said(number, role, results=(said,))
    reasoning = "\n".join(spelled(value) for value in held.get("reasoning", ()))
    return _Said(number, role, said, tuple(held.get("tool_call", ())), reasoning=reasoning)


def _conversation(tool: str, row: dict[str, Any], line: int, said: list[_Said]) -> Transcript:
    made = _Made()
    for turn in said:
        made.take(turn)
    made.settle()
    return told(
        tool,
        chat.DIALECT,
        made.messages,
        made.lines,
        defects=made.defects,
        system=text(row, "system") or None,
        session=named(row, "id") or str(line),
        records=1,
    )


class _Made:
    """The messages that turns without ids come to; a run of results is held back until it ends."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.lines: list[int] = []
        self.defects: list[Defect] = []
        self._calls: list[str] = []
        self._results: list[tuple[int, str]] = []
        self._count = 0

    def take(self, turn: _Said) -> None:
        """One turn more."""
        if turn.role == "result":
            self._results += [(turn.line, each) for each in turn.results]
            return
        self.settle()
        if turn.role != "assistant":
            self._add(turn.line, chat.said(turn.role, turn.words))
            return
        calls = [call for each in turn.calls if (call := self._call(turn.line, each)) is not None]
        message = chat.assistant(turn.words, calls)
        self._calls = [call["id"] for call in calls]
        self._add(turn.line, message | {"reasoning_content": turn.reasoning} if turn.reasoning else message)

    def settle(self) -> None:
        """Give the results of the run that has ended to the calls in front of it."""
        results, calls = self._results, self._calls
        if len(results) == 1 and len(calls) > 1:
            line, said = results[0]
            each = parsed(said)
            alike = is_array(each) and len(each) == len(calls)
            results = [(line, spelled(each[at]) if alike else said) for at in range(len(calls))]
        for at, (line, said) in enumerate(results):
            self._add(line, chat.result(calls[at] if at < len(calls) else None, said))
        self._results, self._calls = [], []

    def _add(self, line: int, message: dict[str, Any]) -> None:
        self.messages.append(message)
        self.lines.append(line)

    def _call(self, line: int, asked: Any) -> dict[str, Any] | None:
        """A call; of one that is no JSON its name is enough, and its text is its arguments."""
        held = _read(asked) if isinstance(asked, str) else asked
        name = text(held, "name") or text(held.get("function") if is_object(held) else None, "name")
        if not name:
            found = _NAME.search(asked) if isinstance(asked, str) else None
            name, held = (found[1] if found else ""), {"arguments": asked}
            says = "a call that is no JSON" if found else "a call without a name"
            self.defects.append(Defect(kind="unreadable", line=line, says=says, unit="message"))
        inside = inner(held, "function") or inner({"held": held}, "held")
        self._count += 1
        return chat.call(name, inside.get("arguments", inside.get("parameters")), f"call_{self._count}")


def _read(asked: str) -> Any:
    """What a tag holds: JSON, or, in older data, the same as Python spells it."""
    held = parsed(asked)
    if held is None and len(asked) < _LONGEST:
        try:
            held = ast.literal_eval(asked)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            return None
    return held if is_object(held) else None


FORMATS = (
    Format(name=_SHAREGPT, says="ShareGPT and Hermes training data", knows=_knows_sharegpt, read=_read_sharegpt),
    Format(name=_LLAMA, says="LLaMA-Factory training data with typed parts", knows=_knows_llama, read=_read_llama),
)
