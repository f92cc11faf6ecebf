"""Does a loosening turn just these runs from refused to accepted? Then it looks like a waiver."""

from collections.abc import Iterator

from agentpolicy.base.errors import AgentPolicyError, Problem
from agentpolicy.documents.document import Document, DocumentKind, Snapshot
from agentpolicy.documents.layout import TOOLS_PATH
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.gate.budget import BudgetResult, judge_budget
from agentpolicy.order.change import ChangeClass, ChangeReport, Operation
from agentpolicy.runs.run_set import RunSet

_LOOSENING = (ChangeClass.LOOSER, ChangeClass.INCOMPARABLE)


def looks_like_a_waiver(
    old: Snapshot, new: Snapshot, report: ChangeReport, runs: RunSet
) -> Iterator[Problem]:
    """Judge the runs by both states of every loosened budget that governs some of them."""
    for change in report.documents:
        before, after = change.old, change.new
        if before is None or after is None or after.kind is not DocumentKind.BUDGET:
            continue
        if change.operation is not Operation.MODIFY or change.change_class not in _LOOSENING:
            continue
        was, now = _judged(before, old, runs), _judged(after, new, runs)
        if was and now and now.decision.accepted and not was.decision.accepted:
            failed = ", ".join(check.id for check in was.checks if not check.result.accepted)
            yield Problem(
                "looks-like-a-waiver",
                f"these {was.runs} runs are refused before the change ({failed}) and accepted "
                "after it: it looks like a waiver",
                "show other runs that need it, or waive what these measured: agentpolicy waiver",
                after.path,
                after.positions.get(""),
            )


def _judged(budget: Document, side: Snapshot, runs: RunSet) -> BudgetResult | None:
    """Ask the gate; None where it cannot say, as of runs of another task."""
    tools = side.documents.get(TOOLS_PATH)
    try:
        return judge_budget(
            Budget.model_validate(budget.tree),
            Tools.model_validate(tools.tree) if tools else None,
            runs,
        )
    except AgentPolicyError:
        return None
