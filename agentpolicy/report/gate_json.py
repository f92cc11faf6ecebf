"""The gate's answer as JSON that other programs may rely on: strings, integers, null, no floats."""

from collections.abc import Mapping
from typing import Any

from agentpolicy.base.instant import Instant, format_instant
from agentpolicy.base.numbers import plain
from agentpolicy.gate.band import BandResult
from agentpolicy.gate.budget import BudgetResult, Check
from agentpolicy.gate.decision import worst
from agentpolicy.gate.finding import Finding
from agentpolicy.report.gate_findings import grade, limits
from agentpolicy.report.gate_numbers import ends, share
from agentpolicy.runs.evidence import Tally

FORMAT_VERSION = 1


def gate_json(
    result: BudgetResult | BandResult,
    *,
    policy: Mapping[str, Any],
    evaluated_at: Instant,
    verdict: str | None,
) -> dict[str, Any]:
    """Write one answer in the published shape.

    Args:
        result: what the gate found.
        policy: commit, ref and state of the policy it was judged under.
        evaluated_at: the instant every date was read at.
        verdict: digest of the verdict statement; None where none was made.
    """
    body = _budget(result) if isinstance(result, BudgetResult) else _band(result)
    return {
        "format_version": FORMAT_VERSION,
        "decision": str(result.decision),
        "policy": dict(policy),
        "evaluated_at": format_instant(evaluated_at),
        "runs": result.runs,
        **body,
        "hand_set": list(result.hand_set),
        "verdict": verdict,
    }


def findings_json(result: BudgetResult | BandResult) -> dict[str, Any]:
    """Write what the gate found, without the policy, the instant and the verdict's own name."""
    body = _budget(result) if isinstance(result, BudgetResult) else _band(result)
    return {"decision": str(result.decision), "runs": result.runs, **body}


def _budget(result: BudgetResult) -> dict[str, Any]:
    """Write the parts of a budget's answer."""
    return {
        "task_type": result.task_type,
        "variant": result.variant,
        "other_runs": result.other_runs,
        "partition": {str(outcome): count for outcome, count in result.partition.items()},
        "past_soft": {str(outcome): count for outcome, count in sorted(result.past_soft.items())},
        "rates": {name: _known(tally) for name, tally in result.rates.items()},
        "tallies": {
            name: {"count": tally.count, "unknown": tally.unknown}
            for name, tally in result.rates.items()
        },
        "checks": [_check(check) for check in result.checks],
        "crossings": [],
        "route": None,
        "waivers": [],
        "missing": dict(result.missing),
    }


def _known(measured: Any) -> str | None:  # noqa: ANN401 - a tally or bounds
    """Give the value where the evidence settles it; null is honest where it does not."""
    low, high = ends(measured)
    return low if low == high else None


def _check(check: Check) -> dict[str, Any]:
    """Write one check; where `measured` is null, the two ends say what is known."""
    low, high = ends(check.measured)
    written: dict[str, Any] = {
        "id": check.id,
        "measured": _known(check.measured),
        "limit": plain(check.limit),
        "result": str(check.result),
        "sense": "at_least" if check.floor else "at_most",
        "low": low,
        "high": high,
    }
    if isinstance(check.measured, Tally):
        written |= {"count": check.measured.count, "unknown": check.measured.unknown}
    return written


def _band(result: BandResult) -> dict[str, Any]:
    """Write the parts of a band's answer. A band has no partition and no rates."""
    return {
        "agent": result.agent,
        "baseline": result.baseline,
        "comparability": result.comparability,
        "fixtures": result.fixtures,
        "missing_fixtures": list(result.missing_fixtures),
        "partition": None,
        "rates": None,
        "checks": _fields(result),
        "crossings": [_crossing(finding) for finding in result.crossings],
        "notes": [
            {"field": note.field, "measured": note.measured, "band": note.limit, "why": note.why}
            for note in result.notes
        ],
        "risk_score": None if result.route is None else plain(result.risk.score),
        "crossed_fixtures": list(result.risk.crossed),
        "crossing_rate": share(len(result.risk.crossed), max(result.fixtures, 1)),
        "route": None if result.route is None else str(result.route),
        "waivers": [
            {
                "id": waiver.id,
                "state": str(waiver.state),
                "field": waiver.field,
                "owner": waiver.owner,
                "expires_on": waiver.expires_on,
                "days_left": waiver.days_left,
                "fixtures": list(waiver.fixtures),
            }
            for waiver in result.waivers
        ],
    }


def _fields(result: BandResult) -> list[dict[str, Any]]:
    """Give one check a field: the worst answer of its findings, and how many crossed."""
    return [
        {
            "id": field,
            "measured": sum(finding.crosses for finding in found),
            "limit": limits(found),
            "result": str(worst(finding.result for finding in found)),
            "grade": grade(found),
            "judged": len(found),
        }
        for field, found in result.by_field.items()
    ]


def _crossing(finding: Finding) -> dict[str, Any]:
    """Write one crossing. A waiver is written from exactly these values."""
    return {
        "fixture_id": finding.fixture_id,
        "attempt": finding.attempt,
        "dimension": finding.dimension,
        "field": finding.field,
        "measured": finding.value if isinstance(finding.value, str) else finding.measured,
        "band": finding.limit,
        "why": finding.why,
        "shown": finding.measured,
        "grade": grade([finding]),
        "waived_by": finding.waived_by or None,
    }
