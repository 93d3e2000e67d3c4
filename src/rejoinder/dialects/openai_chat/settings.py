"""The settings of an OpenAI Chat request, as far as they have other names than elsewhere."""

from __future__ import annotations

from rejoinder.dialects.chat_settings import ChatWords, chat_settings

SETTINGS = chat_settings(
    ChatWords(
        same={
            "model": "model",
            "temperature": "temperature",
            "top_p": "top_p",
            "seed": "seed",
            "presence_penalty": "presence_penalty",
            "frequency_penalty": "frequency_penalty",
            "answers": "n",
            "parallel": "parallel_tool_calls",
            "effort": "reasoning_effort",
            "user": "user",
            "stream": "stream",
        },
        longest=("max_completion_tokens", "max_tokens"),
    )
)
