"""The answer to a `Fetch`: media over HTTP, bounded in size and time, and never from a private address.

A URL in a history is written by whoever wrote the history. So the name is resolved here, each of its
addresses has to be public, and the connection goes to the very address that was looked at: a name that
resolves to something else a moment later gains nothing. Redirects are not followed.
"""

from __future__ import annotations

import base64
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import SplitResult, urlsplit

from rejoinder.errors import FetchError
from rejoinder.values.ask import Fetch, Fetched

LARGEST = 20 * 1024 * 1024
SECONDS = 15.0
_CHUNK = 64 * 1024
_PORTS = {"http": 80, "https": 443}

Allowed = Callable[[ipaddress.IPv4Address | ipaddress.IPv6Address], bool]


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Is it an address of the public internet, and of no network of somebody's own?"""
    mapped = getattr(address, "ipv4_mapped", None)
    return is_public(mapped) if mapped is not None else address.is_global and not address.is_multicast


def fetcher(
    largest: int = LARGEST, seconds: float = SECONDS, allowed: Allowed = is_public
) -> Callable[[Fetch], Fetched | None]:
    """A function that fetches what conversions ask for. What cannot be had, or is refused, is a `FetchError`."""

    def fetch(ask: Fetch) -> Fetched:
        try:
            return _fetched(ask, largest, seconds, allowed)
        except (OSError, HTTPException, ValueError) as error:
            if isinstance(error, FetchError):
                raise
            raise FetchError(f"{_named(ask.url)}: {error or type(error).__name__}; nothing was fetched") from None

    return fetch


def _named(url: str) -> str:
    """The URL as an error may show it: without a user, a password or a query, where keys are."""
    parts = urlsplit(url)
    return SplitResult(parts.scheme, parts.hostname or "", parts.path, "", "").geturl()[:200]


def _fetched(ask: Fetch, largest: int, seconds: float, allowed: Allowed) -> Fetched:
    parts = urlsplit(ask.url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise FetchError(f"{_named(ask.url)}: only http and https URLs are fetched")
    until = time.monotonic() + seconds
    port = parts.port or _PORTS[parts.scheme]
    address = _address(parts.hostname, port, allowed)
    with closing(_connection(parts, address, port, seconds)) as connection:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("GET", path, headers={"User-Agent": "rejoinder", "Accept": "*/*"})
        with closing(connection.getresponse()) as answer:
            if answer.status != 200:
                wanted = "200 was wanted (no redirect is followed)"
                raise FetchError(f"{_named(ask.url)}: the answer is {answer.status}, {wanted}")
            data = _read(answer, ask.url, largest, until)
            kind = answer.headers.get_content_type()
    return Fetched(base64.b64encode(data).decode("ascii"), kind)


def _address(host: str, port: int, allowed: Allowed) -> str:
    found = {str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    for text in sorted(found):
        if not allowed(ipaddress.ip_address(text.partition("%")[0])):
            raise FetchError(f"{host}: {text} is no public address; media are fetched from public ones only")
    return min(found)


def _connection(parts: SplitResult, address: str, port: int, seconds: float) -> HTTPConnection:
    """A connection to the address that was looked at; TLS and the `Host` header go by the name."""
    connection = HTTPConnection(parts.hostname or "", port, timeout=seconds)
    raw = socket.create_connection((address, port), seconds)
    if parts.scheme == "https":
        raw = ssl.create_default_context().wrap_socket(raw, server_hostname=parts.hostname)
    connection.sock = raw
    return connection


def _read(answer: HTTPResponse, url: str, largest: int, until: float) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := answer.read(_CHUNK):
        pieces.append(piece)
        size += len(piece)
        if size > largest:
            raise FetchError(f"{_named(url)}: more than {largest:,} bytes; that is the limit")
        if time.monotonic() > until:
            raise FetchError(f"{_named(url)}: it took too long")
    return b"".join(pieces)
