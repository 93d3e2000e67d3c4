"""One conversion, OpenAI Chat to Anthropic, to the bytes of a request; each package in its own process.

Called with a task file, an answer file and the name of the package. The unit is `orjson.dumps` of the same messages in
the same process: the price of merely writing them down.
"""

import json
import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson
from race import race

Messages = list[dict[str, Any]]
MODEL = "claude-sonnet-4-5"
UNIT = "orjson.dumps"


def _sent(body: Any) -> bytes:
    """The bytes as httpx writes them."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def rejoinder(messages: Messages) -> dict[str, Callable[[], object]]:
    import rejoinder as rj

    return {
        "convert, to body bytes": lambda: rj.convert(messages, "anthropic", model=MODEL).body,
        "convert, to a payload": lambda: rj.convert(messages, "anthropic", model=MODEL).payload,
    }


def litellm(messages: Messages) -> dict[str, Callable[[], object]]:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # read at import: else it asks the network for prices
    import litellm
    from litellm.llms.anthropic.chat.transformation import AnthropicConfig

    litellm.modify_params = True
    litellm.suppress_debug_info = True

    def request() -> bytes:
        given: Any = list(messages)
        body = AnthropicConfig().transform_request(MODEL, given, {"max_tokens": 1024}, {}, {})
        return _sent(body)

    return {"transform_request, to body bytes": request}


def langchain(messages: Messages) -> dict[str, Callable[[], object]]:
    from langchain_anthropic.chat_models import _format_messages  # pyright: ignore
    from langchain_core.messages import convert_to_messages

    return {
        "convert_to_messages and _format_messages, to body bytes": lambda: _sent(
            _format_messages(convert_to_messages(messages), model=MODEL)
        )
    }


NAMES = {
    "rejoinder": ("rejoinder", rejoinder),
    "litellm": ("litellm", litellm),
    "langchain-anthropic": ("langchain-anthropic", langchain),
}


def main() -> None:
    messages: Messages = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    package, prepare = NAMES[sys.argv[3]]
    seconds = race({UNIT: lambda: orjson.dumps(messages), **prepare(messages)})
    unit = seconds.pop(UNIT)
    said = {"version": version(package), "ratios": {name: took / unit for name, took in seconds.items()}}
    Path(sys.argv[2]).write_text(json.dumps(said), "utf-8")


if __name__ == "__main__":
    main()
