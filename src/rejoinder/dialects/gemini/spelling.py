"""The members of a Gemini payload in both spellings: `functionCall` as in REST, `function_call` as in the protos."""

from __future__ import annotations

import re
from typing import Any

from rejoinder.values.loose import is_array, is_object

Block = dict[str, Any]

# What holds the one thing that a part says.
DATA = (
    *("text", "inlineData", "fileData", "functionCall", "functionResponse"),
    *("executableCode", "codeExecutionResult", "toolCall", "toolResponse"),
)
_OTHERS = (
    *("thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata", "mediaProcessing", "mimeType", "fileUri"),
    *("displayName", "functionDeclarations", "parametersJsonSchema", "generationConfig", "toolConfig", "stopSequences"),
    *("functionCallingConfig", "allowedFunctionNames", "topP", "topK", "maxOutputTokens", "candidateCount"),
    *("presencePenalty", "frequencyPenalty", "responseMimeType", "responseSchema", "responseJsonSchema"),
    *("thinkingConfig", "thinkingLevel", "systemInstruction", "audioTranscription", "speechMetadata"),
)


def snake(name: str) -> str:
    """`functionCall` as `function_call`."""
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name)


_SNAKE = {name: snake(name) for name in (*DATA, *_OTHERS)}
_CAMEL = {other: name for name, other in _SNAKE.items()}


def both(*names: str) -> frozenset[str]:
    """These members in both spellings."""
    return frozenset(each for name in names for each in (name, snake(name)))


def member(block: Block, name: str) -> Any:
    """A member, however it is spelled; None where it is not there."""
    value = block.get(name)
    return block.get(_SNAKE.get(name, name)) if value is None else value


def spelled(block: Block, name: str, snaky: bool) -> str:
    """How to spell a member that is written into this block: as it stands there, else as its payload does."""
    other = _SNAKE.get(name, name)
    if name in block or other in block:
        return name if name in block else other
    return other if snaky else name


def common(name: str) -> str:
    """The member in the spelling of REST."""
    return _CAMEL.get(name, name)


def is_snaky(block: object) -> bool:
    """Does a block spell its members with underscores?"""
    return is_object(block) and any(name in _CAMEL and _CAMEL[name] != name for name in block)


def payload_is_snaky(payload: object) -> bool:
    """Does a payload spell its members with underscores? What spells one first tells."""
    body: Block = payload if is_object(payload) else {}
    if is_snaky(body):
        return True
    contents = body.get("contents") if body else payload
    for content in contents if is_array(contents) else ():
        parts = content.get("parts") if is_object(content) else None
        for part in parts if is_array(parts) else ():
            if is_snaky(part):
                return True
            if is_object(part) and any(name in _SNAKE and _SNAKE[name] != name for name in part):
                return False
    return False
