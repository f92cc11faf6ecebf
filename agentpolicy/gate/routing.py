"""How much review a release gets: a score that only adds up, and the routes it leads to.

The score never averages and never normalises, so nothing that is found can lower it. It reads
evidence and crossings, and changes no decision.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal

from agentpolicy.documents.models.routing import Routing
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.dimensions import text
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.gate.spread import unsteady
from agentpolicy.gate.verdict import Route

__all__ = ["CRITICAL", "Risk", "Route", "risk_of", "route"]

CRITICAL = "critical"
"""The criticality of which every crossing means the full gate."""
_ZERO, _ONE = Decimal(0), Decimal(1)
_EXACT = Context(prec=1000)
"""Wide enough that no sum or product of measured values and weights is ever rounded."""


@dataclass(frozen=True, slots=True)
class Risk:
    """What was added up for a route."""

    score: Decimal
    crossed: tuple[str, ...]
    """The fixtures with a crossing."""
    crossed_sets: tuple[str, ...]
    """The fields that crossed for the whole set."""
    critical: bool
    """Whether a crossing is on a critical fixture."""

    @property
    def nothing_crossed(self) -> bool:
        """Whether the candidate is inside everywhere."""
        return not self.crossed and not self.crossed_sets


def risk_of(
    routing: Routing | None, fixtures: Sequence[Fixture], findings: Sequence[Finding]
) -> Risk:
    """Add up base, crossings, shortfall and the penalty.

    Each crossed fixture counts once, times its criticality, and each field that crossed for the
    whole set counts once. The base stands only where something crossed; the penalty also alone.
    """
    rules = routing or Routing()
    crossing = [finding for finding in findings if finding.crosses]
    crossed = {finding.fixture_id for finding in crossing if finding.fixture_id is not None}
    sets = {finding.field for finding in crossing if finding.fixture_id is None}
    hit = [fixture for fixture in fixtures if fixture.id in crossed]
    weight = _or(rules.crossing_weight, _ONE)
    score = _ZERO if not crossing else _or(rules.base, _ZERO)
    for fixture in hit:
        score = _EXACT.add(score, _EXACT.multiply(weight, _criticality(rules, fixture)))
    score = _EXACT.add(score, _EXACT.multiply(weight, Decimal(len(sets))))
    shortfall_weight = _or(rules.shortfall_weight, _ZERO)
    for amount in _shortfalls(crossed, findings).values():
        score = _EXACT.add(score, _EXACT.multiply(shortfall_weight, amount))
    if rules.nondeterminism_penalty and unsteady(fixtures):
        score = _EXACT.add(score, rules.nondeterminism_penalty)
    critical = any(fixture.criticality == CRITICAL for fixture in hit)
    return Risk(score, tuple(fixture.id for fixture in hit), tuple(sorted(sets)), critical)


def route(
    routing: Routing | None, decision: Decision, findings: Sequence[Finding], risk: Risk
) -> Route | None:
    """Choose the route; any crossing, waived and warned ones too, is reviewed.

    Only a clean pass of which everything was judged is a no-op. What is inconclusive has no route.
    """
    if decision is Decision.INCONCLUSIVE:
        return None
    rules = routing or Routing()
    if risk.critical or (rules.full_gate_from is not None and risk.score >= rules.full_gate_from):
        return Route.FULL_GATE
    judged = all(finding.result is not Decision.INCONCLUSIVE for finding in findings)
    clean = decision is Decision.PASS and risk.nothing_crossed and judged
    risky = risk.score > 0 and risk.score >= _or(rules.fast_review_from, _ZERO)
    return Route.NO_OP if clean and not risky else Route.FAST_REVIEW


def _criticality(rules: Routing, fixture: Fixture) -> Decimal:
    """Give the factor of a fixture; a level that the band does not name counts once."""
    return (rules.criticality or {}).get(fixture.criticality or "", _ONE)


def _shortfalls(crossed: set[str], findings: Sequence[Finding]) -> Mapping[str, Decimal]:
    """Give for each crossed fixture how far its worst score is under its threshold.

    A score that is missing counts as 0, one above the threshold as no shortfall.
    """
    short: dict[str, Decimal] = {}
    for finding in findings:
        name = finding.fixture_id
        if finding.field != text.FIELD or name is None or name not in crossed:
            continue
        score = finding.value if isinstance(finding.value, Decimal) else _ZERO
        amount = _EXACT.subtract(Decimal(finding.limit), score)
        short[name] = max(short.get(name, _ZERO), amount)
    return dict(sorted(short.items()))


def _or(value: Decimal | None, default: Decimal) -> Decimal:
    return default if value is None else value
