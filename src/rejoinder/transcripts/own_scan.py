"""Our own files in one quick pass: check values, ids of rows, and calls with their results right behind them."""

from __future__ import annotations

import msgspec

from rejoinder.transcripts.quick import Batches, Calls, Counts, Links, UnsureError
from rejoinder.transcripts.seal import is_sealed


class _Call(msgspec.Struct, gc=False, tag="tool_use"):
    id: str


class _Result(msgspec.Struct, gc=False, tag="tool_result"):
    id: str = msgspec.field(name="tool_use_id")


class _Text(msgspec.Struct, gc=False, tag="text"):
    pass


class _Thinking(msgspec.Struct, gc=False, tag="thinking"):
    pass


class _ImageUrl(msgspec.Struct, gc=False, tag="image_url"):
    pass


class _ToolCall(msgspec.Struct, gc=False):
    id: str


_Blocks = list[_Call | _Result | _Text | _Thinking | _ImageUrl]


class _Row(msgspec.Struct, gc=False):
    type: str
    uuid: str
    parentUuid: str | None = None  # noqa: N815 - it is the name in the file
    role: str = ""
    # Nearly always a text, which nobody asks for.
    content: msgspec.Raw = msgspec.Raw()
    tool_calls: list[_ToolCall] | None = None
    tool_call_id: str | None = None
    # What messages of other dialects have: of those a quick pass knows nothing.
    message: msgspec.UnsetType | None = msgspec.UNSET
    parts: msgspec.UnsetType | None = msgspec.UNSET
    function_call: msgspec.UnsetType | None = msgspec.UNSET


_quick = msgspec.json.Decoder(_Row).decode
_blocks_of = msgspec.json.Decoder(_Blocks).decode
_NONE: _Blocks = []
# What has no part in the conversation. A summary and a rewind have: what is on the path is no longer plain then.
_BESIDE = frozenset({"session", "config", "label", "repair"})


def scan(batches: Batches) -> Counts:
    """What is in a session that is surely sound; else the pass is given up."""
    links, named, blocks = Links(), Calls(), Calls()
    count = said = 0
    for lines in batches:
        # What is sealed is as it was written, and so it is UTF-8.
        if not all(map(is_sealed, lines)):
            raise UnsureError("a row that is not as it was written")
        try:
            rows = list(map(_quick, lines))
            said += sum(_pairs(row, named, blocks) for row in rows)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise UnsureError("a row of another kind") from None
        count += len(rows)
        links.take([row.uuid for row in rows], [row.parentUuid or "" for row in rows])
    named.end()
    blocks.end()
    if named.calls and blocks.calls:
        raise UnsureError("calls of two dialects")
    return Counts(count, said, named.calls + blocks.calls, named.results + blocks.results)


def _pairs(row: _Row, named: Calls, blocks: Calls) -> bool:
    """Take the calls and the results of a row, those in members and those in blocks. Is it one that somebody said?"""
    if row.type != "message":
        if row.type not in _BESIDE:
            raise UnsureError("a row that changes the path")
        return False
    if row.tool_call_id is not None and row.role == "tool":
        named.result(row.tool_call_id)
        return True
    content = _blocks_of(row.content) if bytes(memoryview(row.content)[:1]) == b"[" else _NONE
    results = [block.id for block in content if isinstance(block, _Result)]
    if named.in_hand or (blocks.in_hand and not results):
        raise UnsureError("something else behind a call")
    for name in results:
        blocks.result(name)
    if blocks.in_hand:
        raise UnsureError("results of one answer in two rows")
    for call in row.tool_calls or ():
        named.call(call.id)
    for block in content:
        if isinstance(block, _Call):
            blocks.call(block.id)
    return True
