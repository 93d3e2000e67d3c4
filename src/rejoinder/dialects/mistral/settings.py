"""The settings of a Mistral chat request, as far as they have other names than elsewhere."""

from __future__ import annotations

from rejoinder.dialects.chat_settings import ChatWords, chat_settings

SETTINGS = chat_settings(
    ChatWords(
        same={
            "model": "model",
            "temperature": "temperature",
            "top_p": "top_p",
            "seed": "random_seed",
            "presence_penalty": "presence_penalty",
            "frequency_penalty": "frequency_penalty",
            "answers": "n",
            "parallel": "parallel_tool_calls",
            "stream": "stream",
        },
        # `required` is taken by newer servers, `any` by all of them.
        modes={"auto": "auto", "none": "none", "any": "any", "required": "any"},
        bare=False,
    )
)
