"""Text for a terminal: what comes from data can do nothing there but be read.

A line is made of spans, each a style and a text. Only `painted` turns spans into characters, and it makes
every text harmless on the way, so nothing that was read from a file can reach the terminal past it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

Span = tuple[str, str]
Line = tuple[Span, ...]

# What moves the cursor, hides, reorders, or is not seen at all: the control characters, the formatting ones
# (bidi, joiners, tags), the other separators of lines, half characters, and letters that are drawn as nothing.
_UNSEEN = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
UNSEEN = re.compile(f"[{_UNSEEN}]")
_HARMFUL = re.compile(f"(?![\t\n])[{_UNSEEN}]")
_IN_A_LINE = {"\n": "⏎", "\t": "⇥"}

_SGR = {
    "bold": "1",
    "dim": "2",
    "error": "1;31",
    "warning": "1;33",
    "good": "32",
    "removed": "31",
    "added": "32",
    "place": "1;36",
    "name": "36",
}


def shown(character: str) -> str:
    """An unseen character as something that is seen: ESC as ␛, others by their number."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def safe(text: str) -> str:
    """The text with everything visible that a terminal would obey or hide; tabs and line ends stay."""
    return _HARMFUL.sub(lambda found: shown(found[0]), text)


def in_a_line(text: str) -> str:
    """The text as harmless as `safe` makes it, and on one line."""
    return UNSEEN.sub(lambda found: _IN_A_LINE.get(found[0]) or shown(found[0]), text)


def cells(text: str) -> int:
    """How wide a harmless text is on a terminal; Chinese letters and emoji take two cells."""
    return len(text) if text.isascii() else sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def cut(text: str, width: int, around: int = 0) -> str:
    """The text on one line of at most `width` cells: its middle left out, with a count of the letters that are gone.

    Where `around` is given, the letters before it are left out first, so that what stands there is seen.
    """
    width = max(width, 24)
    skipped = 0
    if around > width // 2 and len(text) > width:
        skipped = around - width // 4
        text = text[skipped:]
    lead = f"⟨{skipped:,} more⟩" if skipped else ""
    room = width - len(lead)
    near = text if len(text) <= 2 * width else text[:width] + text[-width:]
    whole = in_a_line(near)
    if len(near) == len(text) and cells(whole) <= room:
        return lead + whole
    side = (room - len(f"⟨{len(text):,} more⟩")) // 2
    head = _as_much(text[:width], side)
    tail = _as_much(text[: -width - 1 : -1], side)
    gone = len(text) - len(head) - len(tail)
    return f"{lead}{''.join(head)}⟨{gone:,} more⟩{''.join(reversed(tail))}"


def _as_much(text: str, width: int) -> list[str]:
    """The first characters of a text, each as it is shown, as far as the width goes."""
    taken: list[str] = []
    for character in text:
        piece = in_a_line(character)
        width -= cells(piece)
        if width < 0:
            break
        taken.append(piece)
    return taken


def padded(text: str, width: int) -> str:
    """A harmless text, filled up with blanks to a width in cells."""
    return text + " " * max(width - cells(text), 0)


def wrapped(text: str, width: int, limit: int = 6) -> list[str]:
    """A sentence of ours or a provider's over several lines, broken between words; what is too long is cut."""
    words = in_a_line(" ".join(text.split())).split(" ")
    lines = [""]
    for word in words:
        word = word if cells(word) <= width else cut(word, width)
        if lines[-1] and cells(lines[-1]) + 1 + cells(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".lstrip()
    return lines if len(lines) <= limit else [*lines[: limit - 1], f"{lines[limit - 1]} ⟨more⟩"]


def painted(lines: Iterable[Line], *, colour: bool) -> str:
    """The lines as one text; in colour only where it is asked for."""
    return "".join("".join(_span(style, text, colour) for style, text in line).rstrip(" ") + "\n" for line in lines)


def _span(style: str, text: str, colour: bool) -> str:
    harmless = in_a_line(text)
    code = _SGR.get(style)
    return f"\x1b[{code}m{harmless}\x1b[0m" if colour and code and harmless.strip() else harmless
