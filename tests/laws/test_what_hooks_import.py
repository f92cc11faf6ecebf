"""Start-up is most of what a hook costs, so what answers hooks imports nothing heavy."""

import subprocess
import sys

import pytest

HEAVY = ("click", "pydantic", "msgspec", "rich", "jsonschema", "rapidfuzz", "numpy", "git",
         "dataclasses", "inspect")  # fmt: skip


@pytest.mark.parametrize(
    "module",
    [
        "agentpolicy.cli.hook_entry",
        "agentpolicy.workflows.confirmed",
        "agentpolicy.workflows.log_push",
    ],
)
def test_what_answers_hooks_imports_nothing_heavy(module: str) -> None:
    """The others are imported where a hook needs the verdict log."""
    ask = f"import sys, {module}; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-I", "-c", ask], capture_output=True, check=True, text=True
    )
    assert done.stdout.strip() == "[]"
