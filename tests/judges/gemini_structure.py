"""An independent judge: which documented rules of Gemini generateContent a request breaks.

Written from the provider's rules alone and sharing no code with rejoinder. Every function yields the rules that its
argument breaks, and looks at each part a fixed number of times. Members may be spelled as in REST or as in the protos.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]

_DATA = (
    *("text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult"),
    *("toolCall", "toolResponse"),
)
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
# They read two contents of the model in a row as two turns; from 2.5 on such neighbours are one.
_APART = re.compile(r"gemini-(1|2\.0|pro|ultra)")
_SIGNED = re.compile(r"gemini-([3-9]|\d\d)")


class Turn(NamedTuple):
    """Neighbouring contents of one role, as the API merges them: the parts that count."""

    role: str
    calls: list[Json]
    results: int


def get(holder: Any, name: str) -> Any:
    """A member in either spelling; null is the same as none."""
    if not isinstance(holder, dict):
        return None
    value = holder.get(name)
    return holder.get(re.sub("[A-Z]", lambda c: "_" + c[0].lower(), name)) if value is None else value


def gemini(body: Json, model: str, trailing: bool) -> Iterator[str]:
    """The rules that the body breaks, in the order found, each as often as it is broken."""
    contents = body.get("contents")
    if not isinstance(contents, list) or not contents:
        yield "contents-nonempty"
        return
    for content in contents:
        yield from _content(content)
    yield from _openings(contents, model)
    turns = _turns(contents)
    yield from _counts(turns, trailing)
    if _SIGNED.search(model):
        for turn in turns:
            if turn.calls and not get(turn.calls[0], "thoughtSignature"):
                yield "thought-signature"


def _content(content: Any) -> Iterator[str]:
    if not isinstance(content, dict):
        yield "content-object"
        return
    if content.get("role") not in (None, "", "user", "model"):
        yield "role-known"
    parts = content.get("parts")
    if not parts:
        yield "parts-nonempty"
    elif not isinstance(parts, list):
        yield "parts-type"
    for part in _parts(content):
        yield from _part(part)


def _parts(content: Any) -> list[Any]:
    parts = content.get("parts") if isinstance(content, dict) else None
    return parts if isinstance(parts, list) else []


def _part(part: Any) -> Iterator[str]:
    kinds = [name for name in _DATA if get(part, name) is not None]
    if len(kinds) != 1:
        yield "part-one-kind"
    if "text" in kinds and not isinstance(part["text"], str):
        yield "part-type"
    if "functionCall" in kinds:
        yield from _call(get(part, "functionCall"))
    if "functionResponse" in kinds:
        yield from _response(get(part, "functionResponse"))
    if "inlineData" in kinds:
        yield from _inline(get(part, "inlineData"))


def _call(call: Any) -> Iterator[str]:
    arguments = get(call, "args")
    if arguments is not None and not isinstance(arguments, dict):
        yield "args-object"
    name = get(call, "name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield "function-name"


def _response(held: Any) -> Iterator[str]:
    response = get(held, "response")
    if response is not None and not isinstance(response, dict):
        yield "response-object"
    if not get(held, "name"):
        yield "name-required"
    shown = get(held, "parts")
    for part in shown if isinstance(shown, list) else ():
        file = get(part, "fileData")
        uri, mime = str(get(file, "fileUri")), str(get(file, "mimeType"))
        handed_over = uri.startswith(("gs://", "files/", "https://generativelanguage.googleapis.com/"))
        if file and mime.startswith("image/") and not handed_over:
            yield "file-url-fetchable"


def _inline(held: Any) -> Iterator[str]:
    if not get(held, "mimeType"):
        yield "media-type"


def _openings(contents: list[Any], model: str) -> Iterator[str]:
    """No call opens the conversation, or stands behind a content of the model that calls nothing."""
    merges = bool(model) and not _APART.search(model)
    before: str = ""
    for content in contents:
        role = _role(content)
        calls = role == "model" and any(get(part, "functionCall") is not None for part in _parts(content))
        if calls and (not before or (before == "model" and not merges)):
            yield "call-after-user"
        before = "call" if calls else role


def _role(content: Any) -> str:
    role = content.get("role") if isinstance(content, dict) else None
    return role if role == "model" else "user"


def _turns(contents: list[Any]) -> list[Turn]:
    turns: list[Turn] = []
    for content in contents:
        role, parts = _role(content), _parts(content)
        calls = [part for part in parts if role == "model" and get(part, "functionCall") is not None]
        results = sum(get(part, "functionResponse") is not None for part in parts)
        if turns and turns[-1].role == role:
            last = turns.pop()
            last.calls.extend(calls)
            turns.append(last._replace(results=last.results + results))
        else:
            turns.append(Turn(role, calls, results))
    return turns


def _counts(turns: list[Turn], trailing: bool) -> Iterator[str]:
    """As many results as calls, in the turn behind them; and none anywhere else."""
    asked = 0
    for turn in turns:
        if turn.role == "model":
            if turn.results:
                yield "response-after-call"
            asked = len(turn.calls)
            continue
        if turn.results and not asked:
            yield "response-after-call"
        elif turn.results != asked:
            yield "response-count"
        asked = 0
    if asked and trailing:
        yield "response-count"
