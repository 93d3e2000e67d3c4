"""A session as Markdown that means what it says: words of a message can neither forge a heading nor load a picture.

Message text stays Markdown, as it was written. What a viewer would run or fetch is escaped: tags, pictures, links to
anything but the web. Blocks of code are fenced anew, so that every viewer agrees where they end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from rejoinder.render.seen import seen
from rejoinder.render.story import Story, headline, last_notes, note_words, piece_of, system_text, turns
from rejoinder.render.terminal import in_a_line
from rejoinder.values.parts import Part, ToolCall

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_PICTURE = re.compile(r"!(?=\[)")
_LINK = re.compile(r"\](?=\((?!https?://|mailto:|#))", re.IGNORECASE)
_NAMED_LINK = re.compile(r"^( {0,3})\[(?=[^\]\n]{0,999}\]:(?!\s*https?://))", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,12}(?:[-*+>] {1,4})?(`{3,}|~{3,})([^`]{0,200})$")
_HEADING = re.compile(r"^( {0,3})(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r"^( {0,3})(?=(?:=+|-+)[ \t]*$)")
_RUNS = re.compile(r"`+|~+")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,30}")


def markdown(story: Story) -> str:
    """The whole session."""
    return "\n".join(_lines(story)).rstrip("\n") + "\n"


def _lines(story: Story) -> Iterator[str]:
    yield f"# {_words(headline(story.title) or story.session or 'Session')}"
    yield ""
    facts = {
        "Session": story.session,
        "Kept by": story.tool,
        "Model": story.model,
        "Folder": story.folder,
        "Began": story.began,
        "Ended": story.ended,
    }
    yield from (f"- {name}: {_code(value)}" for name, value in facts.items() if value)
    yield ""
    system = system_text(story)
    if system:
        yield from ("## system", "", _prose(system), "")
    for turn in turns(story):
        for note in turn.notes:
            yield from (f"> **{_words(note.kind)}**: {_words(note_words(note))}", "")
        when = f" · {_words(turn.when)}" if turn.when else ""
        yield from (f"## {_words(turn.message.role or '(no role)')}{when}", "")
        for part in turn.message.parts:
            yield from (_part(part), "")
    for note in last_notes(story):
        yield from (f"> **{_words(note.kind)}**: {_words(note_words(note))}", "")


def _part(part: Part) -> str:
    piece = piece_of(part)
    if isinstance(part, ToolCall):
        is_text = isinstance(part.arguments, str)
        body = piece.body if is_text else json.dumps(part.arguments, ensure_ascii=False, indent=2, default=str)
        name, _, identity = piece.head.rpartition("  ")
        return f"**Call** {_code(name)} {_code(identity)}\n\n{_fenced(body, 'json')}"
    match piece.kind:
        case "text" | "refusal":
            return _prose(piece.body)
        case "thinking":
            return "\n".join(f"> {line}" for line in ("*Thinking*", "", *_prose(piece.body).split("\n")))
        case "media":
            return f"[{_words(piece.head)}]".replace("[", r"\[", 1)
        case _:
            name = {"result": "Result", "error": "Result (error)"}.get(piece.kind, piece.kind.capitalize())
            return f"**{name}** {_code(piece.head)}\n\n{_fenced(piece.body)}"


def _words(text: str) -> str:
    """Words of data within a line of ours: nothing in them is Markdown."""
    return re.sub(r"([\\`*_\[\]<>#|~&!])", r"\\\1", in_a_line(text))


def _code(text: str) -> str:
    """Words of data as a piece of code."""
    shown = in_a_line(text)
    if not shown.strip():
        return ""
    longest = max((len(run) for run in _RUNS.findall(shown) if run[0] == "`"), default=0)
    mark = "`" * (longest + 1)
    return f"{mark} {shown} {mark}" if longest else f"{mark}{shown}{mark}"


def _fenced(text: str, language: str = "") -> str:
    body = seen(text).strip("\n")
    longest = max((len(run) for run in _RUNS.findall(body) if run[0] == "`"), default=0)
    mark = "`" * max(longest + 1, 3)
    return f"{mark}{language}\n{body}\n{mark}"


def _prose(text: str) -> str:
    """The words of a message: Markdown, with what would run, load or forge escaped."""
    out: list[str] = []
    code: list[str] = []
    fence = language = ""
    for line in seen(text).split("\n"):
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                out.append(_fenced("\n".join(code), language))
                fence = ""
            else:
                code.append(line)
        elif found:
            fence, code = found[1], []
            info = _LANGUAGE.match(found[2].strip())
            language = info[0] if info else ""
        else:
            out.append(_line(line))
    if fence:
        # It was never closed: what stands behind it in the file is not part of it.
        out.append(_fenced("\n".join(code), language))
    return "\n".join(out)


def _line(line: str) -> str:
    line = _TAG.sub("&lt;", line)
    line = _PICTURE.sub(r"!\\", line)
    line = _LINK.sub(r"]\\", line)
    line = _NAMED_LINK.sub(r"\1\\[", line)
    line = _UNDERLINE.sub(r"\1\\", line)
    # The headings of the page are those of who speaks.
    return _HEADING.sub(lambda found: f"{found[1]}{'#' * min(len(found[2]) + 2, 6)}", line)
