"""What a terminal gets to see: nothing that it would obey, colour only where it belongs, lines that fit."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejoinder.edge.json_write import harmless, written
from rejoinder.render.align import hunks
from rejoinder.render.diff import change_lines, changes
from rejoinder.render.message import portrait
from rejoinder.render.terminal import UNSEEN, cells, cut, in_a_line, painted, safe, wrapped

RUN = "import sys; sys.argv[0] = 'rejoinder'; from rejoinder.edge.cli import main; main()"
SGR = re.compile(r"\x1b\[[0-9;]*m")
# What moves a cursor, speaks to the terminal, hides or reorders: by its category, and the letters drawn as nothing.
OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
HOSTILE = [
    "\x1b]52;c;Y3VybCBldmlsfHNo\x07",
    "\x1b]8;;file:///etc/passwd\x1b\\ok\x1b]8;;\x1b\\",
    "\x1b[10A\x1b[2K forged",
    "\x1b[6n\x1b[c",
    "\x1bP1$r0m\x1b\\",
    "\x9b2J",
    "a\rb",
    "evil\x08\x08\x08\x08good",
    "a\x00b\x7fc",
    "safe\u202egnp.exe",
    "\u2066hidden\u2069",
    "tag\U000e0041\U000e0042",
    "zero\u200bwidth\u200d\ufeff",
    "line\u2028sep\u2029",
    "[/] [/bold] [[[ [red]x[/red]",
    "half \ud83d",
]


def obeyed(text: str) -> list[str]:
    """The characters of a text that a terminal would obey or hide."""
    return [c for c in text if c not in "\t\n" and unicodedata.category(c) in OBEYED]


# --- texts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_becomes_visible_and_nothing_of_it_is_lost(text: str):
    assert obeyed(safe(text)) == []
    assert obeyed(in_a_line(text)) == []
    assert [c for c in text if not UNSEEN.match(c)] == [c for c in safe(text) if c in text]


@given(st.text(st.characters(exclude_categories=())))
def test_no_text_at_all_reaches_the_terminal_as_it_is(text: str):
    assert obeyed(safe(text)) == []
    assert obeyed(painted([(("plain", text), ("error", text))], colour=False).removesuffix("\n")) == []
    assert obeyed(SGR.sub("", painted([(("error", text),)], colour=True)).removesuffix("\n")) == []
    assert "\n" not in in_a_line(text)


def test_every_character_that_is_obeyed_or_hidden_is_known():
    """The pattern is written by hand, so that starting up is quick; Unicode is asked here."""
    unknown = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) in OBEYED and not UNSEEN.match(c)]
    assert unknown == []


def test_an_unseen_character_is_shown_by_a_picture_or_its_number():
    assert safe("\x1b[2J\x7f\u202e\n") == "␛[2J␡⟨U+202E⟩\n"
    assert in_a_line("a\n\tb") == "a⏎⇥b"


def test_markup_is_only_text():
    assert painted([(("plain", "[bold red]x[/]"),)], colour=True) == "[bold red]x[/]\n"


@given(st.text(st.characters(exclude_categories=()), max_size=400), st.integers(24, 120), st.integers(0, 400))
def test_a_cut_text_fits_and_is_on_one_line(text: str, width: int, around: int):
    shown = cut(text, width, around)
    assert cells(shown) <= width + len("⟨9,999 more⟩")
    assert obeyed(shown) == []


def test_a_long_text_loses_its_middle_and_says_how_much():
    shown = cut("a" * 500 + "z" * 500, 60)
    assert shown.startswith("aaaa")
    assert shown.endswith("zzzz")
    gone = int(re.search(r"⟨(\d+) more⟩", shown)[1])  # type: ignore[index]
    assert gone + shown.count("a") + shown.count("z") == 1000


def test_a_cut_can_be_made_around_what_matters():
    text = "a" * 500 + "HERE" + "b" * 500
    assert "HERE" in cut(text, 60, around=500)


def test_wide_letters_count_twice():
    assert cells("漢字") == 4
    assert cells(cut("漢" * 200, 40)) <= 40


def test_a_giant_text_is_cut_at_once():
    assert len(cut("x" * 50_000_000, 80)) <= 80


def test_sentences_are_broken_between_words():
    assert wrapped("one two three", 8) == ["one two", "three"]
    assert obeyed("".join(wrapped("one\x1b[2J two\nthree", 40))) == []


# --- JSON on a terminal ---------------------------------------------------------------------------


@given(st.text(st.characters(exclude_categories=())))
def test_json_on_a_terminal_is_harmless_and_says_the_same(text: str):
    shown = harmless(written({text: [text]}))
    assert obeyed(shown) == []
    assert json.loads(shown) == {text: [text]}


# --- differences ----------------------------------------------------------------------------------


def told(old: list[Any], new: list[Any]) -> str:
    found = changes(hunks(old, new), "openai-chat")
    return painted([line for change in found for line in change_lines(change, "openai-chat", 80)], colour=False)


def say(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": text}


def test_a_message_that_became_another_is_told_once():
    shown = told([say("a"), say("hello there"), say("c")], [say("a"), say("hello here"), say("c")])
    assert "messages[1]" in shown
    assert "-   text       hello there" in shown
    assert "+   text       hello here" in shown
    assert "messages[0]" not in shown


def test_what_is_gone_and_what_is_new_have_their_own_places():
    shown = told([say("a"), say("b", "assistant"), say("c")], [say("a"), say("c"), say("d", "assistant")])
    assert shown.splitlines()[0] == "- messages[1]  assistant"
    assert "+ messages[2]  assistant" in shown


def test_a_difference_deep_in_a_long_text_is_shown():
    shown = told([say("x" * 5000 + "OLD" + "y" * 5000)], [say("x" * 5000 + "NEW" + "y" * 5000)])
    assert "OLD" in shown
    assert "NEW" in shown


def test_a_field_beside_the_content_is_compared_too():
    shown = told([{**say("a"), "name": "ann"}], [{**say("a"), "name": "bob"}])
    assert '-   name       "ann"' in shown
    assert '+   name       "bob"' in shown


@given(st.lists(st.sampled_from("abcdef"), max_size=12), st.lists(st.sampled_from("abcdef"), max_size=12))
def test_the_hunks_lead_from_one_history_to_the_other(one: list[str], other: list[str]):
    old, new = [say(text) for text in one], [say(text) for text in other]
    made: list[Any] = []
    done = 0
    for hunk in hunks(old, new):
        made += old[done : hunk.before] + list(hunk.new)
        done = hunk.before + len(hunk.old)
    assert made + old[done:] == new


def test_two_long_and_quite_different_histories_are_compared_quickly():
    old = [say(f"q {n}") for n in range(20_000)]
    new = [say(f"q {n}" if n % 3 else f"new {n}") for n in range(20_000)]
    assert sum(len(hunk.new) for hunk in hunks(old, new)) == 6_667


# --- messages -------------------------------------------------------------------------------------


def test_each_part_of_a_message_has_a_line():
    raw = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "Let me look that up"},
            {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Paris"}},
        ],
    }
    seen = portrait("anthropic", raw)
    assert seen.role == "assistant"
    assert seen.parts == (
        ("thinking", "hm (signed)"),
        ("text", "Let me look that up"),
        ("tool call", 'toolu_1 get_weather {"city": "Paris"}'),
    )


@pytest.mark.parametrize("content", [None, 7, [], [7], [{"type": 3}], [{"type": "tool_result", "content": 4}]])
def test_an_odd_message_can_be_shown_too(content: Any):
    for dialect in ("anthropic", "openai-chat", "app", "neovate"):
        assert portrait(dialect, {"role": "user", "content": content}).parts


# --- a real terminal ------------------------------------------------------------------------------


def on_a_terminal(arguments: list[str], **environment: str) -> str:
    """What a command writes where stdout and stderr are a terminal."""
    ours, theirs = pty.openpty()
    keep = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    environment = {**keep, "TERM": "xterm-256color", **environment}
    command = [sys.executable, "-c", RUN, *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        pieces: list[bytes] = []
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            pieces.append(piece)
        os.close(ours)
        process.wait(timeout=60)
    return b"".join(pieces).decode("utf-8").replace("\r\n", "\n")


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    """A history in which every text tries something."""
    words = " ".join(HOSTILE)
    messages = [
        say(words),
        {
            "role": "assistant",
            "content": words,
            "tool_calls": [{"id": words, "type": "function", "function": {"name": words, "arguments": words}}],
        },
        say(words),
    ]
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps({"model": words, words: words, "messages": messages}), "utf-8")
    return str(path)


COMMANDS = [["check"], ["check", "--json"], ["repair"], ["repair", "-o", "-"], ["repair", "--json"]]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_of_the_data_is_obeyed_by_a_real_terminal(hostile: str, command: list[str]):
    shown = on_a_terminal([command[0], hostile, *command[1:], "--target", "openai-chat"])
    assert obeyed(SGR.sub("", shown)) == []
    assert len(shown) > 100


def test_a_terminal_gets_colour(hostile: str):
    assert SGR.search(on_a_terminal(["check", hostile]))


@pytest.mark.parametrize(
    ("arguments", "environment"), [([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"}), (["--no-color"], {})]
)
def test_a_terminal_gets_no_colour_where_it_is_not_wanted(
    hostile: str, arguments: list[str], environment: dict[str, str]
):
    assert "\x1b" not in on_a_terminal(["check", hostile, *arguments], **environment)


def test_a_pipe_gets_no_colour_unless_it_is_asked_for(hostile: str):
    for arguments, wanted in (([], False), (["--color"], True)):
        done = subprocess.run(
            [sys.executable, "-c", RUN, "check", hostile, *arguments], capture_output=True, check=False
        )
        assert (b"\x1b[" in done.stdout) is wanted


def test_lines_fit_into_the_terminal(hostile: str):
    shown = on_a_terminal(["check", hostile, "-t", "anthropic"], COLUMNS="60", NO_COLOR="1")
    found = [line for line in shown.splitlines() if line.startswith(("  |", "  >", "  error", "    "))]
    assert found
    assert max(map(cells, found)) <= 60


def test_a_mistyped_argument_is_harmless_too():
    for arguments in (
        ["check", "\x1b[2Jnope.json"],
        ["\x1b]0;owned\x07"],
        ["explain", "\x1b[2J"],
        ["check", "--\x1b[2J"],
    ):
        assert obeyed(on_a_terminal(arguments, NO_COLOR="1")) == []
