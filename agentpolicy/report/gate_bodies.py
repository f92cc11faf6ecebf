"""What a budget and a band found, as JSON: strings, integers, null, no floats."""

from collections.abc import Mapping, Sequence
from typing import Any

from agentpolicy.base.numbers import plain
from agentpolicy.gate.band import BandResult
from agentpolicy.gate.budget import BudgetResult, Check
from agentpolicy.gate.decision import worst
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.waivers import WaiverReport
from agentpolicy.report.gate_findings import grade, limits
from agentpolicy.report.gate_numbers import ends, interval, outward, share
from agentpolicy.runs.evidence import Tally


def budget_body(result: BudgetResult) -> dict[str, Any]:
    """Write the parts of a budget's answer."""
    return {
        "task_type": result.task_type,
        "variant": result.variant,
        "other_runs": result.other_runs,
        "partition": {str(outcome): count for outcome, count in result.partition.items()},
        "past_soft": {str(outcome): count for outcome, count in sorted(result.past_soft.items())},
        "rates": rates_json(result.rates),
        "tallies": tallies_json(result.rates),
        "fixtures": result.fixtures,
        "checks": [_check(check) for check in result.checks],
        "crossings": [],
        "route": None,
        "waivers": waivers_json(result.waivers),
        "missing": dict(result.missing),
    }


def rates_json(rates: Mapping[str, Tally]) -> dict[str, str | None]:
    """Write each rate where the evidence settles it."""
    return {name: _known(tally) for name, tally in rates.items()}


def tallies_json(rates: Mapping[str, Tally]) -> dict[str, dict[str, Any]]:
    """Write each rate as counts, with the interval that a reader should have in mind."""
    written: dict[str, dict[str, Any]] = {}
    for name, tally in rates.items():
        low, high = interval(tally)
        counts = {"count": tally.count, "unknown": tally.unknown, "runs": tally.runs}
        written[name] = {**counts, "interval": {"low": low, "high": high}}
    return written


def waivers_json(waivers: Sequence[WaiverReport]) -> list[dict[str, Any]]:
    """Write what became of every waiver."""
    return [
        {
            "id": waiver.id,
            "state": str(waiver.state),
            "field": waiver.field,
            "owner": waiver.owner,
            "expires_on": waiver.expires_on,
            "days_left": waiver.days_left,
            "fixtures": list(waiver.fixtures),
        }
        for waiver in waivers
    ]


def _known(measured: Any) -> str | None:  # noqa: ANN401 - a tally or bounds
    """Give the value where the evidence settles it; null is honest where it does not."""
    low, high = ends(measured)
    return low if low == high else None


def _check(check: Check) -> dict[str, Any]:
    """Write one check; where `measured` is null, the two ends say what is known."""
    low, high = outward(check)
    written: dict[str, Any] = {
        "id": check.id,
        "measured": low if low == high else None,
        "limit": plain(check.limit),
        "result": str(check.result),
        "sense": "at_least" if check.floor else "at_most",
        "low": low,
        "high": high,
        "bound": None if check.bound is None else str(check.bound),
        "waived_by": check.waived_by or None,
    }
    if isinstance(check.measured, Tally):
        written |= {"count": check.measured.count, "unknown": check.measured.unknown}
    return written


def band_body(result: BandResult) -> dict[str, Any]:
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
        "crossings": [_crossing(finding, result) for finding in result.crossings],
        "notes": [
            {"field": note.field, "measured": note.measured, "band": note.limit, "why": note.why}
            for note in result.notes
        ],
        "risk_score": None if result.route is None else plain(result.risk.score),
        "crossed_fixtures": list(result.risk.crossed),
        "crossing_rate": share(len(result.risk.crossed), max(result.fixtures, 1)),
        "route": None if result.route is None else str(result.route),
        "waivers": waivers_json(result.waivers),
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


def _crossing(finding: Finding, result: BandResult) -> dict[str, Any]:
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
        "noise_floor": result.noise.get((finding.fixture_id, finding.field)),
        "grade": grade([finding]),
        "waived_by": finding.waived_by or None,
    }
