"""Lines of session files: nothing good is lost for a bad neighbour, nothing is made up, and each oddity is told."""

import base64
import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from rejoinder.edge.rows import backwards, records
from rejoinder.errors import SessionError
from rejoinder.transcripts.lines import MODES, Oddity, Record, read_line

RECORD_AREAS = ("jsonl", "json-value", "tree")


def row(number: int, text: str = "words") -> dict[str, Any]:
    return {"parentUuid": str(number - 1), "uuid": str(number), "message": {"role": "user", "content": text}}


def line(number: int, text: str = "words") -> bytes:
    return json.dumps(row(number, text)).encode()


def read(data: bytes, folder: Path, **how: Any) -> tuple[list[dict[str, Any]], list[Oddity]]:
    path = folder / "session.jsonl"
    path.write_bytes(data)
    found = list(records(str(path), **how))
    for each in found:
        if isinstance(each, Record):
            assert data[each.offset : each.offset + len(each.raw)] == each.raw
    return (
        [each.value for each in found if isinstance(each, Record)],
        [each for each in found if isinstance(each, Oddity)],
    )


@pytest.mark.parametrize("mode", MODES)
def test_what_is_in_order_is_read_without_a_word(mode: str, tmp_path: Path):
    """Whole lines, the last one with or without its line feed, with the line ends of any system."""
    for data in (line(1) + b"\n" + line(2) + b"\n", line(1) + b"\r\n" + line(2), b" " + line(1) + b"  \n" + line(2)):
        assert read(data, tmp_path, mode=mode) == ([row(1), row(2)], [])


@pytest.mark.parametrize(
    ("data", "numbers", "kind"),
    [
        (line(1) + line(2) + b"\n", [1, 2], "glued"),
        (line(1) + b"\r" + line(2) + b" " + line(3) + b"\n", [1, 2, 3], "glued"),
        (line(1) + b"\n" + line(2)[:-9], [1], "torn"),
        (line(1) + b"\n\0\0\0\0" + line(2) + b"\n", [1, 2], "NUL"),
        (line(1) + b"\n" + b"\0" * 9, [1], "NUL"),
        (b"\xef\xbb\xbf" + line(1) + b"\n", [1], "byte order mark"),
        (b"not json\n" + line(1) + b"\n", [1], "unreadable"),
        (b"7\n" + line(1) + b"\n[1]\n", [1], "no record"),
        (line(1).replace(b"words", b"w\xff") + b"\n" + line(2) + b"\n", [2], "not UTF-8"),
        (b"\n\n" + line(1) + b"\n", [1], "empty line"),
        (line(1).replace(b"words", b"NaN").replace(b'"NaN"', b"NaN") + b"\n" + line(2) + b"\n", [2], "unreadable"),
    ],
)
def test_each_oddity_is_told_and_the_rest_is_read(data: bytes, numbers: list[int], kind: str, tmp_path: Path):
    """What stands in front of damage and behind it is there."""
    values, oddities = read(data, tmp_path)
    assert values == [row(number) for number in numbers]
    assert any(kind in odd.kind for odd in oddities), oddities
    for odd in oddities:
        assert odd.length > 0 or odd.kind == "empty line"
        assert 0 <= odd.offset < len(data)
        assert str(odd).startswith(f"line {odd.line}, byte {odd.offset}")


def test_an_escape_that_json_does_not_have_is_mended(tmp_path: Path):
    """A masker that knew nothing of JSON wrote a backslash; the letter behind it stays."""
    broken = line(1, "a XX b").replace(b"XX", rb"\d\\n")
    values, oddities = read(broken + b"\n", tmp_path)
    assert values == [row(1, "a d\\n b")]
    assert [odd.kind for odd in oddities] == ["broken escape"]


def test_a_lone_surrogate_is_kept_and_told(tmp_path: Path):
    """A record that only Python's reader takes is no bad record."""
    values, oddities = read(line(1, "XX").replace(b"XX", rb"\ud83d") + b"\n", tmp_path)
    assert values == [row(1, "\ud83d")]
    assert [odd.kind for odd in oddities] == ["lone surrogate"]


def test_a_record_glued_to_a_torn_one_is_found_and_none_is_invented():
    """20,000 torn pieces with a record behind: each record is found, and no nested object is taken for one."""
    rng = random.Random(7)
    nested = {"a": {"uuid": "inner", "b": [{"parent": "x"}]}, "message": {"role": "user", "content": '{"x":1}'}}
    for number in range(20_000):
        torn = json.dumps({"parentUuid": "p", "uuid": "t", **nested, "n": number}).encode()
        torn = torn[: rng.randrange(1, len(torn))]
        whole = json.dumps({"parentUuid": "q", "uuid": str(number), **nested}).encode()
        found = [each for each in read_line(torn + whole, 1, 0, mode="salvage") if isinstance(each, Record)]
        assert [each.raw for each in found] == [whole], torn
        alone = [each for each in read_line(torn, 1, 0, mode="salvage") if isinstance(each, Record)]
        assert alone == [], torn


def test_strict_refuses_what_others_set_aside(tmp_path: Path):
    """With the place of the damage, and what to do."""
    for data in (b"{\n" + line(1) + b"\n", line(1) + b"\n" + line(2)[:-1]):
        with pytest.raises(SessionError, match=r"line \d, byte \d+.*mode='tail'"):
            read(data, tmp_path, mode="strict")
    assert read(line(1) + line(2) + b"\n", tmp_path, mode="strict")[0] == [row(1), row(2)]


def test_every_cut_loses_the_cut_row_alone(tmp_path: Path):
    """A file that ends at any of its bytes gives all rows that ended before, and says that one was torn."""
    data = b"\n".join(line(number, 'wörds {"x": 1}') for number in range(1, 8)) + b"\n"
    for end in range(len(data)):
        values, oddities = read(data[:end], tmp_path)
        whole = data[:end].count(b"\n") + (end < len(data) and data[end : end + 1] == b"\n")
        assert values == [row(number, 'wörds {"x": 1}') for number in range(1, whole + 1)]
        assert bool(oddities) == (end > 0 and data[end - 1 : end] != b"\n" and data[end : end + 1] != b"\n")


def test_from_the_end_the_same_rows_come_in_the_other_order(tmp_path: Path):
    """Also where lines are longer than what is read at a time, and where the end is torn."""
    for sizes in ((3, 5, 7), (3_000_000, 5, 2_500_000), (1,) * 500):
        data = b"\n".join(line(number, "x" * size) for number, size in enumerate(sizes)) + b'\n{"torn'
        forward, _ = read(data, tmp_path)
        path = str(tmp_path / "session.jsonl")
        assert [found.value for found in backwards(path)] == forward[::-1]
        assert all(data[found.offset :].startswith(found.raw) for found in backwards(path))


def test_hostile_lines_take_time_in_proportion():
    """Decoys of record starts, open braces, and depth: twice as long takes at most a few times as long."""
    for unit in (b'{"a":', b"{", b'{"a":1,', b"[[", b'\\x{"'):
        took: list[float] = []
        for times in (40_000, 80_000):
            began = time.process_time()
            list(read_line(b'{"a' + unit * times, 1, 0, mode="salvage"))
            took.append(time.process_time() - began)
        assert took[1] < 4 * took[0] + 0.2, (unit, took)


def test_hostile_files_end_as_they_should(evidence: Path, tmp_path: Path):
    """Each case of the corpus gives its records, or is refused with one line."""
    cases = [json.loads(each) for each in (evidence / "cases" / "hostile-cases.jsonl").read_text("utf-8").splitlines()]
    cases = [case for case in cases if case["area"] in RECORD_AREAS and ("input_b64" in case or "gen" in case)]
    assert len(cases) > 50
    for case in cases:
        path = tmp_path / "case.jsonl"
        path.write_bytes(data_of(case))
        try:
            found = list(records(str(path), mode="salvage"))
        except SessionError as error:
            said = str(error)
            assert (case["expect"], said.count("\n")) == ("REFUSE", 0), case["id"]
            continue
        rows = [each for each in found if isinstance(each, Record)]
        if case.get("records_ok") is not None:
            assert len(rows) == case["records_ok"], case["id"]
        if case["expect"].startswith("SALVAGE") and path.stat().st_size > 1:
            assert any(isinstance(each, Oddity) for each in found), case["id"]


def data_of(case: dict[str, Any]) -> bytes:
    if "input_b64" in case:
        return base64.b64decode(case["input_b64"])
    return b"".join(base64.b64decode(unit) * times for unit, times in case["gen"])
