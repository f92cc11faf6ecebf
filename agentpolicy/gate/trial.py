"""The runs that one budget is asked about, gathered into cases that it cannot tell apart."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agentpolicy.runs.evidence import Evidence, floors
from agentpolicy.runs.spread import Counted, Spread


@dataclass(frozen=True, slots=True)
class Case:
    """Planned runs that no limit of the budget tells apart."""

    shown: Evidence
    """What one of them shows; a run that is absent or did not finish shows nothing."""
    runs: int = 1


@dataclass(frozen=True, slots=True)
class Trial:
    """The runs that one budget is asked about: all planned ones, and nothing else."""

    cases: tuple[Case, ...]
    costs: Spread
    fixtures: int
    """Distinct fixtures with a finished run: repeats of one are not independent."""
    subject: str | None = None
    """What all runs say they are of; None where they differ, or a person filled it in."""
    other_runs: int = 0
    hand_set: tuple[str, ...] = ()
    unreadable: int = 0
    """How many of the planned runs have a record that could not be read."""

    @property
    def runs(self) -> int:
        """All planned runs."""
        return sum(case.runs for case in self.cases)


def costs_of(planned: Sequence[Evidence]) -> Spread:
    """Gather what runs cost, and what those surely cost of which only a part is known."""
    return Counted(Counter(run.cost_usd for run in planned), Counter(floors(planned, "cost_usd")))
