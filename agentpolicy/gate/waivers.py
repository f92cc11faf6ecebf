"""Which proved crossings a waiver lets through, decided from the file and the instant alone.

A waiver replaces exactly the failing findings it covers: one side of one field of one fixture, or
one limit on the whole set for one subject. An unknown stays unknown, and nothing that is not in
`WAIVABLE` or `BAND_METRICS` can be covered.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from agentpolicy.base.instant import Instant, day_of, end_of, parse_date
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.leaf import EVIDENCE
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.documents.models.waiver_rules import MAX_WAIVER_DAYS, WaiverRules
from agentpolicy.gate.argument_waivers import ArgumentWaivers
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions.arguments import FIELD as ARGUMENTS
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.waiver_match import concerns, no_stricter, no_worse

WHOLE_SET = "whole set"
"""What a waiver of an aggregate covers, in place of fixtures."""


class WaiverState(StrEnum):
    """What became of a waiver in one verdict. Only `used` changed anything."""

    USED = "used"
    UNUSED = "unused"
    """It counts, but nothing it covers failed."""
    NOT_YET = "not_yet"
    EXPIRED = "expired"
    TOO_LONG = "too_long"
    """It lasts longer than the band in force allows."""
    INCOMPLETE = "incomplete"
    """It lacks evidence that the band in force asks for."""
    UNCONFIRMED = "unconfirmed"
    """The verdict it cites is not a recorded verdict signed by the gate."""
    STALE = "stale"
    """The limit in force is stricter than the one it was granted against."""
    EXCEEDED = "exceeded"
    """What was measured is worse than what was waived."""
    UNSETTLED = "unsettled"
    """It covers what failed, but leaves open what the evidence does not show."""


@dataclass(frozen=True, slots=True)
class WaiverReport:
    """One waiver of the agent, what became of it, and how long it still has."""

    id: str
    field: str
    owner: str
    state: WaiverState
    expires_on: str
    days_left: int
    """Whole days after the day of judging; 0 on its last day, negative once expired."""
    fixtures: tuple[str, ...]
    """The fixtures it let through in this verdict."""


def state_of(waiver: Waiver, at: Instant, max_days: int = MAX_WAIVER_DAYS) -> WaiverState | None:
    """Say why a waiver does not count at an instant; None while it is active.

    It is active from the first second of `granted_on` through the last of `expires_on`, UTC.
    """
    granted, expires = parse_date(waiver.granted_on), parse_date(waiver.expires_on)
    if at >= end_of(expires):
        return WaiverState.EXPIRED
    if day_of(at) < granted:
        return WaiverState.NOT_YET
    if (expires - granted).days > max_days:
        return WaiverState.TOO_LONG
    return None


def apply_waivers(
    findings: Sequence[Finding],
    waivers: Sequence[Waiver],
    band: Band,
    confirmed: Collection[str],
    at: Instant,
    subject: str | None = None,
    arguments: ArgumentWaivers | None = None,
) -> tuple[tuple[Finding, ...], tuple[WaiverReport, ...]]:
    """Mark the failing findings that active waivers cover, and report on every waiver given.

    Args:
        findings: what the dimensions found; order is kept.
        waivers: the agent's own waivers.
        band: the band in force, whose rules are checked again here.
        confirmed: digests of recorded verdicts that the gate signed.
        at: the one instant of the verdict.
        subject: what every candidate run says it is of; None where they do not agree.
        arguments: judges arguments again; without it no waiver of one counts.
    """
    ordered = sorted(waivers, key=lambda one: one.id)
    states = {waiver.id: unfit(waiver, band.waivers, confirmed, at) for waiver in ordered}
    fit = [waiver for waiver in ordered if states[waiver.id] is None]
    marked = list(findings)
    helped = arguments.apply(marked, fit) if arguments is not None else {}
    reports = []
    for waiver in ordered:
        state = states[waiver.id]
        fixtures = sorted(helped.get(waiver.id, ()))
        if fixtures:
            state = WaiverState.USED
        elif state is None:
            state, fixtures = _cover(waiver, marked, subject)
        reports.append(
            WaiverReport(
                id=waiver.id,
                field=waiver.covers,
                owner=waiver.owner,
                state=state,
                expires_on=waiver.expires_on,
                days_left=(parse_date(waiver.expires_on) - day_of(at)).days,
                fixtures=tuple(fixtures),
            )
        )
    return tuple(marked), tuple(reports)


def unfit(
    waiver: Waiver, rules: WaiverRules | None, confirmed: Collection[str], at: Instant
) -> WaiverState | None:
    """Say why a waiver counts for nothing under these rules now; None if it counts.

    Rules that are absent ask for the least evidence and the usual number of days.
    """
    max_days = rules.max_days if rules and rules.max_days else MAX_WAIVER_DAYS
    state = state_of(waiver, at, max_days)
    if state is not None:
        return state
    asked = (rules.required_evidence if rules else None) or ()
    if any(name not in EVIDENCE and name not in (waiver.evidence or {}) for name in asked):
        return WaiverState.INCOMPLETE
    return None if waiver.verdict in confirmed else WaiverState.UNCONFIRMED


def _cover(
    waiver: Waiver, findings: list[Finding], subject: str | None
) -> tuple[WaiverState, list[str]]:
    """Mark in place what one waiver covers, and say what became of it.

    A waiver of an argument has had its say by now; here it only learns why it did not help.
    """
    fixtures: dict[str, None] = {}
    state = WaiverState.UNUSED
    for index, finding in enumerate(findings):
        if finding.result is not Decision.FAIL or not concerns(waiver, finding, subject):
            continue
        if not _no_stricter(finding, waiver.band):
            state = WaiverState.STALE
        elif finding.dimension == ARGUMENTS or not no_worse(finding, waiver):
            state = WaiverState.EXCEEDED
        elif not finding.settled:
            state = WaiverState.UNSETTLED
            findings[index] = replace(finding, result=Decision.INCONCLUSIVE, waived_by=waiver.id)
        else:
            findings[index] = replace(
                finding, result=Decision.PASS_WITH_WAIVERS, waived_by=waiver.id
            )
            fixtures[finding.fixture_id or WHOLE_SET] = None
    return (WaiverState.USED if fixtures else state), list(fixtures)


def _no_stricter(finding: Finding, granted: Decimal | str) -> bool:
    """Say whether the limit a finding was judged by is no stricter than the one granted."""
    return no_stricter(finding.field, finding.limit, granted)
