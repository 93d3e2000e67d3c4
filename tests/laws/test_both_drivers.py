"""Law 12: work that asks the world gives the same outcome, whether its answers are awaited or not."""

import asyncio
from typing import Any

import pytest

from laws.cases import written
from rejoinder.crossing import converting
from rejoinder.values.ask import Fetch, Fetched, drive, drive_async

URLS = ("https://example.com/a.png", "https://example.com/b.png")
HISTORY = [
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}} for url in URLS]},
    {"role": "assistant", "content": "Two pictures."},
    {"role": "user", "content": "Of what?"},
]


def answer(ask: Fetch) -> Fetched | None:
    """The first picture is there, the other is not."""
    return Fetched("iVBORw0KGgo=", "image/png") if ask.url == URLS[0] else None


@pytest.mark.parametrize("goal", ["bedrock", "anthropic", "gemini"])
def test_what_is_awaited_is_what_is_asked(goal: str):
    """The same payload, the same losses, and the same questions in the same order."""
    asked: list[list[str]] = [[], []]

    def at_once(ask: Fetch) -> Fetched | None:
        asked[0].append(ask.url)
        return answer(ask)

    async def later(ask: Fetch) -> Fetched | None:
        asked[1].append(ask.url)
        await asyncio.sleep(0)
        return answer(ask)

    one: Any = drive(converting(HISTORY, goal, dialect="openai-chat"), at_once)
    other: Any = asyncio.run(drive_async(converting(HISTORY, goal, dialect="openai-chat"), later))
    assert written(one.payload) == written(other.payload)
    assert one.losses == other.losses
    assert asked[0] == asked[1]
    assert (goal != "bedrock") or asked[0] == list(URLS)
