"""Exported pages in a real browser: no script runs, and no request leaves."""

from __future__ import annotations

import http.server
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hostile_story import FIELDS, PAYLOADS, story_of
from rejoinder.render.html import html, policy

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


# It tells in the title whether anything else ran, where scripts may run at all.
WITNESS = "<script>setTimeout(() => { document.title = window.PWN ? 'ran' : 'quiet' }, 300)</script>"
# Those that need no word in front of them to do their harm.
BARE = PAYLOADS[:1] + PAYLOADS[9:13] + PAYLOADS[18:28]


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
    open_to_all = html(story_of(dict.fromkeys(FIELDS, "".join(payloads)))).replace(
        policy(), "script-src 'unsafe-inline'"
    )
    page.write_text(open_to_all.replace("</body>", WITNESS + "</body>"), "utf-8")
    assert "<title>quiet</title>" in rendered(page, tmp_path / "profile")
    assert asked == []
    # The policy alone, without the escaping: nothing runs, the witness neither, and nothing leaves.
    harm = "".join(payload.replace("PORT", str(port)) for payload in BARE)
    page.write_text(html(story_of({})).partition("<body>")[0] + harm + WITNESS, "utf-8")
    shown = rendered(page, tmp_path / "profile")
    assert "<title>plain</title>" in shown
    assert asked == []
    # Neither: both happen.
    page.write_text("<html><title>plain</title><body>" + harm + WITNESS, "utf-8")
    assert "<title>ran</title>" in rendered(page, tmp_path / "profile")
    assert asked != []
