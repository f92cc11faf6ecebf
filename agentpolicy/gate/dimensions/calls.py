"""How many tools the candidate calls over how many the baseline does, per fixture."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

from agentpolicy.base.numbers import plain
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding, outward
from agentpolicy.gate.pairing import Fixture
from agentpolicy.gate.ratio import Ratio
from agentpolicy.runs.evidence import Evidence, Truth, nearest_rank

FIELD = "tool_calls_ratio"


def judge(fields: BandFields, fixture: Fixture) -> Iterator[Finding]:
    """Judge the medians over attempts; every recorded call counts, also those of child agents.

    A fixture without calls on either side is inside; any call where the baseline makes none is
    outside, since no multiple of none is one.
    """
    limit = fields.tool_calls_ratio
    if limit is None or not fixture.attempts:
        return
    ratio = Ratio(
        nearest_rank(_counts(fixture.attempts), 50),
        nearest_rank(_counts(fixture.references), 50),
        counted=True,
    )
    inside, value = ratio.at_most(Fraction(limit)), ratio.known
    measured = None if value is None else outward(value, up=True)
    yield Finding(
        field=FIELD,
        fixture_id=fixture.id,
        attempt=None,
        result=Decision.of(inside),
        measured=measured,
        limit=plain(limit),
        why=_why(inside, measured, ratio),
        value=value,
    )


def _counts(runs: Sequence[Evidence]) -> list[Decimal | None]:
    """Count the calls of some attempts."""
    return [None if run.calls is None else Decimal(len(run.calls)) for run in runs]


def _why(inside: Truth, measured: str | None, ratio: Ratio) -> str:
    """Word a ratio of counts."""
    if inside is None:
        return "the tool calls were not all recorded"
    if ratio.baseline.known == 0:
        return "neither side calls a tool" if inside else "the baseline calls no tool at all"
    return f"the tool calls are {measured or 'outside, whatever is missing,'} times the baseline's"
