"""Sessions that are plain text, as records: each line is `{"text": line}`."""

from __future__ import annotations

from collections.abc import Iterator

from rejoinder.edge.files import kind_of_bytes, reason
from rejoinder.edge.rows import opened
from rejoinder.errors import SessionError
from rejoinder.transcripts.lines import Found, Oddity, Record

_SIGN = b"# aider chat started at "


def knows(begins: bytes) -> bool:
    """Do these first bytes belong to a history in Markdown? Where its head was cut off, the next start tells."""
    head = begins.lstrip(b"\xef\xbb\xbf \t\r\n")
    return not head.startswith((b"{", b"[")) and (head.startswith(_SIGN) or b"\n" + _SIGN in begins)


def records(path: str, _session: str | None = None) -> Iterator[Found]:
    """The lines of a text. What is not UTF-8 in a line is told, and shown as what it is not."""
    with opened(path) as file:
        refused = kind_of_bytes(path, file.peek(64)[:64])
        if refused is not None:
            raise SessionError(refused)
        offset = 0
        try:
            for number, raw in enumerate(file, 1):
                line = raw.rstrip(b"\r\n")
                yield from _line(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line, number, offset)
                offset += len(raw)
        except OSError as error:
            raise SessionError(f"{path}: {reason(error)}, while it was read") from None


def _line(raw: bytes, number: int, offset: int) -> Iterator[Found]:
    try:
        said = raw.decode("utf-8")
    except UnicodeDecodeError:
        said = raw.decode("utf-8", "replace")
        yield Oddity(kind="not UTF-8", line=number, offset=offset, length=len(raw), done="mended", loses=False)
    yield Record({"text": said}, raw, number, offset)
