"""Sessions in a table, their branches, and where a text was found in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rejoinder.render.findings import count
from rejoinder.render.story import Fork, headline
from rejoinder.render.terminal import Line, cut, padded


class Shown(NamedTuple):
    """A session in a list: its id, when it was last changed, how much is in it, and what it is about."""

    session: str
    when: str
    size: str
    title: str
    tool: str = ""


class Hit(NamedTuple):
    """Where a text was found: who said it, and what stands in front of it and behind."""

    where: str
    role: str
    before: str
    found: str
    after: str


def list_lines(rows: Iterable[Shown], width: int) -> Iterator[Line]:
    """The sessions, a line each."""
    held = list(rows)
    names = min(max((len(row.session) for row in held), default=0), max(width // 3, 36))
    whens = max((len(row.when) for row in held), default=0)
    sizes = max((len(row.size) for row in held), default=0)
    room = width - names - whens - sizes - 6
    for row in held:
        tool = f" [{row.tool}]" if row.tool else ""
        yield (
            ("place", padded(cut(row.session, names), names)),
            ("plain", f"  {padded(row.when, whens)}  "),
            ("dim", f"{row.size:>{sizes}}  "),
            ("plain", cut(row.title, room - len(tool))),
            ("dim", tool),
        )


def hit_lines(session: str, title: str, hits: list[Hit], more: int, width: int) -> Iterator[Line]:
    """What was found in one session."""
    yield (("place", cut(session, width // 2)), ("bold", f"  {cut(title, width // 2 - 2)}"))
    for hit in hits:
        room = max((width - len(hit.where) - len(hit.role) - len(hit.found) - 8) // 2, 8)
        yield (
            ("dim", f"  {hit.where} {hit.role}: "),
            ("plain", hit.before[-room:]),
            ("warning", hit.found),
            ("plain", hit.after[:room]),
        )
    if more:
        yield (("dim", f"  … {count(more, 'more message')} with it"),)
    yield ()


def fork_lines(forks: Iterable[Fork], whens: Iterable[str], width: int) -> Iterator[Line]:
    """The branches of a session, the active one marked."""
    for fork, when in zip(forks, whens, strict=True):
        mark = "*" if fork.active else " "
        words = f"{count(fork.messages, 'message')}, {when}"
        yield (
            ("good", f"{mark} "),
            ("place", fork.leaf),
            ("plain", f"  {words}  "),
            ("dim", cut(headline(fork.says), max(width - len(words) - len(fork.leaf) - 6, 24))),
        )
