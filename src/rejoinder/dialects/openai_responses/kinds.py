"""The types of items: who speaks in each, how its id begins, which members and which status it may have.

Members and statuses are what the SDK's types name (openai 3.51.0, read 2026-11-19), those of items that the API
answers with included: all that was answered may be sent again.
"""

from __future__ import annotations

from typing import NamedTuple

_USUAL = "completed in_progress incomplete"


class Kind(NamedTuple):
    """One type of item. `says` is the member that holds the words of a result, or the arguments of a call."""

    role: str
    prefix: str
    members: frozenset[str]
    statuses: frozenset[str]
    says: str = ""


def _kind(role: str, prefix: str, members: str, statuses: str = "", says: str = "") -> Kind:
    return Kind(role, prefix, frozenset(f"id type {members}".split()), frozenset(statuses.split()), says)


MESSAGE = _kind("", "msg", "role content status phase", _USUAL)
_CALL = "call_id created_by caller status"

# The calls that the client answers, and the results that it brings.
CALLS: dict[str, Kind] = {
    "function_call": _kind("assistant", "fc", f"{_CALL} arguments name namespace async", _USUAL, "arguments"),
    "custom_tool_call": _kind("assistant", "ctc", f"{_CALL} input name namespace async", _USUAL, "input"),
    "computer_call": _kind("assistant", "cu", "action actions call_id pending_safety_checks status", _USUAL, "action"),
    "local_shell_call": _kind("assistant", "", "action call_id status", _USUAL, "action"),
    "shell_call": _kind("assistant", "", f"{_CALL} action environment", _USUAL, "action"),
    "apply_patch_call": _kind("assistant", "", f"{_CALL} operation", "completed in_progress", "operation"),
}
RESULTS: dict[str, Kind] = {
    "function_call_output": _kind("tool", "", f"{_CALL} name namespace output", _USUAL, "output"),
    "custom_tool_call_output": _kind("tool", "", f"{_CALL} output", _USUAL, "output"),
    "computer_call_output": _kind(
        "tool", "", "acknowledged_safety_checks call_id created_by output status", f"{_USUAL} failed", "output"
    ),
    "local_shell_call_output": _kind("tool", "", "call_id output status", _USUAL, "output"),
    "shell_call_output": _kind("tool", "", f"{_CALL} max_output_length output", _USUAL, "output"),
    "apply_patch_call_output": _kind("tool", "", f"{_CALL} output", "completed failed", "output"),
}
# A search for tools is the client's to answer, or the server's: that is what its member `execution` says.
SEARCH = _kind("assistant", "tsc", "arguments call_id created_by execution status", _USUAL, "arguments")
FOUND = _kind("assistant", "tso", "call_id created_by execution status tools", _USUAL)
REASONING = _kind("assistant", "rs", "content encrypted_content status summary", _USUAL)
# What is only kept and handed back.
KEPT: dict[str, Kind] = {
    "web_search_call": _kind("assistant", "ws", "action status", f"{_USUAL} failed searching"),
    "file_search_call": _kind("assistant", "fs", "queries results status", f"{_USUAL} failed searching"),
    "code_interpreter_call": _kind(
        "assistant", "ci", "code container_id outputs status", f"{_USUAL} failed interpreting"
    ),
    "image_generation_call": _kind(
        "assistant",
        "ig",
        "action background error output_format quality result revised_prompt size status svg_usage",
        "completed failed generating in_progress",
    ),
    "mcp_call": _kind(
        "assistant",
        "mcp",
        "approval_request_id arguments error name output server_label status",
        f"{_USUAL} calling failed",
    ),
    "mcp_list_tools": _kind("assistant", "mcpl", "error server_label tools"),
    "mcp_approval_request": _kind("assistant", "mcpr", "arguments name server_label"),
    "mcp_approval_response": _kind("user", "", "approval_request_id approve reason"),
    "program": _kind("assistant", "", "call_id code fingerprint"),
    "program_output": _kind("assistant", "", "call_id result status", "completed incomplete"),
    "compaction": _kind("assistant", "cmp", "created_by encrypted_content"),
    "compaction_trigger": _kind("assistant", "", ""),
    "additional_tools": _kind("assistant", "", "role tools"),
    "configuration_update": _kind("assistant", "", "reasoning text"),
    "item_reference": _kind("assistant", "", ""),
}
KINDS: dict[str, Kind] = {
    "message": MESSAGE,
    **CALLS,
    **RESULTS,
    "tool_search_call": SEARCH,
    "tool_search_output": FOUND,
    "reasoning": REASONING,
    **KEPT,
}
ROLES = frozenset({"assistant", "developer", "system", "user"})
PHASES = frozenset({"commentary", "final_answer"})
# What each kind of call is called as a part, and back.
CALL_KINDS = {"function_call": "function", "custom_tool_call": "custom"}
CALL_TYPES = {kind: name for name, kind in CALL_KINDS.items()}
