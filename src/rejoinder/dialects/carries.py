"""What a wire shape can say: the facts that a conversion asks of both its ends, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

# Where the text in front of a conversation goes: a member of the body, or the first messages; or either, as it was.
Head = Literal["field", "message", "either"]
# Where results stand: each in a message of its own, or in the user turn behind their calls; and whether that turn
# holds results alone; or whether each part of a message is an item of the list; or behind their calls, in one message.
Results = Literal["messages", "turn", "apart", "items", "inline"]


class Carries(msgspec.Struct, frozen=True, kw_only=True):
    """What a dialect carries for one model; what it does not is put otherwise, and told as a loss."""

    # Where system text goes: in front, under which roles, and whether it may stand among the other messages.
    head: Head = "message"
    system_roles: tuple[str, ...] = ("system",)
    later_system: bool = True
    # Where results stand, and whether calls are in a field of their own beside the content.
    results: Results = "messages"
    beside: bool = False
    # The kinds of media that a user message and a tool result can hold, and those that may be elsewhere.
    media: frozenset[str] = frozenset()
    in_results: frozenset[str] = frozenset()
    by_url: frozenset[str] = frozenset()
    # Whether what is elsewhere has to say its media type, what a result shows has to be inline, and names are carried.
    typed: bool = False
    inline_results: bool = False
    named_media: bool = True
    # Whether a text may be nothing but white space, and a message nothing at all.
    blank: bool = True
    empty: bool = True
    # Whether a single text is written as a block where it was one.
    blocks: bool = False
    # Whether every text is a block, so that several never become one.
    all_blocks: bool = False
    # How a cache mark is written that does not say how long it holds; None where there are no such marks.
    mark: Mapping[str, Any] | None = None
    # Whether a picture may say how closely it is to be looked at.
    detail: bool = False
    refusal: bool = False
    error_flag: bool = False
    custom_calls: bool = False
    arguments: Literal["text", "object"] = "object"
    # Whether a closing assistant message can be marked as the one to go on from.
    prefix: bool = False
    # What the assistant says between results and the user's next words, where the user may not speak next.
    bridge: str = ""
    # Whether a result says the name of its tool.
    result_names: bool = False
    # Who seals thinking, and who keeps files that were handed over: only between two of the same name do they cross.
    mint: str = ""
    files: str = ""
    # What stands where a call must be sealed and nobody sealed it, as its provider documents.
    unsealed_call: str = ""
    # For each type of block (and "message", "call", "result"): the members whose meaning is carried. What else a block
    # has is a loss. A type that is not named here is carried as a whole.
    known: Mapping[str, frozenset[str]] = {}


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a target cannot hold: what, where in the payload, why, and what stands in its place."""

    what: str
    where: str
    why: str
    instead: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The loss as plain data, for JSON."""
        return msgspec.structs.asdict(self)
