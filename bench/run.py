"""`make bench`: rejoinder beside what a user would take instead, on the same histories, in one run.

Every contestant runs in processes of its own, and the peers in environments of their own. Times are given as so many
bare loops (a visit of each message that decides nothing), so that they can be compared between machines. Each process
finds its strings at other addresses, which makes dict lookups faster in some than in others; so several processes are
run, and of the loop as of each contestant the best counts.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import conversion
import corpus
import report
import sessions
from environments import PEERS, NotInstalledError, Peer, python_of
from gates import gates, growth_gates, times
from verdicts import Messages, broken_histories, verdict

HERE = Path(__file__).resolve().parent
HISTORIES = 1_000
MESSAGES = 1_000
PROCESSES = 5
WAIT_SECONDS = 1_800


class ContestantError(Exception):
    """A contestant's process ended badly."""


def main() -> int:
    """Run everything, print it, and say by the exit code whether the figures hold."""
    asked = _arguments()
    print(f"Python {sys.version.split()[0]}, best of {asked.processes} processes, {asked.histories} broken histories\n")
    try:
        entries = [_ours("openai-chat", asked), _ours("anthropic", asked)]
        growth = _growth()
    except ContestantError as error:
        print(f"MISSED: rejoinder itself did not get through: {error}")
        return 1
    entries += [] if asked.quick else [entry for peer in PEERS if (entry := _theirs(peer, asked))]
    report.contestants(entries, asked.histories)
    report.uses(entries[0].ratios)
    report.growth(growth["sizes"], growth["seconds"])
    litellm = next((entry.ratios for entry in entries if entry.name == "litellm"), None)
    over = conversion.measure(asked.processes) if not asked.quick else []
    over += sessions.measure(1 if asked.quick else sessions.ROUNDS)
    held = report.gates([*over, *gates(entries[0].ratios, litellm), *growth_gates(growth["sizes"], growth["seconds"])])
    return 0 if held else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="measure rejoinder and its peers on this machine")
    parser.add_argument("--quick", action="store_true", help="without the peers")
    parser.add_argument("--histories", type=int, default=HISTORIES, help="broken histories for each contestant")
    parser.add_argument("--processes", type=int, default=PROCESSES, help="processes for each contestant")
    return parser.parse_args()


def _ours(dialect: str, asked: argparse.Namespace) -> report.Entry:
    """All uses are timed in one process, whatever the dialect; the judge is asked about each dialect apart."""
    timed = asked.processes if dialect == "openai-chat" else 0
    return _entry("rejoinder", dialect, dialect, Path(sys.executable), HERE / "ours.py", asked.histories, timed)


def _theirs(peer: Peer, asked: argparse.Namespace) -> report.Entry | None:
    try:
        python, script = python_of(peer), HERE / "peers" / peer.script
        return _entry(peer.name, peer.reads, peer.sends, python, script, asked.histories, asked.processes)
    except NotInstalledError as error:
        report.skipped(peer.name, f"it would not install: {error}")
    except ContestantError as error:
        report.skipped(peer.name, f"it would not run: {error}")
    return None


def _entry(
    name: str, reads: str, sends: str, python: Path, script: Path, histories: int, processes: int
) -> report.Entry:
    broken = _broken(reads, histories)
    answer = _process(python, script, {"dialect": reads, "intact": [], "broken": broken})
    best: dict[str, float] = {}
    for _ in range(processes):
        timed = _process(python, script, {"dialect": reads, "intact": _intact(reads), "broken": []})
        for use, seconds in timed["seconds"].items():
            best[use] = min(seconds, best.get(use, seconds))
    return report.Entry(name, answer["version"], reads, sends, times(best), verdict(broken, answer["made"], sends))


def _growth() -> dict[str, Any]:
    """The seconds at each size, the best of two processes: long lists are at the mercy of where memory lies."""
    runs = [_process(Path(sys.executable), HERE / "ours.py", {}, "growth") for _ in range(2)]
    best = {
        use: [min(at) for at in zip(*(run["seconds"][use] for run in runs), strict=True)] for use in runs[0]["seconds"]
    }
    return {"sizes": runs[0]["sizes"], "seconds": best}


@cache
def _broken(dialect: str, count: int) -> list[Messages]:
    return broken_histories(dialect, count)


@cache
def _intact(dialect: str) -> Messages:
    if dialect == "openai-chat":
        return corpus.openai_chat(MESSAGES)
    return corpus.as_anthropic(corpus.anthropic_source(MESSAGES))


def _process(python: Path, script: Path, task: dict[str, Any], *more: str) -> dict[str, Any]:
    """Give a contestant its task in a process of its own; what it answers."""
    with tempfile.TemporaryDirectory() as folder:
        given, answer = Path(folder, "task.json"), Path(folder, "answer.json")
        given.write_text(json.dumps(task), "utf-8")
        command = [str(python), str(script), str(given), str(answer), *more]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(_paths(python))}
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False, timeout=WAIT_SECONDS
            )
        except subprocess.TimeoutExpired as error:
            raise ContestantError(f"{script.name}: not done after {WAIT_SECONDS} seconds") from error
        if done.returncode or not answer.is_file():
            said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise ContestantError(f"{script.name}: {said[-1]}")
        return json.loads(answer.read_text("utf-8"))


def _paths(python: Path) -> list[str]:
    """Where a contestant looks for modules first: a peer sees this folder, and nothing else of ours."""
    ours = os.environ.get("PYTHONPATH", "") if python == Path(sys.executable) else ""
    return [str(HERE), *([ours] if ours else [])]


if __name__ == "__main__":
    sys.exit(main())
