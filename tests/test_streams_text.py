"""Server-sent events by the rules of WHATWG, and JSON values one after another; each fed whole and byte by byte."""

from __future__ import annotations

import json

import pytest

from rejoinder.dialects.streams.text import Blocks, Nesting
from rejoinder.errors import StreamError
from streamed import EVENTS


def read(data: bytes, step: int) -> list[tuple[str, bytes]]:
    blocks = Blocks()
    return [found for at in range(0, len(data), step) for found in blocks.feed(data[at : at + step])]


EVENTS_OF: dict[str, tuple[bytes, list[tuple[str, bytes]]]] = {
    "one event": (b"data: a\n\n", [("", b"a")]),
    "a name": (b"event: x\ndata: a\n\ndata: b\n\n", [("x", b"a"), ("", b"b")]),
    "two lines of data": (b"data: a\ndata: b\n\n", [("", b"a\nb")]),
    "two lines, CR": (b"data: a\rdata: b\r\r", [("", b"a\nb")]),
    "two lines, CRLF": (b"data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", [("", b"a\nb"), ("", b"c")]),
    "ends of lines, mixed": (b"data: a\rdata: b\r\ndata: c\n\r\n", [("", b"a\nb\nc")]),
    "one space is taken off, and only one": (b"data:  a\n\ndata:b\n\n", [("", b" a"), ("", b"b")]),
    "no colon": (b"data\n\ndata: a\n\n", [("", b""), ("", b"a")]),
    "a colon in the data": (b"data: a: b\n\n", [("", b"a: b")]),
    "comments, ids and the unknown": (b": hi\nid: 1\nretry: 5\nfoo: b\ndata: a\n\n", [("", b"a")]),
    "a name without data is no event": (b"event: x\n\ndata: a\n\n", [("", b"a")]),
    "a byte order mark": (b"\xef\xbb\xbfdata: a\n\n", [("", b"a")]),
    "empty lines in front": (b"\n\r\n\rdata: a\n\n", [("", b"a")]),
    "what is not ended is no event": (b"data: a\n\ndata: b\n", [("", b"a")]),
    "line ends that are none here": ("data: a\x0bb\x85c\u2028d\n\n".encode(), [("", "a\x0bb\x85c\u2028d".encode())]),
    "an array": (b'[{"a": 1},\n{"b": [2]}\n]', [("", b'{"a": 1}'), ("", b'{"b": [2]}')]),
    "a value a line": (b'{"a": 1}\r\n{"b": 2}\n', [("", b'{"a": 1}'), ("", b'{"b": 2}')]),
    "values without anything between": (b'\xef\xbb\xbf {"a":{}}{"b":{}}', [("", b'{"a":{}}'), ("", b'{"b":{}}')]),
    "quotes and brackets in strings": (
        rb'[{"a":"\"}\\"},{"b\\\"{":"[\\\\"},{"c":"\u005d"}]',
        [("", rb'{"a":"\"}\\"}'), ("", rb'{"b\\\"{":"[\\\\"}'), ("", rb'{"c":"\u005d"}')],
    ),
    "half a value": (b'{"a": 1}{"b": {', [("", b'{"a": 1}')]),
}


@pytest.mark.parametrize("label", EVENTS_OF)
def test_each_chunking_gives_the_same_events(label: str):
    data, expected = EVENTS_OF[label]
    for step in range(1, len(data) + 1):
        assert read(data, step) == expected, step


def test_a_json_array_byte_by_byte():
    data = json.dumps(EVENTS["gemini"], indent=1).encode()
    for step in (1, 2, 3, 5, 7):
        assert [json.loads(found) for _, found in read(data, step)] == EVENTS["gemini"]


def test_words_between_values_are_refused():
    with pytest.raises(StreamError, match="no JSON"):
        read(b'{"a": 1} and {"b": 2}', 1)


def test_brackets_are_closed_where_the_outermost_one_is():
    for text, end in (("{}", 2), ('{"a":"}"}', 9), ('{"a":{}} ', 8), ('{"a":"\\"', -1), ("5", -1), ("", -1)):
        assert Nesting().end(text.encode()) == end
        nesting = Nesting()
        ends = [at + 1 for at, sign in enumerate(text) if nesting.end(sign.encode()) >= 0]
        assert ends == ([end] if end >= 0 else [])
