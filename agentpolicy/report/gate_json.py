"""The gate's answer as JSON that other programs may rely on: strings, integers, null, no floats."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import Instant, format_instant
from agentpolicy.gate.band import BandResult
from agentpolicy.gate.budget import BudgetResult
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.release import ReleaseResult
from agentpolicy.report.gate_bodies import (
    band_body,
    budget_body,
    rates_json,
    tallies_json,
    waivers_json,
)
from agentpolicy.report.problems_json import problems_json
from agentpolicy.runs.evidence import Tally

FORMAT_VERSION = 1
GateResult: TypeAlias = BudgetResult | BandResult | ReleaseResult


def gate_json(
    result: GateResult,
    *,
    policy: Mapping[str, Any],
    evaluated_at: Instant,
    verdict: str | None,
    unreadable: Sequence[Problem] = (),
) -> dict[str, Any]:
    """Write one answer in the published shape.

    Args:
        result: what the gate found.
        policy: commit, ref and state of the policy it was judged under.
        evaluated_at: the instant every date was read at.
        verdict: digest of the verdict statement; None where none was made.
        unreadable: the records of the evidence that could not be read.
    """
    return {
        "format_version": FORMAT_VERSION,
        "decision": str(result.decision),
        "policy": dict(policy),
        "evaluated_at": format_instant(evaluated_at),
        "runs": result.runs,
        **_body(result),
        "hand_set": list(result.hand_set),
        "unreadable": problems_json(unreadable),
        "verdict": verdict,
    }


def findings_json(result: GateResult) -> dict[str, Any]:
    """Write what the gate found, without the policy, the instant and the verdict's own name."""
    return {"decision": str(result.decision), "runs": result.runs, **_body(result)}


def _body(result: GateResult) -> dict[str, Any]:
    if isinstance(result, BudgetResult):
        return budget_body(result)
    return band_body(result) if isinstance(result, BandResult) else _release(result)


def _release(result: ReleaseResult) -> dict[str, Any]:
    """Write a release: the band's answer, every check with its document, and the budgets' own."""
    band = band_body(result.band)
    budgets = {name: budget_body(one) for name, one in result.budgets.items()}
    checks = [{**check, "document": f"bands/{result.agent}"} for check in band["checks"]]
    for name, body in budgets.items():
        checks += [{**check, "document": f"budgets/{name}"} for check in body["checks"]]
    rates = _pooled(result)
    return {
        **band,
        "subject": result.subject,
        "partition": _summed(result) if budgets else None,
        "rates": rates_json(rates) if budgets else None,
        "tallies": tallies_json(rates) if budgets else None,
        "checks": checks + [_doubt(one.id, one.why) for one in result.doubts],
        "route": None if result.route is None else str(result.route),
        "waivers": waivers_json(result.waivers),
        "budgets": budgets,
    }


def _doubt(name: str, why: str) -> dict[str, Any]:
    """Write a doubt as a check that no limit measures."""
    return {
        "id": name,
        "measured": None,
        "limit": None,
        "result": str(Decision.INCONCLUSIVE),
        "document": None,
        "why": why,
    }


def _summed(result: ReleaseResult) -> dict[str, int]:
    """Add the partitions of all budgets up; each planned run is under one of them."""
    total: Counter[str] = Counter()
    for budget in result.budgets.values():
        total.update({str(outcome): count for outcome, count in budget.partition.items()})
    return dict(total)


def _pooled(result: ReleaseResult) -> dict[str, Tally]:
    """Add the rates of all budgets up, for the reader; each is judged by its own budget."""
    pooled: dict[str, Tally] = {}
    for budget in result.budgets.values():
        for name, tally in budget.rates.items():
            other = pooled.get(name, Tally(0, 0, 0))
            pooled[name] = Tally(
                tally.count + other.count,
                tally.unknown + other.unknown,
                tally.runs + other.runs,
            )
    return pooled
