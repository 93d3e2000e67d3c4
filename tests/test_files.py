"""Reading, refusing and writing: what is untouched keeps its letters, and a crash never leaves half a file."""

from __future__ import annotations

import errno
import gzip
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejoinder.edge import documents, files, json_write
from rejoinder.errors import PayloadError

USER = {"role": "user", "content": "hi"}
ASSISTANT = {"role": "assistant", "content": "hello"}


def read(text: str) -> documents.History:
    return documents.read("h.json", text)


def refused(text: str) -> str:
    """The one line that a text is refused with."""
    with pytest.raises(PayloadError) as caught:
        read(text)
    words = str(caught.value)
    assert "\n" not in words
    assert words.startswith("h.json:")
    return words


# --- the four forms -------------------------------------------------------------------------------


def test_the_forms_are_told_apart():
    one, two = json.dumps(USER), json.dumps(ASSISTANT)
    assert read(f"[{one}, {two}]").form == "array"
    assert read(f'{{"model": "m", "messages": [{one}]}}').form == "body"
    assert read(f"{one}\n{two}\n").form == "message lines"
    assert read(f"{one}\n").form == "message lines"
    assert read(f"[{one}]\n[{two}]").form == "conversation lines"
    assert read(f'{{"messages": [{one}]}}\n[{two}]\n').form == "conversation lines"
    assert read(json.dumps([USER, ASSISTANT], indent=2)).form == "array"
    assert read("[]").documents[0].payload == []


def test_lines_end_at_line_feeds_only():
    text = '{"role":"user","content":"a\u2028b\x85c\\r"}\r\n\r\n  {"role":"assistant","content":"d"} \t\n'
    assert [message["content"] for message in read(text).documents[0].payload] == ["a\u2028b\x85c\r", "d"]


def test_a_bad_line_among_conversations_takes_nothing_from_the_others():
    history = read('[{"role":"user","content":"a"}]\n[{"role":"us\n[{"role":"user","content":"c"}]\n')
    assert [document.payload[0]["content"] for document in history.documents] == ["a", "c"]
    assert [history.told(fault) for fault in history.faults] == [
        "h.json:2:13: torn JSON: it ends in the middle of a value; let its writer finish, or take the torn end away"
    ]


def test_a_bad_first_line_is_one_of_many_too():
    assert read('[{"role":\n[{"role":"user","content":"c"}]\n').faults[0].offset == 9


# --- what is refused, and how ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("", "1:1", "empty"),
        (" \n\t", "1:1", "empty"),
        ("\ufeff", "1:1", "empty"),
        ("hello", "1:1", "not JSON"),
        ('"hello"', "1:1", "a string, not a conversation"),
        ("12", "1:1", "a number, not a conversation"),
        ("[1]", "1:2", "messages[0]: this is a number, not a message"),
        ('[{"role":"user"}, "x"]', "1:19", "messages[1]: this is a string, not a message"),
        ('[[{"role":"user"}]]', "1:2", "put each conversation on a line of its own"),
        ('{"messages": {"role": "user"}}', "1:14", "`messages` is an object"),
        ('{"rows": []}', "1:1", "an object without `messages`"),
        ('{"uuid": "1", "message": {"role": "user"}}', "1:1", "jq -c .message"),
        ('[{"role": "user", "content": "a', "1:30", "messages[0]: torn JSON"),
        ('[{"role": "user"},', "1:19", "messages[1]: torn JSON"),
        ('[{"role": "user"},]', "1:19", "take the comma in front of it away"),
        ('[{"role": "user"} {"role": "user"}]', "1:19", "',' delimiter"),
        ('{"role": "user"}{"role": "user"}', "1:17", "a second value behind the first"),
        ('[\n{"role": "user"}]\nx', "3:1", "behind the end of the list"),
        ('{"role": "user"}\n\0\0\0\0', "2:1", "NUL bytes"),
        ("[{'role': 'user'}]", "1:3", "Python's repr"),
        ('[{"role": "user" /* x */}]', "1:18", "a comment"),
        ('[{"a": "b\tc"}]', "1:10", "a raw tab inside a string"),
        ('[{"a": "b\nc", "d": 1}]', "1:10", "a raw line end inside a string"),
        ('[{"a": 1, "b": NaN}]', "1:16", "NaN is no JSON number"),
        ('[{"a": -Infinity}]', "1:8", "-Infinity is no JSON number"),
        ('[{"a": 01}]', "1:9", "',' delimiter"),
        ('[{"a": ' + "1" * 5000 + "}]", "1:8", "5,000 digits"),
        ('[{"role": "user", "role": "tool"}]', "1:19", 'the key "role" occurs twice'),
        ('[{"a": {"b": [{"c": 1, "\\u0063": 2}]}}]', "1:24", 'the key "c" occurs twice'),
        ('{"messages": [], "messages": []}', "1:18", 'the key "messages" occurs twice'),
        ('{"role":"user"}\n[{"role":"user"}]', "2:1", "lines of one kind"),
        ("[" * 100_000, "1:202", "deeper than 200 levels"),
        ('{"a":' * 100_000, "1:1006", "deeper than 200 levels"),
        ('[{"a":' + "[" * 300 + "]" * 300 + "}]", "1:205", "deeper than 200 levels"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else None,
)
def test_bad_input_is_refused_in_one_line_that_says_where(text: str, where: str, words: str):
    line = refused(text)
    assert line.startswith(f"h.json:{where}: ")
    assert words in line
    assert "; " in line, "an error says what to do"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff\xfe[\0]\0", "UTF-16"),
        (b"[\0]\0", "UTF-16 without a mark"),
        (gzip.compress(b"[]", mtime=0), "gunzip -c h.json"),
        (b"PK\x03\x04", "zip"),
        (b'[{"a": "\xff"}]', "h.json:1:9: byte 0xff is not UTF-8"),
        (b'[\n"\xc0\xaf"]', "h.json:2:2: byte 0xc0 is not UTF-8"),
        (b'"\xed\xa0\xbd"', "byte 0xed is not UTF-8"),
    ],
)
def test_what_is_no_text_is_called_by_its_name(data: bytes, words: str):
    with pytest.raises(PayloadError, match=r".*") as caught:
        files.text_of("h.json", data)
    assert words in str(caught.value)


def test_what_is_no_file_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, words in (
        (str(tmp_path), "a directory"),
        (str(tmp_path / "fifo"), "a pipe or a device"),
        ("/dev/null", "a pipe or a device"),
        (str(tmp_path / "missing"), "no such file"),
        (str(tmp_path / "loop"), "circle"),
        ("x\0y", "no name of a file"),
        ("x" * 5000, "name is too long"),
    ):
        with pytest.raises(PayloadError, match=words):
            files.read(name)
    monkeypatch.setattr(os, "open", failing(PermissionError(errno.EACCES, "Permission denied")))
    with pytest.raises(PayloadError, match="no permission; nothing was read"):
        files.read(str(tmp_path / "x"))


def failing(error: BaseException) -> Callable[..., Any]:
    def fail(*_arguments: Any, **_more: Any) -> Any:
        raise error

    return fail


# --- what is untouched keeps its letters ----------------------------------------------------------

LAYOUTS: dict[str, Callable[[Any], str]] = {
    "one line": json.dumps,
    "compact": lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False),
    "indented": lambda value: json.dumps(value, indent=2, ensure_ascii=False) + "\n",
    "tabs": lambda value: json.dumps(value, indent="\t"),
    "crlf": lambda value: json.dumps(value, indent=4).replace("\n", "\r\n"),
    "mark": lambda value: "\ufeff" + json.dumps(value, indent=1),
    "a line each": lambda value: "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n]\n",
    "json lines": lambda value: "".join(json.dumps(each) + "\n" for each in value),
    "json lines without an end": lambda value: "\r\n".join(map(json.dumps, value)),
}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
messages = st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "tool"]), "content": json_values})


@pytest.mark.parametrize("layout", LAYOUTS)
@given(given_=st.lists(messages, min_size=1, max_size=5), data=st.data())
def test_a_changed_history_is_written_in_its_own_manner(layout: str, given_: list[Any], data: st.DataObject):
    text = LAYOUTS[layout](given_)
    history = read(text)
    kept: list[Any] = history.documents[0].payload
    assert json_write.written_back(history, [kept]) == text
    changed = [message for message in kept if data.draw(st.booleans())]
    for fresh in data.draw(st.lists(messages, max_size=2)):
        changed.insert(data.draw(st.integers(0, len(changed))), fresh)
    back = json_write.written_back(history, [changed])
    if changed or not layout.startswith("json lines"):
        again: list[Any] = read(back).documents[0].payload
        assert repr(again) == repr(changed)
    for message, (begin, end) in zip(kept, history.documents[0].messages, strict=True):
        assert text[begin:end] in back or not any(message is each for each in changed)


def test_odd_numbers_and_half_characters_survive_in_what_was_touched_and_in_what_was_not():
    odd = '{"role": "user", "n": [1.0, -0, 1e400, 1.10, 1180591620717411303424, 1E5], "t": "\\ud83d \\u0000"}'
    history = read(f"[{odd}, {odd}]")
    first, second = history.documents[0].payload
    back = json_write.written_back(history, [[first, {**second, "content": "new"}]])
    assert back.startswith(f"[{odd}, ")
    assert '"n": [1.0, -0, 1e400, 1.10, 1180591620717411303424, 1E5]' in back
    assert '"t": "\\ud83d \\u0000", "content": "new"' in back.lower()


def test_the_fields_of_a_body_are_changed_where_they_stand():
    text = '{\n  "model": "m",\n  "system": "old",\n  "messages": [\n    {"role": "user"}\n  ],\n  "n": 1.10\n}\n'
    history = read(text)
    body = history.documents[0].payload
    changed = {**body, "system": "new", "thinking": {"type": "enabled"}}
    assert json_write.written_back(history, [changed]) == text.replace('"old"', '"new"').replace(
        "1.10\n", '1.10, "thinking": {"type": "enabled"}\n'
    )
    assert json.loads(json_write.written_back(history, [{"messages": []}])) == {"messages": []}


def test_a_letter_is_escaped_where_the_file_escapes_its_letters():
    history = read('[{"role": "user", "content": "\\u00e9"}]')
    assert "\\u00fc" in json_write.written_back(history, [[{"role": "user", "content": "\u00fc"}]])
    history = read('[{"role": "user", "content": "\u00e9"}]')
    assert "\u00fc" in json_write.written_back(history, [[{"role": "user", "content": "\u00fc"}]])


# --- writing --------------------------------------------------------------------------------------


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "history.json"
    path.write_text("old")
    return path


def test_a_new_file_is_for_its_owner_alone_whatever_the_umask(tmp_path: Path):
    for umask in (0o000, 0o022, 0o777):
        path = tmp_path / f"{umask}.json"
        before = os.umask(umask)
        try:
            files.write(str(path), "new")
        finally:
            os.umask(before)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_that_was_there_keeps_its_mode_and_so_does_its_backup(target: Path, mode: int):
    target.chmod(mode)
    backup = files.write_over(files.read(str(target)), "new")
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert stat.S_IMODE(Path(backup).stat().st_mode) == mode


def test_a_backup_never_takes_the_place_of_another(target: Path):
    names = [files.write_over(files.read(str(target)), text) for text in ("1", "2", "3")]
    assert [Path(name).name for name in names] == ["history.json.bak", "history.json.bak1", "history.json.bak2"]
    assert [Path(name).read_text() for name in names] == ["old", "1", "2"]
    assert target.read_text() == "3"


def test_a_file_that_grew_meanwhile_is_left_alone(target: Path):
    source = files.read(str(target))
    target.write_text("old and more")
    with pytest.raises(PayloadError, match="changed while it was repaired; nothing was written"):
        files.write_over(source, "new")
    assert target.read_text() == "old and more"
    assert os.listdir(target.parent) == [target.name]


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_beside_it(
    target: Path, monkeypatch: pytest.MonkeyPatch, broken: str
):
    monkeypatch.setattr(os, broken, failing(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(PayloadError, match="there is no space left; nothing was written"):
        files.write(str(target), "new")
    assert target.read_text() == "old"
    assert os.listdir(target.parent) == [target.name]


def test_being_stopped_leaves_the_old_file_too(target: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "replace", failing(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        files.write(str(target), "new")
    assert os.listdir(target.parent) == [target.name]


def test_a_link_stays_a_link(target: Path, tmp_path: Path):
    link = tmp_path / "link.json"
    link.symlink_to(target)
    files.write(str(link), "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_devices_are_written_to_and_not_replaced():
    files.write("/dev/null", "new")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_protected_file_is_not_replaced_behind_its_owners_back(target: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PayloadError, match="no permission; nothing was written"):
        files.write(str(target), "new")
    assert target.read_text() == "old"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(PayloadError, match="there is no folder"):
        files.write(str(tmp_path / "no" / "x.json"), "new")
    with pytest.raises(PayloadError, match="it is a directory"):
        files.write(str(tmp_path), "new")
