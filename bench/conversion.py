"""What conversion costs, beside what a user would take instead: each in an environment of its own, in one run."""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import corpus
import report
from environments import NotInstalledError, Peer, python_of
from gates import Gate

HERE = Path(__file__).resolve().parent
ORJSON = "orjson==3.13.0"
BODY_BYTES = 3.5
TIMES_FASTER = 5.0
MESSAGES = 1_000
WAIT_SECONDS = 600
_WAYS = ("openai-chat", "anthropic")
CONTESTANTS = (
    Peer("rejoinder", "conversion.py", ("--editable", str(HERE.parent), ORJSON), *_WAYS),
    Peer("litellm", "conversion.py", ("litellm==1.106.2", ORJSON), *_WAYS),
    Peer("langchain-anthropic", "conversion.py", ("langchain-anthropic", ORJSON), *_WAYS),
)


def measure(processes: int) -> list[Gate]:
    """Print the table, and give the figures that must hold."""
    messages = corpus.openai_chat(MESSAGES)
    found: dict[str, dict[str, float]] = {}
    print(f"{MESSAGES:,} messages from openai-chat to anthropic, in times of orjson.dumps of the same messages")
    for peer in CONTESTANTS:
        try:
            answer = _best(peer, messages, processes)
        except NotInstalledError as error:
            report.skipped(peer.name, str(error))
            continue
        found[peer.name] = answer["ratios"]
        for name, ratio in answer["ratios"].items():
            print(f"  {peer.name + ' ' + answer['version'] + ': ' + name:76}{ratio:>8.2f}")
    print()
    return _gates(found)


def _gates(found: dict[str, dict[str, float]]) -> list[Gate]:
    ours = found["rejoinder"]["convert, to body bytes"]
    gates = [Gate("conversion of 1,000 messages to body bytes (times orjson.dumps)", ours, BODY_BYTES)]
    if "litellm" in found:
        theirs = found["litellm"]["transform_request, to body bytes"]
        says = f"the same against litellm's transform_request and its encoding, a {TIMES_FASTER:.0f}th of"
        gates.append(Gate(says, ours, theirs / TIMES_FASTER))
    return gates


def _best(peer: Peer, messages: Any, processes: int) -> dict[str, Any]:
    """The best of several processes for each way of use."""
    # The packages are installed beside orjson, so not into the environments of the other contests.
    python = python_of(peer._replace(name=f"{peer.name}-conversion"))
    best: dict[str, Any] = {}
    for _ in range(processes):
        answer = _process(python, peer, messages)
        held = best.setdefault("ratios", {})
        for name, ratio in answer["ratios"].items():
            held[name] = min(ratio, held.get(name, ratio))
        best["version"] = answer["version"]
    return best


def _process(python: Path, peer: Peer, messages: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        task, answer = Path(folder, "task.json"), Path(folder, "answer.json")
        task.write_text(json.dumps(messages), "utf-8")
        command = [str(python), str(HERE / "peers" / peer.script), str(task), str(answer), peer.name]
        environment = {**os.environ, "PYTHONPATH": str(HERE)}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=WAIT_SECONDS
        )
        if done.returncode or not answer.is_file():
            said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise NotInstalledError(f"it would not run: {said[-1]}")
        return json.loads(answer.read_text("utf-8"))
