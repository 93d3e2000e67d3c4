"""Sessions as pages: nothing in them runs, loads, hides or forges."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile_story import FIELDS, PAYLOADS, story_of
from rejoinder.render.html import STYLE, html, policy
from rejoinder.render.markdown import markdown
from rejoinder.render.seen import seen


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
