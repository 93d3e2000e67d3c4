"""LangChain's messages as they are dumped: `messages_to_dict`, `dumpd`, or the bare members of a message."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rejoinder.dialects.carries import Carries
from rejoinder.dialects.dialect import Dialect, carried_alike, listed_dialect
from rejoinder.dialects.langchain.envelope import FORMS, in_form
from rejoinder.dialects.langchain.messages import plain, point, read, write
from rejoinder.dialects.listed import Listing

_MEDIA = frozenset({"image", "audio", "video", "document"})
CARRIES = Carries(
    results="messages",
    beside=True,
    media=_MEDIA,
    in_results=_MEDIA,
    by_url=_MEDIA,
    error_flag=True,
    result_names=True,
    known={
        # What identifies a message, or says again what another member says, is nothing that a target could lack.
        "message": frozenset(
            {"role", "type", "content", "id", "tool_calls", "invalid_tool_calls", "tool_call_chunks", "tool_call_id"}
            | {"status", "example", "chunk_position", "name"}
        ),
        "text": frozenset({"type", "text", "id", "index"}),
        "call": frozenset({"type", "id", "name", "args", "error", "index", "function"}),
    },
)
# What only some dialects write (see `detect`).
_TYPES = "human ai tool system function chat remove constructor AIMessageChunk HumanMessageChunk ToolMessageChunk"
_MARKS = frozenset(f"type:{kind}" for kind in _TYPES.split())
SIGNS = _MARKS | frozenset(
    (
        "holds:messages key:data key:kwargs key:lc key:tool_calls key:tool_call_id key:invalid_tool_calls "
        "key:usage_metadata key:response_metadata key:additional_kwargs content:string content:array block:text/text "
        "block:image_url block:image block:input_audio block:file block:document block:thinking "
        "block:redacted_thinking block:reasoning block:tool_use block:search_result block:refusal "
        "tool:function tool:input_schema"
    ).split()
)
# A message says its type, and no role.
_STRANGE = frozenset(f"role:{role}" for role in ("user", "assistant", "tool", "model", "human", "ai"))


def _dialect(form: str, forms: tuple[Dialect, ...] = ()) -> Dialect:
    shown: Callable[..., bool] = partial(in_form, form=form)
    return listed_dialect(
        Listing(name="langchain", read=read, write=partial(write, form=form), point=point),
        says="LangChain messages as they are dumped",
        layout="run",
        signs=SIGNS,
        strange=_STRANGE,
        marks=_MARKS,
        stored=True,
        plain=plain,
        carries=carried_alike(CARRIES),
        form=form,
        forms=forms,
        shown=shown,
    )


# The usual form is that of `messages_to_dict`.
DIALECT = _dialect("", tuple(_dialect(form) for form in FORMS))
