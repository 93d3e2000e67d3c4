"""`python bench/templates.py`: filling a prompt, beside other engines and beside an f-string written by hand.

Every engine runs in processes of its own, in an environment of its own, and against the f-string in the same process;
so its figures are so many f-strings. Handlebars on node runs where REJOINDER_NODE_MODULES names a folder that has it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import prompt
from environments import NotInstalledError, Peer, python_of

HERE = Path(__file__).resolve().parent
PROCESSES = 3
WAIT_SECONDS = 600
SCRIPT = "with_templates.py"
PEERS = (
    Peer("jinja2", SCRIPT, ("jinja2==3.1.6",), "", ""),
    Peer("minijinja", SCRIPT, ("minijinja==3.0.5",), "", ""),
    Peer("chevron", SCRIPT, ("chevron==0.14.0",), "", ""),
    Peer("pystache", SCRIPT, ("pystache==0.6.8",), "", ""),
    Peer("dotprompt", SCRIPT, ("dotpromptz-handlebars==0.2.0",), "", ""),
)
# How much slower than ours each has to be when it fills again, and Jinja2 when it fills for the first time.
SLOWER = {"jinja2": 3.5, "minijinja": 1.4, "chevron": 10.0, "pystache": 6.0}
MOST_BY_HAND, FIRST_SLOWER = 2.5, 10.0


class Figures(NamedTuple):
    """One engine: filling again and for the first time, in f-strings written by hand."""

    name: str
    version: str
    again: float
    first: float


def main() -> int:
    """Race them all, print it, and say by the exit code whether the figures hold."""
    print(f"Python {sys.version.split()[0]}; a prompt of {len(prompt.SOURCE):,} letters; in f-strings by hand")
    ours = _figures("rejoinder", Path(sys.executable))
    found = [ours]
    for peer in PEERS:
        try:
            found.append(_figures(peer.name, python_of(peer)))
        except (NotInstalledError, subprocess.SubprocessError, OSError) as error:
            print(f"SKIPPED {peer.name}: {error}")
    node = _on_node()
    for each in [*found, *([node] if node else [])]:
        print(f"  {each.name + ' ' + each.version:28} again {each.again:8.2f}   first {each.first:9.1f}", end="")
        print(f"   that is {each.again / ours.again:6.2f} and {each.first / ours.first:6.2f} times ours")
    held = [_gate(*gate) for gate in _gates(ours, {each.name: each for each in found})]
    return 0 if all(held) else 1


def _gates(ours: Figures, found: dict[str, Figures]) -> list[tuple[str, float, float, bool]]:
    gates = [("filled again, in f-strings by hand, at most", ours.again, MOST_BY_HAND, False)]
    for name, times in SLOWER.items():
        if name in found:
            gates.append((f"{name} takes so many times as long, at least", found[name].again / ours.again, times, True))
    if "jinja2" in found:
        gates.append(("and for a new template, at least", found["jinja2"].first / ours.first, FIRST_SLOWER, True))
    return gates


def _gate(says: str, figure: float, wanted: float, least: bool) -> bool:
    held = figure >= wanted if least else figure <= wanted
    print(f"{'held  ' if held else 'MISSED'} {says} {wanted}: {figure:.2f}")
    return held


def _figures(name: str, python: Path) -> Figures:
    """The best of some processes, each against the f-string in the same process."""
    runs = [_run([str(python), str(HERE / "peers" / SCRIPT), name]) for _ in range(PROCESSES)]
    hand = min(run["hand"] for run in runs)
    again, first = (min(run[kind] for run in runs) / hand for kind in ("again", "first"))
    return Figures(name, runs[0]["version"], again, first)


def _on_node() -> Figures | None:
    modules, node = os.environ.get("REJOINDER_NODE_MODULES"), shutil.which("node")
    if not modules or not node:
        print("SKIPPED handlebars: REJOINDER_NODE_MODULES names no node modules, or there is no node")
        return None
    values = prompt.values()
    hand = min(_run([sys.executable, str(HERE / "peers" / SCRIPT), "rejoinder"])["hand"] for _ in range(PROCESSES))
    with tempfile.TemporaryDirectory() as folder:
        task = Path(folder, "task.json")
        task.write_text(json.dumps({"source": prompt.SOURCE, "values": values, "wanted": prompt.by_hand(values)}))
        run = _run([node, str(HERE / "peers" / "templates.mjs"), str(task), str(Path(modules).resolve())])
    return Figures("handlebars (node)", run["version"], run["again"] / hand, run["first"] / hand)


def _run(command: list[str]) -> dict:
    paths = os.pathsep.join((str(HERE), *filter(None, [os.environ.get("PYTHONPATH", "")])))
    ours = command[0] == sys.executable
    environment = {**os.environ, "PYTHONPATH": paths if ours else str(HERE)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=WAIT_SECONDS)
    if done.returncode:
        raise subprocess.SubprocessError((done.stderr.strip().splitlines() or ["it ended badly"])[-1])
    return json.loads(done.stdout)


if __name__ == "__main__":
    sys.exit(main())
