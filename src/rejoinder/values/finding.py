"""What is wrong, and what could be done about it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rejoinder.values.edit import Edit
from rejoinder.values.place import Place

Severity = Literal["error", "warning"]
# free: nothing a model reads is lost. moves: the same words elsewhere. drops: something goes. invents: something comes.
Cost = Literal["free", "moves", "drops", "invents"]


class Fix(msgspec.Struct, frozen=True):
    """Named edits that silence a finding, and what they cost; `needs` are places that have to stay for that."""

    name: str
    cost: Cost
    says: str
    edits: tuple[Edit, ...] = ()
    needs: tuple[Place, ...] = ()


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One demand that is not met: by whom it is made, where it fails, and the fixes that exist.

    `blamed` is the place that the provider would name, where that is another one.
    """

    at: Place
    says: str
    fixes: tuple[Fix, ...] = ()
    ids: tuple[str, ...] = ()
    rule: str = ""
    clause: str = ""
    target: str = ""
    severity: Severity = "error"
    pointer: str = ""
    provider_says: str = ""
    blamed: Place | None = None

    def __str__(self) -> str:
        return f"{self.target} refuses {self.at}: {self.says} [{self.clause}]"

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain data, for JSON."""
        return {
            "rule": self.rule,
            "clause": self.clause,
            "target": self.target,
            "severity": self.severity,
            "at": str(self.at),
            "pointer": self.pointer,
            "says": self.says,
            "provider_says": self.provider_says,
            "ids": list(self.ids),
            "fixes": [{"name": fix.name, "cost": fix.cost, "says": fix.says} for fix in self.fixes],
        }
