"""Reads a chat template: a Jinja file, `tokenizer_config.json`, `chat_template.json`, or the folder of a model."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import Any

import msgspec

from rejoinder.edge import files
from rejoinder.errors import PayloadError, TargetError
from rejoinder.values.loose import is_array, is_object

LARGEST = 4_000_000
# What a bare Jinja file does not say, and most templates print.
_TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
_IN_A_FOLDER = ("chat_template.jinja", "chat_template.json", "tokenizer_config.json")


class Source(msgspec.Struct, frozen=True):
    """The templates of a model by name, and its special tokens; the digest names both."""

    templates: dict[str, str]
    tokens: dict[str, Any]
    digest: str

    def text(self, *, tools: bool) -> str:
        """The template that is used, with tools declared or without: as transformers chooses."""
        names = ("tool_use", "default") if tools else ("default",)
        found = next((self.templates[name] for name in names if name in self.templates), None)
        return next(iter(self.templates.values())) if found is None else found


def read(path: str) -> Source:
    """The templates of a file or of a folder; `PATH#NAME` chooses one of several."""
    path, _, chosen = path.partition("#") if not os.path.lexists(path) else (path, "", "")
    found: dict[str, str] = {}
    tokens: dict[str, Any] = dict(_TOKENS)
    for name in _names(path):
        held, special = _held(name)
        found = found or held
        tokens |= special
    if not found:
        raise TargetError(f"{path}: there is no chat template in it")
    if chosen:
        if chosen not in found:
            raise TargetError(f"{path}: there is no template {chosen!r} in it; there are {', '.join(sorted(found))}")
        found = {"default": found[chosen]}
    said = json.dumps([found, tokens], sort_keys=True)
    return Source(found, tokens, sha256(said.encode()).hexdigest())


def _names(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    names = [os.path.join(path, name) for name in _IN_A_FOLDER]
    found = [name for name in names if os.path.exists(name)]
    if not found:
        raise TargetError(f"{path}: no {', '.join(_IN_A_FOLDER[:-1])} and no {_IN_A_FOLDER[-1]} in this folder")
    return found


def _held(path: str) -> tuple[dict[str, str], dict[str, Any]]:
    """The templates and the special tokens of one file."""
    try:
        text = files.read(path).text
    except PayloadError as error:
        raise TargetError(f"no chat template can be read: {error}") from None
    if len(text) > LARGEST:
        raise TargetError(f"{path}: {len(text):,} characters are too many for a chat template")
    if not path.endswith(".json"):
        return {"default": text.removeprefix("\ufeff")}, {}
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TargetError(f"{path}: no JSON: {error}") from None
    if not is_object(config):
        raise TargetError(f"{path}: wanted an object with `chat_template`")
    return _named(config.get("chat_template")), _special(config)


def _named(held: Any) -> dict[str, str]:
    """One template, or several with names, as both were written by transformers over time."""
    if isinstance(held, str):
        return {"default": held}
    if is_object(held):
        return {name: text for name, text in held.items() if isinstance(text, str)}
    rows = held if is_array(held) else []
    texts = [(row.get("name"), row.get("template")) for row in rows if is_object(row)]
    return {name: text for name, text in texts if isinstance(name, str) and isinstance(text, str)}


def _special(config: dict[str, Any]) -> dict[str, Any]:
    """`bos_token` and its like: a string, or an object with `content`."""
    found: dict[str, Any] = {}
    for name, value in config.items():
        if name.endswith("_token"):
            words = value.get("content") if is_object(value) else value
            if isinstance(words, str):
                found[name] = words
    return found
