"""Media are fetched at the edge, over a real socket: bounded, and from public addresses only."""

from __future__ import annotations

import base64
import ipaddress
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import rejoinder as rj
from rejoinder.edge.fetch import fetcher, is_public

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


class Pictures(BaseHTTPRequestHandler):
    """A picture, a redirect to it, one that is too large, and one that never ends."""

    def do_GET(self):
        if self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", "/a.png")
            self.end_headers()
            return
        body = PNG if self.path.startswith("/a.png") else bytes(300_000)
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    found = ThreadingHTTPServer(("127.0.0.1", 0), Pictures)
    threading.Thread(target=found.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{found.server_port}"
    found.shutdown()
    found.server_close()


def anywhere(_: object) -> bool:
    return True


def test_what_is_fetched_is_put_inline(server: str):
    """A target that takes images inline only gets the bytes."""
    got = fetcher(allowed=anywhere)(rj.Fetch(server + "/a.png?key=secret", "image"))
    assert got == rj.Fetched(base64.b64encode(PNG).decode(), "image/png")


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/a.png", "http://localhost/a.png", "http://[::1]/a.png"])
def test_a_private_address_is_refused_before_anything_is_sent(url: str):
    with pytest.raises(rj.FetchError, match="no public address"):
        fetcher()(rj.Fetch(url, "image"))


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.com/a", "http:///a", "data:image/png;base64,AA"])
def test_only_http_is_fetched(url: str):
    with pytest.raises(rj.FetchError, match="only http and https"):
        fetcher(allowed=anywhere)(rj.Fetch(url, "image"))


def test_too_much_is_refused(server: str):
    with pytest.raises(rj.FetchError, match="more than 1,000 bytes"):
        fetcher(largest=1_000, allowed=anywhere)(rj.Fetch(server + "/large.png", "image"))


def test_a_redirect_is_not_followed(server: str):
    with pytest.raises(rj.FetchError, match="the answer is 302"):
        fetcher(allowed=anywhere)(rj.Fetch(server + "/moved", "image"))


def test_an_error_does_not_show_what_a_url_may_hold(server: str):
    """Keys stand in queries: they are in no message."""
    with pytest.raises(rj.FetchError) as caught:
        fetcher(allowed=anywhere)(rj.Fetch(server + "/moved?key=sk-secret", "image"))
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("10.0.0.1", False),
        ("169.254.169.254", False),
        ("127.0.0.1", False),
        ("0.0.0.0", False),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
    ],
)
def test_which_addresses_are_public(address: str, public: bool):
    assert is_public(ipaddress.ip_address(address)) == public
