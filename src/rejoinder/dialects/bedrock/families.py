"""Which models on Bedrock are which. Names are asked for in small letters and with dots written as hyphens."""

from __future__ import annotations

CLAUDE = r"anthropic|claude"
NOVA = r"amazon-nova|\bnova-"
LLAMA = r"meta-|llama"
MISTRAL = r"mistral|pixtral|ministral|magistral|voxtral"
WRITER = r"writer|palmyra"
NO_MEDIA_IN_RESULTS = r"qwen|moonshot|kimi"
# A name that tells nothing of the model behind it.
_HIDDEN = r"application-inference-profile/|provisioned-model/|imported-model/|custom-model|prompt-router/|:prompt/"
# All but the families that were seen to take a conversation that the assistant begins.
USER_FIRST = rf"^(?!.*(?:{CLAUDE}|qwen|zai|glm|moonshot|kimi|{_HIDDEN}))."
NOT_CLAUDE = rf"^(?!.*(?:{CLAUDE}|{_HIDDEN}))."
# The newest Claude models: they go on from nobody's words but the user's, and bind thinking to what stands before it.
NO_PREFILL = r"claude-(?:[a-z]+-4-(?:[6-9]|\d\d)(?!\d)|[a-z]+-(?:[5-9]|\d\d)(?!\d))"
BOUND = r"claude-(?:fable-(?:5-[1-9]|[6-9])|opus-(?:5-[5-9]|[6-9]))(?!\d)"
