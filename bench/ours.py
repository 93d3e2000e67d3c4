"""rejoinder as a contestant, and what only it is asked: every way of using it, with and without defects, and growth.

Called like every contestant with a task file and an answer file; with a third argument `growth` it measures how the
time grows instead.
"""

import copy
import json
import sys
from collections.abc import Callable
from pathlib import Path

import corpus
from contest import BARE, Messages, compete, task
from race import bare_loop, race_few

import rejoinder

DIALECTS = ("openai-chat", "anthropic")
SIZES = (12_500, 25_000, 50_000, 100_000)
MESSAGES = 1_000


def touch_loop(messages: Messages) -> None:
    """What a check of pairs cannot do without: every role and every id of a call, and nothing decided."""
    for message in messages:
        message["role"]
        for call in message.get("tool_calls") or ():
            call["id"]


def same_list(messages: Messages, dialect: str) -> bool:
    """Whether an intact list comes back as the very object that was given."""
    repaired = rejoinder.repair(messages, dialect)
    return repaired.payload is messages and not repaired.changed


def _written(dialect: str, messages: Messages) -> Messages:
    return messages if dialect == "openai-chat" else corpus.as_anthropic(messages)


def _source(dialect: str) -> Messages:
    return corpus.openai_chat(MESSAGES) if dialect == "openai-chat" else corpus.anthropic_source(MESSAGES)


def _repairs(dialect: str) -> dict[str, Callable[[], object]]:
    """Each use of one target on 1,000 messages, and the bare loop over the same list to compare it with."""
    source = _source(dialect)
    intact = _written(dialect, source)
    if not same_list(intact, dialect):
        raise SystemExit(f"repair gives an intact {dialect} history of {MESSAGES} messages back changed")
    uses: dict[str, Callable[[], object]] = {
        f"{dialect}: {BARE}": lambda: bare_loop(intact),
        f"{dialect}: check, intact": lambda: rejoinder.check(intact, dialect),
        f"{dialect}: repair, intact": lambda: rejoinder.repair(intact, dialect),
    }
    broken = {kind: _written(dialect, corpus.one_defect(source, kind)) for kind in corpus.DEFECTS}
    broken["a defect per 50 messages"] = _written(dialect, corpus.many_defects(source))
    for kind, messages in broken.items():
        uses[f"{dialect}: repair, {kind}"] = lambda messages=messages: rejoinder.repair(messages, dialect)
    return uses


def _pairs(intact: Messages) -> dict[str, Callable[[Messages], Callable[[], object]]]:
    if rejoinder.sanitize_messages(intact).messages is not intact:
        raise SystemExit(f"sanitize_messages gives an intact history of {MESSAGES} messages back changed")
    defects = [corpus.one_defect(intact, kind) for kind in corpus.DEFECTS]
    return {
        "touch loop": lambda messages: lambda: touch_loop(messages),
        "copy.deepcopy": lambda messages: lambda: copy.deepcopy(messages),
        "sanitize_messages, intact": lambda messages: lambda: rejoinder.sanitize_messages(messages),
        **{
            f"sanitize_messages, {kind}": lambda _, broken=broken: lambda: rejoinder.sanitize_messages(broken)
            for kind, broken in zip(corpus.DEFECTS, defects, strict=True)
        },
    }


def growth() -> dict[str, list[float]]:
    """For each use, the seconds at each size. The sizes take turns too: a slow minute must not look like growth."""
    found: dict[str, list[float]] = {}
    for dialect in DIALECTS:
        source = corpus.openai_chat(SIZES[-1] + SIZES[-1] // 2)
        intact, broken = _written(dialect, source), _written(dialect, corpus.many_defects(source))
        by_size = [_growing(dialect, intact, broken, size) for size in SIZES]
        uses = {(name, at): use for at, sized in enumerate(by_size) for name, use in sized.items()}
        for (name, _), seconds in race_few(uses).items():
            found.setdefault(name, []).append(seconds)
    return found


def _growing(dialect: str, intact: Messages, broken: Messages, size: int) -> dict[str, Callable[[], object]]:
    intact, broken = corpus.up_to(intact, size), corpus.up_to(broken, size)
    uses = {
        BARE: lambda: bare_loop(intact),
        "check, intact": lambda: rejoinder.check(intact, dialect),
        "repair, intact": lambda: rejoinder.repair(intact, dialect),
        "check, a defect per 50 messages": lambda: rejoinder.check(broken, dialect),
        "repair, a defect per 50 messages": lambda: rejoinder.repair(broken, dialect),
        "sanitize_messages, intact": lambda: rejoinder.sanitize_messages(intact),
    }
    return {f"{dialect}: {name}": use for name, use in uses.items()}


def main() -> None:
    if sys.argv[3:] == ["growth"]:
        Path(sys.argv[2]).write_text(json.dumps({"sizes": SIZES, "seconds": growth()}), "utf-8")
        return
    target = task()["dialect"]
    timed = _pairs(corpus.openai_chat(MESSAGES))
    for dialect in DIALECTS:
        timed |= {name: lambda _, use=use: use for name, use in _repairs(dialect).items()}
    compete(rejoinder.__version__, lambda messages: rejoinder.repair(messages, target).payload, timed)


if __name__ == "__main__":
    main()
