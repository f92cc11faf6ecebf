"""Latency of the whole candidate set as a multiple of the whole baseline set's: p50 and p95."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

from agentpolicy.base.numbers import plain
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding, Note, outward
from agentpolicy.gate.pairing import Fixture
from agentpolicy.gate.ratio import Ratio
from agentpolicy.runs.evidence import floors, nearest_rank

MEDIAN, TAIL = 50, 95
_NAMES = {MEDIAN: "the median latency", TAIL: "the 95th percentile of latency"}


def judge(fields: BandFields, fixtures: Sequence[Fixture]) -> Iterator[Finding]:
    """Judge the multiples above which the band fails; they are about the set, not a fixture."""
    median = fields.latency_ms_p50
    if median is not None and median.fail is not None:
        yield _finding("latency_ms_p50.fail", median.fail, fixtures, MEDIAN)
    if fields.latency_ms_p95 is not None:
        yield _finding("latency_ms_p95", fields.latency_ms_p95, fixtures, TAIL)


def notes(fields: BandFields, fixtures: Sequence[Fixture]) -> Iterator[Note]:
    """Note a median above the warning multiple."""
    rule = fields.latency_ms_p50
    if rule is None or rule.warn is None:
        return
    ratio = _ratio(fixtures, MEDIAN)
    if ratio.at_most(Fraction(rule.warn)) is False:
        measured = "?" if ratio.known is None else outward(ratio.known, up=True)
        why = _times_baseline(measured, MEDIAN)
        yield Note("latency_ms_p50.warn", measured, plain(rule.warn), why)


def _finding(field: str, limit: Decimal, fixtures: Sequence[Fixture], percent: int) -> Finding:
    """Judge and word one percentile."""
    ratio = _ratio(fixtures, percent)
    inside = ratio.at_most(Fraction(limit))
    measured = None if ratio.known is None else outward(ratio.known, up=True)
    return Finding(
        field=field,
        fixture_id=None,
        attempt=None,
        result=Decision.of(inside),
        measured=measured,
        limit=plain(limit),
        why="latencies were not recorded"
        if inside is None
        else _times_baseline(measured or "outside, whatever is missing,", percent),
        value=ratio.known,
    )


def _times_baseline(measured: str, percent: int) -> str:
    """Word a multiple."""
    return f"{_NAMES[percent]} is {measured} times the baseline's"


def _ratio(fixtures: Sequence[Fixture], percent: int) -> Ratio:
    """Take nearest ranks over all attempts; a fixture left out is one unknown latency."""
    candidate: list[Decimal | None] = []
    baseline: list[Decimal | None] = []
    surely: list[Decimal] = []
    for fixture in fixtures:
        candidate += [run.latency_ms for run in fixture.attempts] or [None]
        surely += floors(fixture.attempts, "latency_ms")
        baseline += [run.latency_ms for run in fixture.references]
    return Ratio(nearest_rank(candidate, percent, surely), nearest_rank(baseline, percent))
