"""A session as one HTML file: readable without a script, and nothing in it runs, or is fetched from anywhere.

Three things hold that, each alone: every field is escaped, by one function; the policy of the page lets neither script
nor network in; and words of data never become an attribute, but for links to the web and pictures that are inline.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html import escape

from rejoinder.render.findings import count
from rejoinder.render.seen import seen
from rejoinder.render.story import Note, Story, headline, last_notes, note_words, piece_of, system_text, turns
from rejoinder.values.parts import Media, Part, ToolCall, ToolResult

STYLE = """
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--ink:#667}
body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.4rem;margin:0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem;color:var(--ink);font-size:.85rem}
dd{margin:0}
article{border-top:1px solid var(--line);padding:.75rem 0}
article>header{font-weight:600;font-size:.85rem;color:var(--ink)}
article.user{background:var(--soft);padding:.75rem;border-radius:.4rem}
time,.id{font-weight:400;font-size:.75rem;margin-left:.75rem}
.text{white-space:pre-wrap;margin:.4rem 0}
pre{white-space:pre-wrap;background:var(--soft);padding:.6rem;border-radius:.3rem;font-size:.8rem;margin:.4rem 0}
details{margin:.4rem 0}
summary{cursor:pointer;color:var(--ink);font-size:.85rem}
img{max-width:100%}
.note{border-left:3px solid #c80;padding-left:.6rem;color:var(--ink);font-size:.85rem;margin:.4rem 0}
.gap,.error{border-color:#c33}
"""
# A result up to this many lines stands open.
_OPEN = 12
_URL = re.compile(r"https?://[^\s<>\"'`\\^{}|]{1,2000}", re.IGNORECASE)
_BEHIND_URL = ".,;:!?)]*_"
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_DATA_URL = re.compile(r"data:(image/[a-z]{3,5});base64,([A-Za-z0-9+/]+={0,2})")


def policy() -> str:
    """What the page may do: show its own style and its inline pictures."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"


def html(story: Story) -> str:
    """The whole session as a page."""
    return "".join(_page(story))


def _page(story: Story) -> Iterator[str]:
    title = text(headline(story.title) or story.session or "Session")
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy()}">\n'
    yield '<meta name="referrer" content="no-referrer">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<dl>"
    facts = {
        "session": story.session,
        "kept by": story.tool,
        "model": story.model,
        "folder": story.folder,
        "began": story.began,
        "ended": story.ended,
        "messages": f"{len(story.messages):,}",
    }
    yield "".join(f"<dt>{name}</dt><dd>{text(value)}</dd>" for name, value in facts.items() if value)
    yield "</dl>\n<main>\n"
    system = system_text(story)
    if system:
        yield f"<article><header>system</header>{_folded('system text', system)}</article>\n"
    for turn in turns(story):
        yield from map(_note, turn.notes)
        kind = "user" if turn.message.role == "user" else "other"
        when = f"<time>{text(turn.when)}</time>" if turn.when else ""
        name = f'<span class="id">{text(turn.name)}</span>' if turn.name else ""
        role = text(turn.message.role or "(no role)")
        yield f'<article class="{kind}"><header>{role}{when}{name}</header>'
        yield from map(_part, turn.message.parts)
        yield "</article>\n"
    yield from map(_note, last_notes(story))
    yield "</main>\n</body>\n</html>\n"


def text(value: str) -> str:
    """Words of data as HTML: whatever they are, they are only read."""
    return escape(seen(value), quote=True)


def _note(note: Note) -> str:
    kind = "gap" if note.kind in ("gap", "circle", "torn", "unreadable") else "mark"
    return f'<p class="note {kind}"><b>{text(note.kind)}</b>: {text(note_words(note))}</p>\n'


def _part(part: Part) -> str:
    piece = piece_of(part)
    if isinstance(part, ToolCall):
        is_text = isinstance(part.arguments, str)
        body = piece.body if is_text else json.dumps(part.arguments, ensure_ascii=False, indent=2, default=str)
        return f"<details open><summary>call {text(piece.head)}</summary><pre>{text(body)}</pre></details>"
    if isinstance(part, Media):
        return _media(part, piece.head)
    if isinstance(part, ToolResult):
        pictures = "".join(_media(inner, "") for inner in part.parts if isinstance(inner, Media))
        return _folded(f"{piece.kind} {piece.head}", piece.body) + pictures
    if piece.kind == "text":
        return f'<div class="text">{linked(piece.body)}</div>'
    return _folded(f"{piece.kind} {piece.head}".strip(), piece.body, is_open=piece.kind == "refusal")


def _folded(head: str, body: str, *, is_open: bool | None = None) -> str:
    lines = body.count("\n") + 1
    is_open = lines <= _OPEN and len(body) < 2000 if is_open is None else is_open
    size = "" if is_open else f" ({count(lines, 'line')})"
    return (
        f"<details{' open' if is_open else ''}><summary>{text(head)}{size}</summary><pre>{text(body)}</pre></details>"
    )


def linked(words: str) -> str:
    """Words of data with the addresses in them as links, which lead to the web or nowhere."""
    pieces: list[str] = []
    at = 0
    for found in _URL.finditer(words):
        url = found[0].rstrip(_BEHIND_URL)
        pieces += [text(words[at : found.start()]), _link(url)]
        at = found.start() + len(url)
    return "".join((*pieces, text(words[at:])))


def _link(url: str) -> str:
    shown = text(url)
    # What has to be shown as a mark is no address that anybody meant to follow.
    plain = shown == escape(url, quote=True) and url.isascii()
    return f'<a href="{shown}" rel="noopener noreferrer nofollow">{shown}</a>' if plain else shown


def _media(part: Media, head: str) -> str:
    """A picture that is inline, if it is one of four kinds; all else is named."""
    inline = _DATA_URL.fullmatch(part.url) if isinstance(part.url, str) else None
    kind, data = (inline[1], inline[2]) if inline else (part.media_type, part.data)
    if isinstance(kind, str) and kind in _PICTURES and isinstance(data, str) and _BASE64.fullmatch(data):
        return f'<img alt="{text(part.kind)}" src="data:{kind};base64,{data}">'
    return f'<p class="note mark">{text(head or piece_of(part).head)}</p>'
