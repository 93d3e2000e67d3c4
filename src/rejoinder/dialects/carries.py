"""What a wire shape can say: the facts that a conversion asks of both its ends, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

# Where the text in front of a conversation goes: a member of the body, or the first messages.
Head = Literal["field", "message"]
# Where results stand: each in a message of its own, or in the user turn behind their calls; and whether that turn
# holds results alone; or whether each part of a message is an item of the list.
Results = Literal["messages", "turn", "apart", "items"]


class Carries(msgspec.Struct, frozen=True, kw_only=True):
    """What a dialect carries for one model; what it does not is put otherwise, and told as a loss.

    `media` and `in_results` are the kinds of media that a user message and a tool result can hold, `by_url` those
    that may be elsewhere, `by_file` those that may have been handed over before. `mint` names who seals thinking:
    only between two of the same mint does it cross. `known` are, for each type of block (and "message", "call"),
    the members whose meaning is carried: whatever else a block has is a loss.
    """

    head: Head = "message"
    head_role: str = "system"
    # A system message among the others.
    later_system: bool = True
    results: Results = "messages"
    media: frozenset[str] = frozenset()
    in_results: frozenset[str] = frozenset()
    by_url: frozenset[str] = frozenset()
    by_file: frozenset[str] = frozenset()
    blank: bool = True
    empty: bool = True
    refusal: bool = False
    error_flag: bool = False
    custom_calls: bool = False
    arguments: Literal["text", "object"] = "object"
    result_names: bool = False
    mint: str = ""
    # What stands where a call must be sealed and nobody sealed it; documented by the provider, "" where there is none.
    unsealed_call: str = ""
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
