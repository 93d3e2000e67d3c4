"""One tag, read: what kind it is, the words in it, and whether it strips the white space beside it."""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from rejoinder.errors import TemplateError
from rejoinder.template.nodes import Constant, Operand, Path
from rejoinder.template.place import error_at
from rejoinder.template.syntax import RESERVED, SPACE, Letters


class Tag(msgspec.Struct, frozen=True):
    """A tag. `kind` is slot, open (`#`), inverse (`^`), close (`/`), else, or comment; `left`, `right` are its `~`."""

    kind: str
    at: int
    end: int
    left: bool = False
    right: bool = False
    operands: tuple[Operand, ...] = ()
    named: tuple[tuple[str, Operand], ...] = ()
    params: tuple[str, ...] = ()
    default: str | None = None
    quoted: bool = False


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


_Tokens = deque[_Token]
_KINDS = {"#": "open", "^": "inverse", "/": "close", "&": "slot", "{": "slot"}
_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}
_NOT_HERE = {
    ">": "there are no partials here: a template stands by itself",
    "#>": "there are no partials here: a template stands by itself",
    "*": "there are no decorators here",
    "#*": "there are no decorators here",
}


def read_tag(text: str, at: int, marks: Letters) -> Tag:
    """The tag that opens at a place. The usual forms of a block are read by one pattern."""
    found = marks.simple.match(text, at)
    if found is not None:
        sign, helper, name = found.groups()
        parts = tuple(name.split("."))
        if sign == "/" and not helper and "this" not in parts:
            return Tag("close", at, found.end(), operands=(Path(parts, says=name, at=at),))
        if sign == "#" and helper and RESERVED.isdisjoint(parts):
            path = Path(parts, says=name, at=at)
            return Tag("open", at, found.end(), operands=(Path((helper,), says=helper, at=at), path))
    return _read_slowly(text, at, marks)


def _read_slowly(text: str, at: int, marks: Letters) -> Tag:
    inside = at + len(marks.opens)
    if text.startswith(marks.opens, inside):
        raise error_at(
            text, at, f"there are no raw blocks here; {marks.opens} opens a tag, and a tag cannot open in one"
        )
    left = text.startswith("~", inside)
    inside += left
    sign = text[inside : inside + 1]
    if sign == "!":
        return _comment(text, at, inside, left, marks)
    for length in (2, 1):
        if text[inside : inside + length] in _NOT_HERE:
            raise error_at(text, at, _NOT_HERE[text[inside : inside + length]])
    otherwise = marks.otherwise.match(text, inside)
    kind = "else" if otherwise else _KINDS.get(sign, "slot")
    inside = otherwise.end() if otherwise else inside + (sign in _KINDS)
    tag = _with_words(Tag(kind, at, inside, left), text, marks, triple=sign == "{")
    if kind == "inverse" and not tag.operands:
        return replace(tag, kind="else")
    if not tag.operands and kind != "else":
        raise error_at(text, at, "a tag without a name")
    return tag


def _comment(text: str, at: int, inside: int, left: bool, marks: Letters) -> Tag:
    if text.startswith("--", inside + 1):
        found = marks.comment.search(text, inside + 1)
        end = found.end() if found else -1
    else:
        end = text.find(marks.closes, inside)
        end = end + len(marks.closes) if end >= 0 else -1
    if end < 0:
        raise error_at(text, at, "this comment is not closed")
    return Tag("comment", at, end, left, text[end - len(marks.closes) - 1] == "~")


# --- the words in a tag ----------------------------------------------------------------------------------------------


def _with_words(tag: Tag, text: str, marks: Letters, *, triple: bool) -> Tag:
    """The tag with what stands in it; `tag.end` is where that begins."""
    tokens: _Tokens = deque()
    at, params_open = tag.end, False
    while True:
        found = marks.token.match(text, at)
        if found is None:
            raise _not_a_word(text, tag.at, at, marks)
        kind = found.lastgroup or ""
        if kind == "end":
            return _closed(tag, text, tokens, found, marks, triple)
        if kind == "bar" and not params_open:
            return _with_default(tag, text, tokens, found.end(), marks, triple)
        params_open = kind == "as" or (params_open and kind != "bar")
        at = found.end()
        if kind != "space":
            tokens.append(_Token(kind, found[0], found.start()))


def _not_a_word(text: str, opened: int, at: int, marks: Letters) -> TemplateError:
    if text.find(marks.closes, at) < 0:
        return error_at(text, opened, f"this tag is not closed: {marks.closes} is missing")
    if text[at] == "(":
        return error_at(text, at, "there are no calls inside of a tag")
    return error_at(text, at, f"{text[at]!r} cannot stand in a tag; names with such signs are written as [in brackets]")


def _closed(tag: Tag, text: str, tokens: _Tokens, found: re.Match[str], marks: Letters, triple: bool) -> Tag:
    """The tag, closed. A brace more than was opened is text, as in JSON text that ends behind a tag."""
    mark = found[0][: -len(marks.closes)]
    right = mark.endswith("~")
    if triple and not mark.startswith("}"):
        raise error_at(text, tag.at, f"this tag opens with {marks.opens}{{ and has to close with }}{marks.closes}")
    end = found.end()
    if mark.startswith("}") and not triple:
        end = found.start() + len(marks.closes)
        if right or not text.startswith(marks.closes, found.start()):
            raise error_at(text, found.start(), "'}' cannot stand in a tag")
    return _worded(replace(tag, end=end, right=right), text, tokens)


def _with_default(tag: Tag, text: str, tokens: _Tokens, at: int, marks: Letters, triple: bool) -> Tag:
    """The tag with its default: a text in quotes, or all up to the end of the tag."""
    if tag.kind != "slot":
        raise error_at(text, at - 1, "a default can only stand where a value is shown")
    quoted = marks.default.match(text, at)
    if quoted is not None:
        end = marks.token.match(text, quoted.end())
        assert end is not None
        closed = _closed(tag, text, tokens, end, marks, triple)
        return replace(closed, default=_unquoted(quoted["text"]), quoted=True)
    closes = "}" + marks.closes if triple else marks.closes
    stop = text.find(closes, at)
    if stop < 0:
        raise error_at(text, tag.at, f"this tag is not closed: {closes} is missing")
    default = text[at:stop]
    right = default.endswith("~")
    words = _worded(replace(tag, end=stop + len(closes), right=right), text, tokens)
    return replace(words, default=default[: len(default) - right].strip(SPACE))


def _worded(tag: Tag, text: str, tokens: _Tokens) -> Tag:
    """The tag with the operands, the named operands and the block parameters that its tokens are."""
    operands: list[Operand] = []
    named: list[tuple[str, Operand]] = []
    params: tuple[str, ...] = ()
    while tokens:
        first = tokens[0]
        if first.kind == "as":
            params = _params(tokens, text)
        elif first.kind == "word" and len(tokens) > 2 and tokens[1].kind == "equals":
            tokens.popleft()
            tokens.popleft()
            named.append((first.text, _operand(tokens, text)))
        elif named:
            raise error_at(text, first.at, f"{first.text} has to stand in front of what is given by name")
        else:
            operands.append(_operand(tokens, text))
    return replace(tag, operands=tuple(operands), named=tuple(named), params=params)


def _params(tokens: _Tokens, text: str) -> tuple[str, ...]:
    """The names between the bars of `as |item index|`."""
    opened = tokens.popleft()
    names: list[str] = []
    while tokens and tokens[0].kind == "word":
        names.append(tokens.popleft().text)
    if not tokens or tokens.popleft().kind != "bar" or tokens or not names:
        raise error_at(text, opened.at, "block parameters are written last, and as in: as |item index|")
    return tuple(names)


def _operand(tokens: _Tokens, text: str) -> Operand:
    first = tokens.popleft()
    if first.kind == "string":
        return Constant(_unquoted(first.text), _inner(first.text), first.at)
    if first.kind == "number":
        return Constant(_number(first.text), first.text, first.at)
    if first.kind == "word" and first.text in _CONSTANTS and not (tokens and tokens[0].kind == "sep"):
        return Constant(_CONSTANTS[first.text], first.text, first.at)
    if first.kind == "at":
        if not tokens:
            raise error_at(text, first.at, "an @ without a name")
        return _path(tokens.popleft(), tokens, text, data=True)
    return _path(first, tokens, text, data=False)


def _path(first: _Token, tokens: _Tokens, text: str, *, data: bool) -> Path:
    parts: list[str] = []
    says, up, token = "@" if data else "", 0, first
    while True:
        says += _inner(token.text) if token.kind == "segment" else token.text
        if token.kind in ("up", "dot") or (token.kind == "word" and token.text == "this"):
            if parts:
                raise error_at(text, first.at, f"{says} is no path: {token.text} can only stand at its beginning")
            up += token.kind == "up"
        elif token.kind == "segment" and token.text != "[]":
            parts.append(re.sub(r"\\([\\\]])", r"\1", token.text[1:-1]))
        elif token.kind in ("word", "number"):
            parts.extend(token.text.split("."))
        else:
            raise error_at(text, token.at, f"{token.text!r} cannot stand here; a name was expected")
        if not tokens or tokens[0].kind != "sep":
            return Path(tuple(parts), up, data, says=says, at=first.at)
        says += tokens.popleft().text
        if not tokens:
            raise error_at(text, first.at, f"{says} is no path: a name is missing at its end")
        token = tokens.popleft()


def _inner(text: str) -> str:
    return text[1:-1]


def _unquoted(text: str) -> str:
    return text[1:-1].replace("\\" + text[0], text[0])


def _number(text: str) -> int | float:
    if len(text) > 400:
        return float(text)
    return float(text) if "." in text else int(text)
