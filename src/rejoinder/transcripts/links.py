"""What is wrong with the links of rows: parents that were never written, circles, and ids that several rows have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejoinder.transcripts.transcript import Defect
from rejoinder.transcripts.tree import Tree, Way


def link_defects(tree: Tree, lines: Sequence[int], way: Way) -> Iterator[Defect]:
    """The defects of links. The first row of the tree may name any parent: a slice of a file is no damage."""
    live = set(way.rows)
    first = next((at for at, name in enumerate(tree.ids) if name is not None), None)
    cut = tree.parents[first] if first is not None else None
    for at, parent in enumerate(tree.parents):
        if parent is not None and parent != cut and tree.find(parent) is None:
            says = f"its parent {parent} was never written"
            yield Defect(kind="gap", line=lines[at], says=says, ids=(parent,), live=at in live)
    for gap in way.gaps:
        if gap.kind == "circle":
            says = f"its parents lead back to it by {gap.parent}"
            yield Defect(kind="circle", line=lines[gap.row], says=says, ids=(gap.parent,))
    for name in tree.twins:
        at = tree.find(name)
        if at is not None:
            says = f"several rows have the id {name}"
            yield Defect(kind="twin", line=lines[at], says=says, ids=(name,), live=at in live)
