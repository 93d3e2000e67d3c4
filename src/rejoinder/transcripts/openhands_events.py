"""OpenHands' SDK (V1): an event a record, in one file or in a folder of them; each says its `kind`.

Actions of one answer of the model share `llm_response_id`. What a condensation forgot is left out, and its summary
stands where it says; so does what a result of a forgotten action would be.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from rejoinder.transcripts import chat
from rejoinder.transcripts.conversations import told
from rejoinder.transcripts.fields import inner, text
from rejoinder.transcripts.lines import Found, Record
from rejoinder.transcripts.members import array, objects
from rejoinder.transcripts.transcript import Format, Transcript, parted
from rejoinder.values.loose import is_array

_TOOL = "openhands-sdk"
_RESULTS = frozenset({"ObservationEvent", "UserRejectObservation", "AgentErrorEvent"})
_SPOKEN = frozenset({"SystemPromptEvent", "MessageEvent", "ActionEvent", "CondensationSummaryEvent"}) | _RESULTS
_KINDS = _SPOKEN | frozenset(
    "Condensation CondensationRequest ConversationStateUpdateEvent ConversationErrorEvent PauseEvent TokenEvent".split()
)

_FATES = {
    "Condensation": "cut",
    "ConversationErrorEvent": "errored",
    "PauseEvent": "interrupted",
    "MessageEvent": "interrupted",
    "ActionEvent": "interrupted",
}


class _Event(NamedTuple):
    line: int
    kind: str
    value: dict[str, Any]


def knows(sample: list[Any]) -> bool:
    """Are these events of the SDK?"""
    return any(text(row, "kind") in _KINDS and "source" in row for row in objects(sample))


def read(found: Iterable[Found]) -> Transcript:
    """The conversation that the model sees next."""
    records, oddities = parted(found)
    events = [_Event(record.line, text(record.value, "kind"), record.value) for record in records]
    path, branched = _remembered(events)
    messages, lines, numbers = _messages(path)
    fates = _fates(events)
    why = {at: fates[number] for at, number in enumerate(numbers) if fates.get(number)}
    states = [inner(event.value, "value") for event in events if event.kind == "ConversationStateUpdateEvent"]
    return told(
        _TOOL,
        chat.DIALECT,
        messages,
        lines,
        unit="line",
        why=why,
        oddities=oddities,
        session=_first(records, "conversation_id"),
        model=next((name for state in states if (name := _model(state))), ""),
        began=_first(records, "timestamp"),
        ended=_first(list(reversed(records)), "timestamp"),
        records=len(records),
        lossy="" if not branched else "events that a condensation forgot are in the file, and not in the conversation",
    )


def _first(records: list[Record], name: str) -> str:
    return next((held for record in records if (held := text(record.value, name))), "")


def _model(state: dict[str, Any]) -> str:
    used = inner(state, "usage_to_metrics")
    named = (text(each, "model_name") for each in used.values())
    return text(inner(inner(state, "agent"), "llm"), "model") or next(filter(None, named), "")


def _remembered(events: list[_Event]) -> tuple[list[_Event], bool]:
    """The events that are said, without what was forgotten, and whether anything was."""
    spoken = [event for event in events if event.kind in _SPOKEN]
    forgotten: set[str] = set()
    for event in events:
        if event.kind != "Condensation":
            continue
        forgotten.update(name for name in array(event.value, "forgotten_event_ids") if isinstance(name, str))
    if not forgotten:
        return spoken, False
    gone = [event for event in spoken if text(event.value, "id") in forgotten]
    actions = {text(event.value, "id") for event in gone if event.kind == "ActionEvent"}
    kept = [
        event
        for event in spoken
        if text(event.value, "id") not in forgotten
        and not (event.kind in _RESULTS and text(event.value, "action_id") in actions)
    ]
    last = next(event for event in reversed(events) if event.kind == "Condensation")
    summary, offset = text(last.value, "summary"), last.value.get("summary_offset")
    if summary:
        at = offset if isinstance(offset, int) and 0 <= offset <= len(kept) else 0
        kept.insert(at, _Event(last.line, "CondensationSummaryEvent", {"summary": summary}))
    return kept, True


def _messages(path: list[_Event]) -> tuple[list[dict[str, Any]], list[int], list[int]]:
    """The messages, the line of each, and the line of the last event that is in it."""
    messages: list[dict[str, Any]] = []
    lines: list[int] = []
    last: list[int] = []
    answer = ""
    for event in path:
        same = text(event.value, "llm_response_id") if event.kind == "ActionEvent" else ""
        if same and same == answer:
            messages[-1]["tool_calls"].append(_call(event.value))
            last[-1] = event.line
            continue
        answer = same
        messages.append(_message(event))
        lines.append(event.line)
        last.append(event.line)
    return messages, lines, last


def _message(event: _Event) -> dict[str, Any]:
    value = event.value
    if event.kind == "ActionEvent":
        return chat.assistant(_words(value.get("thought")), [_call(value)])
    if event.kind in _RESULTS:
        observed = inner(value, "observation")
        content = observed.get("content") if observed else text(value, "rejection_reason", "error")
        return chat.result(value.get("tool_call_id"), _blocks(content))
    if event.kind == "SystemPromptEvent":
        prompt = value.get("system_prompt")
        return chat.said("system", text(prompt, "text") or prompt)
    if event.kind == "CondensationSummaryEvent":
        return chat.said("user", text(value, "summary"))
    held = inner(value, "llm_message")
    role = text(held, "role") or ("assistant" if value.get("source") == "agent" else "user")
    content = [*_blocks(held.get("content"), whole=True), *_blocks(value.get("extended_content"), whole=True)]
    return chat.said(role, content)


def _words(blocks: Any) -> str:
    return "\n".join(held for block in objects([blocks]) if (held := text(block, "text")))


def _blocks(content: Any, *, whole: bool = False) -> Any:
    """Blocks as an API has them; what is nothing but text is text, unless they go into a longer list."""
    if not is_array(content):
        plain = content if isinstance(content, str) else ""
        return ([{"type": "text", "text": plain}] if plain else []) if whole else plain
    blocks: list[dict[str, Any]] = []
    for block in objects([content]):
        if isinstance(block.get("text"), str):
            blocks.append({"type": "text", "text": block["text"]})
        urls = array(block, "image_urls")
        blocks += [{"type": "image_url", "image_url": {"url": url}} for url in urls if isinstance(url, str)]
    if whole or any(block["type"] != "text" for block in blocks):
        return blocks
    return "\n".join(block["text"] for block in blocks)


def _call(value: dict[str, Any]) -> dict[str, Any]:
    made = inner(value, "tool_call")
    function = inner(made, "function") or made
    name = text(function, "name") or text(value, "tool_name")
    arguments = function.get("arguments")
    if arguments is None:
        arguments = {key: each for key, each in inner(value, "action").items() if key != "kind"}
    return chat.call(name, arguments, value.get("tool_call_id", made.get("id")))


def _fates(events: list[_Event]) -> dict[int, str]:
    """For each event by its line: what becomes of calls that have no result by then, by what comes behind it."""
    states = [event.value.get("value") for event in events if event.kind == "ConversationStateUpdateEvent"]
    fate = "paused" if states and states[-1] == "waiting_for_confirmation" else ""
    fates: dict[int, str] = {}
    for event in reversed(events):
        fates[event.line] = fate
        fate = _FATES.get(event.kind, fate)
    return fates


FORMAT = Format(
    name=_TOOL,
    says="OpenHands conversations (V1), a file or a folder of events",
    knows=knows,
    read=read,
    homes=("$OPENHANDS_CONVERSATIONS_DIR/*/events", "~/.openhands/conversations/*/events"),
)
