"""Has conversations rendered by a process of its own, which is stopped when its time is over."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

from rejoinder.errors import PayloadError, TargetError

# For one job; it may hold a hundred small conversations, or one large.
SECONDS = 30
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from rejoinder.edge.chat_template.worker import main; main(int(sys.argv[2]))"
)
_INSTALL = "chat templates need jinja2; install it with: pip install 'rejoinder[template]'"


class Worker:
    """A process that renders, started when it is first needed, and again after it was stopped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._learned: set[str] = set()
        self._owner = 0

    def ask(self, templates: dict[str, str], renders: list[tuple[str, dict[str, Any]]], *, texts: bool) -> list[Any]:
        """For each conversation its text, or why it has none."""
        with self._lock:
            process = self._running()
            learn = {digest: text for digest, text in templates.items() if digest not in self._learned}
            try:
                job = json.dumps({"learn": learn, "renders": renders, "texts": texts}, default=str)
            except (RecursionError, ValueError, TypeError) as error:
                raise PayloadError(f"this conversation cannot be handed to a template: {error}") from None
            answer = self._answer(process, job)
            self._learned |= learn.keys()
        if isinstance(answer, dict):
            raise TargetError(f"the template cannot be used: {answer['over']}")
        return answer

    def stop(self) -> None:
        """End the process, if there is one and it is ours."""
        process, self._process = self._process, None
        self._learned.clear()
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        process.wait()

    def _running(self) -> subprocess.Popen[str]:
        if self._process is not None and self._owner == os.getpid() and self._process.poll() is None:
            return self._process
        self.stop()
        if find_spec("jinja2") is None:
            raise TargetError(_INSTALL)
        # It gets no environment: there is nothing in it that a template should be able to see.
        keep = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
        command = [sys.executable, "-I", "-c", _START, json.dumps(sys.path), str(SECONDS)]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=keep
            )
        except OSError as error:
            raise TargetError(f"the process that renders templates cannot be started: {error}") from None
        self._owner = os.getpid()
        return self._process

    def _answer(self, process: subprocess.Popen[str], job: str) -> Any:
        """One line in, one line out, or the end of the process."""
        late = threading.Event()
        clock = threading.Timer(SECONDS, lambda: (late.set(), process.kill()))
        clock.daemon = True
        clock.start()
        line = ""
        try:
            if process.stdin is not None and process.stdout is not None:
                with suppress(OSError):
                    process.stdin.write(job + "\n")
                    process.stdin.flush()
                    line = process.stdout.readline()
        finally:
            clock.cancel()
            if not line:
                self.stop()
        if line:
            return json.loads(line)
        if late.is_set():
            raise TargetError(f"the template cannot be used: it ran for more than {SECONDS} seconds and was stopped")
        raise TargetError("the template cannot be used: rendering it ended its process (out of memory, or of depth)")


WORKER = Worker()
atexit.register(WORKER.stop)
