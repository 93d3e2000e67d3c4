"""What a request says besides its messages, in words that belong to no provider."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that the model may call. `schema` is the JSON Schema of its arguments.

    `source` is set where only one provider understands the tool: it is carried nowhere else. `cache` is how a cache
    mark on it says how long it holds; None where there is no mark.
    """

    name: str
    description: str | None = None
    schema: Any = None
    strict: bool | None = None
    source: Any = None
    cache: dict[str, Any] | None = None


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the model may call tools, must, must not, or must call the one that is named."""

    mode: Literal["auto", "none", "any", "tool"]
    name: str | None = None


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """What the answer has to look like: any text, any JSON, or JSON of a schema."""

    kind: Literal["text", "json", "schema"]
    schema: Any = None
    name: str | None = None
    strict: bool | None = None


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a request; None is not set. `rest` holds what has no common name, as it was written."""

    model: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    stop: tuple[str, ...] | None = None
    seed: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    answers: int | None = None
    tools: tuple[Tool, ...] | None = None
    choice: Choice | None = None
    parallel: bool | None = None
    format: Format | None = None
    effort: str | None = None
    user: str | None = None
    stream: bool | None = None
    rest: dict[str, Any] = {}
