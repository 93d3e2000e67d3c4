"""The target `template:PATH`: the template is read, probed, and asked about every history that is held against it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any

from msgspec.structs import replace

from rejoinder.dialects.chat_template.build import target_of
from rejoinder.dialects.chat_template.probe import Job, Probed, Said, plainest, probe
from rejoinder.dialects.clause import Refusal, Target
from rejoinder.edge.chat_template.files import Source, read
from rejoinder.edge.chat_template.render import WORKER
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.payload import Payload, messages_of

SCHEME = "template"


def load(path: str) -> Target:
    """The target of a template file."""
    source = read(path)
    return replace(_built(source.digest, _Held(source)), name=f"{SCHEME}:{path}")


def probed(path: str) -> tuple[Source, Probed]:
    """What was learnt of a template file."""
    source = read(path)
    return source, _learnt(source.digest, _Held(source))


class _Held:
    """A source as an argument that a cache does not compare: its digest, which stands beside it, says all."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=64)
def _learnt(digest: str, held: _Held) -> Probed:  # noqa: ARG001 (the digest is the key)
    return probe(partial(render, held.source))


@lru_cache(maxsize=64)
def _built(digest: str, held: _Held) -> Target:
    return target_of(SCHEME, digest, _learnt(digest, held), partial(ask, held.source))


def render(source: Source, jobs: Sequence[Job], *, texts: bool = True) -> list[Said]:
    """What the template makes of these conversations."""
    templates: dict[str, str] = {}
    renders: list[tuple[str, dict[str, Any]]] = []
    for job in jobs:
        text = source.text(tools=job.tools is not None)
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        templates[digest] = text
        given = {"messages": job.messages, "tools": job.tools, "documents": None, "add_generation_prompt": True}
        renders.append((digest, {**source.tokens, **given}))
    answers = WORKER.ask(templates, renders, texts=texts)
    return [Said(answer.get("text", ""), answer.get("refused")) for answer in answers]


def ask(source: Source, payload: Payload) -> Refusal | None:
    """Why the template refuses a payload; None where it takes it.

    Where the payload does not say which tools are declared, it has to be taken with tools and without.
    """
    messages = messages_of(payload)
    learnt = _learnt(source.digest, _Held(source))
    declared = _declared(payload, learnt)
    words = _refusal(source, [Job(messages, tools) for tools in declared])
    if words is None:
        return None
    if any(tools in learnt.contexts for tools in declared) or not _refuses_all(source, learnt, declared):
        return Refusal(words)
    # With these tools, or without any, nothing is ever taken. What stands in the messages is asked for all the same.
    about = _refusal(source, [Job(messages, tools) for tools in learnt.contexts])
    return Refusal(words, whatever=True) if about is None else Refusal(about)


def _refusal(source: Source, jobs: list[Job]) -> str | None:
    return next((said.refused for said in render(source, jobs, texts=False) if said.refused is not None), None)


def _refuses_all(source: Source, learnt: Probed, declared: list[Any]) -> bool:
    """Is even the plainest conversation refused?"""
    jobs = [Job(messages, tools) for messages in plainest(learnt) for tools in declared]
    return all(said.refused is not None for said in render(source, jobs, texts=False))


def _declared(payload: Payload, learnt: Probed) -> list[Any]:
    """The tools that a template is given with a payload."""
    if not is_object(payload):
        return learnt.contexts or [None]
    tools = payload.get("tools")
    return [tools] if is_array(tools) and tools else [None]
