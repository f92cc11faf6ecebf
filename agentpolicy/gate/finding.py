"""What one dimension of a band found about one attempt, one fixture, or the whole set."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from agentpolicy.base.numbers import plain
from agentpolicy.gate.decision import Decision

_PLACES = 10_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One measured value against one limit. Every finding is kept, inside or not."""

    field: str
    """The side of the band's field that was judged: `token_ratio.max`, `tool_order`."""
    fixture_id: str | None
    """None when the whole set is measured at once."""
    attempt: int | None
    """None when all attempts of the fixture are measured together."""
    result: Decision
    measured: str | None
    """The value as text; None where the evidence does not say."""
    limit: str
    why: str
    """One sentence for people."""
    value: Decimal | Fraction | str | None = None
    """The exact value a waiver is held against; None where no waiver can apply."""
    settled: bool = True
    """Whether every looser rule knows the answer too. What a looser one would leave open stays open
    under a waiver, or to tighten the rule would let the waiver in."""
    waived_by: str = ""
    """Id of the waiver that covers a failing value; several where it takes more than one."""
    warned: bool = False
    """Whether the band grades its field `warn`: it shows and routes, but decides nothing."""

    @property
    def dimension(self) -> str:
        """The field without its side."""
        return self.field.partition(".")[0]

    @property
    def crosses(self) -> bool:
        """Whether the value is proved to be outside the band, waived or not."""
        return self.result is Decision.FAIL or self.waived_by != ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth seeing that is neither a crossing nor part of the decision."""

    field: str
    measured: str
    limit: str
    why: str


def outward(value: Fraction, *, up: bool) -> str:
    """Write a ratio in four places, rounded away from the limit it may have crossed.

    A waiver copies the printed value, so the printed value must not be better than the real one.
    """
    scaled = value * _PLACES
    whole = -(-scaled.numerator // scaled.denominator) if up else int(scaled)
    return plain(Decimal(whole).scaleb(-4))
