"""One limit of a budget on a whole set of runs, what was measured, and the answer."""

from dataclasses import dataclass
from decimal import Decimal

from agentpolicy.gate.decision import Decision, worst
from agentpolicy.runs.evidence import Bounds, Tally


@dataclass(frozen=True, slots=True)
class Check:
    """One limit on the whole set. Its parts are judged apart and combine by minimum."""

    id: str
    measured: Tally | Bounds
    limit: Decimal
    point: Decision
    """The answer about the value as measured; `pass_with_waivers` once a waiver covers it."""
    bound: Decision | None = None
    """The answer about its one-sided 95 % bound; None where the gate decides by the value."""
    floor: bool = False
    """Whether the limit is a least value; else it is a most."""
    settled: bool = False
    """Whether every run shows what the limit reads, so that a waiver may speak about it."""
    waived_by: str = ""
    """Id of the waiver that covers the failing value."""

    @property
    def result(self) -> Decision:
        """The answer of the check: the worse one of its parts."""
        return worst((self.point, self.bound or Decision.PASS))
