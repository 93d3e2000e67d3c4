"""Where words and data go: data to stdout, talk to stderr, and nothing that a terminal would obey."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import IO, Any

import click

from rejoinder.edge import json_write
from rejoinder.render.terminal import Line, painted

# Where nobody looks at a screen: what fits into most of them.
_WIDTH, _NARROW, _WIDE = 100, 40, 160


class Paper:
    """The two streams of a run: how wide, and whether in colour."""

    def __init__(self, colour: bool | None = None, *, words_to_stderr: bool = False) -> None:
        self._colour = colour
        self._words_to_stderr = words_to_stderr
        screen = shutil.get_terminal_size((_WIDTH, 24)).columns if _is_terminal(sys.stdout) else _columns()
        self.width = min(max(screen, _NARROW), _WIDE)

    def say(self, lines: Iterable[Line]) -> None:
        """What was asked for: to stdout, unless data goes there."""
        self._write(lines, err=self._words_to_stderr)

    def talk(self, *lines: Line) -> None:
        """What is only said about it: to stderr."""
        self._write(lines, err=True)

    def _write(self, lines: Iterable[Line], *, err: bool) -> None:
        colour = in_colour(sys.stderr if err else sys.stdout, self._colour)
        # click would strip colours where it sees no terminal; that decision was made above.
        click.echo(painted(lines, colour=colour), nl=False, err=err, color=colour)


def in_colour(stream: IO[str], asked: bool | None) -> bool:
    """Is colour wanted: said so, or a terminal that shows it and nothing against it."""
    if asked is not None:
        return asked
    return _is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _is_terminal(stream: IO[str]) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def _is_closed(stream: IO[str] | None) -> bool:
    """Was the stream closed before we began? Python then has None in its place."""
    return stream is None


def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdecimal() and len(given) < 5 else _WIDTH


def say_json(value: Any) -> None:
    """A JSON document on stdout. What a terminal would obey or hide is escaped, which changes no value."""
    click.echo(json_write.harmless(json_write.written(value, json_write.PAGE)))


def say_data(text: str) -> None:
    """Data on stdout, byte for byte; on a terminal with harmful characters escaped."""
    if _is_closed(sys.stdout):
        raise click.UsageError("standard output is closed, and the data was to go there: say -o OUT")
    if _is_terminal(sys.stdout):
        click.echo(json_write.harmless(text), nl=not text.endswith("\n"))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()


def plain(text: str, style: str = "plain") -> Line:
    """A line in one style."""
    return ((style, text),)
