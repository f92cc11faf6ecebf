"""Amounts as logs of others write them, where zero is what stands for "not measured"."""

from decimal import Decimal

from agentpolicy.base.source import Position
from agentpolicy.loading.runs_json import refuse
from agentpolicy.runs.record import Duration, Money


def dollars(at: Position, cost: object) -> Money | None:
    """Read a cost; zero is what stands there where nobody knows the price.

    Raises:
        InputError: it is no amount of money.
    """
    if cost is None or cost == 0:
        return None
    if isinstance(cost, bool) or not isinstance(cost, (int, Decimal)) or cost < 0:
        refuse(at, f"the cost {cost!r} is no amount of money", "write it as a number of dollars")
    return Money(cost)


def positive(value: object) -> Decimal | None:
    """Read a number above zero; whatever else stands there measured nothing."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)) or value <= 0:
        return None
    return Decimal(value)


def seconds(value: object) -> Duration | None:
    """Read a time in seconds."""
    span = positive(value)
    return None if span is None else Duration(span * 1000)


def milliseconds(value: object) -> Duration | None:
    """Read a time in milliseconds."""
    span = positive(value)
    return None if span is None else Duration(span)
