"""Sessions: what is appended is there again, branches and forks, resuming without lies, and doors that stay shut."""

import asyncio
import json
import multiprocessing
import os
import stat
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import rejoinder as rj
from rejoinder.edge.sessions import Session, load_session_messages
from rejoinder.errors import LockedError, SessionError
from rejoinder.transcripts.seal import state_of

USER = {"role": "user", "content": "When is the next train?"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "next_train", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "10:04"}
ANSWER = {"role": "assistant", "content": "At 10:04."}


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "sessions")


def lines(session: Session) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(session.path).read_bytes().splitlines()]


def test_what_was_appended_is_there_again(folder: str):
    """Messages of any dialect come back as they were handed in, also those whose members have names of a row."""
    item = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    odd = {"role": "user", "content": "x", "uuid": "mine", "check": "this too", "n": 2**70, "é": "\ud83d"}
    with Session.create("trains", folder=folder) as session:
        names = session.extend([USER, item, odd])
        assert session.messages() == [USER, item, odd]
    with Session.open("trains", folder=folder) as again:
        assert again.messages() == [USER, item, odd]
        assert [row["uuid"] for row in again.active_path()] == names
        assert [odd.kind for odd in again.oddities] == ["lone surrogate"]


def test_rows_are_as_the_document_has_them(folder: str):
    """One object a line: type, uuid, parentUuid, timestamp, the message, a check value; the first is a header."""
    with Session.create("trains", folder=folder, cwd="/here") as session:
        session.append(USER)
        session.append(ANSWER)
    head, first, second = lines(session)
    assert (head["type"], head["format"], head["version"], head["cwd"]) == ("session", "rejoinder-session", 1, "/here")
    assert list(first)[:4] == ["type", "uuid", "parentUuid", "timestamp"]
    assert first["parentUuid"] is None
    assert second["parentUuid"] == first["uuid"]
    assert (second["role"], second["content"]) == ("assistant", "At 10:04.")
    assert all(state_of(line) == "sound" for line in Path(session.path).read_bytes().splitlines())


def test_what_the_caller_changes_later_is_no_part_of_the_session(folder: str):
    """A message is a value once it was appended."""
    message = {"role": "user", "content": [{"type": "text", "text": "a"}]}
    with Session.create("trains", folder=folder) as session:
        session.rows()
        session.append(message)
        message["content"].append({"type": "text", "text": "b"})
        assert session.messages() == [{"role": "user", "content": [{"type": "text", "text": "a"}]}]


def test_rewinding_makes_a_branch_and_loses_nothing(folder: str):
    """What was said behind the row gone back to stays, as a branch; the way goes on from there, also when reopened."""
    with Session.create("trains", folder=folder) as session:
        first = session.append(USER)
        dead = session.append({"role": "assistant", "content": "No idea."})
        session.rewind(first)
        assert session.messages() == [USER]
    with Session.open("trains", folder=folder) as again:
        assert again.leaf == first
        last = again.append(ANSWER)
        assert again.messages() == [USER, ANSWER]
        branches = again.branches()
    assert [(branch.leaf, branch.messages, branch.active) for branch in branches] == [(dead, 2, False), (last, 2, True)]
    with pytest.raises(SessionError, match="no row 'never'"), Session.open("trains", folder=folder) as again:
        again.rewind("never")


def test_a_fork_is_a_session_of_its_own(folder: str):
    """It has the rows up to the one named, says where it came from, and what is said there is not said here."""
    with Session.create("trains", folder=folder) as session:
        first = session.append(USER)
        session.append(ANSWER)
        with session.fork(first, session="other") as fork:
            fork.append({"role": "user", "content": "And back?"})
            assert [message["content"] for message in fork.messages()] == ["When is the next train?", "And back?"]
        assert session.messages() == [USER, ANSWER]
    assert lines(fork)[0]["forkedFrom"] == {"session": "trains", "uuid": first}


def test_results_that_hang_beside_the_path_belong_to_it(folder: str):
    """Parallel results each have the call's row for a parent; a plain walk would see the last one alone."""
    calls = [{**CALL["tool_calls"][0], "id": name} for name in ("a", "b", "c")]
    with Session.create("trains", folder=folder) as session:
        session.append(USER)
        asked = session.append({**CALL, "tool_calls": calls})
        for name in ("a", "b", "c"):
            last = session.append({**RESULT, "tool_call_id": name}, parent=asked)
        session.append(ANSWER, parent=last)
        assert [message.get("tool_call_id") for message in session.messages()] == [None, None, "a", "b", "c", None]


def test_a_summary_stands_for_the_rows_it_names(folder: str):
    """From now on; the rows stay in the file."""
    with Session.create("trains", folder=folder) as session:
        names = session.extend([USER, ANSWER])
        session.compact("They asked for a train.", names)
        session.append({"role": "user", "content": "And back?"})
        said = [message["content"] for message in session.messages()]
    assert said == ["They asked for a train.", "And back?"]
    assert [row["type"] for row in lines(session)] == ["session", "message", "message", "summary", "message"]


def test_resuming_mends_the_copy_and_appends_a_row(folder: str):
    """The target accepts what comes; the stored rows are as they were; resuming twice writes the repair once."""
    with Session.create("trains", folder=folder) as session:
        session.extend([USER, CALL])
    before = Path(session.path).read_bytes()
    for _ in range(2):
        resumed = Session.resume("trains", "openai-chat", folder=folder, policy="answer")
        with resumed.session:
            assert rj.check(resumed.payload, "openai-chat") == []
            assert "may or may not have happened" in resumed.payload[-1]["content"]
            assert [step.rule for step in resumed.steps] == ["tool_pairing.unanswered"]
    after = Path(session.path).read_bytes()
    assert after.startswith(before)
    assert [row["type"] for row in lines(session)[3:]] == ["repair"]


def test_resuming_for_another_api_converts(folder: str):
    """And tells what was lost on the way."""
    with Session.create("trains", folder=folder) as session:
        session.extend([{"role": "system", "content": "Be brief."}, USER, CALL, RESULT, ANSWER, USER])
    resumed = Session.resume("trains", "anthropic", folder=folder)
    resumed.session.close()
    assert resumed.payload["system"] == "Be brief."
    assert rj.check(resumed.payload, "anthropic") == []
    assert json.dumps(resumed.as_dict())


def test_a_call_that_waits_for_a_person_is_never_closed(folder: str):
    """Whatever the policy says, until somebody says that it waits no more."""
    with Session.create("trains", folder=folder) as session:
        session.extend([USER, CALL])
        session.pause("call_1")
    for policy in ("drop", "answer", "strip"):
        resumed = Session.resume("trains", "openai-chat", folder=folder, policy=policy)
        resumed.session.close()
        assert resumed.payload == [USER, CALL]
        assert resumed.paused == {"call_1"}
    with Session.open("trains", folder=folder) as session:
        session.go_on("call_1")
    resumed = Session.resume("trains", "openai-chat", folder=folder)
    resumed.session.close()
    assert resumed.payload == [USER]


def test_load_session_messages_reads_the_rows_of_the_document(tmp_path: Path):
    """The active path of a file, without what never got its result."""
    rows = [
        {"type": "config", "config": {}},
        {"type": "message", "uuid": "1", "parentUuid": None, "role": "user", "content": "read file.ts"},
        {
            "type": "message",
            "uuid": "2",
            "parentUuid": "1",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}],
        },
    ]
    path = tmp_path / "old.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + '\n{"torn', "utf-8")
    assert [row["uuid"] for row in load_session_messages(str(path))] == ["1"]


# --- Doors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\\b", "a\0b", "-x", "a b", "x" * 129, "ä", ".hidden"])
def test_an_id_is_never_a_path(name: str, folder: str):
    """What tries to be one is refused in one line, and nothing is made."""
    with pytest.raises(SessionError, match="no id of a session"):
        Session.create(name or ".", folder=folder)
    assert not os.path.exists(folder)


def test_ids_of_the_corpus_that_try_paths_are_refused(evidence: Path, folder: str):
    """None of them opens anything outside of the folder."""
    cases = [json.loads(line) for line in (evidence / "cases" / "hostile-cases.jsonl").read_text("utf-8").splitlines()]
    names = [case for case in cases if case["area"] == "path" and isinstance(case.get("setup"), dict)]
    for case in names:
        name = case["setup"].get("id")
        if isinstance(name, str) and case["expect"] == "REFUSE":
            with pytest.raises(SessionError):
                Session.create(name, folder=folder)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_files_are_for_their_owner_alone(umask: int, folder: str):
    """Whatever the umask: 0600, in a folder of 0700."""
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    before = os.umask(umask & 0o077)
    try:
        session = Session.create("trains", folder=folder)
        session.close()
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(session.path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700


def test_a_link_a_pipe_and_a_folder_are_refused(tmp_path: Path, folder: str):
    """A planted link is not followed, and nothing hangs."""
    os.makedirs(folder)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("", "utf-8")
    (Path(folder) / "link.jsonl").symlink_to(elsewhere)
    os.mkfifo(Path(folder) / "pipe.jsonl")
    (Path(folder) / "dir.jsonl").mkdir()
    for name in ("link", "pipe", "dir", "missing"):
        with pytest.raises(SessionError):
            Session.open(name, folder=folder)
    with pytest.raises(SessionError):
        Session.create("link", folder=folder)
    assert elsewhere.read_bytes() == b""


def test_what_cannot_be_written_leaves_nothing_behind(folder: str):
    """An object that is no JSON, and one that is nested without end."""
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with Session.create("trains", folder=folder) as session:
        for bad in ({"role": "user", "content": object()}, {"role": "user", "content": deep}):
            with pytest.raises(SessionError, match="cannot be written as JSON"):
                session.append(bad)
        session.append(USER)
        assert session.messages() == [USER]
        assert session.active_path()[0]["parentUuid"] is None


def test_a_closed_and_a_read_only_session_say_so(folder: str):
    """Instead of losing what was to be appended."""
    session = Session.create("trains", folder=folder)
    session.close()
    session.close()
    with pytest.raises(SessionError, match="closed"):
        session.append(USER)
    with (
        Session.open("trains", folder=folder, read_only=True) as looking,
        pytest.raises(SessionError, match="read only"),
    ):
        looking.append(USER)


def test_a_level_that_is_none_is_refused_before_anything_is_written(folder: str):
    """A slip in its name must not make a row less safe than was asked."""
    with Session.create("trains", folder=folder) as session:
        before = Path(session.path).read_bytes()
        with pytest.raises(SessionError, match="the levels are flush, sync, group"):
            session.append(USER, durability="synced")  # type: ignore[arg-type]
        with pytest.raises(SessionError, match="the levels are"):
            session.append_row({"type": "label"}, durability="")  # type: ignore[arg-type]
        assert Path(session.path).read_bytes() == before


def test_an_interrupt_behind_a_write_costs_no_later_row(folder: str, monkeypatch: pytest.MonkeyPatch):
    """What a failed write is cut back to is where the file ended, not where it was believed to end."""
    write = os.write
    with Session.create("trains", folder=folder) as session:

        def interrupted(handle: int, line: bytes) -> int:
            write(handle, line)
            raise KeyboardInterrupt

        def full(handle: int, line: bytes) -> int:
            write(handle, line[:9])
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.append(USER)
        monkeypatch.setattr(os, "write", write)
        session.append(ANSWER)
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(SessionError, match="no space left"):
            session.append(USER)
        monkeypatch.setattr(os, "write", write)
    with Session.open("trains", folder=folder) as again:
        assert again.messages() == [ANSWER]
        assert again.oddities == []


# --- Others at the same time ------------------------------------------------------------------------------------------


def _append_some(path: str, who: int, count: int) -> None:
    for number in range(count):
        with Session.open(path, wait=60) as session:
            session.append({"role": "user", "content": f"{who} {number}"})


def test_a_second_process_waits_or_is_told(folder: str):
    """The one that holds the session is never interleaved with."""
    with Session.create("trains", folder=folder) as session:
        with pytest.raises(LockedError, match="another process holds this session"):
            Session.open("trains", folder=folder, wait=0.05)
        # A reader that opens and closes the file does not free the lock.
        with Session.open("trains", folder=folder, read_only=True) as looking:
            assert looking.messages() == []
        with pytest.raises(LockedError):
            Session.open("trains", folder=folder, wait=0)
    others = [multiprocessing.Process(target=_append_some, args=(session.path, who, 40)) for who in range(3)]
    for other in others:
        other.start()
    for other in others:
        other.join(60)
    with Session.open("trains", folder=folder) as again:
        said = [message["content"] for message in again.messages()]
        assert again.oddities == []
    assert sorted(said) == sorted(f"{who} {number}" for who in range(3) for number in range(40))
    assert [said.index(f"{who} {number}") for who in range(3) for number in range(40)] == [
        at for who in range(3) for at, text in enumerate(said) if text.startswith(f"{who} ")
    ]


@pytest.mark.parametrize("durability", ["flush", "sync", "group"])
def test_many_threads_append_to_one_chain(durability: Any, folder: str):
    """Each row has the one before it for a parent; nothing is lost."""
    with Session.create("trains", folder=folder, durability=durability) as session:

        def talk(who: int) -> None:
            for number in range(25):
                session.append({"role": "user", "content": [who, number]})

        threads = [threading.Thread(target=talk, args=(who,)) for who in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rows = session.active_path()
    assert len(rows) == 200
    assert all(row["parentUuid"] == above["uuid"] for above, row in pairwise(rows))


def test_the_same_methods_can_be_awaited(folder: str):
    """Through one door, without a second implementation."""

    async def talk() -> list[Any]:
        async with await asyncio.to_thread(Session.create, "trains", folder=folder) as session:
            await asyncio.gather(*(session.aio.append({"role": "user", "content": str(n)}) for n in range(20)))
            return await session.aio.messages()

    assert sorted(message["content"] for message in asyncio.run(talk())) == sorted(map(str, range(20)))
