"""What each dialect can hold, found out by carrying one part of each kind to it."""

from __future__ import annotations

from rejoinder.carry.parts import carried
from rejoinder.carry.place import placed
from rejoinder.carry.way import Way
from rejoinder.dialects.carries import Carries
from rejoinder.dialects.detect import find_dialect
from rejoinder.values.conversation import Message
from rejoinder.values.parts import Media, Opaque, Part, Refusal, Text, Thinking, ToolCall, ToolResult

_PNG = Media(kind="image", media_type="image/png", data="iVBORw0KGgo=")
_CALL = ToolCall(id="call_1", name="f", arguments={})


def _result(part: Part, *, error: bool | None = None) -> Message:
    return Message("tool", (ToolResult(call_id="call_1", parts=(part,), error=error, name="f"),), 1)


# One message of each kind; what gives it can hold everything, so that all that is lost is the target's doing.
_SAMPLES: dict[str, Message] = {
    "text": Message("user", (Text(text="a"),), 0),
    "system text in front": Message("system", (Text(text="a"),), 0),
    "later system text": Message("system", (Text(text="a"),), 2),
    "image": Message("user", (_PNG,), 0),
    "image by URL": Message("user", (Media(kind="image", url="https://example.com/a.png"),), 0),
    "sound": Message("user", (Media(kind="audio", media_type="audio/wav", data="UklGRg=="),), 0),
    "video": Message("user", (Media(kind="video", media_type="video/mp4", data="AAAA"),), 0),
    "document": Message("user", (Media(kind="document", media_type="application/pdf", data="JVBERi0="),), 0),
    "tool call": Message("assistant", (_CALL,), 0),
    "free-text call": Message("assistant", (ToolCall(id="c", name="f", arguments="a", kind="custom"),), 0),
    "tool result": _result(Text(text="a")),
    "error result": _result(Text(text="a"), error=True),
    "image in a result": _result(_PNG),
    "sealed thinking, same provider": Message("assistant", (Thinking(text="a", signature="s"),), 0),
    "refusal": Message("assistant", (Refusal(text="a"),), 0),
    "provider's own tools": Message("assistant", (Opaque(kind="own"),), 0),
}
KINDS = tuple(_SAMPLES)


def holds(name: str, model: str | None = None) -> dict[str, str]:
    """For each kind of content: `yes`, `note` (something stands in its place), or `-`."""
    takes = find_dialect(name).carries(model)
    return {kind: _held(kind, message, name, takes) for kind, message in _SAMPLES.items()}


def _held(kind: str, message: Message, name: str, takes: Carries) -> str:
    if kind == "later system text":
        return "yes" if takes.later_system else "note"
    gives = Carries(mint=takes.mint or "nobody", files=takes.files)
    way = Way(source="another", target=name, gives=gives, takes=takes, losses=[])
    done = placed(way, [carried(way, message, "")], {})
    if not way.losses:
        return "yes"
    return "note" if any(each.parts for each in done) else "-"
