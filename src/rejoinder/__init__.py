"""rejoinder keeps LLM conversations valid: it checks, repairs and explains a message history."""

from __future__ import annotations

from importlib import import_module
from sys import modules as _loaded

# Spelled out: to import it from `typing` costs more than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from rejoinder.active_path import (
        IncompleteToolUse,
        filter_messages,
        find_incomplete_tool_uses,
        get_tool_result_ids,
        get_tool_use_ids,
    )
    from rejoinder.assemble.processor import MessageProcessor
    from rejoinder.carry.converted import Converted
    from rejoinder.crossing import convert
    from rejoinder.dialects.carries import Loss
    from rejoinder.dialects.clause import Clause, Evidence, Target
    from rejoinder.dialects.detect import Detection, detect
    from rejoinder.dialects.streams.answer import Answer
    from rejoinder.dialects.streams.assemble import Assembler, read_answer, stream
    from rejoinder.dialects.streams.bridge import Bridge
    from rejoinder.edge.resume import Resumed
    from rejoinder.edge.sessions import Branch, Session, load_session_messages
    from rejoinder.errors import (
        DialectError,
        FetchError,
        LockedError,
        LossError,
        MissingVariableError,
        PayloadError,
        PolicyError,
        RefusedError,
        RejoinderError,
        SessionError,
        StreamError,
        TargetError,
        TemplateError,
        TemplateLimitError,
    )
    from rejoinder.journey import check, repair
    from rejoinder.mend.policy import Policy
    from rejoinder.mend.prefix import PrefixImpact, prefix_impact
    from rejoinder.mend.report import Patch, Repaired, Step
    from rejoinder.sanitize import RemovedMessage, SanitizeResult, Validation, sanitize_messages, validate_messages
    from rejoinder.targets import find_target
    from rejoinder.template.limits import Limits
    from rejoinder.template.syntax import Syntax
    from rejoinder.template.template import Template
    from rejoinder.values.ask import Fetch, Fetched
    from rejoinder.values.finding import Finding, Fix
    from rejoinder.values.place import Place

__version__ = "0.1.0"

# Where each public name lives. It is imported when it is first asked for, so that `import rejoinder` is quick.
_HOMES = {
    "rejoinder.active_path": (
        "IncompleteToolUse",
        "filter_messages",
        "find_incomplete_tool_uses",
        "get_tool_result_ids",
        "get_tool_use_ids",
    ),
    "rejoinder.assemble.processor": ("MessageProcessor",),
    "rejoinder.carry.converted": ("Converted",),
    "rejoinder.crossing": ("convert",),
    "rejoinder.dialects.carries": ("Loss",),
    "rejoinder.dialects.clause": ("Clause", "Evidence", "Target"),
    "rejoinder.dialects.detect": ("Detection", "detect"),
    "rejoinder.dialects.streams.answer": ("Answer",),
    "rejoinder.dialects.streams.assemble": ("Assembler", "read_answer", "stream"),
    "rejoinder.dialects.streams.bridge": ("Bridge",),
    "rejoinder.errors": (
        "DialectError",
        "FetchError",
        "LockedError",
        "LossError",
        "MissingVariableError",
        "PayloadError",
        "PolicyError",
        "RefusedError",
        "RejoinderError",
        "SessionError",
        "StreamError",
        "TargetError",
        "TemplateError",
        "TemplateLimitError",
    ),
    "rejoinder.journey": ("check", "repair"),
    "rejoinder.mend.policy": ("Policy",),
    "rejoinder.mend.prefix": ("PrefixImpact", "prefix_impact"),
    "rejoinder.mend.report": ("Patch", "Repaired", "Step"),
    "rejoinder.sanitize": (
        "RemovedMessage",
        "SanitizeResult",
        "Validation",
        "sanitize_messages",
        "validate_messages",
    ),
    "rejoinder.targets": ("find_target",),
    "rejoinder.template.limits": ("Limits",),
    "rejoinder.template.syntax": ("Syntax",),
    "rejoinder.template.template": ("Template",),
    "rejoinder.values.ask": ("Fetch", "Fetched"),
    "rejoinder.values.finding": ("Finding", "Fix"),
    "rejoinder.values.place": ("Place",),
    "rejoinder.edge.sessions": ("Branch", "Session", "load_session_messages"),
    "rejoinder.edge.resume": ("Resumed",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Answer",
    "Assembler",
    "Branch",
    "Bridge",
    "Clause",
    "Converted",
    "Detection",
    "DialectError",
    "Evidence",
    "Fetch",
    "FetchError",
    "Fetched",
    "Finding",
    "Fix",
    "IncompleteToolUse",
    "Limits",
    "LockedError",
    "Loss",
    "LossError",
    "MessageProcessor",
    "MissingVariableError",
    "Patch",
    "PayloadError",
    "Place",
    "Policy",
    "PolicyError",
    "PrefixImpact",
    "RefusedError",
    "RejoinderError",
    "RemovedMessage",
    "Repaired",
    "Resumed",
    "SanitizeResult",
    "Session",
    "SessionError",
    "Step",
    "StreamError",
    "Syntax",
    "Target",
    "TargetError",
    "Template",
    "TemplateError",
    "TemplateLimitError",
    "Validation",
    "check",
    "convert",
    "detect",
    "filter_messages",
    "find_incomplete_tool_uses",
    "find_target",
    "get_tool_result_ids",
    "get_tool_use_ids",
    "load_session_messages",
    "prefix_impact",
    "read_answer",
    "repair",
    "sanitize_messages",
    "stream",
    "validate_messages",
]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'rejoinder' has no attribute {name!r}")
    if "rejoinder.edge.debug" not in _loaded:
        import_module("rejoinder.edge.debug").listen()
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
