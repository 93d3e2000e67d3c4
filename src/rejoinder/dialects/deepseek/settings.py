"""The settings of a DeepSeek chat request, as far as they have other names than elsewhere."""

from __future__ import annotations

from rejoinder.dialects.chat_settings import ChatWords, chat_settings

SETTINGS = chat_settings(
    ChatWords(
        same={
            "model": "model",
            "temperature": "temperature",
            "top_p": "top_p",
            "presence_penalty": "presence_penalty",
            "frequency_penalty": "frequency_penalty",
            "effort": "reasoning_effort",
            "stream": "stream",
        },
        longest=("max_tokens", "max_completion_tokens"),
        # JSON of a schema cannot be asked for, and any JSON only of a prompt that speaks of JSON.
        formats=frozenset({"text", "json"}),
    )
)
