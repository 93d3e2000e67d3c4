"""All formats of session files that are known, and how one is told from the others: by what is in it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice

from rejoinder.errors import SessionError
from rejoinder.transcripts import claude_code, codex, gemini_cli, goose, neovate, opencode, pi
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.transcript import Format, Transcript

# The first that knows the sample reads it: those with the surest signs stand first.
FORMATS: tuple[Format, ...] = (
    claude_code.FORMAT,
    codex.FORMAT,
    opencode.FORMAT,
    goose.FORMAT,
    neovate.FORMAT,
    pi.FORMAT,
    gemini_cli.FORMAT,
)
_SAMPLE = 64


def read(found: Iterable[Found], name: str | None = None) -> Transcript:
    """The session that these records hold, in whichever format they are, or in the one that is named."""
    stream = iter(found)
    first = list(islice(stream, _SAMPLE))
    sample = [each.value for each in first if isinstance(each, Record)]
    wanted = next((each for each in FORMATS if (each.name == name if name else each.knows(sample))), None)
    if wanted is None:
        known = ", ".join(each.name for each in FORMATS)
        raise SessionError(f"this is no session in a format that is known ({known})")
    return wanted.read(chain(first, stream))
