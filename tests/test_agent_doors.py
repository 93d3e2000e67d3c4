"""Sessions that are no JSON in one file: archives, folders and texts, whole and damaged; and hostile records."""

import json
import random
import time
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

import rejoinder as rj
from rejoinder.dialects.detect import DIALECTS
from rejoinder.edge import folder_sessions, zip_sessions
from rejoinder.errors import SessionError
from rejoinder.transcripts import formats
from rejoinder.transcripts.transcript import Transcript
from session_loader import load, loaded
from test_agent_forms import Json, chat_call, in_order, kinds, mini, simulation, task
from test_agent_stores import acted, action, chat, event, numbered, observed, said, tool_part, turns

# --- archives --------------------------------------------------------------------------------------------------------


def head(status: str = "success") -> Json:
    made = {"task": "guess", "model": "m", "created": "2025-10-06T10:15:43+00:00"}
    return {"version": 2, "status": status, "eval": made, "plan": {}, "stats": {"completed_at": "2025-10-06T11:00:00"}}


def sample(number: int, *messages: Json, **more: Any) -> Json:
    return {"id": number, "epoch": 1, "input": "q", "target": "a", "messages": list(messages), **more}


def asked(identity: str = "c1", **more: Any) -> Json:
    call = {"id": identity, "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}
    return {"id": "m", "role": "assistant", "content": "Look", "tool_calls": [call], **more}


def archive(path: Path, members: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as held:
        for name, value in members.items():
            held.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


def log(path: Path, **more: Any) -> Path:
    user, result = {"role": "user", "content": "q"}, {"role": "tool", "tool_call_id": "c1", "content": "a.py"}
    samples = {"samples/1_epoch_1.json": sample(1, user, asked(), result), "samples/2_epoch_1.json": sample(2, user)}
    return archive(path, {"_journal/start.json": head() | {"status": ""}, **samples, "header.json": head(), **more})


def test_an_archive_is_a_conversation_a_sample(tmp_path: Path):
    """With what its head says of all of them."""
    found = load(log(tmp_path / "log.eval"))
    assert [(each.tool, each.session, each.model) for each in found] == [
        ("inspect-ai", "guess 1 1", "m"),
        ("inspect-ai", "guess 2 1", "m"),
    ]
    assert found[0].messages[1]["tool_calls"] == [chat_call("bash", "c1", cmd="ls")]
    assert in_order(found[0])
    assert (found[0].began, found[0].ended) == ("2025-10-06T10:15:43+00:00", "2025-10-06T11:00:00")


def test_texts_and_messages_that_lie_apart_are_put_in_place():
    """Attachments of both spellings, and a sample whose messages are in the pool of its events alone."""
    picture = {"type": "image", "image": "attachment://p", "detail": "low"}
    content = [{"type": "text", "text": "tc://t"}, picture, {"type": "reasoning", "reasoning": "hm"}]
    texts = {"p": "data:image/png;base64,AA==", "t": "look", "c": "ls -la"}
    linked = asked()
    linked["tool_calls"][0]["arguments"] = {"cmd": "attachment://c", "other": "attachment://gone"}
    first = sample(1, {"role": "user", "content": content}, linked, attachments=texts)
    pool = [{"role": "user", "content": f"q{at}"} for at in range(5)]
    answer = {"choices": [{"message": {"role": "assistant", "content": "a"}}]}
    asks = [{"event": "model", "input": [], "input_refs": [[0, 1], [3, 5]], "output": answer}]
    second = sample(2, events=asks, events_data={"messages": pool, "calls": []})
    document = {**head(), "samples": [first, second]}
    found = loaded(document)
    assert found[0].messages[0]["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": texts["p"], "detail": "low"}},
    ]
    assert found[0].lossy
    arguments = json.loads(found[0].messages[1]["tool_calls"][0]["function"]["arguments"])
    assert arguments == {"cmd": "ls -la", "other": "attachment://gone"}
    assert kinds(found[0]) == [("interrupted", 2, "c1")]
    assert [message["content"] for message in found[1].messages] == ["q0", "q3", "q4", "a"]
    for status, error, kind in (("started", None, "pending"), ("error", {"message": "x"}, "errored")):
        one = loaded({**head(status), "samples": [{**first, "error": error}]})[0]
        assert kinds(one) == [(kind, 2, "c1")]


def test_a_run_without_its_head_was_interrupted(tmp_path: Path):
    """What was written is read, and that the head is missing is told."""
    members = {"_journal/start.json": head() | {"status": ""}, "samples/1_epoch_1.json": sample(1, asked())}
    found = load(archive(tmp_path / "log.eval", members))
    assert [odd.kind for odd in found[0].oddities] == ["no header.json: the run was interrupted"]
    assert kinds(found[0]) == [("pending", 1, "c1")]


def test_a_damaged_member_does_not_take_the_others_with_it(tmp_path: Path):
    """Bytes that were hit, a text that is no JSON, and an archive without its end."""
    path = log(tmp_path / "log.eval", **{"samples/0_epoch_1.json": b"{torn", "samples/1_epoch_2.json": b"\xff"})
    data = bytearray(path.read_bytes())
    at = data.index(b"samples/2_epoch_1.json") + 40
    data[at] ^= 0xFF
    path.write_bytes(data)
    found = load(path)
    assert [each.session for each in found] == ["guess 1 1"]
    assert [each.kind for each in found[0].defects] == ["unreadable"] * 3
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(SessionError, match="this archive cannot be read") as told:
        load(path)
    assert "\n" not in str(told.value)


def zstd_log(path: Path, packed: bytes, value: Any) -> Path:
    """A log with a member that is packed as newer writers do."""
    raw = json.dumps(value).encode()
    with zipfile.ZipFile(path, "w") as held:
        held.writestr("header.json", json.dumps(head()))
        info = zipfile.ZipInfo("samples/1_epoch_1.json")
        held.writestr(info, packed)
        info.compress_type, info.file_size, info.CRC = 93, len(raw), zlib.crc32(raw)
    return path


def test_members_that_are_packed_with_zstd(tmp_path: Path):
    """Are unpacked where a library is there for it."""
    zstandard: Any = pytest.importorskip("zstandard", reason="NOT CHECKED: zstandard is not installed")
    value = sample(1, {"role": "user", "content": "q" * 5000})
    packed = zstandard.ZstdCompressor().compress(json.dumps(value).encode())
    found = load(zstd_log(tmp_path / "log.eval", packed, value))
    assert [message["content"] for message in found[0].messages] == ["q" * 5000]
    broken = load(zstd_log(tmp_path / "broken.eval", packed[:-9] + b"\0" * 9, value))
    assert [each.kind for each in broken[0].defects] == ["unreadable"]


def test_without_a_library_a_packed_member_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """And the others are read."""

    def nothing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(zip_sessions, "import_module", nothing)
    found = load(zstd_log(tmp_path / "log.eval", b"?", sample(1)))
    assert "install rejoinder[zstd]" in found[0].oddities[0].kind
    assert [each.kind for each in found[0].defects] == ["unreadable"]


# --- folders and texts -----------------------------------------------------------------------------------------------


def test_a_folder_of_events_is_one_session(tmp_path: Path):
    """In the order of their numbers; what is no JSON, and what is empty, is told."""
    for at, row in enumerate((said("e1", "go"), acted("e2", "c1", "r1"), observed("e3", "c1", "e2"))):
        (tmp_path / f"event-{at:05d}-{row['id']}.json").write_text(json.dumps(row), "utf-8")
    (tmp_path / "event-00003-e4.json").write_text("", "utf-8")
    (tmp_path / ".eventlog.lock").write_text("", "utf-8")
    found = load(tmp_path)[0]
    assert (found.tool, found.lines, len(found.messages)) == ("openhands-sdk", (1, 2, 3), 3)
    assert kinds(found) == [("unreadable", 4, "")]


def test_a_folder_of_cline_is_one_session(tmp_path: Path):
    """Of either kind; any other folder is refused."""
    older, newer = tmp_path / "older", tmp_path / "newer"
    for folder in (older, newer):
        folder.mkdir()
    (older / "api_conversation_history.json").write_text(json.dumps(task()), "utf-8")
    (older / "ui_messages.json").write_text(json.dumps([{"ts": 1, "type": "say", "say": "text"}]), "utf-8")
    (older / "task_metadata.json").write_text("{}", "utf-8")
    assert load(older)[0].title == "Make it quick"
    messages = {"sessionId": "s", "agent": "lead", "messages": [{"role": "user", "content": "hi"}]}
    (newer / "s.messages.json").write_text(json.dumps(messages), "utf-8")
    (newer / "s.json").write_text(json.dumps({"session_id": "s", "exit_code": 0, "cwd": "w"}), "utf-8")
    found = load(newer)[0]
    assert (found.session, found.folder, len(found.messages)) == ("s", "w", 1)
    (older / "api_conversation_history.json").write_text("", "utf-8")
    assert [each.kind for each in load(older)[0].defects] == ["unreadable"]
    assert not folder_sessions.knows(str(tmp_path))
    with pytest.raises(SessionError, match="this folder is no session"):
        load(tmp_path)


# Aider ends its own lines with two spaces, which are marks here, so that no editor takes them away.
HISTORY = """
# aider chat started at 2024-08-05 19:33:32

> Aider v0.47.2-dev~
> Main model: gpt-4o with diff edit format~

#### make it quick~
#### please~

#### Plan

a.py
```python
<<<<<<< SEARCH
x = 1
> quoted
=======
x = 2
>>>>>>> REPLACE
```

b.py
<<<<<<< SEARCH
y = 1
> Tokens: 5,244 sent, 604 received.~

#### again~

<<<<<<< SEARCH
z = 1

# aider chat started at 2024-08-06 08:00:00

#### hello~
""".replace("~", "  ")


def test_a_markdown_history_is_a_chat_a_start(tmp_path: Path):
    """Headings of the model are its own, a block that was never closed is told, and damage ends nothing."""
    path = tmp_path / ".aider.chat.history.md"
    for text in (HISTORY, HISTORY.replace("\n", "\r\n")):
        path.write_bytes(text.encode().replace(b"y = 1", b"y = \xff"))
        found = load(path)
        assert [(each.began, each.model) for each in found] == [
            ("2024-08-05T19:33:32", "gpt-4o"),
            ("2024-08-06T08:00:00", ""),
        ]
        assert [message["role"] for message in found[0].messages] == ["user", "assistant", "user", "assistant"]
        assert found[0].messages[0]["content"] == "make it quick\nplease"
        assert found[0].messages[1]["content"].startswith("#### Plan\n\na.py")
        assert "> quoted" in found[0].messages[1]["content"]
        _, second, third = (at for at, line in enumerate(HISTORY.splitlines(), 1) if line == "<<<<<<< SEARCH")
        assert kinds(found[0]) == [
            ("interrupted", second, ""),
            ("unreadable", second + 1, ""),
            ("interrupted", third, ""),
        ]
        assert found[1].lossy


# --- hostile records -------------------------------------------------------------------------------------------------

_DEEP: Any = []
for _ in range(600):
    _DEEP = [_DEEP]
JUNK: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 10**30, float("nan"), "", "x", "\ud800", "a" * 300),
    *([], {}, [[]], [None], {"a": 1}, [{}], {"type": []}, {"role": {}}, {"id": []}, [1, 2], _DEEP),
)


def seeds() -> list[Any]:
    """A document of each form."""
    call = {"role": "assistant", "content": "", "tool_calls": [chat_call("f", "c1")]}
    rows = [
        {"type": "message", "uuid": "a", "parentUuid": None, "role": "user", "content": "q"},
        {"type": "message", "uuid": "b", "parentUuid": "a", **call},
    ]
    langchain = [{"type": "ai", "data": {"content": "", "tool_calls": [{"name": "f", "args": {}, "id": "c1"}]}}]
    metadata = {"tool_call_id": "c1", "model_response": {"id": "r", "choices": [{"message": call}]}}
    ran = {"id": 2, **action("run", command="ls"), "tool_call_metadata": metadata}
    condensed = event("Condensation", "e", forgotten_event_ids=["e1"], summary="s", summary_offset=0)
    parts = [{"role": "assistant", "content": [{"type": "tool_call", "value": '{"name": "f"}'}]}]
    return [
        [*task(), {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}],
        [{"sessionId": "s", "agent": "a", "messages": task(), "updated_at": "x"}, {"session_id": "s", "exit_code": 0}],
        [numbered(ran), {"history": [[action("run"), {"observation": "run", "content": "x"}]], "instance_id": "i"}],
        [said("e1", "q"), acted("e2", "c1", "r"), observed("e3", "c1", "e2"), condensed],
        [{"history": [call, {"role": "tool", "tool_call_ids": ["c1"], "content": ""}], "trajectory": [], "info": {}}],
        [mini(call, {"role": "exit", "content": "x", "extra": {"exit_status": "Submitted"}})],
        [{"task_id": 1, "trial": 0, "traj": [{"role": "user", "content": "q"}, call], "info": {}}],
        [{"info": {}, "simulations": [simulation({"role": "user", "tool_calls": [{"id": "c", "name": "f"}]})]}],
        [{"messages": [{"role": "user", "content": "q"}, call], "tools": []}] * 2,
        [turns(("human", "q"), ("gpt", "<tool_call>{'name': 'f'}</tool_call>"), ("tool", "[1]"))],
        [{"messages": parts, "tools": "[]"}],
        langchain,
        chat(tool_part("input-available")),
        [{**head(), "samples": [sample(1, asked(), attachments={"a": "b"}, events=[{"event": "model"}])]}],
        [{"text": "# aider chat started at 2024-08-05 19:33:32"}, {"text": "#### q  "}, {"text": "<<<<<<< SEARCH"}],
        [{"type": "session", "format": "rejoinder-session", "version": 1, "uuid": "s"}, *rows],
        rows,
    ]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Each holder in a value, with the key of each thing that it holds."""
    found: list[tuple[Any, Any]] = []
    left = [value]
    while left:
        holder = left.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        for key in keys:
            found.append((holder, key))
            left.append(holder[key])
    return found


def test_whatever_the_types_are_nothing_ends_in_a_traceback():
    """Each form with members of all wrong types, read as what it was and as each of the others."""
    rng = random.Random(7)
    documents = [json.dumps(document) for document in seeds()]
    names = [known.name for known in formats.FORMATS]
    read: list[Transcript] = []
    said_at_all: list[str] = []
    for turn in range(3000):
        document = json.loads(documents[turn % len(documents)])
        for _ in range(rng.choice((1, 1, 2, 5))):
            holder, key = rng.choice(places(document))
            holder[key] = json.loads(json.dumps(rng.choice(JUNK)))
        try:
            read += loaded(document, rng.choice(names) if turn % 3 == 0 else None)
        except SessionError as error:
            said_at_all.append(str(error))
    assert not any("\n" in said for said in said_at_all)
    for each in read:
        assert len(each.lines) == len(each.messages)
        assert all(isinstance(getattr(each, name), str) for name in ("session", "title", "folder", "model", "began"))
        each.as_dict()
    assert {each.tool for each in read} >= set(names) - {"claude-code", "messages"}


def test_what_a_check_finds_is_told_and_what_is_told_is_found():
    """Each form with members taken away and put elsewhere: the reader and the rules see the same calls and results."""
    rng = random.Random(11)
    documents = [json.dumps(document) for document in seeds()]
    odd = 0
    for turn in range(2000):
        document = json.loads(documents[turn % len(documents)])
        for _ in range(rng.choice((1, 2, 3))):
            holder, key = rng.choice(places(document))
            other, place = rng.choice(places(document))
            if rng.random() < 0.5:
                holder[key] = json.loads(json.dumps(other[place]))
            else:
                del holder[key]
            if not places(document):
                break
        for found in transcripts_of(document):
            told = {name for each in found.defects for name in each.ids}
            open_ones = [
                each for each in found.defects if each.live and each.kind in ("interrupted", "pending", "orphan")
            ]
            about = [each for each in rj.check(list(found.messages), "pairs", dialect=found.dialect) if found.messages]
            lost = [each for each in about if "call-answered" in str(each) or "result-has-call" in str(each)]
            assert {str(name) for each in lost for name in each.ids if name} <= told, (lost, found.defects)
            # A call that a user makes, or somebody of a role nobody knows, is no pair that the rules ask about.
            spared = found.tool in ("aider", "ai-sdk")
            assert lost or spared or not any(each.ids for each in open_ones), found.defects
            odd += bool(lost)
    assert odd > 200


def transcripts_of(document: Any) -> list[Transcript]:
    """What is read, and can be checked: in a dialect that is known here, and that reads calls where the reader does."""
    try:
        found = loaded(document)
    except SessionError:
        return []
    return [each for each in found if each.dialect in DIALECTS and each.tool not in ("langchain", "messages")]


def test_every_form_takes_time_in_proportion():
    """Four times as many messages take at most a few times four times as long."""
    call = {"role": "assistant", "content": "", "tool_calls": [chat_call("f", "c1")]}
    for make in (
        lambda size: [{"messages": [call] * size}],
        lambda size: [{"task_id": 1, "trial": 0, "traj": [call] * size}],
        lambda size: [acted(f"e{at}", "c1", f"r{at}") for at in range(size)],
        lambda size: [numbered(*({"id": at + 2, **action("run")} for at in range(size)))],
        lambda size: [turns(*(("function_call", '{"name": "f"}'), ("observation", "r")) * size)],
        lambda size: [turns(("gpt", "<tool_call>" * size))],
        lambda size: chat(*(tool_part("input-available") for _ in range(size))),
        lambda size: [{"text": "<<<<<<< SEARCH"}, *({"text": "#### q  "}, {"text": "<<<<<<< SEARCH"}) * size],
    ):
        took: list[float] = []
        for size in (1_000, 4_000):
            document = make(size)
            began = time.process_time()
            assert loaded(document)
            took.append(time.process_time() - began)
        assert took[1] < 10 * took[0] + 0.3, took
