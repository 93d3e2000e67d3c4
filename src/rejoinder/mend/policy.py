"""Which fix is taken where several exist.

A choice can be made for a phenomenon (`Policy(unanswered="answer")`), for one rule or one
clause (`rules={"tool_pairing.unanswered": "strip"}`), or for one tool call
(`calls={"call_1": "keep"}`). Where none is made, the first fix that the rule offers is taken.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from rejoinder.errors import PolicyError
from rejoinder.rules import RULES
from rejoinder.targets import TARGETS
from rejoinder.values.finding import Finding

# For each phenomenon: its rules, and the choices it has, the default first.
PHENOMENA: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "unanswered": (("tool_pairing.unanswered",), ("drop", "answer", "strip")),
    "orphan": (("tool_pairing.orphan_result", "tool_pairing.result_without_id"), ("drop", "as_text", "fill")),
    "misplaced": (
        ("tool_pairing.late_result", "tool_pairing.early_result", "tool_pairing.result_not_first"),
        ("move", "drop"),
    ),
    "duplicate": (("tool_pairing.duplicate_result", "tool_pairing.repeated_call"), ("drop",)),
    "ids": (("tool_ids.charset", "tool_ids.length", "tool_ids.unique", "tool_ids.present"), ("rename", "fill")),
    "names": (("tool_ids.name", "result_form.tool_name"), ("rename",)),
    "arguments": (
        ("tool_arguments.text", "tool_arguments.mapping", "tool_arguments.json_text"),
        ("text", "mapping"),
    ),
    "empty": (("empty_content.content_required", "empty_content.empty_turn"), ("drop", "placeholder", "fill")),
    "blank": (("empty_content.blank_text",), ("drop", "placeholder")),
    "same_role": (("message_order.alternate",), ("merge",)),
    "first": (("message_order.first_speaker",), ("placeholder", "drop")),
    "last": (("message_order.last_speaker",), ("placeholder", "drop")),
    "system": (
        ("system_text.position", "system_text.follows", "system_text.taken", "system_text.first_and_once"),
        ("move", "as_text", "merge", "rename"),
    ),
    "media": (("media.user_only", "media.error_text_only", "media.image_type"), ("move", "placeholder", "rename")),
    "cache": (
        ("cache_marks.most", "cache_marks.ttl_order", "cache_marks.on_thinking", "cache_marks.on_empty_text"),
        ("strip", "lower"),
    ),
    # Asked once a repair is done, for the models that bind thinking to what stands in front of it.
    "thinking": ((), ("strip", "keep", "drop_block")),
}
# What is taken where a choice cannot be had: a call beside sealed thinking is not stripped but answered.
# Beside a call that waits for a person, the message cannot be dropped either.
INSTEAD = {"strip": "answer", "drop": "answer"}
# What can be chosen for everything: leave it as it is, or refuse to go on.
ALWAYS = ("keep", "raise")


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """The choices by name; `Policy()` is the default.

    `pending="keep"` leaves the calls of the very last message alone, for a live agent whose tool is
    about to run. `paused` holds the ids of calls that wait for a person: they are never touched.
    """

    unanswered: str | None = None
    orphan: str | None = None
    misplaced: str | None = None
    duplicate: str | None = None
    ids: str | None = None
    names: str | None = None
    arguments: str | None = None
    empty: str | None = None
    blank: str | None = None
    same_role: str | None = None
    first: str | None = None
    last: str | None = None
    system: str | None = None
    media: str | None = None
    cache: str | None = None
    thinking: str | None = None
    pending: str | None = None
    paused: frozenset[str] = frozenset()
    rules: Mapping[str, str] = {}
    calls: Mapping[str, str] = {}

    def __post_init__(self) -> None:
        for name, (_, choices) in PHENOMENA.items():
            chosen = getattr(self, name)
            if chosen is not None and chosen not in (*choices, *ALWAYS):
                raise PolicyError(f"{name}={chosen!r}: the choices are {', '.join((*choices, *ALWAYS))}")
        if self.pending not in (None, *PHENOMENA["unanswered"][1], *ALWAYS):
            raise PolicyError(f"pending={self.pending!r}: the choices are keep, raise, drop, answer, strip")
        if isinstance(self.paused, str):
            raise PolicyError("paused wants a set of call ids")
        for name, choice in self.rules.items():
            if name not in RULES and not any(name == clause.id for t in TARGETS.values() for clause in t.clauses):
                raise PolicyError(f"rules={{{name!r}: ...}}: there is no such rule or clause")
            _must_exist(f"rules={{{name!r}: {choice!r}}}", choice)
        for call_id, choice in self.calls.items():
            _must_exist(f"calls={{{call_id!r}: {choice!r}}}", choice)

    @property
    def untouched(self) -> frozenset[str]:
        """The ids of calls that are left as they are, whatever else is done."""
        return frozenset(self.paused) | {call_id for call_id, choice in self.calls.items() if choice == "keep"}

    def gentler(self) -> Policy:
        """The policy where what is broken is all there is: to drop it would leave nothing to send."""
        rules = {"message_order.nonempty": "placeholder", **self.rules}
        return replace(self, unanswered="answer", orphan="as_text", rules=rules)

    def choice(self, finding: Finding) -> str | None:
        """The name of the fix to take for a finding; None where no choice was made."""
        for call_id in finding.ids:
            if call_id in self.calls:
                return self.calls[call_id]
        made = self.rules.get(finding.clause) or self.rules.get(finding.rule)
        if made is None and self.pending is not None and finding.says.endswith("(pending)"):
            made = self.pending
        name = _PHENOMENON_OF.get(finding.rule)
        return made or (getattr(self, name) if name else None)


def _must_exist(where: str, choice: str) -> None:
    known = sorted({each for _, choices in PHENOMENA.values() for each in choices} | _OTHERS | set(ALWAYS))
    if choice not in known:
        raise PolicyError(f"{where}: there is no such choice; there are {', '.join(known)}")


# Fixes of rules that belong to no phenomenon: they are named by their rule.
_OTHERS = {"wrap", "mend", "strip_space", "split", "mark"}
_PHENOMENON_OF = {rule: name for name, (rules, _) in PHENOMENA.items() for rule in rules}


def policy_of(policy: Policy | str | None) -> Policy:
    """A policy as it may be given: a `Policy`, the choice for unanswered calls alone, or nothing."""
    if isinstance(policy, Policy):
        return policy
    return Policy() if policy is None else Policy(unanswered=policy)
