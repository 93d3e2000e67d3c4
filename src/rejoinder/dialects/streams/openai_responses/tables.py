"""Which event of an OpenAI Responses stream says what of which item: the one table that joining and splitting share."""

from __future__ import annotations

import msgspec

from rejoinder.dialects.streams.moments import Finish


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """A text that grows: `response.NAME.delta` and `.done` of one part of an item, or of the item itself.

    `within` is the member that lists the parts, `index` the event's member that counts them, `part` their type, and
    `member` the text. `done` is the name that the whole text has in the last event.
    """

    name: str
    member: str
    done: str = ""
    within: str = ""
    index: str = "content_index"
    part: str = ""


TEXTS = tuple(
    Text(name=name, member=member, done=done or member, within=within, index=index, part=part)
    for name, member, done, within, index, part in (
        ("output_text", "text", "", "content", "content_index", "output_text"),
        ("refusal", "refusal", "", "content", "content_index", "refusal"),
        ("reasoning_text", "text", "", "content", "content_index", "reasoning_text"),
        ("reasoning_summary_text", "text", "", "summary", "summary_index", "summary_text"),
        ("function_call_arguments", "arguments", "", "", "", ""),
        ("mcp_call_arguments", "arguments", "", "", "", ""),
        ("custom_tool_call_input", "input", "", "", "", ""),
        ("code_interpreter_call_code", "code", "", "", "", ""),
    )
)
GROWS = {f"response.{text.name}.delta": text for text in TEXTS}
DONE = {f"response.{text.name}.done": text for text in TEXTS}

# The events that bring a part of an item, and the members where it is listed and counted.
PARTS = {
    f"response.{name}.{when}": (within, index)
    for name, within, index in (
        ("content_part", "content", "content_index"),
        ("reasoning_summary_part", "summary", "summary_index"),
    )
    for when in ("added", "done")
}
# The events that bring the whole answer, as far as it is.
BEGINS = frozenset({"response.created", "response.in_progress", "response.queued"})
ENDS = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})

# The items that are calls of the caller's tools, and the member that holds what they are called with.
CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
# The text that grows of an item of this type, where it is the item itself that has one.
OF_ITEM = {
    "function_call": "function_call_arguments",
    "mcp_call": "mcp_call_arguments",
    "custom_tool_call": "custom_tool_call_input",
    "code_interpreter_call": "code_interpreter_call_code",
}

INCOMPLETE: dict[str, Finish] = {"max_output_tokens": "length", "content_filter": "filtered"}
