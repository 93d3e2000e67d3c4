"""Plays small conversations at a template and notes what it refuses and what it leaves out. Pure: `render` is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from rejoinder.dialects.chat_template.forms import TOOLS, Form, Messages, forms, system
from rejoinder.dialects.chat_template.plays import CALL, CHAT_PLAYS, PLAIN, TOOL_PLAYS, Play, marked

Verdict = Literal["accepted", "refused", "lost", "garbled"]
# Signs that a structure was printed as it is held in memory, and not read.
_PRINTED = ("'type': 'text'", '"type": "text"', '\\"city\\":')


class Job(NamedTuple):
    """What a template is given."""

    messages: Messages
    tools: list[dict[str, Any]] | None


class Said(NamedTuple):
    """What it made of it: a text, or the words of a refusal."""

    text: str
    refused: str | None = None


Render = Callable[[Sequence[Job]], list[Said]]


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What a template made of one play. `declared` tells that it only refuses where tools are declared."""

    play: str
    says: str
    verdict: Verdict
    words: str = ""
    lost: tuple[str, ...] = ()
    declared: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The row of the table as plain data."""
        return {"play": self.play, "says": self.says, "verdict": self.verdict, "words": self.words, "lost": self.lost}


class Probed(msgspec.Struct, frozen=True, kw_only=True):
    """All that was learnt of a template: the form that it takes, whether it takes calls, and each play's outcome."""

    form: Form
    chat: bool
    calls: bool
    bare: bool = True
    declares: bool = False
    words: str = ""
    heard: dict[str, Heard] = {}

    @property
    def contexts(self) -> list[list[dict[str, Any]] | None]:
        """With which tools anything is taken: with none, with some."""
        return [tools for tools, ever in ((None, self.bare), (TOOLS, self.declares)) if ever]

    def refused(self, *plays: str) -> Heard | None:
        """The first of these plays that was refused."""
        return self._first("refused", plays)

    def lost(self, *plays: str) -> Heard | None:
        """The first of these plays of which something was left out, or printed as no model can read it."""
        return self._first("lost", plays) or self._first("garbled", plays)

    def _first(self, verdict: Verdict, plays: tuple[str, ...]) -> Heard | None:
        rows = (self.heard.get(play) for play in plays)
        return next((row for row in rows if row is not None and row.verdict == verdict), None)


def probe(render: Render) -> Probed:
    """What a template takes, refuses and leaves out."""
    form, chat, calls, words = _basis(render)
    tried: list[tuple[Play, Job]] = []
    for plays, contexts in ((CHAT_PLAYS, chat), (TOOL_PLAYS, calls)):
        tried += [(play, Job(_opened(form, play.scene(form)), tools)) for play in plays for tools in contexts]
    outcomes: dict[str, list[tuple[Play, Job, Said]]] = {}
    for (play, job), said in zip(tried, render([job for _, job in tried]), strict=True):
        outcomes.setdefault(play.name, []).append((play, job, said))
    heard = {name: _heard(rows) for name, rows in outcomes.items()}
    either = (*chat, *calls)
    return Probed(
        form=form,
        chat=bool(chat),
        calls=bool(calls),
        bare=None in either,
        declares=TOOLS in either,
        words=words,
        heard=heard,
    )


def _basis(render: Render) -> tuple[Form, list[Any], list[Any], str]:
    """The plainest form that is taken, and whether with tools declared, or without, or both."""
    candidates = forms()
    cases = [(form, play, tools) for form in candidates for play in (CALL, PLAIN) for tools in (TOOLS, None)]
    said = render([Job(_opened(form, play.scene(form)), tools) for form, play, tools in cases])
    best: tuple[int, Form, list[Any], list[Any]] = (-1, candidates[0], [], [])
    for number, form in enumerate(candidates):
        call, call_bare, plain, plain_bare = said[4 * number : 4 * number + 4]
        chat = [tools for tools, each in ((None, plain_bare), (TOOLS, plain)) if each.refused is None]
        calls = [tools for tools, each in ((TOOLS, call), (None, call_bare)) if each.refused is None]
        whole = all(
            word in each.text for each in (call, call_bare) if not each.refused for word in ("User1", "Result1")
        )
        score = 4 * bool(calls) + 2 * bool(chat) + (whole and bool(calls or chat))
        if score > best[0]:
            best = (score, form, chat, calls)
    refusals = [each.refused for each in said[:4] if each.refused is not None]
    return best[1], best[2], best[3], refusals[0] if refusals else ""


def plainest(probed: Probed) -> list[Messages]:
    """Conversations that the template takes if it takes anything: with calls, and without."""
    return [_opened(probed.form, play.scene(probed.form)) for play in (CALL, PLAIN)]


def _opened(form: Form, messages: Messages) -> Messages:
    """The conversation with the system message that this template cannot do without."""
    if not form.opening or (messages and messages[0]["role"] in ("system", "developer")):
        return messages
    return [system(form, "Be brief."), *messages]


def _heard(rows: list[tuple[Play, Job, Said]]) -> Heard:
    """One play's outcome over all the ways it was put."""
    play = rows[0][0]
    refused = [(job, said) for _, job, said in rows if said.refused is not None]
    if refused:
        declared = all(job.tools is not None for job, _ in refused) and len(refused) < len(rows)
        return Heard(
            play=play.name, says=play.says, verdict="refused", words=refused[0][1].refused or "", declared=declared
        )
    for _, job, said in rows:
        lost = tuple(word for word in marked(job.messages, play.wants) if word not in said.text)
        if lost:
            return Heard(play=play.name, says=play.says, verdict="lost", lost=lost)
    printed = bool(play.wants) and any(_printed(job, said) for _, job, said in rows)
    return Heard(play=play.name, says=play.says, verdict="garbled" if printed else "accepted")


def _printed(job: Job, said: Said) -> bool:
    return any(sign in said.text for sign in _PRINTED) and job.tools is None
