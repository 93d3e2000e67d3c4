"""One environment for each peer, so that nobody's dependencies decide for another's; made once, kept in `.envs`."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
# Another place can be named, for a checkout that is searched by tools which know no .gitignore.
ENVIRONMENTS = Path(os.environ.get("REJOINDER_BENCH_ENVS") or HERE / ".envs")
WAIT_SECONDS = 900


class Peer(NamedTuple):
    """What a user would take instead, in the version for which its script in `peers/` was written."""

    name: str
    script: str
    requirements: tuple[str, ...]
    reads: str
    sends: str


PEERS = (
    Peer("turnsafe", "with_turnsafe.py", ("turnsafe==0.1.0",), "openai-chat", "openai-chat"),
    Peer("turnsafe", "with_turnsafe.py", ("turnsafe==0.1.0",), "anthropic", "anthropic"),
    Peer("litellm", "with_litellm.py", ("litellm==1.106.2",), "openai-chat", "anthropic"),
    Peer("langchain-core", "with_langchain.py", ("langchain-core==1.7.2",), "openai-chat", "openai-chat"),
    Peer(
        "pydantic-ai",
        "with_pydantic_ai.py",
        ("pydantic-ai-slim[openai]==2.66.0", "openai==3.51.0"),
        "openai-chat",
        "openai-chat",
    ),
)


class NotInstalledError(Exception):
    """The environment of a peer could not be made."""


def python_of(peer: Peer) -> Path:
    """The interpreter of the peer's environment, which is made when it is not there or is for other versions."""
    home = ENVIRONMENTS / peer.name
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp, wanted = home / "installed.txt", "\n".join((sys.version, *peer.requirements))
    if python.is_file() and stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return python
    print(f"installing {' '.join(peer.requirements)} into an environment of its own (once)", flush=True)
    _run([sys.executable, "-m", "venv", "--clear", str(home)])
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, *peer.requirements])
    stamp.write_text(wanted, "utf-8")
    return python


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=WAIT_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalledError(str(error)) from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()
        raise NotInstalledError(" ".join(lines[-2:]) or f"{command[0]} ended with {done.returncode}")
