"""How much a template may ask for. What is over a limit is one clear error that names it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

# Python itself can call no deeper than about five times this.
_DEEPEST = 200


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bounds of reading and of filling a template.

    `size` is the length of the template; `depth` how deep blocks may be nested, and values that become JSON;
    `steps` the places, blocks and rounds of loops in one filling; `output` the length of what comes out. `seconds`
    needs a `clock` to count them by, such as `time.monotonic`: nothing in here knows the time by itself.
    """

    size: int = 10_000_000
    depth: int = 100
    steps: int = 1_000_000
    output: int = 20_000_000
    seconds: float | None = None
    clock: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        if self.depth > _DEEPEST:
            raise ValueError(f"a depth of {self.depth} is more than there is room for; the most is {_DEEPEST}")
        if (self.seconds is None) != (self.clock is None):
            raise ValueError("a limit of seconds needs a clock to count them by, and a clock a limit")


DEFAULT = Limits()
