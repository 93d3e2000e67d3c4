"""All formats of session files that are known, and how one is told from the others: by what is in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from rejoinder.errors import SessionError
from rejoinder.transcripts import (
    ai_sdk,
    aider,
    claude_code,
    cline,
    codex,
    fine_tuning,
    gemini_cli,
    goose,
    inspect_ai,
    langchain,
    mini_swe_agent,
    neovate,
    opencode,
    openhands,
    openhands_events,
    pi,
    plain_messages,
    rows,
    swe_agent,
    tau_bench,
    training,
)
from rejoinder.transcripts.conversations import flat
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.transcript import Format, Transcript

# The first that knows the sample reads it: those with the surest signs stand first.
FORMATS: tuple[Format, ...] = (
    rows.OURS,
    claude_code.FORMAT,
    codex.FORMAT,
    opencode.FORMAT,
    goose.FORMAT,
    neovate.FORMAT,
    pi.FORMAT,
    gemini_cli.FORMAT,
    openhands_events.FORMAT,
    inspect_ai.FORMAT,
    mini_swe_agent.FORMAT,
    swe_agent.FORMAT,
    openhands.FORMAT,
    *tau_bench.FORMATS,
    langchain.FORMAT,
    *training.FORMATS,
    ai_sdk.FORMAT,
    cline.FORMAT,
    rows.ROWS,
    fine_tuning.FORMAT,
    aider.FORMAT,
    plain_messages.FORMAT,
)
_SAMPLE = 64


def read(found: Iterable[Found], name: str | None = None) -> Transcript:
    """The session that these records hold, in whichever format they are, or in the one that is named.

    Of a file that holds many conversations it is the first.
    """
    return next(iter(read_all(found, name)))


def read_all(found: Iterable[Found], name: str | None = None) -> Iterator[Transcript]:
    """All conversations that these records hold, one after the other; there is always one, if only an empty one."""
    stream = flat(found)
    first = list(islice(stream, _SAMPLE))
    sample = [each.value for each in first if isinstance(each, Record)]
    wanted = next((each for each in FORMATS if (each.name == name if name else each.knows(sample))), None)
    if wanted is None:
        known = ", ".join(each.name for each in FORMATS)
        raise SessionError(f"this is no session in a format that is known ({known})")
    held = wanted.read(chain(first, stream))
    yield from (held,) if isinstance(held, Transcript) else held
