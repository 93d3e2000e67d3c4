"""litellm: `anthropic_messages_pt` with `modify_params`, which turns OpenAI dicts into Anthropic dicts and mends them.

As in litellm's own request path the system messages are taken out first (Anthropic has them beside the messages).
Its pair-only pass, which that function begins with, is timed alone as well: dicts in, dicts out, no conversion.
"""

import os
from importlib.metadata import version

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # read at import: else it asks the network for prices

import litellm
from contest import Messages, compete
from litellm.litellm_core_utils.prompt_templates.factory import (
    anthropic_messages_pt,
    sanitize_messages_for_tool_calling,
)
from litellm.llms.anthropic.chat.transformation import AnthropicConfig

MODEL = "claude-sonnet-4-5"
litellm.modify_params = True
litellm.suppress_debug_info = True


def mend(messages: Messages) -> Messages:
    rest = list(messages)
    AnthropicConfig().translate_system_message(rest)
    return anthropic_messages_pt(rest, model=MODEL, llm_provider="anthropic")


if __name__ == "__main__":
    compete(
        version("litellm"),
        mend,
        {
            "sanitize_messages_for_tool_calling": lambda messages: lambda: sanitize_messages_for_tool_calling(messages),
            "anthropic_messages_pt (converts)": lambda messages: lambda: mend(messages),
        },
    )
