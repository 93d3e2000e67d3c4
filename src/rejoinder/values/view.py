"""One walk over a conversation, and what the rules then look at.

Rules never walk the history themselves: the cost of a check grows with the messages,
not with messages times rules.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal, TypeVar

import msgspec

from rejoinder.values.conversation import SPEAKERS, Conversation, Message, Stretch
from rejoinder.values.exchange import Pairing, pair
from rejoinder.values.parts import Part, Text, Thinking, ToolCall, ToolResult, is_mark, is_sealed
from rejoinder.values.place import SYSTEM, Place
from rejoinder.values.steps import steps

# run: results are messages of their own that follow their call (OpenAI Chat).
# turn: neighbours of one role are one turn; results open the turn after their call (Anthropic).
# items: each call and each result is an item of its own, so neighbours are one turn on both sides (OpenAI Responses).
# inline: a result stands in the message of its call, which may hold several steps of a model; or else as in a run.
Layout = Literal["run", "turn", "items", "inline"]
AnyPart = TypeVar("AnyPart", bound=Part)


class Turn(msgspec.Struct, frozen=True):
    """Neighbouring messages that the reader takes as one. The role of a stretch is ""."""

    role: str
    start: int
    stop: int


class View:
    """A conversation that has been walked once."""

    def __init__(self, conversation: Conversation, layout: Layout, paused: frozenset[str] = frozenset()) -> None:
        self.conversation = conversation
        self.layout: Layout = layout
        self.paused = paused
        self.messages: list[tuple[int, Message]] = []
        self.marks: list[tuple[Place, Part]] = []
        self._parts: dict[type[Part], list[tuple[Place, Any]]] = {}
        self._bodies: dict[int, Place | None] = {}
        self._steps: dict[int, list[range]] = {}
        self.with_head: list[tuple[int, Message]] = []
        for index, message in self._with_heads():
            if isinstance(message, Stretch):
                continue
            if index >= SYSTEM:
                self.with_head.append((index, message))
            if index >= 0:
                self.messages.append((index, message))
            for number, part in enumerate(message.parts):
                self._note(Place(index, number), part)

    def _with_heads(self) -> Iterator[tuple[int, Message | Stretch]]:
        if self.conversation.tools is not None:
            yield -2, self.conversation.tools
        if self.conversation.system is not None:
            yield -1, self.conversation.system
        yield from enumerate(self.conversation.messages)

    def _note(self, place: Place, part: Part) -> None:
        self._parts.setdefault(type(part), []).append((place, part))
        if part.cache is not None:
            self.marks.append((place, part))
        if isinstance(part, ToolResult):
            for number, inner in enumerate(part.parts):
                self._note(Place(place.message, place.part, number), inner)

    def parts(self, kind: type[AnyPart]) -> list[tuple[Place, AnyPart]]:
        """All parts of one kind with their places, those inside tool results too."""
        return self._parts.get(kind, [])

    def message(self, place: Place) -> Message:
        """The message that a place is in."""
        return self.conversation.message(place.message)

    @cached_property
    def calls(self) -> list[tuple[Place, ToolCall]]:
        """The calls whose results the client owes: not those of a provider's own tools."""
        return [
            (place, call)
            for place, call in self.parts(ToolCall)
            if call.kind != "server" and _spoken(place) and self._by_assistant(place)
        ]

    def _by_assistant(self, place: Place) -> bool:
        role = self.message(place).role
        return SPEAKERS.get(role, role) == "assistant"

    @cached_property
    def results(self) -> list[tuple[Place, ToolResult]]:
        """The results that the client brought."""
        return [(place, result) for place, result in self.parts(ToolResult) if result.kind == "tool" and _spoken(place)]

    @cached_property
    def turns(self) -> list[Turn]:
        """The messages in turns, as a reader of this layout takes them."""
        turns: list[Turn] = []
        for index, message in enumerate(self.conversation.messages):
            role = _speaker(message, self.layout)
            last = turns[-1] if turns else None
            if last and role and last.role == role and _merges(role, self.layout):
                turns[-1] = Turn(role, last.start, index + 1)
            else:
                turns.append(Turn(role, index, index + 1))
        return turns

    @cached_property
    def turn_of(self) -> dict[int, int]:
        """For each message, the number of its turn."""
        return {index: number for number, turn in enumerate(self.turns) for index in range(turn.start, turn.stop)}

    @cached_property
    def spoken(self) -> list[int]:
        """The numbers of the turns in which the user says something, and does not only bring results."""
        return [number for number, turn in enumerate(self.turns) if self._says(turn)]

    def _says(self, turn: Turn) -> bool:
        if turn.role == "user":
            return any(not _brings(part) for _, part in self.said(turn))
        held = self.conversation.messages[turn.start]
        if not isinstance(held, Stretch):
            return False
        users = (message for message in held.messages() if _speaker(message, self.layout) == "user")
        return any(not _brings(part) for message in users for part in message.parts)

    def errand(self, place: Place) -> int:
        """The number of an errand: all that is done from one word of the user to the next, results included.

        The first begins in front of the first word; number n ends with the turn `spoken[n]`, if there is one.
        """
        return bisect_right(self.spoken, self.turn_of.get(place.message, -1))

    def run(self, turn: Turn) -> Iterator[tuple[Place, Part]]:
        """The parts of a turn in order."""
        for index in range(turn.start, turn.stop):
            message = self.conversation.messages[index]
            if isinstance(message, Message):
                for number, part in enumerate(message.parts):
                    yield Place(index, number), part

    def said(self, turn: Turn) -> list[tuple[Place, Part]]:
        """The parts of a turn without the empty strings, which are no blocks for who merges turns, and cache marks."""
        return [
            (place, part)
            for place, part in self.run(turn)
            if not (isinstance(part, Text) and part.source is None and not part.text) and not is_mark(part)
        ]

    def step(self, place: Place) -> range:
        """The parts of its message that were one answer of the model; with results inline, a message holds many."""
        parts = self.message(place).parts
        if self.layout != "inline":
            return range(len(parts))
        if place.message not in self._steps:
            self._steps[place.message] = steps(parts)
        found = self._steps[place.message]
        return found[bisect_right(found, place.part or 0, key=_start) - 1]

    def window(self, index: int) -> Turn | None:
        """The turn in which the results of a message's calls have to stand; None where there is none."""
        number = self.turn_of[index] + 1
        if number >= len(self.turns):
            return None
        turn = self.turns[number]
        return turn if turn.role == _answerer(self.layout) else None

    def answers(self, message: Message) -> bool:
        """Does the message speak as one that brings results?"""
        return _speaker(message, self.layout) == _answerer(self.layout)

    def body(self, number: int) -> Place | None:
        """Where the results that open a turn end and everything else begins; None where there is nothing else."""
        if number not in self._bodies:
            parts = self.run(self.turns[number])
            self._bodies[number] = next((place for place, part in parts if _is_body(part)), None)
        return self._bodies[number]

    @cached_property
    def sealed_turns(self) -> set[int]:
        """The numbers of the turns in which thinking is sealed."""
        return {self.turn_of[place.message] for place, part in self.parts(Thinking) if is_sealed(part)}

    @cached_property
    def paused_turns(self) -> set[int]:
        """The numbers of the turns in which a call waits for a person."""
        return {self.turn_of[place.message] for place, call in self.calls if str(call.id) in self.paused}

    @cached_property
    def issued(self) -> dict[int, tuple[int, ...]]:
        """For each item that came with reasoning in front of it, all that came with it: up to the next reasoning, or
        to somebody else's words.
        """
        together: dict[int, tuple[int, ...]] = {}
        group: list[int] = []
        for index, message in (*self.messages, (-1, Message("", ()))):
            speaker = _speaker(message, self.layout)
            thinks = any(isinstance(part, Thinking) for part in message.parts)
            if thinks or speaker not in ("assistant", "tool"):
                together |= dict.fromkeys(group, tuple(group))
                group = []
            if speaker == "assistant" and (thinks or group):
                group.append(index)
        return together

    @cached_property
    def pairing(self) -> Pairing:
        """Which result answers which call."""
        return pair(self)

    @cached_property
    def by_id(self) -> dict[str, list[tuple[Place, ToolCall | ToolResult]]]:
        """Where each id stands, in the order of first use: calls, then results."""
        where: dict[str, list[tuple[Place, ToolCall | ToolResult]]] = {}
        for place, call in self.calls:
            if isinstance(call.id, str) and call.id:
                where.setdefault(call.id, []).append((place, call))
        for place, result in self.results:
            if isinstance(result.call_id, str) and result.call_id:
                where.setdefault(result.call_id, []).append((place, result))
        return where

    @cached_property
    def used_ids(self) -> dict[str, int]:
        """How often each call id occurs, stretches included."""
        used: dict[str, int] = {}
        for part in self._everything():
            name = getattr(part, "id", None) or getattr(part, "call_id", None)
            if isinstance(name, str):
                used[name] = used.get(name, 0) + 1
        return used

    @cached_property
    def used_names(self) -> set[str]:
        """The names of all tools that were called, stretches included."""
        return {part.name for part in self._everything() if isinstance(part, ToolCall) and isinstance(part.name, str)}

    def _everything(self) -> Iterator[Part]:
        """The parts of all messages, of those in stretches too."""
        for message in self.conversation.messages:
            for each in message.messages() if isinstance(message, Stretch) else (message,):
                yield from each.parts


def _start(step: range) -> int:
    return step.start


def _spoken(place: Place) -> bool:
    """Does it stand in a message itself, and not inside a result or in front of the conversation?"""
    return place.inner is None and place.message >= 0


def _brings(part: Part) -> bool:
    """Is it a result, of a tool that the client runs?"""
    return isinstance(part, ToolResult) and part.kind == "tool"


def _is_body(part: Part) -> bool:
    """Is it neither a result nor a mark among results?"""
    return not isinstance(part, ToolResult) and not is_mark(part)


def _answerer(layout: Layout) -> str:
    """Who speaks where results are brought."""
    return "user" if layout == "turn" else "tool"


def _merges(role: str, layout: Layout) -> bool:
    """Are neighbouring messages of this role one turn?"""
    return role == "tool" or layout == "turn" or (layout == "items" and role == "assistant")


def _speaker(message: Message | Stretch, layout: Layout) -> str:
    """Who speaks, as far as turns go. In the run layout whatever only brings results is a `tool`."""
    if isinstance(message, Stretch):
        return ""
    role = SPEAKERS.get(message.role, message.role)
    if layout == "turn":
        return "user" if role in ("tool", "function") else role
    if message.role == "tool" or (message.parts and all(isinstance(p, ToolResult) for p in message.parts)):
        return "tool"
    return role
