"""The process that renders: it reads jobs from its standard input, and can do nothing but answer them.

A job is a line of JSON: templates to learn, and conversations to render with one of them. The answer is a line too.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import Any

from jinja2 import Template, TemplateError

from rejoinder.edge.chat_template.engine import OverLimitError, Sandbox, render

# What the whole process may have, beyond what a template may do by count.
MEMORY = 1 << 30
_SPARE_SECONDS = 5


def main(seconds: int) -> None:
    """Answer jobs until the input ends."""
    _confine()
    known: dict[str, tuple[Sandbox, Template | dict[str, str]]] = {}
    for line in sys.stdin:
        _allow(seconds)
        try:
            answer: Any = _answer(json.loads(line), known)
        except RecursionError:
            answer = {"over": "the conversation is nested too deep"}
        except MemoryError:
            answer = {"over": "it needs more memory than a template may have"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(job: dict[str, Any], known: dict[str, tuple[Sandbox, Template | dict[str, str]]]) -> Any:
    for digest, source in job["learn"].items():
        known[digest] = learned(source)
    answers: list[dict[str, str]] = []
    for digest, variables in job["renders"]:
        environment, template = known[digest]
        said = render(environment, template, variables) if isinstance(template, Template) else template
        if not job["texts"] and "text" in said:
            said = {"text": ""}
        if "over" in said:
            # Whoever ran over a limit once would do it again for each of the rest.
            return said
        answers.append(said)
    return answers


def learned(source: str) -> tuple[Sandbox, Template | dict[str, str]]:
    """A template that was compiled; or why it cannot be."""
    environment = Sandbox()
    try:
        return environment, environment.counted(source)
    except (TemplateError, SyntaxError, ValueError, TypeError) as error:
        line = getattr(error, "lineno", None)
        return environment, {"over": f"it is no Jinja template: {error}" + (f" (line {line})" if line else "")}
    except (OverLimitError, RecursionError, MemoryError):
        return environment, {"over": "it is nested too deep to be compiled"}


def _confine() -> None:
    """Limit memory, and forbid to write files, where the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _allow(seconds: int) -> None:
    """Processor time for one job, should nobody be left to stop us."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        usage = resource.getrusage(resource.RUSAGE_SELF)
        used = int(usage.ru_utime + usage.ru_stime)
        resource.setrlimit(resource.RLIMIT_CPU, (used + seconds + _SPARE_SECONDS, resource.RLIM_INFINITY))
