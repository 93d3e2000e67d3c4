"""Secrets that are known by their name alone: `DB_PASSWORD=…`, `"api_key": "…"`, and what only looks like one."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PASS = r"pass(?:word|wd|phrase|code)|passwd|pwd"
_STRONG = (
    rf"{_PASS}|secret|api[ _-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|auth[_-]?key|encryption[_-]?key|"
    r"account[_-]?key|signing[_-]?key|session[_-]?key|credentials?"
)
# What a name may end in, looked for first; then what stands in front of it, and what is assigned.
_HINT = re.compile(r"pass|pwd|secret|key|token|auth|credential")
_BEFORE = 24
_PREFIX = re.compile(r"[A-Za-z0-9_ -]*\Z")
_ASSIGNED = re.compile(
    r"((?i:pass(?:word|wd|phrase|code)|pwd|secret|token|key|auth|credentials?)(?:_[A-Za-z0-9]{1,12}){0,2})"
    r"((?:\\?[\"'])?)[ \t]{0,3}(:=|=>|[:=])[ \t]{0,3}"
    r"(?:\\?\"([^\"\\\n]{1,512})|\\?'([^'\\\n]{1,512})|([^\s\"'`,;&|<>()\[\]{}\\]{1,512}))"
)
_ENV = re.compile(r"(?:\A|\n)(?:export )?[A-Z0-9_]{0,48}\Z")
_WHOLE = re.compile(r"[^\s\"'`]{0,512}")
_ENDS_STRONG = re.compile(rf"(?:{_STRONG})(?:_[A-Za-z0-9]{{1,12}}){{0,2}}\Z", re.IGNORECASE)
_ENDS_WEAK = re.compile(r"(?i:token|(?<![a-z])auth|authorization)(?:_[A-Za-z0-9]{1,12}){0,2}\Z|_KEY\Z")
_IS_PASS = re.compile(_PASS, re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"\$|%[^0-9a-fA-F]|<|\{|\[|\*{2}|x{3}|X{3}|\.{2}|(?:your|my|the|an?|some|insert|enter|replace|example|change|placeholder|"
    r"redacted|none|null|nil|true|false|undefined|string|required|optional|process\.|os\.|self\.|this\.|config|"
    r"settings|getenv|env\.|import\.meta|dummy)(?![a-z0-9])|your|changeme",
    re.IGNORECASE,
)
_NO_SECRET = frozenset({"password", "passwd", "pass", "pwd", "secret", "token", "user", "username", "admin", "root"})
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
# A name of something rather than something made up: letters, with a number at the end at most.
_WORDS = re.compile(r"[A-Za-z_.-]*[0-9]{0,2}")
_LIKE_A_PATH = re.compile(r"\.{0,2}/|~|[A-Za-z]:\\|[a-z][a-z0-9+]{1,12}://|v?[0-9]+\.[0-9]+\.")
_SHORTEST, _SHORTEST_WEAK = 6, 16


def assigned(text: str) -> Iterator[tuple[int, int, str]]:
    """What is assigned to a name that says that it is secret: from where to where, and of what kind."""
    lower = text.lower()
    if len(lower) != len(text):
        # A letter became two: their places would not be those of the text.
        lower = "".join(map(_lower, text))
    for hint in _HINT.finditer(lower):
        found = _ASSIGNED.match(text, hint.start())
        if found is None:
            continue
        group = next(group for group in (4, 5, 6) if found[group] is not None)
        stop = found.end(group)
        # What goes on in a bracket is a piece of a program, and what it gives stands elsewhere.
        if group == 6 and text[stop : stop + 1] in ("(", "["):
            continue
        before = _PREFIX.search(text[max(hint.start() - _BEFORE, 0) : hint.start()])
        name = (before[0] if before else "") + found[1]
        is_env = found[1].isupper() and found[3] == "=" and not found[2]
        value: str = found[group]
        if is_env and group == 6 and _ENV.search(text[max(hint.start() - 64, 0) : hint.start()]):
            # A line of an .env file: all of it is the value.
            whole = _WHOLE.match(text, found.start(6))
            stop = whole.end() if whole else stop
            value = text[found.start(6) : stop]
        if names_secret(name) and is_secret(name, value, is_quoted=group != 6, is_env=is_env):
            yield found.start(group), stop, kind_of_name(name)


def _lower(letter: str) -> str:
    """A letter in lower case, as one letter."""
    return letter.lower() if letter.isascii() else letter


def kind_of_name(name: str) -> str:
    """What a secret of this name is."""
    return "password" if _IS_PASS.search(name) else "named secret"


def names_secret(name: str) -> bool:
    """Does the name of a member say that what it holds is secret?"""
    return bool(_ENDS_STRONG.search(name) or _ENDS_WEAK.search(name))


def is_secret(name: str, value: str, *, is_quoted: bool, is_env: bool) -> bool:
    """Is what stands behind a name the secret itself, and no word for it?"""
    value = value.strip().rstrip(".,;")
    if is_placeholder(value) or _LIKE_A_PATH.match(value) or any(map(str.isspace, value)) or _UUID.fullmatch(value):
        return False
    has_digit, has_letter = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    if not _ENDS_STRONG.search(name):
        return len(value) >= _SHORTEST_WEAK and has_digit and has_letter
    if len(value) < _SHORTEST or value.lower() == name.lower():
        return False
    is_pass = bool(_IS_PASS.search(name))
    if not has_letter:
        return is_pass and has_digit
    if not has_digit:
        odd = any(letter in "!@#$%^&*+=?~" for letter in value)
        return (is_pass and is_quoted and odd) or (is_env and len(value) >= 8 and value.isalpha())
    if _WORDS.fullmatch(value):
        return is_env or (is_quoted and (is_pass or len(value) >= _SHORTEST_WEAK))
    return True


def is_placeholder(value: str) -> bool:
    """Does it stand for a secret that somebody else is to put there, or is it one that was masked before?"""
    return bool(_PLACEHOLDER.match(value)) or value.lower() in _NO_SECRET or len(set(value)) < 3
