"""A candidate's value over the baseline's, compared without dividing; either may be unknown."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from agentpolicy.runs.evidence import Bounds, Truth


@dataclass(frozen=True, slots=True)
class Ratio:
    """Candidate over baseline.

    A baseline that may be zero makes every comparison unknown: nobody measures no time or no
    tokens. Only where things are counted is zero a count: then none over none is inside.
    """

    candidate: Bounds
    baseline: Bounds
    counted: bool = False

    @property
    def known(self) -> Fraction | None:
        """The exact ratio, where both values are known and the baseline is not zero."""
        above, below = self.candidate.known, self.baseline.known
        return None if above is None or not below else Fraction(above) / Fraction(below)

    def at_most(self, limit: Fraction) -> Truth:
        """Say whether the ratio is at most a limit, with unknown values at worst and at best."""
        if not self.baseline.low and not self.counted:
            return None
        if _below(_times(limit, self.baseline.high), self.candidate.low):
            return False
        worst, most = self.candidate.high, _times(limit, self.baseline.low)
        return True if worst is not None and most is not None and worst <= most else None

    def at_least(self, limit: Fraction) -> Truth:
        """Say whether the ratio is at least a limit, with unknown values at worst and at best."""
        if not self.baseline.low:
            return None
        if _below(self.candidate.high, _times(limit, self.baseline.low)):
            return False
        worst, least = self.candidate.low, _times(limit, self.baseline.high)
        return True if worst is not None and least is not None and worst >= least else None


def _times(limit: Fraction, base: Decimal | None) -> Fraction | None:
    """Multiply exactly; an end that is not bounded stays so."""
    return None if base is None else limit * Fraction(base)


def _below(one: Decimal | Fraction | None, other: Decimal | Fraction | None) -> bool:
    """Say whether one end is known to be below another."""
    return one is not None and other is not None and one < other
