"""Which limits do the runs that passed suggest? Soft near their p75, hard near their p95.

That encodes what the agent does now, not what it should do: the first job of a budget is to detect
change. A percentile is a value that some run really showed, by nearest rank.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from agentpolicy.gate.partition import RunRules
from agentpolicy.runs.evidence import Evidence, nearest_rank, negation

SOFT, HARD = 75, 95
SURE = 59
"""Of so many runs the dearest is above the 95th percentile in 19 of 20 sets."""
MEASURES = ("steps", "cost_usd", "latency_s", "time_to_useful_s", "tokens")
_MILLISECONDS = {"latency_s": "latency_ms", "time_to_useful_s": "time_to_useful_ms"}


@dataclass(frozen=True, slots=True)
class Measured:
    """What the passing runs show of one quantity."""

    name: str
    known: int
    lacking: int
    """Passing runs that do not show it: they say nothing, and are not taken as 0."""
    soft: Decimal | None
    """The 75th percentile of those that do."""
    hard: Decimal | None

    @property
    def parted(self) -> bool:
        """Whether there is room between the two, so that both can be limits."""
        return self.soft is not None and self.hard is not None and self.soft < self.hard


@dataclass(frozen=True, slots=True)
class RunQuantiles:
    """What the runs that passed used."""

    runs: int
    passed: int
    unknown: int
    """Runs that do not show whether they passed."""
    fixtures: int
    """Distinct fixtures among those that passed: repeats of one are not independent."""
    measures: tuple[Measured, ...]


def quantiles_of(runs: Mapping[str, Sequence[Evidence]], rules: RunRules | None) -> RunQuantiles:
    """Take the percentiles over the runs, by fixture, that passed.

    A run passed when its end state is correct and, where a budget says which effects are declared,
    it had no other. The limits that a budget has now play no part.
    """
    judged = {
        name: [(_passes(run, rules), run) for run in attempts] for name, attempts in runs.items()
    }
    passed = [run for attempts in judged.values() for truth, run in attempts if truth]
    everything = [truth for attempts in judged.values() for truth, _ in attempts]
    return RunQuantiles(
        runs=len(everything),
        passed=len(passed),
        unknown=everything.count(None),
        fixtures=sum(any(truth for truth, _ in attempts) for attempts in judged.values()),
        measures=tuple(_measured(name, passed) for name in MEASURES),
    )


def _passes(run: Evidence, rules: RunRules | None) -> bool | None:
    if rules is None:
        return run.correct
    correct, safe = rules.correct(run), negation(rules.judge(run).undeclared_effect)
    if correct is False or safe is False:
        return False
    return None if correct is None or safe is None else True


def _measured(name: str, runs: Sequence[Evidence]) -> Measured:
    values = [_value(run, name) for run in runs]
    known = [value for value in values if value is not None]
    return Measured(
        name=name,
        known=len(known),
        lacking=len(values) - len(known),
        soft=nearest_rank(known, SOFT).known,
        hard=nearest_rank(known, HARD).known,
    )


def _value(run: Evidence, name: str) -> Decimal | None:
    value = getattr(run, _MILLISECONDS.get(name, name))
    if value is None:
        return None
    return Decimal(value).scaleb(-3) if name in _MILLISECONDS else Decimal(value)
