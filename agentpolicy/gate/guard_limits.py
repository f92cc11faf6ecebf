"""Where a run is cut off in production, taken from a budget: always above what the gate refuses.

So a change that makes long runs fails the gate first, and a run at the high end of normal is not
killed in front of a user by a limit that the gate itself would have passed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import floor

from agentpolicy.base.numbers import plain
from agentpolicy.documents.models.budget import Budget

WHOLE = ("steps", "tokens", "identical_calls")
"""The ceilings that count things."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """One limit of the guard."""

    name: str
    limit: Decimal
    hard: Decimal | None
    """The gate's own limit, below it; None where the budget has none on this."""
    declared: bool
    """Whether the budget says it, or it follows from the hard limit and the headroom."""

    @property
    def text(self) -> str:
        """Write the limit."""
        return plain(self.limit)


@dataclass(frozen=True, slots=True)
class GuardLimits:
    """All ceilings of one budget's runs."""

    ceilings: tuple[Ceiling, ...]
    unguarded: tuple[str, ...]
    """What the gate limits but nothing stops while it runs."""


def guard_limits(budget: Budget, headroom: Decimal | None) -> GuardLimits:
    """Read the ceilings off a budget; with a headroom also those that it leaves out.

    Such a one is the hard limit times the headroom, which is above 1. How many identical calls are
    too many has no hard limit to follow from.
    """
    hard = dict(_hard(budget))
    declared = dict(_declared(budget))
    ceilings, unguarded = [], []
    for name in ("steps", "tokens", "cost_usd", "identical_calls"):
        above = _above(hard.get(name), headroom, whole=name in WHOLE)
        if name in declared:
            ceilings.append(Ceiling(name, declared[name], hard.get(name), declared=True))
        elif above is not None:
            ceilings.append(Ceiling(name, above, hard[name], declared=False))
        elif name in hard or name == "identical_calls":
            unguarded.append(name)
    return GuardLimits(tuple(ceilings), tuple(unguarded))


def _above(hard: Decimal | None, headroom: Decimal | None, *, whole: bool) -> Decimal | None:
    """Give a limit above the hard one, whole where it counts things; None where there is none.

    No multiple of nothing is above it.
    """
    if hard is None or headroom is None:
        return None
    limit = hard * headroom
    if whole:
        return max(Decimal(floor(limit)), Decimal(floor(hard) + 1))
    return limit if limit > hard else None


def _hard(budget: Budget) -> Iterator[tuple[str, Decimal]]:
    limits = budget.budget
    for name, pair in (
        ("steps", limits.steps), ("tokens", limits.tokens), ("cost_usd", limits.cost_usd),
    ):  # fmt: skip
        if pair is not None and pair.hard is not None:
            yield name, pair.hard


def _declared(budget: Budget) -> Iterator[tuple[str, Decimal]]:
    guard = budget.runtime_guard
    if guard is None:
        return
    for name in ("steps", "tokens", "cost_usd", "identical_calls"):
        value = getattr(guard, name)
        if value is not None:
            yield name, Decimal(value)
