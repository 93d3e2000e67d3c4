"""The time and the memory of one thing done with a session file: `python session_room.py health|tail FILE`."""

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from rejoinder.edge.health import health
from rejoinder.edge.tail import last_turns

TURNS = 100


def main(what: str, path: str) -> None:
    """Do it, and say what it took."""
    began = time.perf_counter()
    done: dict[str, Any] = {}
    if what == "health":
        seen = health(path)
        done = {"defects": len(seen.defects), "quick": seen.quick}
    else:
        done = {"messages": len(last_turns(path, TURNS))}
    done["seconds"] = time.perf_counter() - began
    done["megabytes"] = _most_kilobytes() / 1024
    with open(path, "rb") as file:
        done["longest"] = max(map(len, file)) if what == "health" else 0
    print(json.dumps(done))


def _most_kilobytes() -> int:
    """The most memory that this program had at once; what its parent had before it began counts in `ru_maxrss`."""
    try:
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
