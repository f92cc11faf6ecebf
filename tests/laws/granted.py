"""Waivers of what the gate itself found failing, granted against what either policy demands."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from random import Random
from typing import Any

from agentpolicy.documents.models.waiver import BAND_METRICS, BUDGET_METRICS, WAIVABLE, Waiver
from agentpolicy.gate.check import Check
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.runs.evidence import Tally
from tests.evidence import VERDICT, waiver
from tests.laws.budget_runs import SUBJECT
from tests.laws.policy_pairs import AGENT

_DAYS = ("2026-03-31", "2026-03-31", "2026-03-30", "2026-03-09", "2026-04-01", "2026-04-02")
"""Around the most days of a policy: 29, 28, expired, 30 as by default, and 31."""
Whose = Mapping[str, str]
"""The task and variant of a budget."""


def waivers_for(
    random: Random,
    findings: Sequence[Finding],
    others: Sequence[Finding],
    checks: Sequence[tuple[Whose, Check]],
) -> list[Waiver]:
    """Write waivers of the failing findings and checks of one policy.

    Args:
        random: decides about each.
        findings: what one policy finds.
        others: what the other one finds, under limits that the waiver may cite as well.
        checks: the checks of its budgets.
    """
    found: list[Waiver] = []
    for finding in findings:
        if finding.result is Decision.FAIL:
            limits = sorted({finding.limit, *_limits(others, finding.field)})
            found += _of_finding(random, len(found), finding, random.choice(limits))
    for whose, check in checks:
        if check.point is Decision.FAIL and check.id in BUDGET_METRICS:
            found += _of_check(random, len(found), check, whose)
    return found


def _limits(findings: Sequence[Finding], field: str) -> set[str]:
    return {finding.limit for finding in findings if finding.field == field}


def _of_finding(random: Random, number: int, finding: Finding, limit: str) -> Iterator[Waiver]:
    """Waive what was measured, as far as a waiver can name it at all."""
    band: object = Decimal(limit) if is_number(limit) else limit
    measured: object = finding.value
    if not isinstance(measured, str) and finding.measured and is_number(finding.measured):
        measured = Decimal(finding.measured)
    if measured is None:
        return
    if finding.fixture_id is None:
        if finding.field in BAND_METRICS and isinstance(measured, Decimal):
            yield _aggregate(random, number, finding.field, measured, band, {"agent": AGENT})
    elif finding.field in WAIVABLE or finding.field.startswith("arguments."):
        case = {"fixture_id": finding.fixture_id, "measured": measured}
        yield waiver(
            field=finding.field, cases=(case,), band=band, **_common(random, number, finding.field)
        )


def _of_check(random: Random, number: int, check: Check, whose: Whose) -> Iterator[Waiver]:
    """Waive a rate or a percentile at its worst, sometimes against a limit that was stricter."""
    measured = check.measured
    if isinstance(measured, Tally):
        worst = Decimal(measured.count + measured.unknown) / measured.runs
        value = worst.quantize(Decimal("0.0001")) + Decimal("0.0001")
    elif measured.high is not None:
        value = measured.high
    else:
        return
    limit = check.limit - random.choice((0, 0, 1)) * Decimal("0.01")
    yield _aggregate(random, number, check.id, value, max(limit, Decimal(0)), whose)


def _aggregate(
    random: Random, number: int, metric: str, measured: Decimal, limit: object, whose: Whose
) -> Waiver:
    tree = waiver(**_common(random, number, metric)).model_dump(
        exclude_none=True, exclude={"agent", "field", "cases"}
    )
    about: dict[str, object] = {
        "scope": "aggregate",
        "metric": metric,
        "measured": measured,
        "subject": SUBJECT if random.random() < 0.9 else "another",
        "band": limit,
    }
    return Waiver.model_validate(tree | dict(whose) | about)


def _common(random: Random, number: int, what: str) -> dict[str, Any]:
    ticket = {"evidence": {"ticket": "T-1"}} if random.random() < 0.8 else {}
    name = f"{what.replace('.', '-').replace('_', '-')}-{number}".lower()
    return {"id": name, "verdict": VERDICT, "expires_on": random.choice(_DAYS), **ticket}


def is_number(text: str) -> bool:
    """Say whether a limit or a measured value is a plain number."""
    return text.replace(".", "", 1).isdigit()
