"""Random templates in the language that Handlebars and rejoinder share, and values to fill them with."""

from __future__ import annotations

import random
from typing import Any

NAMES = ("a", "b", "c", "n", "o", "s", "xs", "ys", "zero", "empty", "no", "foo-bar", "deep")
SPACES = ("", "", " ", "\n", "\n\n", "  \n", "\n  ", "\t", " \n \n ", "\r\n")
WORDS = ("one", "two words", "-", "é😀", " }", "{ x", " }} y", "\\", "a\\\\ b", "<i>&amp;</i>", "|")
LITERALS = ("true", "false", "0", "1", '"x"', "'y z'", "null", "undefined", "12.5")
# Never a text: that has a length and items in JavaScript, and none here.
LISTS = ("xs", "ys")
_DEEPEST = 4


def template(rng: random.Random) -> str:
    """A template of a few tags, mostly well-formed."""
    return _program(rng, _DEEPEST, ())


def values(rng: random.Random) -> dict[str, Any]:
    """Values for some of the names."""
    return {name: _named(rng, name, 3) for name in NAMES if rng.random() < 0.85}


def _program(rng: random.Random, depth: int, params: tuple[str, ...]) -> str:
    return "".join(_piece(rng, depth, params) for _ in range(rng.randint(0, 4)))


def _piece(rng: random.Random, depth: int, params: tuple[str, ...]) -> str:
    roll = rng.random()
    if roll < 0.4 or depth == 0:
        return rng.choice(SPACES) + (rng.choice(WORDS) if rng.random() < 0.5 else "") + rng.choice(SPACES)
    if roll < 0.6:
        return _slot(rng, params)
    if roll < 0.67:
        return _tag(rng, rng.choice(("! a note ", "!-- {{a}} --", "!", "!----", "! }note")))
    if roll < 0.71:
        return rng.choice(("\\", "\\\\")) + _slot(rng, params)
    return _block(rng, depth - 1, params)


def _slot(rng: random.Random, params: tuple[str, ...]) -> str:
    # No number: in JavaScript that would be a letter of a text.
    path = _path(rng, params) if rng.random() < 0.95 else rng.choice(("true", "null", '"x"', "'two words'"))
    if rng.random() < 0.15:
        left, right = ("~" if rng.random() < 0.2 else "" for _ in range(2))
        return f"{{{{{left}{{{path}}}{right}}}}}"
    return _tag(rng, rng.choice(("", "", " ", "&", "\n")) + path + rng.choice(("", " ")))


def _tag(rng: random.Random, inside: str) -> str:
    left, right = ("~" if rng.random() < 0.15 else "" for _ in range(2))
    return f"{{{{{left}{inside}{right}}}}}"


def _path(rng: random.Random, params: tuple[str, ...]) -> str:
    roll = rng.random()
    if params and roll < 0.25:
        return rng.choice(params) + rng.choice(("", "", ".a", ".s", "/n"))
    if roll < 0.12:
        return rng.choice(("@index", "@key", "@first", "@last", "@root.a", "@root.xs", "@../index", "@../key", "@none"))
    if roll < 0.3:
        return rng.choice(("this", ".", "..", "../..", "this.a", "./s", "this/n"))
    up = "../" * rng.choice((0, 0, 0, 1, 1, 2))
    name = rng.choice((*NAMES, "[a]", "[foo-bar]", "[two words]"))
    if name in LISTS:
        name += rng.choice(("", ".[0]", ".length", ".[1].a"))
    return up + name + rng.choice(("", "", "", ".a", ".o.s", "/s", ".[a]"))


def _block(rng: random.Random, depth: int, params: tuple[str, ...]) -> str:
    kind = rng.choice(("if", "if", "unless", "each", "each", "with", "", "^"))
    if kind in ("", "^"):
        name = rng.choice((*NAMES, "o.xs", "this", "../a", "@first"))
        inverse = _tag(rng, rng.choice(("else", "^"))) + _program(rng, depth, params) if rng.random() < 0.4 else ""
        opened = _tag(rng, f"{'#' if not kind else '^'}{name}")
        return opened + _program(rng, depth, params) + inverse + _tag(rng, f"/{name}")
    text, inner = _opening(rng, "#", kind, params)
    text += _program(rng, depth, inner)
    while rng.random() < 0.3:
        opened, inner = _opening(rng, "else ", rng.choice(("if", "if", "unless", "each", "with")), params)
        text += opened + _program(rng, depth, inner)
    if rng.random() < 0.4:
        text += _tag(rng, rng.choice(("else", "^", " else "))) + _program(rng, depth, params)
    return text + _tag(rng, f"/{kind}")


def _opening(rng: random.Random, sign: str, kind: str, params: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    subject = _path(rng, params) if rng.random() < 0.9 or kind == "each" else rng.choice(LITERALS)
    more = " includeZero=true" if kind in ("if", "unless") and rng.random() < 0.15 else ""
    inner = params
    if kind in ("each", "with") and rng.random() < 0.3:
        names = ("item", "key")[: rng.randint(1, 2 if kind == "each" else 1)]
        inner, more = (*params, *names), f"{more} as |{' '.join(names)}|"
    return _tag(rng, f"{sign}{kind} {subject}{more}"), inner


def _named(rng: random.Random, name: str, depth: int) -> Any:
    value = _value(rng, depth)
    return [value] if name in LISTS and isinstance(value, str) else value


def _value(rng: random.Random, depth: int) -> Any:
    roll = rng.random()
    if depth and roll < 0.25:
        # No empty text: in JavaScript that is equal to 0, and equal contexts are one.
        return [_value(rng, depth - 1) or 5 for _ in range(rng.randint(0, 3))]
    if depth and roll < 0.5:
        return {name: _named(rng, name, depth - 1) for name in rng.sample(NAMES, rng.randint(0, 4))}
    # No null: a block inside of a round on null is given an empty object by Handlebars.
    plain = ("text", "", "{{a}}", "\\{{a}}", "two\nlines", "ü😀", 0, 1, 42, -7, 2.5, True, False)
    return rng.choice(plain)
