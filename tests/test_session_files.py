"""The door to session files: what a file is, is told by what is in it; and nobody notices that it was read."""

import json
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rejoinder.edge.session_files import open_session, sessions_in
from rejoinder.errors import SessionError
from session_samples import (
    INTACT,
    OPENCODE_SESSION,
    assistant,
    codex_rows,
    document,
    gemini_rows,
    goose_database,
    goose_rows,
    lines,
    opencode_database,
    opencode_messages,
    opencode_storage,
    opened,
    pi_rows,
)


@pytest.mark.parametrize("form", INTACT)
def test_a_name_says_nothing(form: str, tmp_path: Path):
    """Whatever a file is called, it is what is in it."""
    made = INTACT[form](tmp_path)
    if form != "opencode storage":
        made = made.rename(made.with_name("session.txt"))
    assert opened(made).tool == form.split()[0]


def test_a_document_may_be_set_in_any_way(tmp_path: Path):
    """On one line or on many, with a mark in front, in a file of rows by its name."""
    value = gemini_rows()[0] | {"messages": gemini_rows()[1:3]}
    for text in (json.dumps(value), json.dumps(value, indent=2), "\ufeff" + json.dumps(value, indent=4) + "\n\n"):
        path = tmp_path / "session.jsonl"
        path.write_text(text, "utf-8")
        found = opened(path)
        assert (len(found.messages), found.lines) == (2, (1, 2))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no session in a format that is known"),
        (b"words\nmore\n", "no session in a format that is known"),
        (b'{\n  "sessionId": "s",\n  "projectHash": "p",\n  "mess', "cannot be read (line 4"),
        (b'[{"role": "user"', "cannot be read (line 1"),
        (b"[" * 100_000, "nested too deep"),
        (b"[1, 2]", "no session in a format that is known"),
        (b"SQLite format 3\0" + b"x" * 5000, "the database cannot be read"),
        (b'["\xff"]', "is not UTF-8"),
        (b"\x28\xb5\x2f\xfd", ""),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(data: bytes, says: str, tmp_path: Path):
    path = tmp_path / "session"
    path.write_bytes(data)
    with pytest.raises(SessionError) as refused:
        opened(path)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith(str(path))


def test_what_is_no_file_is_refused(tmp_path: Path):
    for path in (tmp_path, tmp_path / "no", tmp_path / "a\0b"):
        with pytest.raises(SessionError):
            opened(path)


def test_rows_whose_first_one_is_damaged_are_no_document(tmp_path: Path):
    path = lines(tmp_path / "rollout.jsonl", codex_rows())
    path.write_bytes(path.read_bytes().replace(b'"type": "session_meta",', b'"type": "session_meta,\n', 1))
    found = opened(path)
    assert (found.tool, found.session) == ("codex", "")
    assert {defect.kind for defect in found.defects} == {"unreadable"}


# --- packed files ----------------------------------------------------------------------------------------------------


def packed(tmp_path: Path, rows: list[dict[str, Any]]) -> Path:
    if shutil.which("zstd") is None:
        pytest.skip("NOT CHECKED: there is no zstd on this machine to pack a file with")
    plain = lines(tmp_path / "rollout.jsonl", rows)
    subprocess.run(["zstd", "-q", "-f", str(plain)], check=True)
    return plain.with_name("rollout.jsonl.zst")


def can_unpack() -> None:
    if sys.version_info < (3, 14):
        pytest.importorskip("zstandard", reason="NOT CHECKED: this Python cannot unpack zstd")


def test_packed_rows_are_read(tmp_path: Path):
    """Of one frame, or of several."""
    can_unpack()
    path = packed(tmp_path, codex_rows())
    whole = opened(tmp_path / "rollout.jsonl").messages
    assert opened(path).messages == whole
    path.write_bytes(path.read_bytes() * 3)
    assert opened(path).messages == whole * 3


def test_packed_rows_that_break_off_are_read_as_far_as_they_go(tmp_path: Path):
    """It is told that something is missing, also where it breaks between two rows."""
    can_unpack()
    rng = random.Random(7)
    words = [assistant(rng.randbytes(20_000).hex()) for _ in range(100)]
    path = packed(tmp_path, [*codex_rows(), *words])
    whole, data = opened(path), path.read_bytes()
    for cut in range(40, 100, 7):
        path.write_bytes(data[: len(data) * cut // 100])
        found = opened(path)
        assert found.messages == whole.messages[: len(found.messages)]
        assert len(found.messages) > cut // 2
        assert "torn" in {defect.kind for defect in found.defects}
    path.write_bytes(data[:900_000] + bytes(200) + data[900_200:])
    found = opened(path)
    assert len(found.messages) > 30
    assert {defect.kind for defect in found.defects} & {"unreadable", "torn"}


def test_without_a_library_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("compression", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SessionError, match=r"pip install 'rejoinder\[zstd\]', or unpack it first"):
        opened(packed(tmp_path, codex_rows()))


# --- databases -------------------------------------------------------------------------------------------------------


def beside(path: Path) -> dict[str, bytes]:
    """All that lies in the folder of a file, byte for byte."""
    return {each.name: each.read_bytes() for each in path.parent.iterdir()}


def test_a_database_holds_many_sessions(tmp_path: Path):
    """The one that was last changed is read, or the one that is named."""
    path = opencode_database(tmp_path / "opencode.db", opencode_messages())
    assert sessions_in(str(path)) == ("ses_1", "ses_0")
    assert opened(path).title == "Reading"
    assert opened(path, "ses_0").title == "Older"
    with pytest.raises(SessionError, match="there is no session 'ses_9' in it"):
        opened(path, "ses_9")
    assert sessions_in(str(lines(tmp_path / "pi.jsonl", pi_rows()))) == ()


def test_a_database_of_nobody_is_refused(tmp_path: Path):
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE session (id TEXT)")
        database.commit()
    with pytest.raises(SessionError, match="of no agent that is known"):
        opened(path)


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_reading_a_database_leaves_no_trace(mode: str, tmp_path: Path):
    """Neither in the file nor beside it; also where it may not be written to."""
    (tmp_path / "store").mkdir()
    path = goose_database(tmp_path / "store" / "sessions.db", goose_rows()[1:])
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA journal_mode={mode}")
    before = beside(path)
    path.chmod(0o400)
    path.parent.chmod(0o500)
    assert len(opened(path).messages) == 4
    path.parent.chmod(0o700)
    assert beside(path) == before


def test_a_database_that_is_in_use_is_not_disturbed(tmp_path: Path):
    """What its writer has in the log is read; he goes on writing while we read, and finds all as it was."""
    path = goose_database(tmp_path / "sessions.db", goose_rows()[1:3])
    add = "INSERT INTO messages (session_id, role, content_json) VALUES ('20260101_1', 'user', ?)"
    response = json.dumps(goose_rows()[3]["content"])
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode=wal")
        writer.execute("PRAGMA wal_autocheckpoint=0")
        assert [defect.kind for defect in opened(path).defects] == ["pending", "pending"]
        writer.execute("BEGIN IMMEDIATE")
        writer.execute(add, (response,))
        assert len(opened(path).defects) == 2
        writer.execute("COMMIT")
        before = beside(path)
        assert opened(path).defects == ()
        after = beside(path)
        assert {name: after[name] for name in ("sessions.db", "sessions.db-wal")} == {
            name: before[name] for name in ("sessions.db", "sessions.db-wal")
        }
        writer.execute(add, (response,))
        assert [defect.kind for defect in opened(path).defects] == ["duplicate", "duplicate"]


def test_the_log_of_a_crash_is_read_and_stays(tmp_path: Path):
    """With its index or without one, which SQLite would make anew."""
    path = goose_database(tmp_path / "sessions.db", goose_rows()[1:3])
    add = "INSERT INTO messages (session_id, role, content_json) VALUES ('20260101_1', 'user', ?)"
    for left in (("", "-wal", "-shm"), ("", "-wal")):
        folder = tmp_path / f"crashed{len(left)}"
        folder.mkdir()
        with closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("PRAGMA journal_mode=wal")
            writer.execute(add, (json.dumps(goose_rows()[3]["content"]),))
            for end in left:
                shutil.copyfile(f"{path}{end}", folder / f"sessions.db{end}")
            writer.execute("DELETE FROM messages WHERE id > 2")
        before = beside(folder / "sessions.db")
        assert opened(folder / "sessions.db").defects == ()
        after = beside(folder / "sessions.db")
        assert sorted(after) == sorted(before)
        assert after["sessions.db-wal"] == before["sessions.db-wal"]
        assert after["sessions.db"] == before["sessions.db"]


def test_a_database_that_a_writer_holds_is_refused_in_one_line(tmp_path: Path):
    path = goose_database(tmp_path / "sessions.db", goose_rows()[1:])
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode=wal")
        writer.execute("PRAGMA locking_mode=exclusive")
        writer.execute("INSERT INTO messages (session_id, role, content_json) VALUES ('x', 'user', '[]')")
        try:
            assert len(opened(path).messages) == 4
        except SessionError as error:
            said = str(error)
            assert "close the program that writes it" in said or pytest.fail(said)


@pytest.mark.parametrize("held", ["{", "", "\udcff", "[" * 5000, "NaN", b"\xff\xfe"])
def test_a_value_that_is_no_json_is_told(held: Any, tmp_path: Path):
    """Its row is set aside, with its number; all others are read."""
    path = opencode_database(tmp_path / "opencode.db", opencode_messages())
    with closing(sqlite3.connect(path)) as database:
        value = held.encode("utf-8", "surrogateescape") if isinstance(held, str) else held
        database.execute("UPDATE message SET data = CAST(? AS TEXT) WHERE id = 'msg_1'", (value,))
        database.execute("UPDATE session SET revert = '{' WHERE id = 'ses_1'")
        database.commit()
    found = opened(path)
    assert {"unreadable"} <= {defect.kind for defect in found.defects}
    assert found.title == "Reading"
    assert len(found.messages) == 5


# --- folders ---------------------------------------------------------------------------------------------------------


def test_files_of_a_storage_that_are_empty_or_broken_are_told(tmp_path: Path):
    """A full disk left two of no bytes; what is in the others is read."""
    file = opencode_storage(tmp_path / "storage", opencode_messages())
    (tmp_path / "storage" / "message" / "ses_1" / "msg_1.json").write_bytes(b"")
    (tmp_path / "storage" / "part" / "msg_2" / "prt_002.json").write_bytes(b'{"type": "to')
    found = opened(file)
    assert sorted(defect.kind for defect in found.defects) == ["gap", "unreadable", "unreadable"]
    assert [message["role"] for message in found.messages] == ["assistant", "user", "assistant"]


def test_the_folders_of_an_older_version(tmp_path: Path):
    """The session, its messages and their parts under one roof."""
    storage = tmp_path / "project" / "app" / "storage" / "session"
    made = opencode_storage(tmp_path / "new", opencode_messages())
    (storage / "info").mkdir(parents=True)
    shutil.copy(made, storage / "info" / "ses_1.json")
    shutil.copytree(tmp_path / "new" / "message", storage / "message")
    shutil.copytree(tmp_path / "new" / "part", storage / "part" / "ses_1")
    assert opened(storage / "info" / "ses_1.json").messages == opened(made).messages


@pytest.mark.parametrize("name", ["../../etc", "/etc", "", "a/b", 7, None])
def test_the_id_of_a_stored_session_is_no_path(name: Any, tmp_path: Path):
    path = document(tmp_path / "session.json", OPENCODE_SESSION | {"id": name})
    with pytest.raises(SessionError, match="no session in a format that is known"):
        opened(path)


def test_a_tool_may_be_named(tmp_path: Path):
    path = str(lines(tmp_path / "pi.jsonl", pi_rows()))
    assert open_session(path, tool="pi").tool == "pi"
    with pytest.raises(SessionError, match="no session in a format"):
        open_session(path, tool="emacs")
