"""Is there a similarity threshold between what people call equivalent and what they do not?

A threshold lets through what scores at it or above. Where every equivalent pair scores higher than
every other, any cut between them parts the two; where they overlap, no cut does, and the best that
can be said is what each one lets through and stops.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from agentpolicy.gate.bound import upper_bound

_STEP = Decimal("0.0001")
"""Scores are cut to four places, so no two lie closer."""
_FEWEST, _MOST = 2, 4
"""With how many places a threshold is written: no more than it takes to part the two."""


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two texts' similarity, and whether a person judged them equivalent."""

    score: Decimal
    equivalent: bool


@dataclass(frozen=True, slots=True)
class Cut:
    """What one threshold does to the judged pairs."""

    threshold: Decimal
    stopped: int
    """Equivalent pairs below it: false alarms."""
    equivalent: int
    let_through: int
    """Pairs judged not equivalent that score at it or above: misses."""
    other: int

    @property
    def miss_rate_bound(self) -> Decimal:
        """The exact one-sided 95 % upper bound of the share of non-equivalent pairs let through.

        It holds for a cut that was fixed beforehand, and for one above every such pair: how often
        a new pair beats the highest of n has this very bound.
        """
        return upper_bound(self.let_through, self.other)

    @property
    def alarm_rate_bound(self) -> Decimal:
        """The same bound of the share of equivalent pairs that are stopped."""
        return upper_bound(self.stopped, self.equivalent)


@dataclass(frozen=True, slots=True)
class Cuts:
    """What the judged pairs say about a threshold."""

    lowest_equivalent: Decimal
    highest_other: Decimal
    cuts: tuple[Cut, ...]
    """Every cut at which something changes from where the two classes first meet, rising; where
    they are apart, only the proposed one."""
    proposed: Cut | None
    """None where no threshold parts the two."""

    @property
    def separable(self) -> bool:
        """Whether every equivalent pair scores higher than every other one."""
        return self.lowest_equivalent > self.highest_other


def cuts_of(pairs: Sequence[JudgedPair]) -> Cuts | None:
    """Look for a threshold; None where one of the two classes has no pair."""
    alike = sorted(pair.score for pair in pairs if pair.equivalent)
    other = sorted(pair.score for pair in pairs if not pair.equivalent)
    if not alike or not other:
        return None
    low, high = alike[0], other[-1]
    if low > high:
        proposed = _cut(_between(high, low), alike, other)
        return Cuts(low, high, (proposed,), proposed)
    places = sorted({score for score in (*alike, *other) if low <= score <= high})
    places.append(high + _STEP)
    return Cuts(low, high, tuple(_cut(place, alike, other) for place in places), None)


def _between(high: Decimal, low: Decimal) -> Decimal:
    """Give the short number nearest above the middle, above the one end and not above the other."""
    middle = (high + low) / 2
    for places in range(_FEWEST, _MOST + 1):
        threshold = Decimal(ceil(middle.scaleb(places))).scaleb(-places)
        if threshold <= low:
            return threshold
    return low


def _cut(threshold: Decimal, alike: Sequence[Decimal], other: Sequence[Decimal]) -> Cut:
    return Cut(
        threshold=threshold,
        stopped=bisect_left(alike, threshold),
        equivalent=len(alike),
        let_through=len(other) - bisect_left(other, threshold),
        other=len(other),
    )
