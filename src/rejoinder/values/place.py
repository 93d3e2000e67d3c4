"""Where something is: a message, or a part of one."""

from __future__ import annotations

import msgspec

SYSTEM = -1
TOOLS = -2


class Place(msgspec.Struct, frozen=True, order=True):
    """A message by index, or a part of it, or a part inside a tool result, or a field of it.

    The top-level system text is message `SYSTEM`, the tool declarations are message `TOOLS`.
    """

    message: int
    part: int | None = None
    inner: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        words = {SYSTEM: "system", TOOLS: "tools"}.get(self.message, f"messages[{self.message}]")
        if self.part is not None:
            words += f".parts[{self.part}]"
        if self.inner is not None:
            words += f".parts[{self.inner}]"
        return words if self.field is None else f"{words}.{self.field}"
