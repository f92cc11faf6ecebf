"""agentpolicy: rules for AI agents as signed YAML in git, with git enforcing them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentpolicy.runtime_guard import GuardTripped, RuntimeGuard

__all__ = ["RULE_SET", "GuardTripped", "RuntimeGuard", "__version__"]
__version__ = "0.1.0"

RULE_SET = "1"
"""The version of the judging and strictness rules; approvals and verdicts name it."""


def __getattr__(name: str) -> object:
    """Give what people call from their own programs; hooks never load it."""
    if name not in {"GuardTripped", "RuntimeGuard"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from agentpolicy import runtime_guard  # noqa: PLC0415 - only who asks for it waits for it

    return getattr(runtime_guard, name)
