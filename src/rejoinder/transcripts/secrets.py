"""Secrets in a text: what keys, tokens and passwords look like, and where they stand.

A key that says what it is (`ghp_…`) is found wherever it stands: alone, cut by letters of no width, wrapped over lines,
or in base64. One that does not is known by what it is called (`DB_PASSWORD=…`). Each pattern begins at a fixed word and
goes on over one class of letters, so that all of them take time in proportion to the text.
"""

from __future__ import annotations

import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from rejoinder.transcripts.named_secrets import assigned, is_placeholder


class Secret(NamedTuple):
    """A secret in a text: from where to where, what kind it is, and its letters as they are meant."""

    begin: int
    stop: int
    kind: str
    value: str


class _Key(NamedTuple):
    """A key that says what it is: what it may begin with, of which letters it is, and how many there are at least."""

    kind: str
    prefixes: str
    letters: str
    least: int
    most: int | None = None
    is_sure: bool = False


_LETTERS, _WORD = "A-Za-z0-9", "A-Za-z0-9_-"
_KEYS = (
    _Key("anthropic key", "sk-ant-", _WORD, 7, is_sure=True),
    _Key("openai key", "sk-proj- sk-svcacct- sk-admin- sk-None- sk-or-v1- sk-lf-", _WORD, 16),
    _Key("openai key", "sk-", _LETTERS, 20),
    _Key("github token", "ghp_ gho_ ghu_ ghs_ ghr_", _LETTERS, 16),
    _Key("github fine-grained token", "github_pat_", "A-Za-z0-9_", 16),
    _Key("gitlab token", "glpat- gldt- glrt- glcbt- glptt- glsoat-", _WORD, 16),
    _Key("aws key id", "AKIA ASIA ABIA ACCA", "A-Z0-9", 16, 16, is_sure=True),
    _Key("google api key", "AIza", _WORD, 30),
    _Key("google oauth token", "ya29.", "A-Za-z0-9_.-", 16),
    _Key("google oauth token", "GOCSPX-", _WORD, 16),
    _Key("google oauth token", "1//0", _WORD, 30),
    _Key("slack token", "xoxa- xoxb- xoxc- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", "A-Za-z0-9.-", 10),
    _Key("slack webhook", "hooks.slack.com/services/ hooks.slack.com/workflows/", "A-Za-z0-9/", 16),
    _Key("hugging face token", "hf_", _LETTERS, 16),
    _Key("stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", _LETTERS, 16),
    _Key("stripe key", "whsec_", "A-Za-z0-9+/", 16),
    _Key("npm token", "npm_", _LETTERS, 20),
    _Key("pypi token", "pypi-", _WORD, 16),
    _Key("sendgrid key", "SG.", "A-Za-z0-9_.-", 32),
    _Key("age key", "AGE-SECRET-KEY-1", "A-Z0-9", 40),
    _Key("service key", "gsk_ xai- pplx- r8_ dop_v1_ dapi lin_api_ ntn_ tvly- nvapi- shpat_", _WORD, 20),
)
_FOUND_BY = tuple((key, prefix, re.compile(f"[{key.letters}]*")) for key in _KEYS for prefix in key.prefixes.split())
_PREFIXES = tuple(prefix for _, prefix, _ in _FOUND_BY)
# Not in the middle of a word; but right behind an escape, or a letter that was written as its number.
_EDGE = re.compile(r"(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt])")
# What goes on in the next line is a piece of a key if it stands there alone and looks like one.
_WRAPPED = re.compile(
    r"(?:\\?\r?\n|\\n)[ \t>|]{0,16}((?=[A-Za-z_-]{0,24}[0-9])[A-Za-z0-9_+/-]{8,512})"
    r"(?=[ \t]{0,16}(?:\\?\r?\n|\\n|$|[\"'`,;)]))"
)
_PIECES = 8
_RUN = re.compile(r"[A-Za-z0-9]{8,}")
_LONG = 30

_JWT_HEAD = re.compile(rf"eyJ[{_WORD}]{{8,}}")
_JWT_REST = re.compile(rf"\.[{_WORD}]{{4,}}\.[{_WORD}]*(?:\.[{_WORD}]+){{0,2}}")
# What is only known by where it stands: words of which one has to be there, and the pattern.
_PLACED = tuple(
    (kind, hints, re.compile(pattern))
    for kind, hints, pattern in (
        ("password in a url", ("://",), r"://[^\s/:@\"'<>\\`]{0,128}:([^\s/@\"'<>\\`]{2,256})@(?=[A-Za-z0-9\[_])"),
        ("authorization header", ("bearer",), r"(?i:bearer)(?:\s{1,4}|%20)([A-Za-z0-9._~+/%-]{16,}={0,2})"),
        (
            "authorization header",
            ("uthorization", "api-key", "auth-token", "private-token"),
            r"(?i:authorization|x-api-key|x-goog-api-key|x-auth-token|private-token)(?:\\?[\"'])?"
            r"\s{0,3}[:=]\s{0,3}(?:\\?[\"'])?(?:(?i:bearer|basic|token|apikey)\s{1,3})?([A-Za-z0-9._~+/%=-]{8,})",
        ),
        (
            "key in a url",
            ("?", "&"),
            r"[?&;](?i:key|api[_-]?key|access[_-]?token|auth[_-]?token|token|sig|signature|secret|password|passwd|"
            r"client[_-]?secret|x-amz-signature|x-amz-security-token|x-goog-signature)=([^\s&\"'<>#\\`]{8,})",
        ),
        ("password", ("-u ", "-u=", "--user"), r"-(?:u|-user)[ =]['\"]?[^\s:'\"]{1,64}:([^\s'\"@]{4,128})"),
    )
)
_PEM = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_LONGEST_KEY = 20_000
_PEM_REST = re.compile(r"(?:[A-Za-z0-9+/=:,. \t\r\n-]|\\[rn])*")
_PEM_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_AWS = re.compile(r"(?:AKIA|ASIA)[A-Z0-9]{16}|(?i:aws.{0,3}secret)")
_NEAR = 200

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]+"
)
# What is shorter is too short for a key, and for a name with a secret behind it.
_SHORTEST = 9
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_BLOB = re.compile(r"[A-Za-z0-9+/]{256,}={0,2}")


def _fragments() -> Iterator[str]:
    """What base64 makes of the beginnings of keys, wherever among three bytes they begin."""
    for key, prefix, _ in _FOUND_BY:
        if len(prefix) < 4 or key.kind == "service key":
            continue
        for before in range(3):
            written = binascii.b2a_base64(b"\0" * before + prefix.encode() + b"\0\0").decode()
            kept = written[(8 * before + 5) // 6 : 8 * (before + len(prefix)) // 6]
            yield from dict.fromkeys((kept, kept.replace("+", "-").replace("/", "_")))


_FRAGMENTS = tuple(dict.fromkeys(_fragments()))


def secrets_in(text: str) -> list[Secret]:
    """The secrets in a text, in order; what overlaps is one."""
    if len(text) < _SHORTEST:
        return []
    plain, places = _visible(text)
    blobs = [(found.start(), found.end()) for found in _BLOB.finditer(plain)]
    found = [each for each in _all_of(plain) if not _is_inside(each, blobs)]
    merged = _merged([*found, *_encoded(plain)])
    if places is None:
        return merged
    return [Secret(_at(places, each.begin), _at(places, each.stop - 1) + 1, *each[2:]) for each in merged]


def _all_of(text: str) -> Iterator[Secret]:
    yield from _self_told(text)
    yield from _private_keys(text)
    yield from _web_tokens(text)
    lower = text.lower()
    for kind, hints, pattern in _PLACED:
        for found in pattern.finditer(text) if any(hint in lower for hint in hints) else ():
            if not is_placeholder(found[1]) and (kind == "password in a url" or _is_mixed(found[1])):
                yield Secret(found.start(1), found.end(1), kind, found[1])
    yield from _aws_secrets(text)
    for begin, stop, kind in assigned(text):
        yield Secret(begin, stop, kind, text[begin:stop])


def _self_told(text: str) -> Iterator[Secret]:
    """The keys that say what they are."""
    for key, prefix, letters in _FOUND_BY:
        at = text.find(prefix)
        while at >= 0:
            begin = at + len(prefix)
            found = letters.match(text, begin) if _EDGE.match(text, at) else None
            if found is not None and found[0]:
                body, stop = _with_wrapped(text, found)
                fits = key.least <= len(body) and not (key.most and len(body) > key.most)
                if fits and (key.is_sure or _is_random(body)) and not is_placeholder(body):
                    yield Secret(at, stop, key.kind, prefix + body)
                begin = stop
            at = text.find(prefix, begin)


def _with_wrapped(text: str, found: re.Match[str]) -> tuple[str, int]:
    """The letters of a key with those that a line break cut off, and where they end."""
    body, stop = found[0], found.end()
    for _ in range(_PIECES):
        more = _WRAPPED.match(text, stop)
        if more is None or more[1].startswith(_PREFIXES) or not any(map(str.isalpha, more[1])):
            break
        body, stop = body + more[1], more.end()
    return body, stop


def _is_mixed(body: str) -> bool:
    """Has it a number in it, or large letters and small ones?"""
    return any(map(str.isdigit, body)) or (any(map(str.isupper, body)) and any(map(str.islower, body)))


def _is_random(body: str) -> bool:
    """Does it look like no words that somebody made up?"""
    runs = _RUN.findall(body)
    return any(any(map(str.isdigit, run)) for run in runs) or any(len(run) >= _LONG for run in runs)


def _web_tokens(text: str) -> Iterator[Secret]:
    at = text.find("eyJ")
    while at >= 0:
        head = _JWT_HEAD.match(text, at) if _EDGE.match(text, at) else None
        rest = _JWT_REST.match(text, head.end()) if head else None
        if rest is not None:
            yield Secret(at, rest.end(), "jwt", text[at : rest.end()])
        at = text.find("eyJ", rest.end() if rest else head.end() if head else at + 3)


def _private_keys(text: str) -> Iterator[Secret]:
    if "PRIVATE KEY" not in text:
        return
    at = 0
    ends = [found.end() for found in _PEM_END.finditer(text)]
    while found := _PEM.search(text, at):
        nearest = bisect_right(ends, found.end())
        rest = _PEM_REST.match(text, found.end())
        at = rest.end() if rest else found.end()
        if nearest < len(ends) and ends[nearest] - found.end() < _LONGEST_KEY:
            at = max(at, ends[nearest])
        if at > found.end() + 16:
            yield Secret(found.start(), at, "private key", text[found.start() : at])


def _aws_secrets(text: str) -> Iterator[Secret]:
    """Forty letters that say nothing, near a word that says what they are."""
    for near in _AWS.finditer(text):
        for found in _AWS_SECRET.finditer(text, near.end(), near.end() + _NEAR):
            body = found[0]
            if any(map(str.isdigit, body)) and any(map(str.isupper, body)) and not _is_hex(body):
                yield Secret(found.start(), found.end(), "aws secret key", body)


def _is_hex(text: str) -> bool:
    return all(letter in "0123456789abcdef" for letter in text)


def _encoded(text: str) -> Iterator[Secret]:
    """Base64 with a key in it."""
    at = [place for each in _FRAGMENTS for place in _places_of(each, text)]
    if not at:
        return
    at.sort()
    for found in _BASE64.finditer(text):
        nearest = bisect_right(at, found.start() - 1)
        if nearest == len(at) or at[nearest] >= found.end():
            continue
        run = found[0].rstrip("=").replace("-", "+").replace("_", "/")
        for skipped in range(4):
            inside = next(_self_told(_decoded(run[skipped:])), None)
            if inside is not None:
                yield Secret(found.start(), found.end(), inside.kind, inside.value)
                break


def _places_of(words: str, text: str) -> Iterator[int]:
    at = text.find(words)
    while at >= 0:
        yield at
        at = text.find(words, at + 1)


def _decoded(run: str) -> str:
    run = run[: len(run) - 1] if len(run) % 4 == 1 else run
    try:
        return binascii.a2b_base64(run + "=" * (-len(run) % 4)).decode("latin-1")
    except (binascii.Error, ValueError):
        return ""


# --- places ----------------------------------------------------------------------------------------------------------


def _visible(text: str) -> tuple[str, list[tuple[int, int]] | None]:
    """The text without letters that are not seen, and for each stretch where it stood; None where it is all one."""
    if text.isascii() or not _UNSEEN.search(text):
        return text, None
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    at = length = 0
    for found in _UNSEEN.finditer(text):
        if found.start() > at:
            places.append((length, at))
            pieces.append(text[at : found.start()])
            length += found.start() - at
        at = found.end()
    places.append((length, at))
    return "".join((*pieces, text[at:])), places


def _at(places: list[tuple[int, int]], index: int) -> int:
    """Where a letter of the visible text stands in the whole."""
    length, at = places[bisect_right(places, (index, len(places) and float("inf"))) - 1]
    return at + index - length


def _is_inside(secret: Secret, spans: list[tuple[int, int]]) -> bool:
    """Is it a stretch of a picture? Among a million letters each word of four turns up."""
    at = bisect_right(spans, (secret.begin, float("inf"))) - 1
    return at >= 0 and spans[at][0] < secret.begin and secret.stop <= spans[at][1]


def _merged(found: list[Secret]) -> list[Secret]:
    """What overlaps as one: it is of the kind that says itself what it is, which comes first."""
    rank = {id(each): number for number, each in enumerate(found)}
    merged: list[tuple[int, Secret]] = []
    for each in sorted(found, key=lambda each: (each.begin, -each.stop)):
        if merged and each.begin < merged[-1][1].stop:
            number, last = merged[-1]
            first = last if number < rank[id(each)] else each
            whole = Secret(last.begin, max(last.stop, each.stop), first.kind, first.value)
            merged[-1] = (min(number, rank[id(each)]), whole)
        else:
            merged.append((rank[id(each)], each))
    return [secret for _, secret in merged]
