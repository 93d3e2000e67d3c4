"""Codex rollouts: items of the Responses API in the order in which they came; there are no parents.

What changes the history stands in the file as a row of its own: a compaction puts other items in the place of all that
were there, a rollback takes the last turns away. Of several `session_meta` (a fork copies its source) the first counts.
The rows of August 2025 are the same items without an envelope, with rows of state in between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rejoinder.transcripts.fields import inner, items, text, title_of, words
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.pairs import Kind, Step, unpaired
from rejoinder.transcripts.transcript import Format, Transcript, Way, in_order, odd_defects, parted
from rejoinder.values.loose import is_array, is_object

_ENVELOPES = frozenset({"session_meta", "response_item", "turn_context", "event_msg", "compacted"})
# The items of which each names the other's `call_id`, and what tells whether two calls are the same.
_CALLS: dict[str, tuple[str, ...]] = {
    "function_call": ("name", "namespace", "arguments"),
    "custom_tool_call": ("name", "input"),
    "local_shell_call": ("action",),
    "tool_search_call": ("arguments",),
}
_RESULTS = frozenset("function_call_output custom_tool_call_output local_shell_call_output tool_search_output".split())
# What Codex keeps among the items for itself.
_UNSENT = frozenset({"ghost_snapshot", "other"})
# How texts begin that Codex writes in the name of the user.
_CONTEXT = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<user_shell_command>",
    "<turn_aborted>",
    "<skill>",
    "<subagent_notification>",
)
# Of what was not said by the model, a compaction without items of its own keeps the last 20,000 tokens of four letters.
_KEPT = 80_000


class _Event(NamedTuple):
    """An item, or a row that says what became of items."""

    line: int
    time: str
    kind: str
    item: dict[str, Any]


class _History:
    """What happened, and which of the items are the conversation now: what a compaction kept, and what came since."""

    def __init__(self) -> None:
        self.events: list[_Event] = []
        self.branches: list[Way] = []
        self._kept: deque[int] = deque()
        self._since: list[int] = []
        self._summary = -1
        self._weight = 0
        self._turns = 0

    @property
    def now(self) -> list[int]:
        """The numbers of the events that are the conversation."""
        return [*self._kept, *self._since]

    def add(self, line: int, time: str, item: dict[str, Any]) -> None:
        """One item more."""
        if item.get("type") == "local_shell_call" and not text(item, "call_id") and text(item, "id"):
            # The first form of a shell call has no other id; its output names that one.
            item = item | {"call_id": item["id"]}
        if text(item, "type") and item["type"] not in _UNSENT:
            self._since.append(len(self.events))
            self._turns += _is_asked(item)
            self.events.append(_Event(line, time, "item", item))

    def end(self, line: int, time: str, kind: Kind) -> None:
        """Calls that wait for their result wait for nothing."""
        self.events.append(_Event(line, time, kind, {}))

    def compact(self, line: int, time: str, row: dict[str, Any]) -> None:
        """Other items stand in the place of all; in older files, what the user said, and a summary."""
        self.end(line, time, "cut")
        since, self._since = self._since, []
        if is_array(row.get("replacement_history")):
            self._kept.clear()
            self._weight = self._turns = 0
            for item in items(row, "replacement_history"):
                self.add(line, time, item)
            return
        if self._kept and self._kept[-1] == self._summary:
            self._let_go(self._kept.pop())
        for at in since:
            if _is_told(self.events[at].item):
                self._kept.append(at)
                self._weight += _weight(self.events[at].item)
        while self._kept and self._weight - _weight(self.events[self._kept[0]].item) > _KEPT:
            self._let_go(self._kept.popleft())
        if text(row, "message"):
            content = [{"type": "input_text", "text": row["message"]}]
            self.add(line, time, {"type": "message", "role": "user", "content": content})
            self._summary = self._since.pop()
            self._kept.append(self._summary)
            self._weight += _weight(self.events[self._summary].item)

    def _let_go(self, at: int) -> None:
        """Of an item that was kept: what it weighs, and the turn that it began."""
        self._weight -= _weight(self.events[at].item)
        self._turns -= _is_asked(self.events[at].item)

    def roll_back(self, turns: int) -> None:
        """The last turns never were."""
        turns = min(turns, self._turns)
        taken: list[int] = []
        while turns > 0:
            if self._since:
                taken.append(self._since.pop())
                self._turns -= _is_asked(self.events[taken[-1]].item)
            else:
                taken.append(self._kept.pop())
                self._let_go(taken[-1])
            turns -= _is_asked(self.events[taken[-1]].item)
        if taken:
            last = self.events[taken[0]]
            self.branches.append(Way(line=last.line, messages=len(taken), ended=last.time))


def knows(sample: list[Any]) -> bool:
    """Are these rows in Codex's envelope, or in the bare form of its first rollouts?"""
    return any(
        (row.get("type") in _ENVELOPES and is_object(row.get("payload")))
        or (row.get("record_type") == "state" and len(row) <= 2)
        or ("type" not in row and "instructions" in row and {"id", "timestamp"} <= row.keys())
        for row in sample
        if is_object(row) and isinstance(row.get("type", ""), str)
    )


def read(found: Iterable[Found]) -> Transcript:
    """The conversation of a rollout, as compactions and rollbacks left it."""
    records, oddities = parted(found)
    history = _History()
    meta: dict[str, Any] = {}
    context: dict[str, Any] = {}
    for record in records:
        kind, payload = _opened(record.value)
        if kind == "session_meta":
            meta = meta or payload
        elif kind == "turn_context":
            context = payload
        else:
            _happens(history, record, kind, payload)
    live = set(history.now)
    defects = [*odd_defects(oddities), *unpaired(list(_steps(history.events, live)))]
    times = [each for record in records if (each := text(record.value, "timestamp"))]
    now = [history.events[at] for at in history.now]
    return Transcript(
        tool="codex",
        dialect="openai-responses",
        messages=tuple(event.item for event in now),
        lines=tuple(event.line for event in now),
        system=text(inner(meta, "base_instructions"), "text") or text(meta, "instructions") or None,
        session=text(meta, "id", "session_id"),
        title=_title(history.events),
        folder=text(meta, "cwd") or text(context, "cwd"),
        model=text(context, "model"),
        began=text(meta, "timestamp") or (times[0] if times else ""),
        ended=times[-1] if times else "",
        records=len(records),
        branches=tuple(history.branches),
        defects=in_order(defects),
        oddities=tuple(oddities),
        lossy="the rollout that this one was forked from holds its beginning" if meta.get("history_base") else "",
    )


def _opened(row: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What a row is, and what it holds."""
    if "payload" in row:
        return text(row, "type"), inner(row, "payload")
    if text(row, "type"):
        return "response_item", row
    return ("session_meta", row) if "id" in row else ("", row)


def _happens(history: _History, record: Record, kind: str, payload: dict[str, Any]) -> None:
    time = text(record.value, "timestamp")
    said = payload.get("type")
    if kind == "response_item":
        history.add(record.line, time, payload)
    elif kind == "compacted":
        history.compact(record.line, time, payload)
    elif kind == "event_msg" and said == "turn_aborted":
        history.end(record.line, time, "interrupted")
    elif kind == "event_msg" and said == "thread_rolled_back":
        turns = payload.get("num_turns")
        history.roll_back(turns if isinstance(turns, int) else 0)


def _is_told(item: dict[str, Any]) -> bool:
    """Is it a message that the model did not write?"""
    return item.get("type") == "message" and item.get("role") != "assistant"


def _weight(item: dict[str, Any]) -> int:
    return len(words(item.get("content")))


def _is_asked(item: dict[str, Any]) -> bool:
    """Does a turn begin here: words of the user's own?"""
    is_user = item.get("type") == "message" and item.get("role") == "user"
    return is_user and not words(item.get("content")).lstrip().startswith(_CONTEXT)


def _steps(events: list[_Event], live: set[int]) -> Iterator[Step]:
    for at, (line, _, kind, item) in enumerate(events):
        if kind != "item":
            yield Step("cut" if kind == "cut" else "interrupted", line)
            continue
        said = str(item["type"])
        # A call without an id is the server's own.
        name = text(item, "call_id")
        if said in _CALLS and name:
            what = [said, *(item.get(member) for member in _CALLS[said])]
            yield Step("call", line, name, what, live=at in live)
        elif said in _RESULTS and name:
            yield Step("result", line, name, live=at in live)
        elif said == "message" and item.get("role") == "user":
            yield Step("turn", line)
        elif said == "reasoning" or (said == "message" and item.get("role") == "assistant"):
            yield Step("said", line)


def _title(events: list[_Event]) -> str:
    return next((title_of(words(event.item.get("content"))) for event in events if _is_asked(event.item)), "")


FORMAT = Format(
    name="codex",
    says="Codex rollouts, of all generations",
    knows=knows,
    read=read,
    homes=(
        "$CODEX_HOME/sessions/*/*/*/rollout-*.jsonl*",
        "$CODEX_HOME/archived_sessions/rollout-*.jsonl*",
        "~/.codex/sessions/*/*/*/rollout-*.jsonl*",
        "~/.codex/archived_sessions/rollout-*.jsonl*",
    ),
)
