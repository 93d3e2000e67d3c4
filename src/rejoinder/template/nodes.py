"""What a template is once it is read: texts, slots for values, and blocks. Frozen, and the same for every filling.

A parser of your own makes these. `at` is where in the template something stands, for errors.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Kind = Literal["if", "unless", "each", "with", "section"]
Form = Literal["text", "value", "inside"]


class Path(msgspec.Struct, frozen=True):
    """A name to look up: `user.name`, `../title`, `@index`, or a block parameter.

    `up` counts the `../`; `data` is for names with an `@`. `param` leads to a block parameter: how many blocks with
    parameters outwards, and which one.
    """

    parts: tuple[str, ...]
    up: int = 0
    data: bool = False
    param: tuple[int, int] | None = None
    says: str = ""
    at: int = 0


class Constant(msgspec.Struct, frozen=True):
    """A value that the template itself holds: a string, a number, true, false or null."""

    value: Any
    says: str = ""
    at: int = 0


Operand = Path | Constant


class Call(msgspec.Struct, frozen=True):
    """A filter, the values it is given, and those that it is given by name."""

    filter: str
    operands: tuple[Operand, ...]
    named: tuple[tuple[str, Operand], ...] = ()
    at: int = 0


class Text(msgspec.Struct, frozen=True):
    """What stands there as it is."""

    text: str


class Slot(msgspec.Struct, frozen=True):
    """A slot for a value. `default` is taken where there is none.

    `form` says where it stands: in a text, or in JSON text for a whole value, or there inside of a string.
    `quoted` is whether the default was written in quotes. `name`
    is set where the subject is one name in a text: a short way to it.
    """

    subject: Path | Call
    default: str | None = None
    quoted: bool = False
    form: Form = "text"
    at: int = 0
    name: str | None = None


class Arm(msgspec.Struct, frozen=True):
    """One of the ways of a block, taken when its subject is so. `zero` is what `includeZero` was set to."""

    kind: Kind
    subject: Operand
    body: tuple[Node, ...]
    params: tuple[str, ...] = ()
    zero: Operand | None = None
    at: int = 0


class Block(msgspec.Struct, frozen=True):
    """The first arm that holds is taken, else `otherwise`."""

    arms: tuple[Arm, ...]
    otherwise: tuple[Node, ...] = ()
    at: int = 0


Node = Text | Slot | Block
Nodes = tuple[Node, ...]
