"""What a terminal gets to see of a session: nothing that it would obey, in rows that fit."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console import OBEYED, run
from rejoinder.edge.sessions import Session
from rejoinder.render.folding import folded
from rejoinder.render.story import Fork, Note, Story
from rejoinder.render.talk import Look, story_lines
from rejoinder.render.terminal import cells, painted
from sessions_kept import USER, call, keep_trains, result


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of our own, with one session in it that has a branch and a long result."""
    monkeypatch.setenv("REJOINDER_HOME", str(tmp_path))
    keep_trains()
    return tmp_path


# --- what a terminal gets to see --------------------------------------------------------------------------------------


def _hostile(text: str) -> list[dict[str, Any]]:
    return [
        {"role": text, "content": text},
        {"role": "user", "content": text, "name": text},
        call(text or "x", text),
        {**call(text or "x"), "content": [{"type": text, "text": text}, {"type": "text", "text": text}, text]},
        result(text, text or "x"),
    ]


def _all_of_it(name: str) -> str:
    shown = ""
    for verb in (["show", name], ["show", name, "--full"], ["branches", name], ["list"], ["search", "a"]):
        done = run("sessions", *verb, "--no-color")
        shown += done.stdout + done.stderr
        done = run("sessions", *verb, "--json")
        shown += done.stdout + done.stderr
    return shown


@pytest.mark.usefixtures("home")
def test_nothing_that_a_terminal_obeys_gets_through(evidence: Path):
    """All of the corpus, in every field."""
    cases = [json.loads(line) for line in (evidence / "cases" / "hostile-cases.jsonl").read_text("utf-8").splitlines()]
    for number, case in enumerate(case for case in cases if case["area"] == "terminal" and "input_b64" in case):
        text = base64.b64decode(case["input_b64"]).decode("utf-8", "surrogateescape")
        with Session.create(f"g{number}", title=text, cwd=text, model=text) as session:
            session.extend(_hostile(text))
            session.append_row({"type": text or "x", text: text})
            session.pause(text)
        shown = _all_of_it(f"g{number}")
        assert OBEYED.findall(shown) == [], case["id"]


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_no_text_at_all_gets_through(text: str):
    story = Story(
        tool=text,
        dialect="openai-chat",
        messages=tuple(_hostile(text)),
        session=text,
        title=text,
        notes={0: (Note("gap", text),)},
        forks=(Fork(text, 1, text, False, text),),
        names=(text,) * 5,
        times=(text,) * 5,
    )
    for full in (False, True):
        shown = painted(story_lines(story, Look(60, full)), colour=False)
        assert OBEYED.findall(shown) == []
        assert all(cells(line) <= 60 + 40 for line in shown.splitlines())


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=400), st.integers(16, 40), st.integers(0, 5))
def test_folding_keeps_the_words_and_the_width(text: str, width: int, limit: int):
    rows, more = folded(text, width, limit)
    assert all(cells(row) <= width + 1 for row in rows)
    assert not limit or len(rows) <= limit
    if not limit:
        assert more == ""
        assert sum(map(len, "".join(rows).split())) >= sum(len(word) for word in text.split() if word.isalnum())


@pytest.mark.usefixtures("home")
def test_a_line_of_a_megabyte_is_shown_at_once():
    with Session.create("wide") as session:
        session.append({"role": "user", "content": "x" * 3_000_000 + "\n" + "y" * 10})
    shown = run("sessions", "show", "wide").stdout
    assert len(shown) < 20_000
    assert "--full shows all" in shown


@pytest.mark.usefixtures("home")
def test_a_message_nested_without_end_is_named_and_the_rest_shown():
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]
    with Session.create("deep") as session:
        session.extend([USER, {"role": "assistant", "content": deep}, USER])
    for verb in (["show", "deep"], ["show", "deep", "--json"], ["export", "deep"], ["export", "deep", "--to", "html"]):
        done = run("sessions", *verb)
        assert done.exit_code == 0
        assert "nested deeper than 200 levels" in done.stdout
