"""What every contestant does, each in a process and an environment of its own: be timed, and mend broken histories.

A contestant is called with a task file and an answer file, both JSON. It knows nothing of rejoinder, of its tests or of
its judges: what it made of each history goes into the answer, and somebody else counts.
"""

import json
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from race import bare_loop, race

Messages = list[dict[str, Any]]
BARE = "bare loop"


def task() -> dict[str, Any]:
    """What is asked of this process: the `dialect`, an `intact` history to be timed with, and `broken` ones to mend."""
    return json.loads(Path(sys.argv[1]).read_text("utf-8"))


def compete(
    version: str,
    mend: Callable[[Messages], Any],
    timed: Mapping[str, Callable[[Messages], Callable[[], object]]],
) -> None:
    """Do the task named on the command line.

    `mend` takes one broken history and returns what would be sent. `timed` has, for each way of using the package, a
    function that gets an intact history, prepares what is not to be timed, and returns what is. A task without an
    intact history wants no times.
    """
    given = task()
    logging.disable(logging.CRITICAL)  # a line for every repair would be timed too
    intact: Messages = given["intact"]
    candidates: dict[str, Callable[[], object]] = {}
    if intact:
        candidates = {BARE: lambda: bare_loop(intact), **{name: prepare(intact) for name, prepare in timed.items()}}
    said = {
        "version": version,
        "seconds": race(candidates),
        "made": [_made(mend, messages) for messages in given["broken"]],
    }
    Path(sys.argv[2]).write_text(json.dumps(said, default=_plain), "utf-8")


def _made(mend: Callable[[Messages], Any], messages: Messages) -> dict[str, Any]:
    try:
        return {"messages": mend(messages)}
    except Exception as error:  # whatever it is: the user is left without a request
        return {"crashed": f"{type(error).__name__}: {error}"[:200]}


def _plain(value: Any) -> Any:
    return value.model_dump(exclude_none=True)
