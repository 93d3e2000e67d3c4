"""Claude Code's files in one quick pass: ids of rows and of calls, and nothing that was said."""

from __future__ import annotations

from typing import Any

import msgspec

from rejoinder.transcripts.quick import Batches, Calls, Counts, Links, UnsureError, must_be_utf8
from rejoinder.values.loose import is_array, is_object

_SPOKEN = frozenset({"user", "assistant"})
_ERRORS = (msgspec.MsgspecError, ValueError, RecursionError)


class _Call(msgspec.Struct, gc=False, tag="tool_use"):
    id: str


class _Result(msgspec.Struct, gc=False, tag="tool_result"):
    id: str = msgspec.field(name="tool_use_id")


class _Text(msgspec.Struct, gc=False, tag="text"):
    pass


class _Thinking(msgspec.Struct, gc=False, tag="thinking"):
    pass


class _Image(msgspec.Struct, gc=False, tag="image"):
    pass


_Blocks = list[_Call | _Result | _Text | _Thinking | _Image]


class _Message(msgspec.Struct, gc=False):
    content: str | _Blocks = ""


class _Row(msgspec.Struct, gc=False):
    type: str = ""
    uuid: str | None = None
    parentUuid: str | None = None  # noqa: N815 - it is the name in the file
    logicalParentUuid: str | None = None  # noqa: N815
    message: _Message | None = None


_quick = msgspec.json.Decoder(_Row).decode
_any = msgspec.json.Decoder().decode


def scan(batches: Batches) -> Counts:
    """What is in a session that is surely sound; else the pass is given up."""
    links, calls = Links(), Calls()
    count = said = 0
    for lines in batches:
        must_be_utf8(lines)
        try:
            rows = list(map(_quick, lines))
        except _ERRORS:
            rows = [_row(line) for line in lines]
        count += len(rows)
        links.take([row.uuid or "" for row in rows], [row.parentUuid or row.logicalParentUuid or "" for row in rows])
        said += _pairs(rows, calls)
    calls.end()
    return Counts(count, said, calls.calls, calls.results)


def _pairs(rows: list[_Row], calls: Calls) -> int:
    """Take the calls and the results of some rows; how many of the rows somebody said."""
    said = 0
    call, result = calls.call, calls.result
    for row in rows:
        if row.message is None or row.type not in _SPOKEN:
            continue
        said += 1
        content = row.message.content
        if isinstance(content, str):
            continue
        for block in content:
            if isinstance(block, _Call):
                call(block.id)
            elif isinstance(block, _Result):
                result(block.id)
    return said


def _row(line: bytes) -> _Row:
    """A row that may have kinds of blocks that are not known here, or members of another type than they mostly have."""
    try:
        return _quick(line)
    except _ERRORS:
        pass
    try:
        value = _any(line)
    except _ERRORS:
        raise UnsureError("a line that is no record") from None
    if not is_object(value) or not all(
        _is_text(value.get(name)) for name in ("uuid", "parentUuid", "logicalParentUuid")
    ):
        raise UnsureError("a row with an id that is no text")
    message = value.get("message")
    content = message.get("content") if is_object(message) else None
    kept: _Blocks = [block for each in content if (block := _block(each)) is not None] if is_array(content) else []
    return _Row(
        type=str(value.get("type")),
        uuid=value.get("uuid"),
        parentUuid=value.get("parentUuid"),
        logicalParentUuid=value.get("logicalParentUuid"),
        message=_Message(kept) if is_object(message) else None,
    )


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _block(block: Any) -> _Call | _Result | None:
    kind = block.get("type") if is_object(block) else None
    if kind == "tool_use":
        return _Call(str(block.get("id")))
    return _Result(str(block.get("tool_use_id"))) if kind == "tool_result" else None
