"""The limits of a budget on a whole set of runs, each judged by itself."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction

from agentpolicy.documents.models.budget import Aggregate, Budget
from agentpolicy.gate.bound import P95_SHARE, surely_at_least, surely_at_most
from agentpolicy.gate.check import Check
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.partition import RunRules
from agentpolicy.gate.trial import Trial
from agentpolicy.runs.evidence import Bounds, Tally
from agentpolicy.runs.spread import Spread

ZERO = Decimal(0)
UNREADABLE = "unreadable_records"


def checks_of(
    budget: Budget, rules: RunRules, rates: Mapping[str, Tally], trial: Trial
) -> Iterator[Check]:
    """Judge each limit by itself. The ceiling on unsafe actions always stands; absent it is 0."""
    aggregate, bound = budget.gate.aggregate or Aggregate(), budget.gate.decision == "bound"
    if aggregate.amber_rate_max is not None:
        yield _amber(rates["soft_breach"], aggregate.amber_rate_max, rules, trial, bound=bound)
    if aggregate.p95_cost_usd is not None:
        yield _p95(trial.costs, aggregate.p95_cost_usd, bound=bound)
    if aggregate.pass_rate_min is not None:
        yield _passing(rates["pass"], aggregate.pass_rate_min, bound=bound)
    unsafe = budget.gate.unsafe_action_rate_max or ZERO
    tally = rates["undeclared_effect"]  # by count, whatever the gate decides by: never by a bound
    yield Check("unsafe_action_rate_max", tally, unsafe, Decision.of(tally.at_most(unsafe)))
    if budget.gate.sample_min is not None or not trial.fixtures:
        yield _sample(trial.fixtures, budget.gate.sample_min or 1)
    if trial.unreadable:
        yield _none_of(trial.unreadable)


def _amber(tally: Tally, limit: Decimal, rules: RunRules, trial: Trial, *, bound: bool) -> Check:
    """Judge the share of runs past a soft limit."""
    surely = surely_at_most(tally.count + tally.unknown, tally.runs, Fraction(limit))
    return Check(
        "amber_rate_max",
        tally,
        limit,
        Decision.of(tally.at_most(limit)),
        bound=_proved(surely) if bound else None,
        settled=all(
            getattr(case.shown, measure) is not None
            for measure, _ in rules.soft
            for case in trial.cases
        ),
    )


def _p95(costs: Spread, limit: Decimal, *, bound: bool) -> Check:
    """Judge the 95th percentile; its bound holds where surely at most 5 % of runs cost more."""
    measured = costs.percentile(95)
    surely = surely_at_most(costs.maybe_above(limit), costs.runs, P95_SHARE)
    return Check(
        "p95_cost_usd",
        measured,
        limit,
        Decision.of(measured.at_most(limit)),
        bound=_proved(surely) if bound else None,
        settled=measured.known is not None,
    )


def _passing(tally: Tally, limit: Decimal, *, bound: bool) -> Check:
    """Judge the share of runs that are green or amber."""
    surely = surely_at_least(tally.count, tally.runs, Fraction(limit))
    point = Decision.of(tally.at_least(limit))
    return Check(
        "pass_rate_min", tally, limit, point, bound=_proved(surely) if bound else None, floor=True
    )


def _sample(fixtures: int, least: int) -> Check:
    """Judge how much was looked at. Too little proves nothing, in either direction."""
    enough = Decision.PASS if fixtures >= least else Decision.INCONCLUSIVE
    seen = Decimal(fixtures)
    return Check("sample_min", Bounds(seen, seen), Decimal(least), enough, floor=True)


def _none_of(unreadable: int) -> Check:
    """Keep the answer open while there is a record nobody could read."""
    seen = Decimal(unreadable)
    return Check(UNREADABLE, Bounds(seen, seen), ZERO, Decision.INCONCLUSIVE)


def _proved(surely: bool) -> Decision:  # noqa: FBT001 - one truth becomes one answer
    """Say what a bound decides: a value whose bound is outside is not proved, nor refuted."""
    return Decision.PASS if surely else Decision.INCONCLUSIVE
