"""What `make bench` prints: one table of contestants, our own figures in detail, and the gates."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from contest import BARE
from gates import Gate, doublings
from verdicts import Verdict

COLUMNS = (8, 9, 9, 9, 9, 9)


class Entry(NamedTuple):
    """A contestant and what was found out about it; the last way of use is the one that mended the histories."""

    name: str
    version: str
    reads: str
    sends: str
    ratios: Mapping[str, float]
    verdict: Verdict


def contestants(entries: Sequence[Entry], histories: int) -> None:
    """Time and verdicts side by side."""
    print("1,000 intact messages, in bare loops and in repairs of ours (all clauses, same list);")
    print(f"and what becomes of {histories:,} histories that a provider refuses")
    above = ("bare", "our", "still", "a user", "", "spoiled")
    below = ("loops", "repairs", "refused", "robbed", "crashed", "in all")
    for head in (above, below):
        print(" " * 44 + "".join(f"{word:>{width}}" for word, width in zip(head, COLUMNS, strict=True)))
    for entry in entries:
        _contestant(entry, entries[0].ratios)
    print()


def _contestant(entry: Entry, ours: Mapping[str, float]) -> None:
    judged = f", judged as {entry.sends}" if entry.sends != entry.reads else ""
    print(f"{entry.name} {entry.version} ({entry.reads}{judged})")
    ways = _ours_of(ours, entry.reads) if entry.name == "rejoinder" else entry.ratios
    shown = {name: ratio for name, ratio in ways.items() if name != BARE}
    for name, ratio in shown.items():
        count = entry.verdict
        cells = [f"{ratio:.1f}", f"{ratio / ours[f'{entry.reads}: repair, intact']:.1f}"]
        if name == list(shown)[-1]:
            cells += map(str, (count.refusable, count.text_lost, count.crashed, count.spoiled))
        print(f"  {name:42}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, COLUMNS, strict=False)))
    for rule, times in entry.verdict.rules.most_common(4):
        print(f"      {rule}: {times}")
    for crash, times in entry.verdict.crashes.most_common(2):
        print(f"      {crash}: {times}")


def _ours_of(ratios: Mapping[str, float], dialect: str) -> dict[str, float]:
    """Of our many measurements those that the peers can be held against."""
    pairs = {"sanitize_messages, intact": ratios["sanitize_messages, intact"]} if dialect == "openai-chat" else {}
    return pairs | {name: ratios[f"{dialect}: {name}"] for name in ("check, intact", "repair, intact")}


def uses(ratios: Mapping[str, float]) -> None:
    """Every way of using rejoinder, in bare loops."""
    print("rejoinder in detail, 1,000 messages, in bare loops over the same list")
    for name, ratio in ratios.items():
        if not name.endswith(BARE):
            print(f"  {name:60}{ratio:>8.2f}")
    print()


def growth(sizes: Sequence[int], seconds: Mapping[str, Sequence[float]]) -> None:
    """What twice the messages cost, doubling by doubling."""
    print("twice the messages, in times as long")
    print(f"  {'up to':44}" + "".join(f"{size:>10,}" for size in sizes[1:]))
    for name, took in seconds.items():
        print(f"  {name:44}" + "".join(f"{ratio:>10.2f}" for ratio in doublings(took)))
    print()


def gates(found: Sequence[Gate]) -> bool:
    """Each gate and whether it holds; whether all do."""
    print("the figures that must hold (1,000 messages where nothing else is said)")
    for gate in found:
        most = "no gate" if gate.most is None else f"at most {gate.most:.2f}"
        mark = "told" if gate.most is None else "ok" if gate.held else "MISSED"
        print(f"  {mark:6} {gate.figure:>7.2f} {most:>14}  {gate.says}")
    asked = [gate for gate in found if gate.most is not None]
    missed = sum(not gate.held for gate in asked)
    print(f"{missed} of {len(asked)} missed" if missed else f"all {len(asked)} hold")
    return not missed


def skipped(name: str, why: str) -> None:
    """A peer that is missing from the table is missed loudly."""
    print(f"\n!!! SKIPPED {name}: {why}\n", flush=True)
