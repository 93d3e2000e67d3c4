"""White space: `~` strips it, and a tag that stands alone on its line takes the line with it, as in Handlebars.

Works on drafts, bottom up: when a block is closed its bodies are whole. All patterns are linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rejoinder.template.syntax import SPACE

Body = list[Any]
Strip = tuple[bool, bool]
_BLANK = " \t"
_NO_STRIP = (False, False)


class Draft(msgspec.Struct):
    """A text that may still lose the space at its ends. What it was at first decides whether a tag stands alone."""

    text: str
    original: str
    left_stripped: bool = False
    right_stripped: bool = False


class Comment(msgspec.Struct):
    """A comment: nothing is left of it but what it does to the space around it."""

    strip: Strip


class BlockDraft:
    """A block with the `~` of its tags. `arms` holds the tag's own strip and the body of each way; then the else."""

    __slots__ = ("arms", "at", "closes", "inverse", "otherwise", "otherwise_strip", "standalone", "tag")

    def __init__(self, at: int, tag: Any, strip: Strip, inverse: bool) -> None:
        self.at = at
        self.tag = tag
        self.arms: list[tuple[Any, Strip, Body]] = [(tag, strip, [])]
        self.inverse = inverse
        self.otherwise: Body | None = None
        self.otherwise_strip: Strip = (False, False)
        self.closes: Strip = (False, False)
        self.standalone: Strip = (False, False)

    @property
    def first(self) -> Body:
        """The body that the opening tag is judged by."""
        return self.otherwise if self.inverse and self.otherwise is not None else self.arms[0][2]

    @property
    def last(self) -> Body:
        """The body that the closing tag takes the end of."""
        if self.inverse:
            return self.arms[0][2]
        if len(self.arms) > 1:
            # Handlebars looks into the block that an `else if` is; its end is no text.
            return []
        return self.arms[0][2] if self.otherwise is None else self.otherwise


def settle(body: Body, *, root: bool = False) -> None:
    """Strip what the tags of a body take of the texts beside them."""
    for index, node in enumerate(body):
        if isinstance(node, Draft):
            continue
        if isinstance(node, BlockDraft):
            _around_block(body, index, node, root)
            continue
        strip: Strip = node.strip if isinstance(node, Comment) else node[1]
        alone = isinstance(node, Comment) and _before(body, index, root) and _after(body, index, root)
        if strip == _NO_STRIP and not alone:
            continue
        left, right = strip
        if right:
            _take_right(body, index + 1, every=True)
        if left:
            _take_left(body, index - 1, every=True)
        if alone:
            _take_right(body, index + 1)
            _take_left(body, index - 1)


def _around_block(body: Body, index: int, block: BlockDraft, root: bool) -> None:
    opens = block.standalone[0] and _before(body, index, root)
    closes = block.standalone[1] and _after(body, index, root)
    if block.closes[1]:
        _take_right(body, index + 1, every=True)
    if block.arms[0][1][0]:
        _take_left(body, index - 1, every=True)
    if opens:
        _take_right(block.first, 0)
        _take_left(body, index - 1)
    if closes:
        _take_right(body, index + 1)
        _take_left(block.last, len(block.last) - 1)


def settle_block(block: BlockDraft) -> None:
    """Strip what the tags of a block take inside of it; the innermost `else if` first."""
    bodies = [body for _, _, body in block.arms]
    for body in (*bodies, *([block.otherwise] if block.otherwise is not None else [])):
        settle(body)
    strips = [strip for _, strip, _ in block.arms]
    for number in range(len(bodies) - 1, -1, -1):
        if number + 1 < len(bodies):
            following, between = bodies[number + 1], strips[number + 1]
        else:
            following, between = block.otherwise, block.otherwise_strip
        # Of a chain, only the first two arms see the closing tag; later ones see their own. So it is in Handlebars.
        closes = block.closes if number < 2 else strips[number]
        one = bodies[number]
        if block.inverse and following is not None:
            one, following = following, one
        standalone = _inside(one, following, strips[number], between, closes)
        if number == 0:
            block.standalone = standalone


def _inside(one: Body, following: Body | None, opens: Strip, between: Strip, closes: Strip) -> tuple[bool, bool]:
    """Strip inside of one arm and what follows it; could the opening and the closing tag stand alone?"""
    alone = _after(one, -1), _before(one if following is None else following, None)
    if opens[1]:
        _take_right(one, 0, every=True)
    if following is None:
        if closes[0]:
            _take_left(one, len(one) - 1, every=True)
        return alone
    if between[0]:
        _take_left(one, len(one) - 1, every=True)
    if between[1]:
        _take_right(following, 0, every=True)
    if closes[0]:
        _take_left(following, len(following) - 1, every=True)
    if _before(one, None) and _after(following, -1):
        _take_left(one, len(one) - 1)
        _take_right(following, 0)
    return alone


def _before(body: Body, index: int | None, root: bool = False) -> bool:
    """Is there nothing on the line in front of a place? (None is the end of a body.)"""
    at = (len(body) if index is None else index) - 1
    if at < 0:
        return root
    node = body[at]
    if not isinstance(node, Draft):
        return False
    kept = node.original.rstrip(SPACE)
    return (root and at == 0 and not kept) or "\n" in node.original[len(kept) :]


def _after(body: Body, index: int, root: bool = False) -> bool:
    """Is there nothing more on the line behind a place?"""
    at = index + 1
    if at >= len(body):
        return root
    node = body[at]
    if not isinstance(node, Draft):
        return False
    kept = node.original.lstrip(SPACE)
    blank = node.original[: len(node.original) - len(kept)]
    return (root and at + 1 == len(body) and not kept) or "\n" in blank


def _draft(body: Sequence[Any], at: int) -> Draft | None:
    node = body[at] if 0 <= at < len(body) else None
    return node if isinstance(node, Draft) else None


def _take_right(body: Body, at: int, *, every: bool = False) -> None:
    """Take the space at the beginning of a text: all of it, or the rest of its first line if that is blank."""
    draft = _draft(body, at)
    if draft is None or (draft.right_stripped and not every):
        return
    if every:
        kept = draft.text.lstrip(SPACE)
    else:
        kept = draft.text.lstrip(_BLANK)
        kept = kept[2:] if kept.startswith("\r\n") else kept[1:] if kept[:1] in ("\n", "\r") else kept
    draft.right_stripped = kept != draft.text
    draft.text = kept


def _take_left(body: Body, at: int, *, every: bool = False) -> None:
    """Take the space at the end of a text: all of it, or that of its last line."""
    draft = _draft(body, at)
    if draft is None or (draft.left_stripped and not every):
        return
    kept = draft.text.rstrip(SPACE if every else _BLANK)
    draft.left_stripped = kept != draft.text
    draft.text = kept
