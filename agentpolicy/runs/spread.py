"""How a value is spread over many runs: its percentiles, and how many runs lie above a limit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from agentpolicy.runs.evidence import Bounds, nearest_rank_of_many


class Spread(Protocol):
    """The values of one measure over all planned runs, some of them unknown."""

    @property
    def runs(self) -> int:
        """All planned runs."""
        ...

    def percentile(self, percent: int) -> Bounds:
        """Give the nearest-rank percentile."""
        ...

    def maybe_above(self, limit: Decimal) -> int:
        """Count the runs that are above a limit, or may be."""
        ...


@dataclass(frozen=True, slots=True)
class Counted:
    """A spread as counts: of each value, how many runs have it."""

    counts: Mapping[Decimal | None, int]
    floors: Mapping[Decimal, int] = field(default_factory=dict)
    """How many of the runs whose value is unknown surely have how much."""

    @property
    def runs(self) -> int:
        """All planned runs."""
        return sum(self.counts.values())

    def percentile(self, percent: int) -> Bounds:
        """Give the nearest-rank percentile."""
        return nearest_rank_of_many(self.counts, percent, self.floors)

    def maybe_above(self, limit: Decimal) -> int:
        """Count the runs that are above a limit, or may be."""
        return sum(runs for value, runs in self.counts.items() if value is None or value > limit)
