"""An independent judge: the official SDKs' own parameter types, enforced by pydantic down to the last block."""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError


def refusals_by_types(dialect: str, messages: list[Any]) -> list[str]:
    """What the SDK's types say against the messages, each once; [] when they fit.

    Anthropic's plain types do not know beta blocks, so what they refuse is shown to the beta types before it counts.
    """
    if dialect == "bedrock":
        return _sent_by_botocore(messages)
    if dialect == "openai-responses":
        messages = [_as_typed(item) for item in messages]
    # Google's types have bytes, which are base64 in JSON and only there.
    refused = _complaints(adapter(dialect), messages, as_json=dialect == "gemini")
    if refused and dialect == "anthropic" and not _complaints(adapter("anthropic-beta"), messages):
        return []
    return refused


def _sent_by_botocore(messages: list[Any]) -> list[str]:
    """What botocore says before it sends a Converse request; it takes base64 text where the API wants bytes."""
    from botocore.validate import ParamValidator

    report = ParamValidator().validate({"modelId": "m", "messages": messages}, _converse()).generate_report()
    return [line for line in report.splitlines() if line]


@cache
def _converse() -> Any:
    """The shape of a Converse request, as botocore ships it: neither an account nor a network is needed."""
    from botocore.loaders import Loader
    from botocore.model import ServiceModel

    model = Loader().load_service_model("bedrock-runtime", "service-2")
    return ServiceModel(model).operation_model("Converse").input_shape


def _as_typed(item: Any) -> Any:
    """An item with what its type wants and the API does not (measured): an id, a status that is not null, a result."""
    if not isinstance(item, dict):
        return item
    item = {name: value for name, value in item.items() if value is not None or name != "status"}
    if item.get("type") == "image_generation_call":
        return {"status": "completed", "result": None, **item}
    if item.get("role") == "assistant" and isinstance(item.get("content"), list):
        return {"id": "msg_1", "status": "completed", "type": "message", **item}
    return item


@cache
def adapter(name: str) -> TypeAdapter[list[Any]]:
    """The validator of a list of messages. Built once: the types are large, and so are the SDKs to import."""
    if name == "openai-chat":
        from openai.types.chat import ChatCompletionMessageParam

        return TypeAdapter(list[ChatCompletionMessageParam])
    if name == "anthropic":
        from anthropic.types import MessageParam

        return TypeAdapter(list[MessageParam])
    if name == "anthropic-beta":
        from anthropic.types.beta import BetaMessageParam

        return TypeAdapter(list[BetaMessageParam])
    if name == "gemini":
        from google.genai.types import Content

        return TypeAdapter(list[Content])
    if name == "openai-responses":
        from openai.types.responses import ResponseInputItemParam

        return TypeAdapter(list[ResponseInputItemParam])
    raise ValueError(f"no SDK types for {name!r}")


def _complaints(types: TypeAdapter[list[Any]], messages: list[Any], *, as_json: bool = False) -> list[str]:
    try:
        validated = types.validate_json(json.dumps(messages)) if as_json else types.validate_python(messages)
    except ValidationError as error:
        return _lines("messages", error)
    found: list[str] = []
    for at, message in enumerate(validated):
        try:
            drain(message)
        except ValidationError as error:
            found += _lines(f"messages[{at}]", error)
    return list(dict.fromkeys(found))


def drain(value: Any) -> None:
    """Walk everything inside a validated value.

    The SDKs type lists as `Iterable`, which pydantic validates lazily, an item at a time and only when somebody asks
    for it: a value that nobody walks has passed without being looked at.
    """
    if isinstance(value, dict):
        value = value.values()
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for item in value:
            drain(item)


def _lines(where: str, error: ValidationError) -> list[str]:
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return [f"{where} {'.'.join(map(str, detail['loc']))}: {detail['msg']}" for detail in details]
