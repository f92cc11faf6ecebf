"""Which failing limits of a budget a waiver of an aggregate lets through.

It covers one metric of one subject. It speaks about the value as measured, and only where every
run shows what the limit reads: what is unknown, or not proved by a bound, stays so.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from agentpolicy.base.instant import Instant, day_of, parse_date
from agentpolicy.documents.models.waiver import BUDGET_METRICS, Waiver
from agentpolicy.documents.models.waiver_rules import WaiverRules
from agentpolicy.gate.check import Check
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.waivers import WaiverReport, WaiverState, unfit
from agentpolicy.runs.evidence import Tally


def waive(
    checks: Sequence[Check],
    waivers: Sequence[Waiver],
    rules: WaiverRules | None,
    subject: str | None,
    confirmed: Collection[str],
    at: Instant,
) -> tuple[tuple[Check, ...], tuple[WaiverReport, ...]]:
    """Mark the failing checks that active waivers cover, and report on every waiver given.

    Args:
        checks: what was judged; order is kept.
        waivers: those of this budget.
        rules: what the budget in force asks of a waiver.
        subject: what all runs are of; None where they do not say one thing.
        confirmed: digests of recorded verdicts that the gate signed.
        at: the one instant of the verdict.
    """
    marked = list(checks)
    reports = []
    for waiver in sorted(waivers, key=lambda one: one.id):
        state = unfit(waiver, rules, confirmed, at)
        if state is None:
            state = _cover(waiver, subject, marked)
        reports.append(
            WaiverReport(
                id=waiver.id,
                field=waiver.covers,
                owner=waiver.owner,
                state=state,
                expires_on=waiver.expires_on,
                days_left=(parse_date(waiver.expires_on) - day_of(at)).days,
                fixtures=(),
            )
        )
    return tuple(marked), tuple(reports)


def _cover(waiver: Waiver, subject: str | None, checks: list[Check]) -> WaiverState:
    """Mark in place the check one waiver covers, and say what became of it."""
    state = WaiverState.UNUSED
    for index, check in enumerate(checks):
        concerns = waiver.metric == check.id and check.id in BUDGET_METRICS
        if not concerns or subject is None or waiver.subject != subject:
            continue
        if check.point is not Decision.FAIL:
            continue
        if not isinstance(waiver.band, Decimal) or check.limit < waiver.band:
            state = WaiverState.STALE
        elif not _no_worse(check, waiver.measured):
            state = WaiverState.EXCEEDED
        else:
            settled = check.settled
            point = Decision.PASS_WITH_WAIVERS if settled else Decision.INCONCLUSIVE
            checks[index] = replace(check, point=point, waived_by=waiver.id)
            state = WaiverState.USED if settled else WaiverState.UNSETTLED
    return state


def _no_worse(check: Check, waived: Decimal | None) -> bool:
    """Say whether the measured value is at most the waived one; both metrics are ceilings."""
    measured = check.measured
    if isinstance(measured, Tally):
        value = Fraction(measured.count + measured.unknown, measured.runs)
    elif measured.high is None:
        return False
    else:
        value = Fraction(measured.high)
    return waived is not None and value <= Fraction(waived)
