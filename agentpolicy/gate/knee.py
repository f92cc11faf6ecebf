"""Which step cap is the last that pays? Each transition of a cap study is settled by one rule.

A higher cap is worth it when the pass rate it adds, times what a success is worth, exceeds what it
adds to the mean cost of all runs, those that never came near the old cap included.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from agentpolicy.gate.partition import RunRules
from agentpolicy.runs.evidence import Evidence, Tally, Truth


@dataclass(frozen=True, slots=True)
class CapRow:
    """What the same set of tasks showed at one cap; None where the runs do not say."""

    cap: int
    pass_rate: Fraction | None
    mean_cost_usd: Fraction | None
    amber_rate: Fraction | None = None
    runs: int | None = None
    """How many runs the row was measured on; None where a table does not say."""


@dataclass(frozen=True, slots=True)
class Transition:
    """Going from one cap to a higher one, at what one success is worth."""

    low: CapRow
    high: CapRow
    value_usd: Fraction

    @property
    def gain(self) -> Fraction | None:
        """The share of tasks that succeed at the higher cap only."""
        return _difference(self.low.pass_rate, self.high.pass_rate)

    @property
    def gain_value_usd(self) -> Fraction | None:
        """What the gain is worth, averaged over every task."""
        return None if self.gain is None else self.gain * self.value_usd

    @property
    def added_cost_usd(self) -> Fraction | None:
        """What the higher cap adds to the mean cost of a task."""
        return _difference(self.low.mean_cost_usd, self.high.mean_cost_usd)

    @property
    def added_amber(self) -> Fraction | None:
        """The share of runs that the higher cap lets past a soft limit."""
        return _difference(self.low.amber_rate, self.high.amber_rate)

    @property
    def raise_cap(self) -> Truth:
        """Whether the higher cap pays; a gain that only equals its cost does not."""
        worth, added = self.gain_value_usd, self.added_cost_usd
        return None if worth is None or added is None else worth > added

    @property
    def break_even_usd(self) -> Fraction | None:
        """What a success must be worth more than for the higher cap to pay."""
        gain, added = self.gain, self.added_cost_usd
        return None if added is None or not gain or gain < 0 else added / gain


@dataclass(frozen=True, slots=True)
class Knee:
    """A cap study, settled."""

    value_usd: Fraction
    rows: tuple[CapRow, ...]
    """By rising cap."""
    transitions: tuple[Transition, ...]
    later: tuple[Transition, ...]
    """From the knee straight to each cap beyond the next one that pays after all."""
    cap: int | None
    """The last cap that is reached by transitions which all pay; None where one is open."""


def knee_of(rows: Sequence[CapRow], value_usd: Fraction) -> Knee:
    """Settle every transition between neighbouring caps; the first one refused is the knee."""
    ordered = tuple(sorted(rows, key=lambda row: row.cap))
    steps = tuple(Transition(low, high, value_usd) for low, high in pairwise(ordered))
    stop = next((step for step in steps if not step.raise_cap), None)
    last = ordered[-1] if stop is None else stop.low
    is_open = stop is not None and stop.raise_cap is None
    beyond = ordered[ordered.index(last) + 2 :]
    leaps = tuple(Transition(last, row, value_usd) for row in beyond)
    return Knee(
        value_usd=value_usd,
        rows=ordered,
        transitions=steps,
        later=tuple(leap for leap in leaps if leap.raise_cap),
        cap=None if is_open else last.cap,
    )


def row_of(cap: int, runs: Sequence[Evidence], rules: RunRules | None) -> CapRow:
    """Measure one row on runs made under a cap; one value that is missing leaves its column open.

    A run passes when its end state is correct, by an evaluator whose word counts: a budget's own
    limits play no part, as it is they that the study is to find.
    """
    costs = [run.cost_usd for run in runs]
    known = [cost for cost in costs if cost is not None]
    correct = Tally.of(run.correct if rules is None else rules.correct(run) for run in runs)
    amber = None if rules is None else Tally.of(rules.judge(run).soft_breach for run in runs)
    return CapRow(
        cap=cap,
        pass_rate=_rate(correct),
        mean_cost_usd=mean(known) if len(known) == len(costs) else None,
        amber_rate=None if amber is None else _rate(amber),
        runs=len(runs),
    )


def mean(values: Sequence[Decimal]) -> Fraction | None:
    """Give the exact mean; of nothing there is none."""
    return sum(_exact(values), Fraction()) / len(values) if values else None


def _exact(values: Sequence[Decimal]) -> Iterator[Fraction]:
    return (Fraction(value) for value in values)


def _rate(tally: Tally) -> Fraction | None:
    return None if tally.unknown or not tally.runs else Fraction(tally.count, tally.runs)


def _difference(low: Fraction | None, high: Fraction | None) -> Fraction | None:
    return None if low is None or high is None else high - low
