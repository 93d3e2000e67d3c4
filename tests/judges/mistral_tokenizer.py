"""An independent judge, executed: the validator of Mistral's own tokenizer library."""

import warnings
from functools import cache
from typing import Any

# What the library has no word for, though the API takes it; each stands for a text here.
_UNKNOWN = ("document_url", "file", "reference")


def refusals_by_tokenizer(messages: list[Any], version: int = 11) -> list[str]:
    """What the validator of a tokenizer version says against the messages in serving mode; [] when it would serve."""
    # It takes seconds to import, and only who asks for it has to wait.
    from mistral_common.exceptions import MistralCommonException
    from mistral_common.protocol.instruct.request import ChatCompletionRequest

    known = [_known(message) for message in messages]
    last = messages[-1] if messages else None
    goes_on = isinstance(last, dict) and last.get("prefix") is True
    try:
        request = ChatCompletionRequest.from_openai(messages=known, continue_final_message=goes_on, model="any")
        _validator(version).validate_request(request)
    except (MistralCommonException, ValueError, KeyError, AttributeError) as error:
        return [f"{type(error).__name__}: {error}"]
    return []


@cache
def _validator(version: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from mistral_common.protocol.instruct import validator

    return getattr(validator, f"MistralRequestValidatorV{version}")(mode=validator.ValidationMode.serving)


def _known(message: Any) -> Any:
    """The message with chunks as the library writes them."""
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return message
    return {**message, "content": [_chunk(chunk) for chunk in content]}


def _chunk(chunk: Any) -> Any:
    kind = chunk.get("type") if isinstance(chunk, dict) else None
    if kind == "thinking" and isinstance(chunk.get("thinking"), list):
        words = "".join(each.get("text", "") for each in chunk["thinking"])
        return {"type": "thinking", "thinking": words, "closed": chunk.get("closed", True)}
    return {"type": "text", "text": kind} if kind in _UNKNOWN else chunk
