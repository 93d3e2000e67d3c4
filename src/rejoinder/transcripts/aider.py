"""Aider: its chat history in Markdown, a conversation a start. Lossy: there are no ids, and no results of tools.

`####` is what the user says, `>` what the terminal showed, everything else is the model's answer. Aider ends its own
lines with two spaces: what looks alike without them is Markdown of the model, or text of a file that it edits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from rejoinder.transcripts.conversations import told
from rejoinder.transcripts.fields import text
from rejoinder.transcripts.lines import Found, Oddity
from rejoinder.transcripts.members import objects
from rejoinder.transcripts.transcript import Defect, Format, Transcript

_TOOL = "aider"
_START = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
_MODEL = re.compile(r"> (?:Main model|Models?): (\S+)")
_STARTS = "# aider chat started at "
_OPENS, _CLOSES = "<<<<<<< SEARCH", ">>>>>>> REPLACE"
_LOSSY = "a Markdown history holds what was said and shown: no tool results, no system text, and no ids"


def knows(sample: list[Any]) -> bool:
    """Are these lines of a text, with the marks of a history?"""
    marks = (_STARTS, "#### ", "> ")
    return any("role" not in row and text(row, "text").startswith(marks) for row in objects(sample))


def read(found: Iterable[Found]) -> Iterator[Transcript]:
    """A conversation for each start in the history."""
    oddities: list[Oddity] = []
    chat = _Chat("")
    begun = False
    for each in found:
        if isinstance(each, Oddity):
            oddities.append(each)
            continue
        line = each.value.get("text")
        if not isinstance(line, str):
            continue
        start = _START.fullmatch(line.rstrip())
        if start:
            if begun or chat.speaks:
                yield chat.transcript(oddities)
                oddities = []
            chat, begun = _Chat(start[1].replace(" ", "T")), True
        chat.take(each.line, line)
    yield chat.transcript(oddities)


class _Chat:
    """One chat, line by line."""

    def __init__(self, began: str) -> None:
        self.records = 0
        self._began = began
        self._model = ""
        self._said: list[tuple[int, str, list[str]]] = []
        self._defects: list[Defect] = []
        # Where an edit block began that is not closed yet.
        self._opened = 0
        # Whether lines of Aider's own were seen with their two spaces; whether the terminal spoke last, or still does.
        self._signed = False
        self._shows = False
        self._goes_on = False

    @property
    def speaks(self) -> bool:
        """Has anybody said anything?"""
        return bool(self._said)

    def take(self, number: int, line: str) -> None:
        """One line more."""
        self.records += 1
        if line.startswith(_STARTS):
            self._shows = True
        elif line.startswith("#") and self._is_marked(line):
            self._unclosed()
            self._shows = self._goes_on = False
            self._add(number, "user", line[5:].rstrip())
        elif line.startswith(">") and self._is_marked(line):
            self._unclosed()
            self._shown(line)
        elif self._goes_on or (self._shows and line.startswith("> ")):
            # Several lines that were shown at once: the mark is in front of the first, the spaces behind the last.
            self._goes_on = not line.endswith("  ")
        elif self._said and (line.strip() or self._said[-1][1] == "assistant"):
            self._shows = False
            self._answer(number, line)

    def _answer(self, number: int, line: str) -> None:
        marker = line.rstrip()
        if marker == _OPENS:
            self._unclosed()
            self._opened = number
        elif marker == _CLOSES:
            self._opened = 0
        self._add(number, "assistant", line)

    def _add(self, number: int, role: str, line: str) -> None:
        if self._said and self._said[-1][1] == role:
            self._said[-1][2].append(line)
        else:
            self._said.append((number, role, [line]))

    def _is_marked(self, line: str) -> bool:
        """Did Aider itself write this line? Where its spaces were taken away, the mark in front has to be enough."""
        if not (line.startswith(("#### ", "> ")) or line in ("####", ">")):
            return False
        signed = line.endswith("  ")
        self._signed = self._signed or signed
        return signed or not self._signed

    def _shown(self, line: str) -> None:
        """What the terminal showed is nobody's word."""
        self._shows, self._goes_on = True, False
        found = _MODEL.match(line)
        if found and not self._model:
            self._model = found[1]

    def _unclosed(self) -> None:
        if self._opened:
            says = "an edit block that was never closed"
            self._defects.append(Defect(kind="interrupted", line=self._opened, says=says))
            self._opened = 0

    def transcript(self, oddities: list[Oddity]) -> Transcript:
        """The conversation up to here."""
        self._unclosed()
        spoken = [(line, role, "\n".join(lines).strip()) for line, role, lines in self._said]
        kept = [(line, {"role": role, "content": words}) for line, role, words in spoken if words]
        return told(
            _TOOL,
            "openai-chat",
            [message for _, message in kept],
            [line for line, _ in kept],
            unit="line",
            defects=self._defects,
            oddities=oddities,
            session=self._began,
            model=self._model,
            began=self._began,
            records=self.records,
            lossy=_LOSSY,
        )


FORMAT = Format(
    name=_TOOL,
    says="Aider's chat history (Markdown, lossy)",
    knows=knows,
    read=read,
)
