"""Is a rate proved to be inside its limit? The exact one-sided 95 % bound of Clopper and Pearson.

No judgement computes the bound: it lies inside a limit exactly where so few runs past the limit
would be seen in at most one of twenty sets if the true rate stood on the limit. That compares a
binomial tail with 1/20, by sums that are rounded down and rounded up until both give the same
answer; no float takes part. The level belongs to the rule set: another one is another version of
the engine.
"""

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

P95_SHARE = Fraction(1, 20)
"""The share of runs that may lie above a 95th percentile."""
_ONE_IN = 20
"""One minus the level, as one part of so many."""
_DIGITS = 50
_PLACES = 10_000


def surely_at_most(count: int, runs: int, limit: Fraction) -> bool:
    """Say whether the upper bound of a rate, seen `count` times in `runs`, is at most a limit.

    A rate of 0 is never proved, however many runs show none. Cost: proportional to `count`.
    """
    if limit >= 1:
        return True
    if count >= runs * limit:
        return False  # at least one half of all sets show so few then: the median is not above
    digits = _DIGITS
    while True:
        down, up = (
            Context(digits, rounding, MIN_EMIN, MAX_EMAX, traps=[])
            for rounding in (ROUND_FLOOR, ROUND_CEILING)
        )
        if _tail(count, runs, limit, up) <= _power(limit.denominator, runs, down):
            return True
        if _tail(count, runs, limit, down) > _power(limit.denominator, runs, up):
            return False
        digits *= 4  # all terms are whole numbers, so with enough digits nothing is rounded


def surely_at_least(count: int, runs: int, limit: Fraction) -> bool:
    """Say whether the lower bound of a rate, seen `count` times in `runs`, is at least a limit."""
    return surely_at_most(runs - count, runs, 1 - limit)


def upper_bound(count: int, runs: int) -> Decimal:
    """Give the upper bound of a rate in four places, rounded up; nothing is judged by it.

    Of no runs nothing is known: the bound is 1.
    """
    low, high = 0, _PLACES  # the bound is not at most `low`, and at most `high`
    while high - low > 1:
        middle = (low + high) // 2
        if runs and surely_at_most(count, runs, Fraction(middle, _PLACES)):
            high = middle
        else:
            low = middle
    return Decimal(high).scaleb(-4)


def _tail(count: int, runs: int, rate: Fraction, rounded: Context) -> Decimal:
    """Give twenty times the ways to see an event at most so often, of `denominator ** runs`.

    Each step is rounded to the one side of the context; nothing is negative.
    """
    other = rate.denominator - rate.numerator
    term = total = _power(other, runs, rounded)
    for seen in range(count):
        more = rounded.multiply(term, Decimal((runs - seen) * rate.numerator))
        term = rounded.divide(more, Decimal((seen + 1) * other))
        total = rounded.add(total, term)
    return rounded.multiply(total, Decimal(_ONE_IN))


def _power(base: int, exponent: int, rounded: Context) -> Decimal:
    """Raise by squaring, each product rounded to the one side of the context."""
    result, square = Decimal(1), Decimal(base)
    while exponent:
        if exponent & 1:
            result = rounded.multiply(result, square)
        square = rounded.multiply(square, square)
        exponent >>= 1
    return result
