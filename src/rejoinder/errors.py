"""Every exception that rejoinder raises.

    RejoinderError
    ├── PayloadError      what was handed in is no conversation, or no JSON at all
    ├── DialectError      the shape of the payload is unknown, or could be two that matter
    ├── TargetError       no target has this name
    ├── PolicyError       a policy names a rule or a choice that does not exist
    ├── RefusedError      the policy says "raise" for a finding; it carries the finding
    ├── LossError         a conversion would lose something, and was told not to; it carries the losses
    ├── StreamError       a stream that cannot be read: no JSON, another API's, or an event larger than allowed
    ├── FetchError        a medium could not be fetched, or may not be: too large, too slow, no public address
    ├── TemplateError     a template cannot be read or filled; it says line, column and an excerpt
    │   ├── MissingVariableError   a variable is not there, and was to be; it carries its name
    │   └── TemplateLimitError     a limit was reached: size, depth, steps, output or seconds; it carries which
    └── SessionError      a session cannot be opened, read or appended to; nothing that was acknowledged is lost
        └── LockedError   another process holds it

What a provider would refuse is never an exception: it is a Finding.
"""

from __future__ import annotations


class RejoinderError(Exception):
    """The root: catch this to catch everything rejoinder raises on purpose."""


class PayloadError(RejoinderError, ValueError):
    """What was handed in cannot be read as a conversation."""


class DialectError(RejoinderError, ValueError):
    """The dialect is unknown, or the payload could be read as two that matter."""


class TargetError(RejoinderError, ValueError):
    """There is no target of this name."""


class PolicyError(RejoinderError, ValueError):
    """A policy names a rule or a choice that does not exist."""


class RefusedError(RejoinderError):
    """A finding whose policy is `raise`; `finding` says what and where."""

    def __init__(self, finding: object) -> None:
        super().__init__(str(finding))
        self.finding = finding


class LossError(RejoinderError):
    """A conversion that may lose nothing would lose something; `losses` says what, where and why."""

    def __init__(self, losses: tuple[object, ...]) -> None:
        named = ", ".join(dict.fromkeys(str(getattr(loss, "what", loss)) for loss in losses))
        super().__init__(f"{len(losses)} losses: {named}; `losses` says where and why, losses='tell' goes on")
        self.losses = losses


class StreamError(RejoinderError, ValueError):
    """A stream cannot be read. What came in front of it stays readable: `close` gives it, marked as cut."""


class FetchError(RejoinderError, ValueError):
    """A medium could not be fetched, or may not be."""


class SessionError(RejoinderError):
    """A session cannot be opened, read or appended to."""


class LockedError(SessionError):
    """Another process holds the session."""

    def __init__(self, path: str, waited: float) -> None:
        super().__init__(f"{path}: another process holds this session, {waited:g} seconds long; let it finish first")


class TemplateError(RejoinderError, ValueError):
    """A template that cannot be read or filled: `says` is what is wrong; `line`, `column`, `excerpt` where."""

    def __init__(self, says: str, line: int = 0, column: int = 0, excerpt: str = "") -> None:
        where = f"line {line}, column {column}: " if line else ""
        super().__init__(f"{where}{says}{f'; here: {excerpt}' if excerpt else ''}")
        self.says = says
        self.line = line
        self.column = column
        self.excerpt = excerpt


class MissingVariableError(TemplateError):
    """A variable that the template wants is not there; `name` is its name."""

    name = ""


class TemplateLimitError(TemplateError):
    """A limit was reached; `limit` names it: size, depth, steps, output or seconds."""

    limit = ""
