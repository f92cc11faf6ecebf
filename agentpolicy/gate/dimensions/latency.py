"""The median latency of the whole candidate set, as a multiple of the whole baseline set's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from agentpolicy.base.numbers import plain
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding, outward
from agentpolicy.gate.pairing import Fixture
from agentpolicy.gate.ratio import Ratio
from agentpolicy.runs.evidence import nearest_rank


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth seeing that is neither a crossing nor part of the decision."""

    field: str
    measured: str
    limit: str
    why: str


def judge(fields: BandFields, fixtures: Sequence[Fixture]) -> Iterator[Finding]:
    """Judge the multiple above which the band fails; it is about the set, not about a fixture."""
    rule = fields.latency_ms_p50
    if rule is None or rule.fail is None:
        return
    ratio = _ratio(fixtures)
    inside = ratio.at_most(Fraction(rule.fail))
    measured = None if ratio.known is None else outward(ratio.known, up=True)
    if inside is None:
        why = "latencies were not recorded"
    else:
        why = _times_baseline(measured or "outside, whatever is missing,")
    yield Finding(
        field="latency_ms_p50.fail",
        fixture_id=None,
        attempt=None,
        result=Decision.of(inside),
        measured=measured,
        limit=plain(rule.fail),
        why=why,
    )


def notes(fields: BandFields, fixtures: Sequence[Fixture]) -> Iterator[Note]:
    """Note a median above the warning multiple."""
    rule = fields.latency_ms_p50
    if rule is None or rule.warn is None:
        return
    ratio = _ratio(fixtures)
    if ratio.at_most(Fraction(rule.warn)) is False:
        measured = "?" if ratio.known is None else outward(ratio.known, up=True)
        why = _times_baseline(measured)
        yield Note("latency_ms_p50.warn", measured, plain(rule.warn), why)


def _times_baseline(measured: str) -> str:
    """Word a multiple."""
    return f"the median latency is {measured} times the baseline's"


def _ratio(fixtures: Sequence[Fixture]) -> Ratio:
    """Take nearest-rank medians over all attempts; a fixture left out is one unknown latency."""
    candidate: list[Decimal | None] = []
    baseline: list[Decimal | None] = []
    for fixture in fixtures:
        candidate += [run.latency_ms for run in fixture.attempts] or [None]
        baseline += [run.latency_ms for run in fixture.references]
    return Ratio(nearest_rank(candidate, 50), nearest_rank(baseline, 50))
