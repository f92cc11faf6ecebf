"""What one run shows, and how values that may be unknown combine.

Logic is three-valued: True, False, and None for "the evidence does not say". A check over many
runs passes only if it passes with every unknown at its worst, fails only if it fails with every
unknown at its best. Nothing ever leaves the denominator.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

from msgspec import UNSET

from agentpolicy.runs.provenance import provenance_of
from agentpolicy.runs.record import AtLeast, RunRecord, ToolCall
from agentpolicy.runs.truth import Truth, all_of, any_of, negation

__all__ = [
    "SHOWS_NOTHING", "Bounds", "Evidence", "Tally", "Truth", "all_of", "any_of", "evidence_of",
    "floors", "nearest_rank", "nearest_rank_of_many", "negation",
]  # fmt: skip

_NONE: Mapping[Decimal, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of all planned runs a predicate holds for, and for how many it is unknown."""

    count: int
    unknown: int
    runs: int

    @classmethod
    def of(cls, values: Iterable[Truth]) -> "Tally":
        """Count a predicate over all planned runs."""
        return cls.of_many((value, 1) for value in values)

    @classmethod
    def of_many(cls, values: Iterable[tuple[Truth, int]]) -> "Tally":
        """Count a predicate over all planned runs, each value with how many runs have it."""
        found = dict.fromkeys((True, False, None), 0)
        for value, runs in values:
            found[value] += runs
        return cls(found[True], found[None], sum(found.values()))

    def at_most(self, limit: Decimal) -> Truth:
        """Say whether the share of runs is at most a limit, by whole numbers only."""
        part, whole = limit.as_integer_ratio()
        if self.count * whole > part * self.runs:
            return False
        return True if (self.count + self.unknown) * whole <= part * self.runs else None

    def at_least(self, limit: Decimal) -> Truth:
        """Say whether the share of runs is at least a limit, by whole numbers only."""
        part, whole = limit.as_integer_ratio()
        if self.count * whole >= part * self.runs:
            return True
        return False if (self.count + self.unknown) * whole < part * self.runs else None


@dataclass(frozen=True, slots=True)
class Bounds:
    """A value known to lie between two ends; an end that is None is not bounded."""

    low: Decimal | None
    high: Decimal | None

    @property
    def known(self) -> Decimal | None:
        """The value, where both ends meet."""
        return self.low if self.low is not None and self.low == self.high else None

    def at_most(self, limit: Decimal | Fraction) -> Truth:
        """Say whether the value is at most a limit."""
        if self.low is not None and self.low > limit:
            return False
        return True if self.high is not None and self.high <= limit else None


def nearest_rank(
    values: Iterable[Decimal | None], percent: int, floors: Iterable[Decimal] = ()
) -> Bounds:
    """Give the nearest-rank percentile of values some of which may be unknown.

    The rank is ceil(percent * n / 100), in whole numbers; an unknown value is taken as smaller
    than every other for the lower end and as larger for the upper. Of no values nothing is known.

    Args:
        values: one a run.
        percent: which percentile.
        floors: for unknown values of which a part is known, that part.
    """
    return nearest_rank_of_many(Counter(values), percent, Counter(floors))


def nearest_rank_of_many(
    counts: Mapping[Decimal | None, int], percent: int, floors: Mapping[Decimal, int] = _NONE
) -> Bounds:
    """Give the nearest-rank percentile of values, each with how many runs have it."""
    runs, unknown = sum(counts.values()), counts.get(None, 0)
    if not runs:
        return Bounds(None, None)
    rank = -(-percent * runs // 100)
    known = Counter({value: count for value, count in counts.items() if value is not None})
    bounded = sum(floors.values())
    least = known + Counter(floors) if bounded else known
    return Bounds(_ranked(least, rank - unknown + bounded), _ranked(known, rank))


def _ranked(counts: Mapping[Decimal, int], rank: int) -> Decimal | None:
    """Give the value at a rank, counted from 1; None past the ends."""
    if rank < 1:
        return None
    for value in sorted(counts):
        rank -= counts[value]
        if rank < 1:
            return value
    return None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one attempt shows. An unfinished one shows nothing: every value is unknown."""

    run_id: str
    attempt: int
    correct: bool | None = None
    evaluator: str | None = None
    """Who says whether it is correct."""
    calls: tuple[ToolCall, ...] | None = None
    steps: int | None = None
    cost_usd: Decimal | None = None
    latency_ms: Decimal | None = None
    time_to_useful_ms: Decimal | None = None
    tokens: int | None = None
    at_least: Mapping[str, Decimal] = field(default_factory=dict)
    """By the name of a measure that is missing here, the part of it that is known."""
    answer: str | None = None
    output: object = UNSET
    refused: bool | None = None
    scores: Mapping[str, object] = field(default_factory=dict)
    """Scores of the answer against the reference, by scorer, as recorded."""
    provenance: Mapping[str, str] = field(default_factory=dict)
    """The circumstances it was made under, whether it finished or not."""
    finished: bool = False


SHOWS_NOTHING = Evidence("", 0)
"""A planned run that is absent, or whose record cannot be read: it still counts."""


def floors(runs: Iterable[Evidence], measure: str) -> Iterator[Decimal]:
    """List the known parts of a measure, of the runs whose whole is missing."""
    return (run.at_least[measure] for run in runs if measure in run.at_least)


def _parts(run: RunRecord) -> Iterator[tuple[str, Decimal]]:
    """Give the known part of each measure that is missing."""
    said = run.at_least or AtLeast()
    if run.cost_usd is None and said.cost_usd is not None:
        yield "cost_usd", said.cost_usd
    if run.latency_ms is None and said.latency_ms is not None:
        yield "latency_ms", said.latency_ms
    if run.tokens is None or run.tokens.total is None:
        least = max(said.tokens or 0, run.tokens.least if run.tokens else 0)
        if least:
            yield "tokens", Decimal(least)


def evidence_of(run: RunRecord) -> Evidence:
    """Read off a record what it shows; claimed steps never undercut the calls it lists."""
    if not run.finished:
        return Evidence(run.run_id, run.attempt, provenance=provenance_of(run))
    steps = run.steps
    if run.tool_calls is not None:
        steps = max(len(run.tool_calls), steps or 0)
    return Evidence(
        run_id=run.run_id,
        attempt=run.attempt,
        correct=run.outcome.correct if run.outcome else None,
        evaluator=run.outcome.evaluator if run.outcome else None,
        calls=run.tool_calls,
        steps=steps,
        cost_usd=run.cost_usd,
        latency_ms=run.latency_ms,
        time_to_useful_ms=run.time_to_useful_ms,
        tokens=run.tokens.total if run.tokens else None,
        at_least=dict(_parts(run)),
        answer=run.final_answer,
        output=run.output,
        refused=run.refused,
        scores=run.scores or {},
        provenance=provenance_of(run),
        finished=True,
    )
