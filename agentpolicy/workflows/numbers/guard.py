"""Exports the limits of a runtime guard from a budget of the policy in force, or a proposed one."""

from decimal import Decimal
from typing import Any, NamedTuple

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.documents.models.budget import Budget
from agentpolicy.gate.guard_limits import GuardLimits, guard_limits
from agentpolicy.workflows.policy_source import PolicySource


class Export(NamedTuple):
    """The limits, and which policy says them."""

    limits: GuardLimits
    policy: dict[str, Any]


def export_guard(source: PolicySource, name: str, headroom: Decimal | None) -> Export:
    """Read the ceilings of one budget.

    Raises:
        InputError: there is no such budget.
        UndecidedError: it has no ceiling, and nothing one could follow from.
    """
    document = source.document(f"policies/budgets/{name}.yaml")
    limits = guard_limits(Budget.model_validate(document.tree), headroom)
    if not limits.ceilings:
        words = "the budget has no runtime_guard, so there is nothing to export"
        hint = "write one, or say how far above its hard limits: --headroom 2"
        raise UndecidedError(Problem("no-guard", words, hint, document.path))
    policy = {
        "state": str(source.state),
        "commit": source.commit or None,
        "document": document.path,
        "version": document.version,
        "sha256": document.sha256,
    }
    return Export(limits, policy)
