"""The reference page says what the code says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from test_readme import FENCE

DOCS = Path(__file__).resolve().parents[1] / "docs"


def test_the_reference_is_what_the_code_says():
    """Each public name with its docstring, each command with its help; `make docs` writes the page."""
    spec = importlib.util.spec_from_file_location("make_reference", DOCS / "make_reference.py")
    assert spec
    assert spec.loader
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    assert (DOCS / "reference.md").read_text("utf-8") == page.reference()


def test_each_phenomenon_of_the_policy_is_on_its_page():
    """docs/policy.md names each choice."""
    from rejoinder.mend.policy import PHENOMENA

    page = (DOCS / "policy.md").read_text("utf-8")
    for name, (_, choices) in PHENOMENA.items():
        row = next((line for line in page.splitlines() if line.startswith(f"| `{name}` |")), "")
        assert [f"`{choice}`" in row for choice in choices] == [True] * len(choices), f"docs/policy.md: {name}"


@pytest.mark.parametrize("name", ["bedrock.md", "conversion.md", "gemini.md", "templates.md"])
def test_each_python_block_of_a_page_runs(name: str):
    """What a page shows is executed, block by block, in one namespace."""
    page = DOCS / name
    namespace: dict[str, object] = {"__name__": "page"}
    found = [each for each in FENCE.finditer(page.read_text("utf-8")) if each["kind"] == "python"]
    assert found
    for fence in found:
        lines = page.read_text("utf-8").count("\n", 0, fence.start("body"))
        exec(compile("\n" * lines + fence["body"], str(page), "exec"), namespace)
