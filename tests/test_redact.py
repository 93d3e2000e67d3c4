"""Secrets are taken out wherever they stand, the same one always alike; and what is none stays as it is."""

from __future__ import annotations

import base64
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejoinder.transcripts import named_secrets, secrets
from rejoinder.transcripts.redact import redacted
from rejoinder.transcripts.secrets import secrets_in

# Letters that no provider has given out: they only look so.
FAKE = "FAKE0000" * 5
# Each kind: the text that it stands in, and the letters that must be gone.
KINDS: dict[str, tuple[str, str]] = {
    "anthropic key": (f"sk-ant-api03-{FAKE}", FAKE),
    "openai key": (f"sk-{FAKE}", FAKE),
    "openai project key": (f"sk-proj-{FAKE}", FAKE),
    "github token": (f"ghp_{FAKE}", FAKE),
    "github fine-grained token": (f"github_pat_11AA_{FAKE}", FAKE),
    "aws key id": ("AKIAFAKE0000FAKE0000", "FAKE0000FAKE0000"),
    "aws secret key": ("aws_secret_access_key = wJalrFAKE/K7MDENG0bPxRfiCYFAKEFAKE000000", "wJalrFAKE/K7MDENG0bPx"),
    "google api key": (f"AIza{FAKE[:35]}", FAKE[:35]),
    "google oauth token": (f"ya29.a0{FAKE}", FAKE),
    "slack token": (f"xoxb-1234567890-{FAKE}", FAKE),
    "hugging face token": (f"hf_{FAKE}", FAKE),
    "stripe key": (f"sk_live_{FAKE}", FAKE),
    "npm token": (f"npm_{FAKE[:36]}", FAKE[:36]),
    "pypi token": (f"pypi-AgEI{FAKE}", FAKE),
    "jwt": (f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{FAKE}", FAKE),
    "private key": (f"-----BEGIN RSA PRIVATE KEY-----\nMIIE{FAKE}\n{FAKE}==\n-----END RSA PRIVATE KEY-----", FAKE),
    "password in a url": (f"postgres://me:{FAKE}@db.invalid/x", FAKE),
    "authorization header": (f"Authorization: Bearer {FAKE}", FAKE),
    "basic authorization": ("Authorization: Basic bWU6RkFLRTAwMDA=", "bWU6RkFLRTAwMDA"),
    "assignment": (f'export DB_SECRET="{FAKE}"', FAKE),
    "key in a url": (f"https://h.invalid/v1?key={FAKE}&x=1", FAKE),
}


def masks(text: str) -> str:
    return redacted(text)[0]


# --- each kind --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("around", ["{}", "see {}", "a=1\n{}\nb=2", "`{}`", "({}),", "x\t{}\r\n", "«{}»", '["{}"]'])
def test_each_kind_is_found_in_the_midst_of_words(kind: str, around: str):
    text, secret = KINDS[kind]
    out = masks(around.replace("{}", text))
    assert secret not in out
    assert len(re.findall(r"\[redacted [a-z -]+ 1\]", out)) == 1, out


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_found_inside_of_json_inside_of_json(kind: str):
    """As tool arguments are: what comes out can be parsed as often as what went in."""
    text, secret = KINDS[kind]
    inner = json.dumps({"command": f"echo '{text}'", "n": [1, text]})
    out, report = redacted({"arguments": inner, "log": json.dumps({"was": inner})})
    assert secret not in json.dumps(out)
    once = json.loads(out["arguments"])
    assert (list(once), once["n"][0]) == (["command", "n"], 1)
    assert json.loads(json.loads(out["log"])["was"]) == once
    assert sum(each["places"] for each in report.values()) == 4


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_found_in_a_torn_piece_of_json(kind: str):
    """What cannot be parsed is read as words; a backslash stands for nothing there."""
    text, secret = KINDS[kind]
    torn = json.dumps({"a": f"line\n{text}\nline", "b": text})[:-1]
    assert secret not in masks(torn)


def test_the_cases_of_the_corpus(evidence: Path):
    cases = [json.loads(line) for line in (evidence / "cases" / "hostile-cases.jsonl").read_text("utf-8").splitlines()]
    cases = [case for case in cases if case["area"] == "redact" and "input_b64" in case]
    assert cases
    for case in cases:
        text = base64.b64decode(case["input_b64"]).decode()
        out = masks(text)
        if case["expect"] == "REDACT":
            assert "[redacted " in out, case["id"]
            assert "FAKE" not in out, case["id"]
        else:
            assert out == text, case["id"]


# --- hidden -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hidden", ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u200d\u200c"])
def test_letters_of_no_width_do_not_hide_a_key(hidden: str):
    key = f"sk-ant-{hidden}api03-FAKE{hidden}0000FAKE0000"
    assert masks(f"é {key} is it") == "é [redacted anthropic key 1] is it"
    assert redacted([key, key.replace(hidden, "")])[0] == ["[redacted anthropic key 1]"] * 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\\\n", "\n  ", "\n> ", "\\n"])
def test_a_key_that_is_wrapped_is_one(end: str):
    assert (
        masks(f"sk-ant-api03-FAKE0000{end}FAKE0000FAKE0000{end}done now") == f"[redacted anthropic key 1]{end}done now"
    )
    assert masks(f"ghp_FAKE00{end}00FAKE0000FAKE0000").startswith("[redacted github token 1]")


@pytest.mark.parametrize("before", ["", " ", "is ", "me: "])
@pytest.mark.parametrize("key", [f"sk-ant-api03-{FAKE}", f"ghp_{FAKE}", "AKIAFAKE0000FAKE0000", f"github_pat_{FAKE}"])
def test_base64_does_not_hide_a_key(before: str, key: str):
    """Wherever among three bytes it begins; and it is known for the same one."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        hidden = encode((before + key + " and more").encode()).decode()
        out = redacted([f"data: {hidden}.", key])[0]
        assert out[1].startswith("[redacted ")
        assert out[0] == f"data: {out[1]}."


# --- the same secret, the same mask -----------------------------------------------------------------------------------


def test_the_same_secret_has_one_mask_and_another_has_another():
    out, report = redacted([f"ghp_{FAKE}", {"x": f"use ghp_{FAKE}"}, "ghp_" + "0" * 18 + "FAKE"])
    assert out == ["[redacted github token 1]", {"x": "use [redacted github token 1]"}, "[redacted github token 2]"]
    assert report == {"github token": {"secrets": 2, "places": 3}}


def test_what_was_known_by_its_name_is_known_without_it():
    """Also in front of where it was named."""
    out, _ = redacted(["it printed Tr0ub4dor&3x there", {"env": "DB_PASSWORD=Tr0ub4dor&3x"}])
    assert out == ["it printed [redacted password 1] there", {"env": "DB_PASSWORD=[redacted password 1]"}]


def test_keys_in_a_list_are_not_one():
    """Each line begins like a key: it goes on nothing."""
    out = masks(f"ghp_{FAKE}\nghp_0{FAKE}\n2026-11-01\n")
    assert out == "[redacted github token 1]\n[redacted github token 2]\n2026-11-01\n"


def test_a_line_of_an_env_file_is_masked_to_its_end():
    assert masks("A=1\nexport MY_PASSWORD=Tr0ub4dor&3$x;y\nB=2") == "A=1\nexport MY_PASSWORD=[redacted password 1]\nB=2"


def test_to_redact_twice_changes_nothing():
    once = redacted([text for text, _ in KINDS.values()])[0]
    again, report = redacted(once)
    assert again == once
    assert report == {}


# --- JSON -------------------------------------------------------------------------------------------------------------


def test_members_that_are_called_so():
    """By their name, and by the name beside them; numbers, schemas and places to fill in stay."""
    value = {
        "apiKey": "0a1b2c3d4e5f",
        "password": "hunter2",
        "headers": [{"name": "X-Api-Key", "value": "zx81spectrum48k"}, {"name": "Accept", "value": "zx81spectrum48q"}],
        "Authorization": "Basic bWU6cHc0dQ==",
        "max_tokens": 4096,
        "token": "word",
        "properties": {"password": {"type": "string", "description": "Your password: at least 8 letters"}},
        "secret": "${SECRET}",
        "api_key": "YOUR_API_KEY",
    }
    out, _ = redacted(value)
    assert out["apiKey"] == "[redacted named secret 1]"
    assert out["password"] == "[redacted password 1]"
    assert [pair["value"][:9] for pair in out["headers"]] == ["[redacted", "zx81spect"]
    assert out["Authorization"].startswith("Basic [redacted ")
    kept = ("max_tokens", "token", "properties", "secret", "api_key")
    assert {name: out[name] for name in kept} == {name: value[name] for name in kept}


def test_names_of_members_are_looked_at_too():
    assert redacted({f"ghp_{FAKE}": 1})[0] == {"[redacted github token 1]": 1}


def test_what_has_no_secret_is_the_same_object():
    value = {"a": [1, {"b": '{"c":  [1.50, 1e3]}'}], "d": None}
    assert redacted(value)[0] is value


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
        | st.sampled_from([text for text, _ in KINDS.values()]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["text", "password", "value", "name"]), inner, max_size=3)
            | st.builds(json.dumps, inner)
        ),
        max_leaves=12,
    )
)
def test_no_key_is_left_in_any_shape(value: Any):
    before = json.dumps(value)
    out, _ = redacted(value)
    shown = json.dumps(out)
    assert json.dumps(value) == before
    assert "FAKE0000FAKE" not in shown
    assert shape(out) == shape(value)


def shape(value: Any) -> Any:
    """What of a value is no words; texts that are JSON are taken apart."""
    if isinstance(value, str):
        try:
            inside = json.loads(value)
        except ValueError:
            return str
        return ("json", shape(inside)) if isinstance(inside, dict | list) else str
    if isinstance(value, dict):
        return {name: shape(held) for name, held in value.items()}
    return [shape(held) for held in value] if isinstance(value, list) else value


# --- what is none -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "toolu_01A09q90qw90lq917835lq9 call_abc123def456ghi789 msg_01XFDUDYJgAACzvnptvVoYEL",
        "max_tokens=4096, token = tokenizer.eos_token_id, tokens: 1234567890123456789",
        "password = getpass.getpass()",
        "api_key=os.environ['OPENAI_API_KEY']",
        "self.password = password",
        "secret: ${{ secrets.NPM_TOKEN }}",
        "PASSWORD=changeme",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <your token>",
        "the passphrase: a long walk in the park",
        "https://user@example.com:8080/a?page=2&key=name&token=",
        "git@github.com:owner/repo.git",
        "sk-learn, task-force-2026-planning, sk-SK, disk-usage-report-2026",
        "import { useState } from 'react'; const key = props.itemKeyInTheList2;",
        "/usr/lib/python3.11/site-packages/transformers/models/auto/tokenization_auto.py",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
        "eyJ is how base64 of JSON begins",
        "AKIA is how their ids begin; ASIANRESTAURANTSINTOWN",
        "password: string; secret?: boolean; accessToken: Token2",
    ],
)
def test_what_only_looks_like_one_stays(text: str):
    assert masks(text) == text


def test_no_picture_is_taken_for_a_key():
    """A million letters of base64, in which each word of four turns up; in a field, and in the midst of words."""
    picture = base64.b64encode(b"".join(number.to_bytes(4, "big") * 3 for number in range(7, 80_000_000, 997))).decode()
    planted = picture[:5000] + "AKIAFAKE0000FAKE0000" + "hfAIza" + picture[5000:]
    for text in (picture, f"![x](data:image/png;base64,{planted}) is it"):
        assert masks(text) == text


def test_hardly_a_word_of_clean_text_is_taken_for_one(evidence: Path):
    """At most one in 10,000 words: in pages about these very APIs, and in this repository's own code."""
    root = Path(__file__).resolve().parents[1]
    pages = [*evidence.glob("*.md"), *(root / "docs").glob("*.md"), *(root / "src").rglob("*.py")]
    texts = [page.read_text("utf-8") for page in pages]
    words = sum(len(text.split()) for text in texts)
    found = [secret for text in texts for secret in secrets_in(text)]
    assert words > 100_000
    assert len(found) <= words / 10_000, found


# --- time -------------------------------------------------------------------------------------------------------------

ATTACKS = [
    *(
        "sk-ant-",
        "sk-",
        "ghp_",
        "AKIA",
        "eyJ",
        "eyJaaaaaaaa.",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "://",
        "://a:",
    ),
    *(
        "password",
        "password=",
        'password="',
        "api_key: ",
        "_KEY",
        "A_",
        "bearer ",
        "authorization: ",
        "?key=",
        "&",
        "-u a:",
    ),
    *(
        "aws secret ",
        "sk-ant-aaaaaaaa\n",
        "sk-ant-a\n1aaaaaaa\n",
        "\u200b",
        "a\u200b",
        "c2stYW50L",
        "A1b2C3d4/",
        "{",
        '{"a":',
        '"',
        "\\",
    ),
]


def test_no_text_takes_more_than_its_length():
    """Each pattern on texts made to hurt it: twice the letters take about twice the time."""
    slow: list[tuple[str, float, float]] = []
    for attack in ATTACKS:
        took = [best(attack * (length // len(attack))) for length in (40_000, 160_000)]
        # Four times the letters; quadratic would be sixteen times the time.
        if took[1] > 8 * took[0] + 0.01:
            slow.append((attack, took[0], took[1]))
    assert slow == []


def best(text: str) -> float:
    spent: list[float] = []
    for _ in range(3):
        began = time.process_time()
        secrets_in(text)
        spent.append(time.process_time() - began)
    return min(spent)


def test_no_pattern_repeats_a_repetition():
    """`(a+)+` and its kin: what makes a pattern take for ever."""
    patterns = [
        found.pattern
        for module in (secrets, named_secrets)
        for found in vars(module).values()
        if isinstance(found, re.Pattern)
    ]
    assert len(patterns) > 10
    assert [pattern for pattern in patterns if re.search(r"[+*]\)[+*]", pattern)] == []
