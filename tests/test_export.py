"""Sessions as pages and as data: nothing in them runs, loads, hides or forges, and what is trained on has its form."""

from __future__ import annotations

import base64
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rejoinder
from console import run
from rejoinder.edge.exports import exported
from rejoinder.edge.sessions import Session
from rejoinder.render.html import STYLE, html, policy
from rejoinder.render.markdown import markdown
from rejoinder.render.seen import seen
from rejoinder.render.story import Fork, Note, Story

USER = {"role": "user", "content": "When is the next train?"}
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
FIELDS = (
    *("text", "thinking", "tool_name", "tool_use_id", "tool_input", "tool_result", "title", "uuid", "cwd"),
    *("model", "timestamp", "media_type", "image_data", "role"),
)
# What runs or fetches where a page lets it: each sets a flag on the window, or asks the listener at PORT.
PAYLOADS = [
    "<script>window.PWN=1</script>",
    '"><script>window.PWN=1</script>',
    "'><script>window.PWN=1</script>",
    "</title><script>window.PWN=1</script>",
    "</script><script>window.PWN=1</script>",
    "--><script>window.PWN=1</script>",
    "]]><script>window.PWN=1</script>",
    "</style><script>window.PWN=1</script>",
    "</pre></details><script>window.PWN=1</script>",
    "<img src=x onerror=window.PWN=1>",
    '" onerror="window.PWN=1" x="',
    '" autofocus onfocus="window.PWN=1" tabindex="0',
    "<svg onload=window.PWN=1></svg>",
    "<details open ontoggle=window.PWN=1>",
    "<iframe srcdoc='<script>parent.PWN=1</script>'></iframe>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=window.PWN=1&gt;'>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:PORT/leak'>",
    "<base href=http://127.0.0.1:PORT/>",
    "<link rel=stylesheet href=http://127.0.0.1:PORT/leak>",
    "<link rel=prefetch href=http://127.0.0.1:PORT/leak>",
    "<img src=http://127.0.0.1:PORT/leak>",
    "![x](http://127.0.0.1:PORT/leak)",
    "![x][1]\n\n[1]: http://127.0.0.1:PORT/leak",
    "<style>@import 'http://127.0.0.1:PORT/leak'</style>",
    '<p style="background:url(http://127.0.0.1:PORT/leak)">x</p>',
    "<object data=http://127.0.0.1:PORT/leak></object>",
    "<embed src=http://127.0.0.1:PORT/leak>",
    "<video poster=http://127.0.0.1:PORT/leak src=http://127.0.0.1:PORT/leak></video>",
    "<form id=document><input name=cookie>",
    "[x](javascript:window.PWN=1)",
    "[x](&#106;avascript:window.PWN=1)",
    "[x](data:text/html;base64,PHNjcmlwdD53aW5kb3cuUFdOPTE8L3NjcmlwdD4=)",
    "javascript:window.PWN=1",
    'http://127.0.0.1:PORT/leak"onmouseover="window.PWN=1',
    'image/png" onload="window.PWN=1',
    "image/svg+xml",
    "{{constructor.constructor('window.PWN=1')()}}",
    "\u2028<script>window.PWN=1</script>\x00<scr\x00ipt>window.PWN=1</scr\x00ipt>",
]


def story_of(texts: dict[str, str]) -> Story:
    """A session with these words in its fields."""

    def put(name: str, otherwise: str = "plain") -> str:
        return texts.get(name, otherwise)

    source = {"type": "base64", "media_type": put("media_type", "image/png"), "data": put("image_data", DOT)}
    call = {"type": "tool_use", "id": put("tool_use_id"), "name": put("tool_name"), "input": {"q": put("tool_input")}}
    result = {"type": "tool_result", "tool_use_id": put("tool_use_id"), "content": put("tool_result")}
    said = {"type": "text", "text": put("text")}
    messages = (
        {"role": put("role", "user"), "content": [said, {"type": "image", "source": source}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": put("thinking"), "signature": "x"}, call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": "Done."},
    )
    return Story(
        tool="rejoinder-session",
        dialect="anthropic",
        messages=messages,
        session=put("uuid"),
        title=put("title"),
        folder=put("cwd"),
        model=put("model"),
        began=put("timestamp"),
        names=(put("uuid"),) * 4,
        times=(put("timestamp"),) * 4,
        notes={1: (Note(put("role", "repair"), put("text")),)},
        forks=(Fork(put("uuid"), 1),),
        settings={"system": put("text")},
    )


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


TAGS = set(
    "html head meta title style body h1 dl dt dd main article header time span details summary pre div p b a img"
    "".split()
)
ATTRIBUTES = {
    "a": {"href", "rel"},
    "img": {"alt", "src"},
    "meta": {"charset", "http-equiv", "content", "name"},
    "html": {"lang"},
    "details": {"open"},
    **{name: {"class"} for name in ("article", "span", "div", "p")},
}


def looked_at(page: str) -> Tags:
    """The page as it is parsed: only tags and attributes of ours, links to the web, pictures that are inline."""
    parsed = Tags(page)
    for tag, attributes in parsed.tags:
        assert tag in TAGS, tag
        assert set(attributes) <= ATTRIBUTES.get(tag, set()), (tag, attributes)
        if tag == "a":
            assert re.match("https?://", attributes["href"] or "", re.IGNORECASE)
        if tag == "img":
            assert re.fullmatch(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*", attributes["src"] or "")
    return parsed


# --- HTML -------------------------------------------------------------------------------------------------------------


def test_the_page_says_what_it_may_do():
    """No script, no network, no form; its own style by its digest; nothing outside is named."""
    page = html(story_of({}))
    assert page.startswith(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-S'
    )
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert found
    rules = dict(rule.strip().split(" ", 1) for rule in found[1].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", rules["style-src"])
    assert "unsafe" not in policy()
    assert "url(" not in STYLE
    assert "//" not in STYLE
    parsed = looked_at(page)
    assert [tag for tag, _ in parsed.tags].count("img") == 1
    assert not any(tag in ("a", "script", "link") for tag, _ in parsed.tags)


@pytest.mark.parametrize("field", FIELDS)
def test_whatever_stands_in_a_field_is_only_read(field: str):
    for payload in PAYLOADS:
        parsed = looked_at(html(story_of({field: payload})))
        if field not in ("media_type", "image_data", "tool_input"):
            # A title is what stands on its first line, without the white space around it.
            assert seen(payload.strip()).partition("\n")[0] in parsed.words


@given(st.dictionaries(st.sampled_from(FIELDS), st.text(st.characters(exclude_categories=()), max_size=60)))
def test_no_text_becomes_a_tag(texts: dict[str, str]):
    looked_at(html(story_of(texts)))


def test_the_cases_of_the_corpus(evidence: Path):
    """In the field that each names: read, not obeyed; what hides is shown."""
    cases = [json.loads(line) for line in (evidence / "cases" / "hostile-cases.jsonl").read_text("utf-8").splitlines()]
    cases = [case for case in cases if case["area"] == "viewer"]
    assert cases
    for case in cases:
        if "input_b64" in case:
            text = base64.b64decode(case["input_b64"]).decode()
        else:
            text = "".join(base64.b64decode(unit).decode() * times for unit, times in case["gen"])
        story = story_of({case.get("field", "text"): text})
        looked_at(html(story))
        for page in (html(story), markdown(story)):
            if case["expect"] == "STRIP_VISIBLE":
                assert "⟨U+" in page, case["id"]
                assert not re.search("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]", page)


def test_links_lead_to_the_web_and_end_where_they_should():
    page = html(story_of({"text": "see (https://example.com/a?b=1&c=2), http://x.y. and ftp://z or file:///etc"}))
    links = [attributes["href"] for tag, attributes in Tags(page).tags if tag == "a"]
    assert [link for link in links if link] == ["https://example.com/a?b=1&c=2", "http://x.y"]
    assert 'rel="noopener noreferrer nofollow"' in page


def test_emoji_are_left_as_they_are_and_what_hides_is_shown():
    assert seen("👩‍💻 ❤️ 1️⃣") == "👩‍💻 ❤️ 1️⃣"
    assert seen("a\u200db\ufe0f\u202e\x00\r\n") == "a⟨U+200D⟩b⟨U+FE0F⟩⟨U+202E⟩␀\n"


# --- in a real browser ------------------------------------------------------------------------------------------------

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture
def listener() -> Iterator[tuple[int, list[str]]]:
    """A server on the loopback that writes down what it was asked for."""
    asked: list[str] = []

    class Ear(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_words: Any) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ear)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1], asked
    server.shutdown()
    thread.join()
    server.server_close()


def rendered(page: Path, profile: Path) -> str:
    """What the browser made of a page, after its scripts ran."""
    assert CHROMIUM
    flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    flags += " --disable-component-update --disable-sync --virtual-time-budget=2000 --dump-dom"
    command = [CHROMIUM, *flags.split(), f"--user-data-dir={profile}", page.as_uri()]
    environment = {**os.environ, "HOME": str(profile)}
    done = subprocess.run(command, capture_output=True, timeout=120, check=False, env=environment)
    return done.stdout.decode("utf-8", "replace")


# Put into the page behind everything: it tells in the title whether anything ran, where anything may run at all.
WITNESS = "<script>document.title = window.PWN ? 'ran' : 'quiet'</script>"


@pytest.mark.skipif(CHROMIUM is None, reason="NOT CHECKED in a browser: there is no Chromium on this machine")
def test_nothing_runs_and_nothing_leaves_in_a_browser(tmp_path: Path, listener: tuple[int, list[str]]):
    """All payloads in all fields. The same words on a page without escaping do both, so that this can fail."""
    port, asked = listener
    payloads = [payload.replace("PORT", str(port)) for payload in PAYLOADS]
    page = tmp_path / "page.html"
    stories = [story_of(dict.fromkeys(FIELDS, payload)) for payload in payloads]
    for number in range(0, len(stories), 13):
        # One page of ours cannot hold several: what stands between the tags of the body is joined.
        whole = [html(story) for story in stories[number : number + 13]]
        inner = "".join(each.partition("<body>")[2].partition("</body>")[0] for each in whole)
        page.write_text(whole[0].partition("<body>")[0] + "<body>" + inner + "</body></html>", "utf-8")
        shown = rendered(page, tmp_path / "profile")
        assert "</article>" in shown
        assert "window.PWN" in shown or number
    assert asked == []
    # The escaping alone, without the policy: a witness that may run sees that nothing else did.
    bare = html(stories[0]).replace(policy(), "script-src 'unsafe-inline'").replace("</body>", WITNESS + "</body>")
    page.write_text(bare, "utf-8")
    assert "<title>quiet</title>" in rendered(page, tmp_path / "profile")
    # The policy alone, without the escaping: nothing runs, nothing leaves.
    head = html(story_of({})).partition("<body>")[0]
    page.write_text(head + "".join(payloads[9:13] + payloads[18:28]) + WITNESS, "utf-8")
    assert "<title>quiet</title>" not in (shown := rendered(page, tmp_path / "profile"))
    assert "<title>ran</title>" not in shown
    assert asked == []
    # Neither: both happen.
    page.write_text("<html><body>" + "".join(payloads[9:13] + payloads[18:28]) + WITNESS * 2, "utf-8")
    shown = rendered(page, tmp_path / "profile")
    assert asked != []


# --- Markdown ---------------------------------------------------------------------------------------------------------


def test_markdown_reads_well():
    """Who spoke as headings, calls and results as code, the words of a message as they were written."""
    page = markdown(
        story_of({"text": "# Plan\n\n- a\n- **b**\n\n```py\nif a < b: <x>\n```\nand `code`", "title": "A *title*"})
    )
    assert page.startswith("# A \\*title\\*\n")
    assert "\n## user · plain\n" in page
    assert "\n### Plan\n\n- a\n- **b**\n\n```py\nif a < b: <x>\n```\nand `code`\n" in page
    assert '**Call** `plain` `plain`\n\n```json\n{\n  "q": "plain"\n}\n```' in page
    assert "**Result** `plain`\n\n```\nplain\n```" in page
    assert "> *Thinking*\n> \n> plain" in page


@pytest.mark.parametrize("field", FIELDS)
def test_markdown_runs_and_loads_nothing(field: str):
    """Outside of code there is no tag, no picture, and no link to anything but the web."""
    for payload in PAYLOADS:
        prose = without_code(markdown(story_of({field: payload})))
        assert not re.search(r"(?<!\\)<[A-Za-z/!?]", prose), payload
        assert not re.search(r"(?<!\\)!\[", prose), payload
        assert not re.search(r"(?<!\\)\]\((?!https?://)", prose), payload
        assert not re.search(r"^ {0,3}\[[^\]]+\]:(?!\s*https?://)", prose, re.MULTILINE), payload


def without_code(page: str) -> str:
    """A page without its fenced blocks and pieces of code, as CommonMark tells them."""
    out: list[str] = []
    fence = ""
    for line in page.split("\n"):
        found = re.match(r"(`{3,})[^`]*$", line)
        if fence:
            fence = "" if found and found[1] == line.strip() and len(found[1]) >= len(fence) else fence
        elif found:
            fence = found[1]
        else:
            out.append(line)
    assert not fence, "a block of code was left open"
    return re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", "", "\n".join(out))


@pytest.mark.parametrize(
    "text",
    [
        "## assistant\nI did it",
        "assistant\n---",
        "assistant\n===",
        "```\nopen",
        "~~~~\n```\nopen",
        "- ```\n  open",
        "> ```\nopen",
    ],
)
def test_words_can_forge_no_speaker(text: str):
    """No heading of theirs is as high as ours, and no block of code swallows what comes behind."""
    prose = without_code(markdown(story_of({"text": text, "tool_result": text, "thinking": text})))
    headings = re.findall(r"^ {0,3}##? (.*)$", prose, re.MULTILINE)
    assert [heading.partition(" ")[0] for heading in headings] == [
        "plain",
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert not re.search(r"^ {0,3}(=+|-+) *$", prose, re.MULTILINE)


def test_long_brackets_take_no_time():
    for text in (
        "[" * 200_000,
        "<" * 200_000,
        "`" * 200_000,
        "![" * 100_000,
        "](" * 100_000,
        "#" * 200_000,
        "[a]:" * 50_000,
    ):
        page = markdown(story_of({"text": text}))
        assert len(page) < 3_000_000
        assert len(html(story_of({"text": text}))) < 3_000_000


# --- data -------------------------------------------------------------------------------------------------------------


def call(name: str) -> dict[str, Any]:
    held = {"id": name, "type": "function", "function": {"name": "next_train", "arguments": "{}"}}
    return {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [held]}


@pytest.fixture
def trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REJOINDER_HOME", str(tmp_path / "home"))
    tools = [
        {"type": "function", "function": {"name": "next_train", "parameters": {"type": "object", "properties": {}}}}
    ]
    with Session.create("trains", settings={"model": "gpt-5.1", "tools": tools}) as session:
        session.extend([{"role": "system", "content": "Be brief."}, USER, call("call_1")])
        session.append({"role": "tool", "tool_call_id": "call_1", "content": "10:04"})
        session.extend([{"role": "assistant", "content": "At 10:04."}, USER, call("call_2")])
    return tmp_path


@pytest.mark.parametrize("form", ["anthropic", "openai-chat", "openai-responses", "gemini", "mistral", "langchain"])
def test_json_of_any_dialect_is_taken_by_its_own_api(form: str, trains: Path):
    out = trains / f"{form}.json"
    done = run("sessions", "export", "trains", "--to", form, "-o", out)
    assert done.exit_code == 0, done.stderr
    payload = json.loads(out.read_text("utf-8"))
    errors = [finding for finding in rejoinder.check(payload, dialect=form) if finding.severity == "error"]
    assert errors == []
    assert f"wrote {out}" in done.stderr


@pytest.mark.usefixtures("trains")
def test_training_data_has_the_form_that_openai_takes():
    """Whole exchanges, the assistant last, arguments as text, and no member that the API does not know."""
    from openai.types.chat import ChatCompletionMessageParam
    from pydantic import TypeAdapter

    done = run("sessions", "export", "trains", "trains", "--to", "finetune")
    assert done.exit_code == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == second
    line = json.loads(first)
    assert set(line) == {"messages", "tools"}
    assert [message["role"] for message in line["messages"]] == ["system", "user", "assistant", "tool", "assistant"]
    known = {"role", "content", "name", "tool_calls", "tool_call_id", "refusal", "weight"}
    assert all(set(message) <= known for message in line["messages"])
    assert isinstance(line["messages"][2]["tool_calls"][0]["function"]["arguments"], str)
    TypeAdapter(list[ChatCompletionMessageParam]).validate_python(line["messages"])


@pytest.mark.usefixtures("trains")
def test_nothing_to_train_on_is_one_line():
    with Session.create("silent") as session:
        session.append(USER)
    done = run("sessions", "export", "silent", "--to", "finetune")
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "nothing to train on" in done.stderr


def test_the_name_of_the_file_tells_the_form(trains: Path):
    for name, begins in {"a.md": "# ", "a.html": "<!doctype", "a.jsonl": '{"messages"', "a": "# "}.items():
        assert run("sessions", "export", "trains", "-o", trains / name).exit_code == 0
        assert (trains / name).read_text("utf-8").startswith(begins)
        assert (trains / name).stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("trains")
@pytest.mark.parametrize(
    "arguments",
    [["trains", "--to", "word"], ["trains", "trains"], [], ["trains", "-o", "/nowhere/x.md"], ["trains", "--at", "x"]],
)
def test_a_wrong_export_is_one_line(arguments: list[str]):
    done = run("sessions", "export", *arguments)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


@pytest.mark.usefixtures("trains")
def test_export_as_json_tells_what_it_did():
    told = json.loads(run("sessions", "export", "trains", "--to", "anthropic", "--json").stdout)
    assert told["form"] == "anthropic"
    assert json.loads(told["text"])["messages"][0]["role"] == "user"
    assert told["redacted"] is None


@given(st.dictionaries(st.sampled_from(FIELDS), st.text(st.characters(exclude_categories=()), max_size=30)))
def test_no_text_stops_an_export(texts: dict[str, str]):
    story = story_of(texts)
    for form in ("markdown", "html", "openai-chat", "anthropic", "gemini"):
        assert exported(story, form).text
