"""The letters of the language: what opens and closes a tag, and the words inside of one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import msgspec

# What counts as white space where Handlebars runs. Python's own idea differs in a few control characters.
SPACE = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
_NOT_IN_WORDS = re.escape("!\"#%&'()*+,./;<=>@[\\]^`{|}~" + SPACE)


class Syntax(msgspec.Struct, frozen=True):
    """Other marks around a tag than `{{` and `}}`, such as `<%` and `%>`."""

    opens: str = "{{"
    closes: str = "}}"

    def __post_init__(self) -> None:
        for mark in (self.opens, self.closes):
            if len(mark) < 2 or any(each in SPACE or each.isalnum() or each in "_\\\"'" for each in mark):
                raise ValueError(f"a mark around tags is two signs or more, no letters or spaces, not {mark!r}")


class Letters(NamedTuple):
    """The patterns of a syntax."""

    opens: str
    closes: str
    plain: re.Pattern[str]
    simple: re.Pattern[str]
    token: re.Pattern[str]
    default: re.Pattern[str]
    otherwise: re.Pattern[str]
    comment: re.Pattern[str]


@lru_cache(maxsize=32)
def letters(syntax: Syntax) -> Letters:
    """The patterns by which the tags of a syntax are read. None of them can take more than linear time."""
    opens, closes = re.escape(syntax.opens), re.escape(syntax.closes)
    space = f"[{re.escape(SPACE)}]"
    text = r"\"(?:[^\"\\]++|\\\"|\\)*\"|'(?:[^'\\]++|\\'|\\)*'"
    name = "[A-Za-z_][A-Za-z0-9_]*"
    token = rf"""(?P<space>{space}+)|(?P<end>\}}?~?{closes})|(?P<up>\.\.)|(?P<dot>\.(?=[=~/.)|}}]|{space}|{closes}))
    |(?P<sep>[/.])|(?P<string>{text})|(?P<at>@)|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?=[~)|}}]|{space}|{closes}))|(?P<as>as{space}+\|)
    |(?P<word>(?:(?!{closes})[^{_NOT_IN_WORDS}])+)|(?P<segment>\[(?:[^\]\\]++|\\\]|\\)*\])|(?P<bar>\|)|(?P<equals>=)"""
    return Letters(
        syntax.opens,
        syntax.closes,
        re.compile(rf"{opens}({name}(?:\.{name})*){closes}"),
        re.compile(rf"{opens}([#/])(?:(if|unless|each|with){space}+)?({name}(?:\.{name})*){space}?{closes}"),
        re.compile(token, re.VERBOSE),
        re.compile(rf"{space}*(?P<text>{text}){space}*(?=\}}?~?{closes})"),
        re.compile(rf"{space}*else(?!\w)"),
        re.compile(rf"--~?{closes}"),
    )


USUAL = letters(Syntax())

# Words that are no names of variables, so that the quick pattern does not take them for one.
RESERVED = frozenset({"this", "else", "true", "false", "null", "undefined", "as", "if", "unless", "each", "with"})
