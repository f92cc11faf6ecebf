"""Tokens of the candidate over tokens of the baseline, per fixture, median over median."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

from agentpolicy.base.numbers import plain
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding, outward
from agentpolicy.gate.pairing import Fixture
from agentpolicy.gate.ratio import Ratio
from agentpolicy.runs.evidence import Evidence, floors, nearest_rank


def judge(fields: BandFields, fixture: Fixture) -> Iterator[Finding]:
    """Judge both sides of the ratio, each by itself; medians are by nearest rank.

    Tokens of which only a part is known can be too many, and never enough.
    """
    rule = fields.token_ratio
    if rule is None or not fixture.attempts:
        return
    totals = _totals(fixture.attempts)
    baseline = nearest_rank(_totals(fixture.references), 50)
    if rule.max is not None:
        most = nearest_rank(totals, 50, floors(fixture.attempts, "tokens"))
        yield _finding(fixture, Ratio(most, baseline), "max", rule.max)
    if rule.min is not None:
        yield _finding(fixture, Ratio(nearest_rank(totals, 50), baseline), "min", rule.min)


def _totals(runs: Sequence[Evidence]) -> list[Decimal | None]:
    """List the token counts of some attempts."""
    return [None if run.tokens is None else Decimal(run.tokens) for run in runs]


def _finding(fixture: Fixture, ratio: Ratio, side: str, limit: Decimal) -> Finding:
    """Judge and word one side."""
    upper = side == "max"
    inside = ratio.at_most(Fraction(limit)) if upper else ratio.at_least(Fraction(limit))
    value = ratio.known
    measured = None if value is None else outward(value, up=upper)
    return Finding(
        field=f"token_ratio.{side}",
        fixture_id=fixture.id,
        attempt=None,
        result=Decision.of(inside),
        measured=measured,
        limit=plain(limit),
        why="tokens were not recorded"
        if inside is None
        else f"the tokens are {measured or 'outside, whatever is missing,'} times the baseline's",
        value=value,
    )
