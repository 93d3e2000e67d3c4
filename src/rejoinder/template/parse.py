"""From text to nodes: one pass over the tags with a stack of open blocks, linear for any text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rejoinder.template.limits import DEFAULT, Limits
from rejoinder.template.nodes import Arm, Block, Call, Constant, Kind, Node, Nodes, Operand, Path, Slot, Text
from rejoinder.template.place import error_at, limit_at
from rejoinder.template.space import BlockDraft, Body, Comment, Draft, settle, settle_block
from rejoinder.template.syntax import RESERVED, USUAL, Letters, Syntax, letters
from rejoinder.template.tags import Tag, read_tag

Parser = Callable[[str], Nodes]
"""A parser of your own: from the text of a template to its nodes."""

_NO_STRIP = (False, False)
_HELPERS: dict[str, Kind] = {"if": "if", "unless": "unless", "each": "each", "with": "with"}


class _Open(NamedTuple):
    """Where the reading stands: the blocks that are open, and the names that their loops have given."""

    text: str
    marks: Letters
    limits: Limits
    filters: frozenset[str]
    blocks: list[BlockDraft]
    bound: list[tuple[str, ...]]


def parse(
    text: str,
    *,
    syntax: Syntax | None = None,
    limits: Limits = DEFAULT,
    filters: frozenset[str] = frozenset(),
    bound: tuple[tuple[str, ...], ...] = (),
) -> Nodes:
    """The nodes of a template; a `TemplateError` says what is wrong and where.

    `filters` are the names that it may call. `bound` are the block parameters of what the text stands in.
    """
    if len(text) > limits.size:
        raise limit_at(text, limits.size, "size", f"the template has more than {limits.size:,} characters")
    state = _Open(text, letters(syntax) if syntax else USUAL, limits, filters, [], list(bound))
    root: Body = []
    body = root
    at = 0
    while True:
        opened = text.find(state.marks.opens, at)
        if opened < 0:
            break
        escapes = text[max(at, opened - 2) : opened]
        stop = opened - escapes.endswith("\\")
        if stop > at:
            body.append(Draft(between := text[at:stop], between))
        if escapes.endswith("\\") and escapes != "\\\\":
            at = _literal_end(text, opened, state.marks)
            body.append(Draft(literal := text[opened:at], literal))
            continue
        plain = state.marks.plain.match(text, opened)
        if plain is not None and RESERVED.isdisjoint(parts := plain[1].split(".")):
            body.append((_plain_slot(plain[1], tuple(parts), opened, state), _NO_STRIP))
            at = plain.end()
            continue
        tag = read_tag(text, opened, state.marks)
        body = _take(tag, body, root, state)
        at = tag.end
    if at < len(text):
        body.append(Draft(rest := text[at:], rest))
    if state.blocks:
        left = state.blocks[-1]
        raise error_at(text, left.at, f"the block {_says(left.tag)!r} is not closed")
    settle(root, root=True)
    return _nodes(root)


def _literal_end(text: str, opened: int, marks: Letters) -> int:
    """Where what a backslash made literal ends: at the next tag, or at the backslashes in front of it."""
    first = opened + len(marks.opens)
    end = text.find(marks.opens, first)
    if end < 0:
        return len(text)
    for _ in range(2):
        if end > first and text[end - 1] == "\\":
            end -= 1
    return end


def _take(tag: Tag, body: Body, root: Body, state: _Open) -> Body:
    """Put a tag where it belongs; the body in which the next one stands."""
    if tag.kind == "slot":
        body.append((_slot(tag, state), (tag.left, tag.right)))
        return body
    if tag.kind == "comment":
        body.append(Comment((tag.left, tag.right)))
        return body
    if tag.kind in ("open", "inverse"):
        return _opened(tag, body, state)
    if not state.blocks:
        says = "'else'" if tag.kind == "else" else f"{_says(tag)!r} is closed here, but it"
        raise error_at(state.text, tag.at, f"{says} stands in no block")
    return _other_way(tag, state) if tag.kind == "else" else _closed(tag, root, state)


def _opened(tag: Tag, body: Body, state: _Open) -> Body:
    if len(state.blocks) >= state.limits.depth:
        raise limit_at(state.text, tag.at, "depth", f"more than {state.limits.depth} blocks inside of each other")
    block = BlockDraft(tag.at, tag, (tag.left, tag.right), tag.kind == "inverse")
    block.arms[0] = (_arm(tag, state), *block.arms[0][1:])
    body.append(block)
    state.blocks.append(block)
    state.bound.append(tag.params)
    return block.arms[0][2]


def _other_way(tag: Tag, state: _Open) -> Body:
    block, text = state.blocks[-1], state.text
    if block.otherwise is not None:
        raise error_at(text, tag.at, f"a second 'else' in the block {_says(block.tag)!r}")
    state.bound[-1] = ()
    if tag.operands:
        if block.inverse:
            raise error_at(text, tag.at, "an inverse block (^) has no 'else if'")
        block.arms.append((_arm(tag, state), (tag.left, tag.right), []))
        state.bound[-1] = tag.params
        return block.arms[-1][2]
    block.otherwise, block.otherwise_strip = [], (tag.left, tag.right)
    return block.otherwise


def _closed(tag: Tag, root: Body, state: _Open) -> Body:
    block = state.blocks.pop()
    state.bound.pop()
    if _says(tag) != _says(block.tag) or len(tag.operands) > 1:
        line = state.text.count("\n", 0, block.at) + 1
        raise error_at(
            state.text, tag.at, f"{_says(tag)!r} is closed here, but {_says(block.tag)!r} of line {line} is open"
        )
    block.closes = (tag.left, tag.right)
    settle_block(block)
    if not state.blocks:
        return root
    outer = state.blocks[-1]
    return outer.arms[-1][2] if outer.otherwise is None else outer.otherwise


def _says(tag: Tag) -> str:
    return tag.operands[0].says


# --- what the words of a tag mean ------------------------------------------------------------------------------------


def _plain_slot(says: str, parts: tuple[str, ...], at: int, state: _Open) -> Slot:
    """The slot of a tag that is a name and nothing else, as most are."""
    path = Path(parts, 0, False, None, says, at)
    if state.bound:
        path = _bound_path(path, state)
    return Slot(path, None, False, "text", at, says if len(parts) == 1 and path.param is None else None)


def _slot(tag: Tag, state: _Open) -> Slot:
    head, *rest = tag.operands
    if tag.params:
        raise error_at(state.text, tag.at, "block parameters can only stand in a tag that opens a block")
    if rest or tag.named:
        if head.says not in state.filters:
            raise error_at(state.text, tag.at, f"there is no filter called {head.says!r}")
        operands = tuple(_bound(each, state) for each in rest)
        named = tuple((name, _bound(each, state)) for name, each in tag.named)
        return Slot(Call(head.says, operands, named, head.at), tag.default, tag.quoted, at=tag.at)
    if head.says in _HELPERS and isinstance(head, Path) and head.parts == (head.says,):
        raise error_at(state.text, tag.at, f"{head.says!r} opens a block: {state.marks.opens}#{head.says} …")
    return Slot(_name(head, state), tag.default, tag.quoted, at=tag.at)


def _arm(tag: Tag, state: _Open) -> Arm:
    head, *rest = tag.operands
    if tag.params and (tag.kind == "inverse" or head.says in ("if", "unless")):
        raise error_at(state.text, tag.at, "block parameters are for blocks on a value: each, with, and #name")
    kind = _HELPERS.get(head.says) if isinstance(head, Path) and head.parts == (head.says,) else None
    if kind is None:
        if rest or tag.named:
            known = ", ".join(_HELPERS)
            raise error_at(state.text, tag.at, f"there is no block called {head.says!r}; there are {known}")
        return Arm("section", _name(head, state), (), tag.params, at=tag.at)
    if len(rest) != 1:
        raise error_at(state.text, tag.at, f"{kind!r} wants one value, and here are {len(rest)}")
    zero = None
    for name, operand in tag.named:
        if name != "includeZero" or kind not in ("if", "unless"):
            raise error_at(state.text, tag.at, f"{kind!r} has no option {name!r}")
        zero = _bound(operand, state)
    return Arm(kind, _bound(rest[0], state), (), tag.params, zero, tag.at)


def _name(operand: Operand, state: _Open) -> Path:
    """Where a name is wanted, a constant is one too: `{{"a name"}}` and `{{12}}` are looked up."""
    if isinstance(operand, Constant):
        return Path((operand.says,), says=operand.says, at=operand.at)
    return _bound_path(operand, state)


def _bound(operand: Operand, state: _Open) -> Operand:
    return operand if isinstance(operand, Constant) else _bound_path(operand, state)


def _bound_path(path: Path, state: _Open) -> Path:
    """A path whose first name is a parameter of a block around it leads to that."""
    if not state.bound or path.data or path.up or not path.parts or path.says.startswith((".", "this")):
        return path
    out = 0
    for names in reversed(state.bound):
        if path.parts[0] in names:
            return Path(path.parts[1:], param=(out, names.index(path.parts[0])), says=path.says, at=path.at)
        out += bool(names)
    return path


# --- drafts become nodes ---------------------------------------------------------------------------------------------


def _nodes(body: Body) -> Nodes:
    """The nodes of a body, as deep as blocks may be nested. Neighbouring texts become one."""
    made: list[Node] = []
    texts: list[str] = []
    for draft in body:
        if isinstance(draft, Draft):
            texts.append(draft.text)
            continue
        if isinstance(draft, Comment):
            continue
        _flush(texts, made)
        made.append(_block(draft) if isinstance(draft, BlockDraft) else draft[0])
    _flush(texts, made)
    return tuple(made)


def _flush(texts: list[str], made: list[Node]) -> None:
    text = "".join(texts)
    texts.clear()
    if text:
        made.append(Text(text))


def _block(draft: BlockDraft) -> Block:
    arms = tuple(_with_body(arm, _nodes(body)) for arm, _, body in draft.arms)
    otherwise = () if draft.otherwise is None else _nodes(draft.otherwise)
    if draft.inverse:
        return Block((_with_body(arms[0], otherwise),), arms[0].body, draft.at)
    return Block(arms, otherwise, draft.at)


def _with_body(arm: Any, body: Nodes) -> Arm:
    return Arm(arm.kind, arm.subject, body, arm.params, arm.zero, arm.at)
