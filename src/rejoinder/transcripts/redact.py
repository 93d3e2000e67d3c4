"""Secrets taken out of a value of JSON, wherever they stand: in texts, members, names of members, JSON inside of texts.

What comes out is still JSON, also where a text holds it. The same secret gets the same mask everywhere, and a secret
that was known by its place once is known wherever it stands alone.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from rejoinder.transcripts.named_secrets import is_secret, kind_of_name, names_secret
from rejoinder.transcripts.secrets import Secret, secrets_in
from rejoinder.values.loose import is_array, is_object

# JSON in a text in JSON in a text: so deep it is taken apart, and read as words from there on.
_DEEPEST = 6
_PLAIN = 8
_SCHEMES = re.compile(r"(?:bearer|basic|token|apikey)\s+", re.IGNORECASE)


class Redactor:
    """Finds secrets, gives each its mask, and counts. First `learn` all that there is, then take the `masked` of it."""

    def __init__(self) -> None:
        self._masks: dict[str, str] = {}
        self._kinds: dict[str, int] = {}
        self._places: dict[str, int] = {}
        self._known: re.Pattern[str] | None = None
        # Texts come again and again, and each is looked at twice.
        self._found: dict[str, list[Secret]] = {}

    def learn(self, value: Any) -> None:
        """Look at a value, so that a secret is known by then wherever it stands."""
        self._walk(value, 0)
        plain = [secret for secret in self._masks if len(secret) >= _PLAIN and any(map(str.isdigit, secret))]
        words = "|".join(re.escape(secret) for secret in sorted(plain, key=len, reverse=True))
        self._known = re.compile(words) if words else None
        self._places.clear()

    def masked(self, value: Any) -> Any:
        """The value with a mask for each secret; what has none in it is the same object."""
        return self._walk(value, 0)

    def report(self) -> dict[str, dict[str, int]]:
        """For each kind how many secrets there were, and in how many places."""
        return {kind: {"secrets": self._kinds[kind], "places": self._places.get(kind, 0)} for kind in self._kinds}

    def _walk(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self._string(value, depth)
        if is_object(value):
            return self._object(value, depth)
        if isinstance(value, msgspec.Struct):
            fields = {name: getattr(value, name) for name in value.__struct_fields__}
            changed = {name: new for name, held in fields.items() if (new := self._walk(held, depth)) is not held}
            return msgspec.structs.replace(value, **changed) if changed else value
        if is_array(value):
            items = [self._walk(item, depth) for item in value]
            if all(new is old for new, old in zip(items, value, strict=True)):
                return value
            return self._like(value, items)
        return value

    @staticmethod
    def _like(value: Any, items: list[Any]) -> Any:
        """The items in a sequence as the one they come from: a list, a tuple, or a tuple with names."""
        made = getattr(value, "_make", None)
        return made(items) if made is not None else type(value)(items)

    def _object(self, value: dict[Any, Any], depth: int) -> Any:
        out: dict[Any, Any] = {}
        for name, held in value.items():
            known = name if isinstance(name, str) else ""
            new_name = self._string(name, _DEEPEST) if known else name
            out[new_name] = self._member(known, held, depth, value)
        same = len(out) == len(value) and all(
            old is new and value[old] is out[new] for old, new in zip(value, out, strict=True)
        )
        return value if same else out

    def _member(self, name: str, held: Any, depth: int, beside: dict[Any, Any]) -> Any:
        """What a member holds. A list of pairs (`{"name": "X-Api-Key", "value": …}`) names it beside itself."""
        if not isinstance(held, str):
            return self._walk(held, depth)
        if name == "value":
            named = beside.get("name", beside.get("key"))
            name = named if isinstance(named, str) else name
        scheme = _SCHEMES.match(held)
        rest = held[scheme.end() :] if scheme else held
        is_header = bool(scheme) and name.lower().endswith("authorization") and len(rest) >= _PLAIN
        if is_header or (names_secret(name) and is_secret(name, rest, is_quoted=True, is_env=name.isupper())):
            told = secrets_in(rest)
            kind = told[0].kind if told else "authorization header" if is_header else kind_of_name(name)
            whole = told[0].value if told and told[0].stop - told[0].begin >= len(rest.strip()) else rest.strip()
            return (scheme[0] if scheme else "") + self._mask(kind, whole)
        return self._string(held, depth)

    def _string(self, text: str, depth: int) -> str:
        if depth < _DEEPEST and text[:64].lstrip()[:1] in ("{", "["):
            inside = _json_of(text)
            if inside is not None:
                masked = self._walk(inside, depth + 1)
                return text if masked is inside else _written(masked, text)
        found = self._found.get(text)
        if found is None:
            found = self._found[text] = secrets_in(text)
        if self._known is not None:
            found = self._with_known(text, found)
        pieces: list[str] = []
        at = 0
        for secret in found:
            pieces += [text[at : secret.begin], self._mask(secret.kind, secret.value)]
            at = secret.stop
        return "".join((*pieces, text[at:])) if found else text

    def _with_known(self, text: str, found: list[Secret]) -> list[Secret]:
        """What was found, and what stands between that is known from elsewhere."""
        out: list[Secret] = []
        at = 0
        for secret in (*found, Secret(len(text), len(text), "", "")):
            for known in self._known.finditer(text, at, secret.begin) if self._known else ():
                kind = self._masks[known[0]][len("[redacted ") :].rpartition(" ")[0]
                out.append(Secret(known.start(), known.end(), kind, known[0]))
            if secret.kind:
                out.append(secret)
            at = secret.stop
        return out

    def _mask(self, kind: str, secret: str) -> str:
        mask = self._masks.get(secret)
        if mask is None:
            self._kinds[kind] = self._kinds.get(kind, 0) + 1
            mask = self._masks[secret] = f"[redacted {kind} {self._kinds[kind]}]"
        kind = mask[len("[redacted ") :].rpartition(" ")[0]
        self._places[kind] = self._places.get(kind, 0) + 1
        return mask


def redacted(value: Any) -> tuple[Any, dict[str, dict[str, int]]]:
    """A value without its secrets, and for each kind how many there were."""
    redactor = Redactor()
    redactor.learn(value)
    return redactor.masked(value), redactor.report()


def _json_of(text: str) -> Any:
    """The list or the object that a text is; None where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if is_object(value) or is_array(value) else None


def _written(value: Any, like: str) -> str:
    """JSON in the manner of the text that it stands for."""
    is_tight = '":' in like and '": ' not in like
    indent = 2 if like.lstrip()[1:2] == "\n" else None
    separators = (",", ":") if is_tight and indent is None else None
    return json.dumps(value, ensure_ascii=like.isascii(), indent=indent, separators=separators)
